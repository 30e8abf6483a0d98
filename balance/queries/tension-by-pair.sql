-- Question: Under which pairs of twists is the game decided early?
-- Game: nefarious
-- Parameters:
--   $players (cells.players, optional): only games with this many players
--   $lineup (cells.lineup, optional): only games of this lineup
-- Columns:
--   lineup: which policy plays which seat
--   players: how many play
--   pair_a: first twist of the pair, in alphabetical order
--   pair_b: second twist of the pair
--   metric: no_lead_change: the lead never changes; half_leader: the sole leader at half-time wins; tie_extensions: it goes on after the goal
--   share: share of the games for which the metric is defined
--   low: lower end of its 95% interval (Wilson, from the variance over deals)
--   high: upper end of its 95% interval
--   games: how many games
select lineup, players, pair_a, pair_b, metric, value as share, low, high, games
from metrics
where metric in ('no_lead_change', 'half_leader', 'tie_extensions') and pair_b is not null
  and ($players is null or players = $players) and ($lineup is null or lineup = $lineup)
order by lineup, players, pair_a, pair_b, metric
