-- Question: How do cards fare: in the opening hand, when drawn, when built?
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
--   built_points: win points of the builders
--   built_value: built_points / built - 1; who is winning builds more
--   built_share: built / held
--   mean_round: round in which it was built, mean
--   paid: sum of what was paid
--   vp_per_money: printed points of all that were built / paid; nothing if it was free
with held as (
  select invention, count(*) filter (how = 'opening') as opening,
    coalesce(sum(win_points) filter (how = 'opening'), 0)::bigint as opening_points,
    count(*) filter (how = 'drawn') as drawn,
    coalesce(sum(win_points) filter (how = 'drawn'), 0)::bigint as drawn_points,
    count(*) filter (first_time) as held
  from cards
  where ($players is null or players = $players)
    and ($lineup is null or lineup = $lineup)
    and ($twist is null or pair_a = $twist or pair_b = $twist)
  group by invention
), built as (
  select b.invention, count(*) as built, sum(b.round)::bigint as rounds, sum(b.paid)::bigint as paid,
    sum(case when g.stalled then 1 when b.seat = g.winner_seat then g.players else 0 end)::bigint as built_points
  from builds b join games g on g.game_id = b.game_id
  where ($players is null or b.players = $players and g.players = $players)
    and ($lineup is null or b.lineup = $lineup and g.lineup = $lineup)
    and ($twist is null or b.pair_a = $twist or b.pair_b = $twist)
  group by b.invention
)
select id as invention, name as invention_name, cost, vp, coalesce(opening, 0) as opening,
  coalesce(opening_points, 0) as opening_points, opening_points / nullif(opening, 0) - 1 as opening_value,
  coalesce(drawn, 0) as drawn, coalesce(drawn_points, 0) as drawn_points,
  drawn_points / nullif(drawn, 0) - 1 as drawn_value, coalesce(held, 0) as held,
  coalesce(built, 0) as built, coalesce(built_points, 0) as built_points,
  built_points / built - 1 as built_value,
  coalesce(built, 0) / nullif(held, 0) as built_share, rounds / built as mean_round,
  coalesce(paid, 0) as paid,
  vp * built / nullif(paid, 0) as vp_per_money
from inventions left join held on held.invention = id left join built on built.invention = id
order by id
