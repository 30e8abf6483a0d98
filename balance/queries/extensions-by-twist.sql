-- Question: How often do ties make games go on after the goal was reached?
-- Game: nefarious
-- Parameters:
--   $players (cells.players, optional): only games of so many players
--   $lineup (cells.lineup, optional): only games of this lineup
--   $alone (boolean, default false): only games with the twist alone, not in a pair
-- Columns:
--   lineup: who sits where
--   twist: the twist, alone or in a pair
--   twist_name: its name
--   games: how many games
--   extended: games with at least one round after somebody had reached the goal
--   extended_share: extended / games
--   extra_rounds: sum of these rounds
--   mean_extra: extra_rounds / extended; nothing if no game was extended
with cell as (
  select cell_id, count(*) as games, count(*) filter (rounds_after_goal > 0) as extended,
    sum(rounds_after_goal)::bigint as extra_rounds
  from games
  where ($players is null or players = $players)
    and ($lineup is null or lineup = $lineup)
    and (pair_b is null or not $alone)
  group by cell_id
), in_force as (
  select lineup, unnest([pair_a, pair_b]) as twist, games, extended, extra_rounds
  from cell join cells using (cell_id)
), sums as (
  select lineup, twist, sum(games)::bigint as games, sum(extended)::bigint as extended,
    sum(extra_rounds)::bigint as extra_rounds
  from in_force
  where twist is not null
  group by lineup, twist
)
select lineup, twist, name as twist_name, games, extended, extended / games as extended_share, extra_rounds,
  extra_rounds / nullif(extended, 0) as mean_extra
from sums join twists on id = twist
order by lineup, twist
