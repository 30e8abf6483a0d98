-- Question: Which cards are built first, and do their builders win?
-- Game: nefarious
-- Parameters:
--   $players (cells.players, optional): only games with this many players
--   $lineup (cells.lineup, optional): only games of this lineup
--   $twist (twists.id, optional): only games with this twist, alone or in a pair
-- Columns:
--   invention: id of the card
--   invention_name: its name
--   times: times it was built
--   first: times it was the first card of its builder
--   second: times it was the second
--   third: times it was the third
--   first_share: first / times
--   points: win points of those who built it first
--   win_points: points / first; players chose it, so it need not be the cause
with orders as (
  select invention, count(*) as times, count(*) filter (nth = 1) as first,
    count(*) filter (nth = 2) as second,
    count(*) filter (nth = 3) as third
  from builds
  where ($players is null or players = $players)
    and ($lineup is null or lineup = $lineup)
    and ($twist is null or pair_a = $twist or pair_b = $twist)
  group by invention
), opened as (
  select b.invention,
    sum(case when g.stalled then 1 when b.seat = g.winner_seat then g.players else 0 end)::bigint as points
  from builds b join games g on g.game_id = b.game_id
  where b.nth = 1
    and ($players is null or b.players = $players and g.players = $players)
    and ($lineup is null or b.lineup = $lineup and g.lineup = $lineup)
    and ($twist is null or b.pair_a = $twist or b.pair_b = $twist)
  group by b.invention
)
select invention, name as invention_name, times, first, second, third, first / times as first_share,
  coalesce(points, 0) as points, points / first as win_points
from orders left join opened using (invention) join inventions on id = invention
order by first desc, invention
