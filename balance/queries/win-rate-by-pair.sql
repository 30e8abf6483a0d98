-- Question: How often does each policy win under each pair of twists?
-- Game: nefarious
-- Parameters:
--   $players (cells.players, optional): only games of so many players
--   $lineup (cells.lineup, optional): only games of this lineup
--   $policy (policies.policy, optional): only this policy
--   $twist (twists.id, optional): only games with this twist, alone or in a pair
-- Columns:
--   pair_a: first twist of the pair, in alphabetical order
--   pair_b: second twist of the pair
--   lineup: who sits where
--   policy: who played
--   seats: how many seats, over all games
--   wins: seats that won
--   stalled_seats: seats in games that nobody won
--   points: sum of win points: as many as there are players for a win, 1 for each seat of a stalled game
--   win_points: points / seats; 1 is a fair share
select pair_a, pair_b, lineup, policy, count(*) as seats, count(*) filter (won) as wins,
  count(*) filter (stalled) as stalled_seats, sum(win_points)::bigint as points,
  sum(win_points)::bigint / count(*) as win_points
from seats
where pair_b is not null
  and ($players is null or players = $players)
  and ($lineup is null or lineup = $lineup)
  and ($policy is null or policy = $policy)
  and ($twist is null or pair_a = $twist or pair_b = $twist)
group by pair_a, pair_b, lineup, policy
order by pair_a, pair_b, lineup, policy
