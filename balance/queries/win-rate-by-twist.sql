-- Question: How often does each policy win when a twist is in force?
-- Game: nefarious
-- Parameters:
--   $players (cells.players, optional): only games of so many players
--   $lineup (cells.lineup, optional): only games of this lineup
--   $policy (policies.policy, optional): only this policy
--   $alone (boolean, default false): only games with the twist alone, not in a pair
-- Columns:
--   twist: the twist, alone or in a pair
--   twist_name: its name
--   lineup: who sits where
--   policy: who played
--   seats: how many seats, over all games
--   wins: seats that won
--   stalled_seats: seats in games that nobody won
--   points: sum of win points: as many as there are players for a win, 1 for each seat of a stalled game
--   win_points: points / seats; 1 is a fair share
with cell as (
  select cell_id, policy, count(*) as seats, count(*) filter (won) as wins,
    count(*) filter (stalled) as stalled_seats,
    sum(win_points)::bigint as points
  from seats
  where ($players is null or players = $players)
    and ($lineup is null or lineup = $lineup)
    and ($policy is null or policy = $policy)
  group by cell_id, policy
), in_force as (
  select unnest([pair_a, pair_b]) as twist, lineup, policy, seats, wins, stalled_seats, points
  from cell join cells using (cell_id)
  where pair_b is null or not $alone
)
select twist, name as twist_name, lineup, policy, sum(seats)::bigint as seats, sum(wins)::bigint as wins,
  sum(stalled_seats)::bigint as stalled_seats, sum(points)::bigint as points,
  sum(points)::bigint / sum(seats)::bigint as win_points
from in_force join twists on id = twist
group by twist, name, lineup, policy
order by twist, lineup, policy
