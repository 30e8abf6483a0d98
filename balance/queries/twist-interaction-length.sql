-- Question: What does a pair do to the length of games beyond its two twists alone?
-- Game: nefarious
-- Parameters:
--   $players (cells.players, optional): only games of so many players
--   $lineup (cells.lineup, optional): only games of this lineup
--   $twist (twists.id, optional): only games with this twist, alone or in a pair
-- Columns:
--   lineup: who sits where
--   players: how many play
--   pair_a: first twist of the pair, in alphabetical order
--   pair_b: second twist of the pair
--   games: games with the pair
--   mean_pair: mean rounds with both
--   mean_a: mean rounds with pair_a alone
--   mean_b: mean rounds with pair_b alone
--   mean_plain: mean rounds without any twist
--   beyond: mean_pair - mean_a - mean_b + mean_plain
--   factor: mean_pair / mean_plain, over the product of the same for each twist; 1: each does what it does alone
with means as (
  select lineup, players, pair_a, pair_b, count(*) as games, sum(rounds)::bigint / count(*) as mean
  from games
  where ($players is null or players = $players)
    and ($lineup is null or lineup = $lineup)
  group by lineup, players, pair_a, pair_b
)
select p.lineup, p.players, p.pair_a, p.pair_b, p.games, p.mean as mean_pair, a.mean as mean_a,
  b.mean as mean_b,
  o.mean as mean_plain, p.mean - a.mean - b.mean + o.mean as beyond,
  p.mean * o.mean / (a.mean * b.mean) as factor
from (from means where pair_b is not null and ($twist is null or pair_a = $twist or pair_b = $twist)) p
join (from means where pair_b is null) a
  on a.lineup = p.lineup and a.players = p.players and a.pair_a = p.pair_a
join (from means where pair_b is null) b
  on b.lineup = p.lineup and b.players = p.players and b.pair_a = p.pair_b
join (from means where pair_a is null) o on o.lineup = p.lineup and o.players = p.players
order by p.lineup, p.players, p.pair_a, p.pair_b
