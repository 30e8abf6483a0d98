-- Question: How many combinations are broken, undecided, bent and fine?
-- Parameters:
--   $size (integer, required): how many variants are in force
--   $counts (text, optional): only these numbers of players, such as 2,4
-- Columns:
--   players [Players, integer]: how many play
--   judged [Judged, integer]: how many combinations
--   broken [Broken, integer]: a metric is outside an end that breaks the game
--   undecided [Undecided, integer]: these games do not show which
--   bent [Bent, integer]: not broken; a metric is outside an end that bends the game
--   fine [Fine, integer]: every metric is inside its accepted range
--   games [Games, integer]: how many games
select players, count(*) as judged, count(*) filter (verdict = 'broken') as broken,
  count(*) filter (verdict = 'undecided') as undecided, count(*) filter (verdict = 'bent') as bent,
  count(*) filter (verdict = 'fine') as fine, sum(games)::bigint as games
from verdicts
where size = $size and ($counts is null or list_contains(string_split($counts, ','), players::varchar))
group by players
order by players
