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
--   estimated_broken [Estimated broken, integer]: how many there are by the figures of all, decided or not
--   estimated_broken_low: lower end of its 95% interval
--   estimated_broken_high: upper end of its 95% interval
--   estimated_bent [Estimated bent, integer]: the same of bent ones
--   estimated_bent_low: lower end of its 95% interval
--   estimated_bent_high: upper end of its 95% interval
--   estimated_fine [Estimated fine, integer]: the same of fine ones
--   estimated_fine_low: lower end of its 95% interval
--   estimated_fine_high: upper end of its 95% interval
--   games [Games, integer]: how many games
with counted as (
  select players, count(*) as judged, count(*) filter (verdict = 'broken') as broken,
    count(*) filter (verdict = 'undecided') as undecided, count(*) filter (verdict = 'bent') as bent,
    count(*) filter (verdict = 'fine') as fine, sum(games)::bigint as games
  from verdicts
  where size = $size and ($counts is null or list_contains(string_split($counts, ','), players::varchar))
  group by players
), estimated as (
  select players, max(estimate) filter (verdict = 'broken') as estimated_broken,
    max(low) filter (verdict = 'broken') as estimated_broken_low, max(high) filter (verdict = 'broken') as estimated_broken_high,
    max(estimate) filter (verdict = 'bent') as estimated_bent, max(low) filter (verdict = 'bent') as estimated_bent_low,
    max(high) filter (verdict = 'bent') as estimated_bent_high, max(estimate) filter (verdict = 'fine') as estimated_fine,
    max(low) filter (verdict = 'fine') as estimated_fine_low, max(high) filter (verdict = 'fine') as estimated_fine_high
  from verdict_counts where variants = $size group by players
)
select c.* exclude (games), e.* exclude (players), c.games
from counted c join estimated e using (players)
order by players
