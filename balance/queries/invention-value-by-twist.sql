-- Question: Under which twists is a card in the opening hand worth more?
-- Game: nefarious
-- Parameters:
--   $invention (inventions.id, required): the card, by id or name
--   $players (cells.players, optional): only games of so many players
--   $lineup (cells.lineup, optional): only games of this lineup
--   $alone (boolean, default false): only games with the twist alone, not in a pair
-- Columns:
--   twist: the twist, alone or in a pair
--   twist_name: its name
--   seats: seats that had the card in the opening hand
--   points: sum of win points: as many as there are players for a win, 1 for each seat of a stalled game
--   value: points / seats - 1
--   plain_seats: the same without any twist: seats
--   plain_value: value without any twist
--   difference: value - plain_value
with cell as (
  select cell_id, count(*) as seats, sum(win_points)::bigint as points
  from cards
  where invention = $invention and how = 'opening'
    and ($players is null or players = $players)
    and ($lineup is null or lineup = $lineup)
  group by cell_id
), in_force as (
  select unnest([pair_a, pair_b]) as twist, seats, points
  from cell join cells using (cell_id)
  where pair_b is null or not $alone
), plain as (
  select sum(seats)::bigint as plain_seats, sum(points)::bigint / sum(seats)::bigint - 1 as plain_value
  from cell join cells using (cell_id)
  where pair_a is null
), sums as (
  select twist, sum(seats)::bigint as seats, sum(points)::bigint as points
  from in_force
  where twist is not null
  group by twist
)
select twist, name as twist_name, seats, points, points / seats - 1 as value, plain_seats, plain_value,
  value - plain_value as difference
from sums join twists on id = twist cross join plain
order by difference desc nulls last, twist
