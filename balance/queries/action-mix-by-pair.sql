-- Question: Is an action dead, or the only one, under a pair of twists?
-- Game: nefarious
-- Parameters:
--   $players (cells.players, optional): only games with this many players
--   $lineup (cells.lineup, optional): only games of this lineup
-- Columns:
--   lineup: which policy plays which seat
--   players: how many play
--   pair_a: first twist of the pair, in alphabetical order
--   pair_b: second twist of the pair
--   action: what is chosen
--   share: of all choices
--   low: lower end of its 95% interval (Wilson, from the variance over deals)
--   high: upper end of its 95% interval
--   games: how many games
select lineup, players, pair_a, pair_b, "of" as action, value as share, low, high, games
from metrics
where metric = 'action' and pair_b is not null
  and ($players is null or players = $players) and ($lineup is null or lineup = $lineup)
order by lineup, players, pair_a, pair_b, action
