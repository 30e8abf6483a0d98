-- Question: Is the game open to the end?
-- Title: How open games are, all combinations together
-- Parameters:
--   $lineup (cells.lineup, optional): only games of this lineup
--   $counts (text, optional): only these numbers of players, such as 2,4
-- Columns:
--   lineup [In, lineup]: which policy plays which seat
--   players [Players, integer]: how many play
--   games [Games, integer]: how many games
--   measure [Measure]: what is measured, in words
--   share [Share, share]: share of the games for which the measure is defined
--   low: lower end of its 95% interval (Wilson, from the variance over deals)
--   high: upper end of its 95% interval
-- Spread: measure, share
with shared as (
  select lineup, players, measure, sum(games)::bigint as games, share(num, den) as s
  from lineup_figures
  where measure in ('no_lead_change', 'tie_extensions', 'half_leader') and ($lineup is null or lineup = $lineup)
    and ($counts is null or list_contains(string_split($counts, ','), players::varchar))
  group by lineup, players, measure
)
select lineup, players, games, title as measure, s.value as share, s.low as low, s.high as high
from shared join measures using (measure)
order by lineup, players, shared.measure
