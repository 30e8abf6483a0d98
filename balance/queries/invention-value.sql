-- Question: How do cards fare that are dealt or drawn, and how many of them are built?
-- Game: nefarious
-- Parameters:
--   $players (cells.players, optional): only games of so many players
--   $lineup (cells.lineup, optional): only games of this lineup
--   $twist (twists.id, optional): only games with this twist, alone or in a pair
-- Columns:
--   invention: id of the card
--   invention_name: its name
--   cost: printed cost
--   vp: printed victory points
--   opening: seats that had it in the opening hand
--   opening_points: their win points
--   opening_value: opening_points / opening - 1; chance decided, so the card is the cause
--   drawn: seats that drew it later
--   drawn_points: their win points
--   drawn_value: drawn_points / drawn - 1; who draws much, or plays long, sees more cards
--   held: seats that had it in either way
--   built: times it was built
--   built_share: built / held
--   mean_round: round in which it was built, mean
--   paid: sum of what was paid
--   vp_per_money: printed points of all that were built / paid; nothing if it was free
with ways as (
  select invention, how, count(*) as seats, sum(win_points)::bigint as points, count(*) filter (first_time) as new
  from cards
  where ($players is null or players = $players)
    and ($lineup is null or lineup = $lineup)
    and ($twist is null or pair_a = $twist or pair_b = $twist)
  group by invention, how
), held as (
  select id, coalesce(sum(seats) filter (how = 'opening'), 0)::bigint as opening,
    coalesce(sum(points) filter (how = 'opening'), 0)::bigint as opening_points,
    coalesce(sum(seats) filter (how = 'drawn'), 0)::bigint as drawn,
    coalesce(sum(points) filter (how = 'drawn'), 0)::bigint as drawn_points, coalesce(sum(new), 0)::bigint as held
  from inventions left join ways on invention = id
  group by id
), builds_of as (
  select invention, count(*) as times, sum(round)::bigint as rounds, sum(paid)::bigint as money
  from builds
  where ($players is null or players = $players)
    and ($lineup is null or lineup = $lineup)
    and ($twist is null or pair_a = $twist or pair_b = $twist)
  group by invention
)
select id as invention, name as invention_name, cost, vp, opening, opening_points,
  opening_points / nullif(opening, 0) - 1 as opening_value, drawn, drawn_points,
  drawn_points / nullif(drawn, 0) - 1 as drawn_value, held, coalesce(times, 0) as built,
  coalesce(times, 0) / nullif(held, 0) as built_share, rounds / times as mean_round, coalesce(money, 0) as paid,
  vp * times / nullif(money, 0) as vp_per_money
from inventions join held using (id) left join builds_of on invention = id
order by id
