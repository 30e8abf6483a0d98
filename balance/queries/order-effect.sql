-- Question: Does it matter which of two twists comes first?
-- Game: nefarious
-- Parameters:
--   $players (cells.players, optional): only games with this many players
--   $lineup (cells.lineup, optional): only games of this lineup
--   $twist (twists.id, optional): only games with this twist, alone or in a pair
-- Columns:
--   lineup: which policy plays which seat
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
with means as (  -- the unit is the deal; it draws the order, so all its games have the same
  select lineup, pair_a, pair_b, ab, sum(games)::bigint as games, sum(stalled)::bigint as stalled,
    average(rounds, games) as s
  from (
    select lineup, pair_a, pair_b, players, twist_1 = pair_a as ab, deal(game_id) as deal, count(*) as games,
      count(*) filter (stalled) as stalled, sum(rounds) as rounds
    from games
    where pair_b is not null
      and ($players is null or players = $players)
      and ($lineup is null or lineup = $lineup)
      and ($twist is null or pair_a = $twist or pair_b = $twist)
    group by all
  )
  group by lineup, pair_a, pair_b, ab
)
select lineup, pair_a, pair_b, a.games as games_ab, b.games as games_ba, a.stalled as stalled_ab,
  b.stalled as stalled_ba, a.s.value as mean_rounds_ab, b.s.value as mean_rounds_ba,
  a.s.value - b.s.value as difference,
  difference - sqrt((a.s.high - a.s.value) ** 2 + (b.s.high - b.s.value) ** 2) as low,
  difference + sqrt((a.s.high - a.s.value) ** 2 + (b.s.high - b.s.value) ** 2) as high
from (from means where ab) a join (from means where not ab) b using (lineup, pair_a, pair_b)
order by lineup, pair_a, pair_b
