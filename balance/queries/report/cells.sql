-- Question: How many combinations, deals and games were played?
-- Title: Combinations, deals and games
-- Parameters:
--   $counts (text, optional): only these numbers of players, such as 2,4
-- Columns:
--   lineup [In, lineup]: how well those at the table play
--   players [Players, integer]: how many play
--   cells [Combinations, integer]: of variants, none included
--   deals [Deals, integer]: different shuffles of each, at most
--   games [Games, integer]: how many games
select c.lineup, c.players, count(*) as cells, max(c.deals) as deals, sum(c.deals * c.replicates)::bigint as games
from cells c
where c.deals > 0
  and ($counts is null or list_contains(string_split($counts, ','), c.players::varchar))
group by c.lineup, c.players
order by c.lineup, c.players
