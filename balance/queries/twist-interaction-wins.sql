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
with means as (
  select players, pair_a, pair_b, games, value as mean from metrics
  where metric = 'win_points' and "of" = $policy and ($players is null or players = $players) and lineup = $lineup
)
select players, p.pair_a, p.pair_b, p.games, p.mean as points_pair, a.mean as points_a, b.mean as points_b,
  o.mean as points_plain, p.mean - a.mean - b.mean + o.mean as beyond
from means p join (select * exclude (pair_b) from means where pair_b is null) a using (players, pair_a)
join (select players, pair_a as pair_b, mean from means where pair_b is null) b using (players, pair_b)
join (select players, mean from means where pair_a is null) o using (players)
where p.pair_b is not null and ($twist is null or p.pair_a = $twist or p.pair_b = $twist)
order by players, p.pair_a, p.pair_b
