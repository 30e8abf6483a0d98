-- Question: What does a pair do to a policy's win points beyond its two twists alone?
-- Game: nefarious
-- Parameters:
--   $policy (policies.policy, required): whose wins
--   $players (cells.players, optional): only games of so many players
--   $lineup (cells.lineup, default field): the lineup; in a mirror everybody has a fair share
--   $twist (twists.id, optional): only games with this twist, alone or in a pair
-- Columns:
--   players: how many play
--   pair_a: first twist of the pair, in alphabetical order
--   pair_b: second twist of the pair
--   seats: seats of the policy in games with the pair
--   points: sum of win points: as many as there are players for a win, 1 for each seat of a stalled game
--   points_pair: win points with both
--   points_a: win points with pair_a alone
--   points_b: win points with pair_b alone
--   points_plain: win points without any twist
--   beyond: points_pair - points_a - points_b + points_plain
with means as (
  select players, pair_a, pair_b, count(*) as seats, sum(win_points)::bigint as points,
    sum(win_points)::bigint / count(*) as mean
  from seats
  where policy = $policy
    and ($players is null or players = $players)
    and ($lineup is null or lineup = $lineup)
  group by players, pair_a, pair_b
)
select p.players, p.pair_a, p.pair_b, p.seats, p.points, p.mean as points_pair, a.mean as points_a,
  b.mean as points_b, o.mean as points_plain, p.mean - a.mean - b.mean + o.mean as beyond
from (from means where pair_b is not null and ($twist is null or pair_a = $twist or pair_b = $twist)) p
join (from means where pair_b is null) a on a.players = p.players and a.pair_a = p.pair_a
join (from means where pair_b is null) b on b.players = p.players and b.pair_a = p.pair_b
join (from means where pair_a is null) o on o.players = p.players
order by p.players, p.pair_a, p.pair_b
