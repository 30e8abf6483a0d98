-- Question: Does it matter which of two twists comes first?
-- Game: nefarious
-- Parameters:
--   $players (cells.players, optional): only games of so many players
--   $lineup (cells.lineup, optional): only games of this lineup
--   $twist (twists.id, optional): only games with this twist, alone or in a pair
-- Columns:
--   lineup: who sits where
--   pair_a: first twist of the pair, in alphabetical order
--   pair_b: second twist of the pair
--   games_ab: games with pair_a first
--   games_ba: games with pair_b first
--   stalled_ab: of these stalled
--   stalled_ba: of these stalled
--   mean_rounds_ab: mean rounds with pair_a first
--   mean_rounds_ba: mean rounds with pair_b first
--   difference: mean_rounds_ab - mean_rounds_ba
--   low: lower end of its 95% interval, from the variance over deals
--   high: upper end of its 95% interval
with deals as (  -- the unit is the deal; it draws the order, so all its games have the same
  select lineup, pair_a, pair_b, players, twist_1 = pair_a as ab, count(*) as games,
    count(*) filter (stalled) as stalled,
    sum(rounds)::bigint as rounds
  from games
  where pair_b is not null
    and ($players is null or players = $players)
    and ($lineup is null or lineup = $lineup)
    and ($twist is null or pair_a = $twist or pair_b = $twist)
  group by lineup, pair_a, pair_b, players, ab, deal(game_id)
), sums as (
  select lineup, pair_a, pair_b, ab, sum(games)::bigint as games, sum(stalled)::bigint as stalled,
    sum(rounds)::bigint as rounds, sum(rounds * rounds)::bigint as rounds_rounds,
    sum(rounds * games)::bigint as rounds_games, sum(games * games)::bigint as games_games
  from deals
  group by lineup, pair_a, pair_b, ab
), means as (
  select *, rounds / games as mean,
    greatest(0, rounds_rounds - 2 * mean * rounds_games + mean * mean * games_games) / (games * games) as variance
  from sums
)
select lineup, pair_a, pair_b, a.games as games_ab, b.games as games_ba, a.stalled as stalled_ab,
  b.stalled as stalled_ba, a.mean as mean_rounds_ab, b.mean as mean_rounds_ba, a.mean - b.mean as difference,
  difference - 1.959963984540054 * sqrt(a.variance + b.variance) as low,
  difference + 1.959963984540054 * sqrt(a.variance + b.variance) as high
from (from means where ab) a join (from means where not ab) b using (lineup, pair_a, pair_b)
order by lineup, pair_a, pair_b
