-- Question: How long do games last under each pair of twists?
-- Game: nefarious
-- Parameters:
--   $players (cells.players, optional): only games with this many players
--   $lineup (cells.lineup, optional): only games of this lineup
--   $twist (twists.id, optional): only games with this twist
-- Columns:
--   lineup: which policy plays which seat
--   players: how many play
--   pair_a: first twist of the pair, in alphabetical order
--   pair_b: second twist of the pair
--   p05: 5% of games last at most this many rounds
--   median: half of the games last at most this many rounds
--   p95: 95% of games last at most this many rounds
--   mean: rounds of a game
--   mean_low: lower end of its 95% interval (Student, from the variance over deals)
--   mean_high: upper end of its 95% interval
--   ratio: mean, as a multiple of that without twists; nothing if those were not played
--   ratio_low: lower end of its 95% interval (Fieller, on common deals)
--   ratio_high: upper end of its 95% interval
--   stalled: share of games that nobody wins
--   games: how many games
select lineup, players, pair_a, pair_b, max(value) filter (metric = 'length_short') as p05,
  max(value) filter (metric = 'length') as median, max(value) filter (metric = 'length_long') as p95,
  max(value) filter (metric = 'mean_length') as mean, max(low) filter (metric = 'mean_length') as mean_low,
  max(high) filter (metric = 'mean_length') as mean_high, max(value) filter (metric = 'length_ratio') as ratio,
  max(low) filter (metric = 'length_ratio') as ratio_low, max(high) filter (metric = 'length_ratio') as ratio_high,
  max(value) filter (metric = 'stalls') as stalled, max(games) as games
from metrics
where pair_b is not null
  and ($players is null or players = $players) and ($lineup is null or lineup = $lineup) and ($twist is null or pair_a = $twist or pair_b = $twist)
group by all
order by all
