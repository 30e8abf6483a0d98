-- Question: In which round do players build their first, second, third card?
-- Game: nefarious
-- Parameters:
--   $players (cells.players, optional): only games with this many players
--   $lineup (cells.lineup, optional): only games of this lineup
--   $twist (twists.id, optional): only games with this twist, alone or in a pair
-- Columns:
--   lineup: which policy plays which seat
--   nth: 1 for the first card that the seat builds, 2 for its second
--   times: seats that built this card
--   mean_round: mean round
--   p05: 5% do it in this round or sooner
--   median: half do it in this round or sooner
--   p95: 95% do it in this round or sooner
--   mean_paid: mean price
with counts as (
  select lineup, nth, round, count(*) as times, sum(paid)::bigint as paid
  from builds
  where ($players is null or players = $players)
    and ($lineup is null or lineup = $lineup)
    and ($twist is null or pair_a = $twist or pair_b = $twist)
  group by lineup, nth, round
), ranked as (
  select *, sum(times) over (partition by lineup, nth order by round) as so_far,
    sum(times) over (partition by lineup, nth) as every
  from counts
)
select lineup, nth, sum(times)::bigint as times,
  sum(times * round)::bigint / sum(times)::bigint as mean_round,
  min(round) filter (20 * so_far >= every) as p05, min(round) filter (2 * so_far >= every) as median,
  min(round) filter (20 * so_far >= 19 * every) as p95, sum(paid)::bigint / sum(times)::bigint as mean_paid
from ranked
group by lineup, nth
order by lineup, nth
