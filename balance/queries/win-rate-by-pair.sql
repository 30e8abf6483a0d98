-- Question: How often does each policy win under each pair of twists?
-- Game: nefarious
-- Parameters:
--   $players (cells.players, optional): only games with this many players
--   $lineup (cells.lineup, optional): only games of this lineup; where all play alike, win points are 1 by construction and not shown
--   $policy (policies.policy, optional): only this policy
--   $twist (twists.id, optional): only games with this twist
-- Columns:
--   lineup: which policy plays which seat
--   players: how many play
--   pair_a: first twist of the pair, in alphabetical order
--   pair_b: second twist of the pair
--   policy: who played
--   win_points: share of wins times players; 1 is fair
--   low: lower end of its 95% interval (Wilson, from the variance over deals)
--   high: upper end of its 95% interval
--   games: how many games
select lineup, players, pair_a, pair_b, "of" as policy, value as win_points, low, high, games
from metrics
where metric = 'win_points' and pair_b is not null
  and ($players is null or players = $players) and ($lineup is null or lineup = $lineup)
  and ($policy is null or "of" = $policy) and ($twist is null or pair_a = $twist or pair_b = $twist)
order by lineup, players, pair_a, pair_b, policy
