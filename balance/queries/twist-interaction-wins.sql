-- Question: What does a pair do to a policy's win points beyond its two twists alone?
-- Game: nefarious
-- Parameters:
--   $policy (policies.policy, required): whose wins
--   $players (cells.players, optional): only games with this many players
--   $lineup (cells.lineup, default field): the lineup; in a mirror everybody has a fair share
--   $twist (twists.id, optional): only pairs with this twist
-- Columns:
--   players: how many play
--   pair_a: first twist of the pair, in alphabetical order
--   pair_b: second twist of the pair
--   games: games with the pair
--   points_pair: win points with both
--   points_a: win points with pair_a alone
--   points_b: win points with pair_b alone
--   points_plain: win points without any twist
--   beyond: points_pair - points_a - points_b + points_plain
--   low: lower end of its 95% interval (on the deals that all four have)
--   high: upper end of its 95% interval
select players, pair_a, pair_b, games, with_both / den as points_pair, first_alone / den as points_a,
  second_alone / den as points_b, with_none / den as points_plain, value as beyond, low, high
from interactions
where measure = 'win_points' and "of" = $policy and lineup = $lineup and ($players is null or players = $players)
  and ($twist is null or pair_a = $twist or pair_b = $twist)
order by players, pair_a, pair_b
