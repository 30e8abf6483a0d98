-- Question: What does a pair do to the length of games beyond its two twists alone?
-- Game: nefarious
-- Parameters:
--   $players (cells.players, optional): only games with this many players
--   $lineup (cells.lineup, optional): only games of this lineup
--   $twist (twists.id, optional): only pairs with this twist
-- Columns:
--   lineup: which policy plays which seat
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
--   low: lower end of its 95% interval (on the deals that all four have)
--   high: upper end of its 95% interval
select lineup, players, pair_a, pair_b, games, with_both / den as mean_pair, first_alone / den as mean_a,
  second_alone / den as mean_b, with_none / den as mean_plain, num / den as beyond, exp(value) as factor,
  exp(low) as low, exp(high) as high
from interactions
where measure = 'mean_length' and ($players is null or players = $players) and ($lineup is null or lineup = $lineup)
  and ($twist is null or pair_a = $twist or pair_b = $twist)
order by lineup, players, pair_a, pair_b
