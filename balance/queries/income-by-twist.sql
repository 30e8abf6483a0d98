-- Question: How much more is earned per round under a twist?
-- Game: nefarious
-- Parameters:
--   $players (cells.players, optional): only games with this many players
--   $lineup (cells.lineup, optional): only games of this lineup
--   $alone (boolean, default false): only games with the twist alone, not in a pair
-- Columns:
--   lineup: which policy plays which seat
--   twist: the twist, alone or in a pair
--   twist_name: its name
--   income: sum of the income of all seats
--   seat_rounds: rounds played, summed over all seats
--   per_round: income / seat_rounds
--   plain_per_round: the same without any twist, same lineup and players
with earned as (
  select cell_id, sum(income)::bigint as income
  from seats
  where ($players is null or players = $players)
    and ($lineup is null or lineup = $lineup)
  group by cell_id
), lasted as (
  select cell_id, sum(rounds * players)::bigint as seat_rounds
  from games
  where ($players is null or players = $players)
    and ($lineup is null or lineup = $lineup)
  group by cell_id
), cell as (
  select lineup, pair_a, pair_b, income, seat_rounds
  from earned join lasted using (cell_id) join cells using (cell_id)
), in_force as (
  select lineup, unnest([pair_a, pair_b]) as twist, income, seat_rounds
  from cell
  where pair_b is null or not $alone
), plain as (
  select lineup, sum(income)::bigint / sum(seat_rounds)::bigint as plain_per_round
  from cell
  where pair_a is null
  group by lineup
), sums as (
  select lineup, twist, sum(income)::bigint as income, sum(seat_rounds)::bigint as seat_rounds
  from in_force
  where twist is not null
  group by lineup, twist
)
select lineup, twist, name as twist_name, income, seat_rounds, income / seat_rounds as per_round,
  plain_per_round
from sums join twists on id = twist left join plain using (lineup)
order by lineup, twist
