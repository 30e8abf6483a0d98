-- Question: Do those win who build a card?
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
--   built: times it was built
--   points: win points of the builders
--   value: points / built - 1; who is winning builds more, so the card need not be the cause
with built as (
  select b.invention, count(*) as built,
    sum(case when g.stalled then 1 when b.seat = g.winner_seat then g.players else 0 end)::bigint as points
  from builds b join games g on g.game_id = b.game_id
  where ($players is null or b.players = $players and g.players = $players)
    and ($lineup is null or b.lineup = $lineup and g.lineup = $lineup)
    and ($twist is null or b.pair_a = $twist or b.pair_b = $twist)
  group by b.invention
)
select invention, name as invention_name, cost, vp, built, points, points / built - 1 as value
from built join inventions on id = invention
order by invention
