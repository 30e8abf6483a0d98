-- Question: What is a metric under each pair of twists: stalls, exhaustion, action, win_points ...?
-- Game: nefarious
-- Parameters:
--   $metric (metric_list.metric, required): which metric; the view metric_list has them all
--   $of (text, optional): only this action, policy or seat
--   $players (cells.players, optional): only games with this many players
--   $lineup (cells.lineup, optional): only games of this lineup
--   $twist (twists.id, optional): only games with this twist
-- Columns:
--   lineup: which policy plays which seat
--   players: how many play
--   pair_a: first twist of the pair, in alphabetical order
--   pair_b: second twist of the pair
--   of: which action, policy or seat the figure is about; empty if it has no parts
--   value: the figure
--   low: lower end of its 95% interval
--   high: upper end of its 95% interval
--   games: how many games
select lineup, players, pair_a, pair_b, "of", value, low, high, games
from metrics
where metric = $metric and pair_b is not null and ($of is null or "of" = $of)
  and ($players is null or players = $players) and ($lineup is null or lineup = $lineup)
  and ($twist is null or pair_a = $twist or pair_b = $twist)
order by all
