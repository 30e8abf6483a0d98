-- Question: When is each card built, and for how much?
-- Game: nefarious
-- Parameters:
--   $players (cells.players, optional): only games with this many players
--   $lineup (cells.lineup, optional): only games of this lineup
--   $twist (twists.id, optional): only games with this twist, alone or in a pair
-- Columns:
--   invention: id of the card
--   invention_name: its name
--   times: times it was built
--   mean_round: mean round
--   p05: 5% are built in this round or sooner
--   median: half are built in this round or sooner
--   p95: 95% are built in this round or sooner
--   paid: sum of what was paid
--   mean_paid: paid / times
--   cost: printed cost
with counts as (
  select invention, round, count(*) as times, sum(paid)::bigint as paid
  from builds
  where ($players is null or players = $players)
    and ($lineup is null or lineup = $lineup)
    and ($twist is null or pair_a = $twist or pair_b = $twist)
  group by invention, round
), ranked as (
  select *, sum(times) over (partition by invention order by round) as so_far,
    sum(times) over (partition by invention) as every
  from counts
), sums as (
  select invention, sum(times)::bigint as times,
    sum(times * round)::bigint / sum(times)::bigint as mean_round,
    min(round) filter (20 * so_far >= every) as p05, min(round) filter (2 * so_far >= every) as median,
    min(round) filter (20 * so_far >= 19 * every) as p95, sum(paid)::bigint as paid
  from ranked
  group by invention
)
select invention, name as invention_name, times, mean_round, p05, median, p95, paid,
  paid / times as mean_paid, cost
from sums join inventions on id = invention
order by invention
