-- Question: What does a pair do to the length of games beyond its two twists alone?
-- Game: nefarious
-- Parameters:
--   $players (cells.players, optional): only games with this many players
--   $lineup (cells.lineup, optional): only games of this lineup
--   $twist (twists.id, optional): only pairs with this twist
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
  select lineup, players, pair_a, pair_b, games, value as mean from metrics
  where metric = 'mean_length' and ($players is null or players = $players) and ($lineup is null or lineup = $lineup)
)
select lineup, players, p.pair_a, p.pair_b, p.games, p.mean as mean_pair, a.mean as mean_a, b.mean as mean_b,
  o.mean as mean_plain, p.mean - a.mean - b.mean + o.mean as beyond, p.mean * o.mean / (a.mean * b.mean) as factor
from means p join (select * exclude (pair_b) from means where pair_b is null) a using (lineup, players, pair_a)
join (select lineup, players, pair_a as pair_b, mean from means where pair_b is null) b using (lineup, players, pair_b)
join (select lineup, players, mean from means where pair_a is null) o using (lineup, players)
where p.pair_b is not null and ($twist is null or p.pair_a = $twist or p.pair_b = $twist)
order by lineup, players, p.pair_a, p.pair_b
