-- Question: How long do games last, and how many does nobody win?
-- Title: Length of games in rounds, all combinations together
-- Parameters:
--   $lineup (cells.lineup, optional): only games of this lineup
--   $counts (text, optional): only these numbers of players, such as 2,4
-- Columns:
--   lineup [In, lineup]: how well those at the table play
--   players [Players, integer]: how many play
--   games [Games, integer]: how many games
--   p05 [5% end within, integer]: one game in twenty is no longer than that
--   p50 [Median, integer]: half of the games are no longer than that
--   p95 [95% end within, integer]: one game in twenty is longer than that
--   mean [Mean, number]: rounds of a game
--   mean_low: lower end of its 95% interval (Student, from the variance over deals)
--   mean_high: upper end of its 95% interval
--   stalled [Nobody wins, share]: the share of games that stall
--   stalled_low: lower end of its 95% interval (Wilson, from the variance over deals)
--   stalled_high: upper end of its 95% interval
with counted as (
  select c.lineup, c.players, l.length, sum(l.games)::bigint as games
  from lengths l join cells c using (cell_id)
  where ($lineup is null or c.lineup = $lineup)
    and ($counts is null or list_contains(string_split($counts, ','), c.players::varchar))
  group by all
), ranked as (
  select *, sum(games) over (partition by lineup, players order by length) as upto,
    sum(games) over (partition by lineup, players) as n
  from counted
), quantiles as (
  select lineup, players, max(n)::bigint as games,
    min(length) filter (upto >= 0.05::double * n) as p05, min(length) filter (upto >= 0.5::double * n) as p50,
    min(length) filter (upto >= 0.95::double * n) as p95
  from ranked group by lineup, players
), summed as (
  select lineup, players, sums(mean_length, games) as r, sums(stalls, games) as e from lineup_deals group by lineup, players
), estimated as (
  select lineup, players, mean_from(r) as m, share_from(e, 1) as s from summed
)
select lineup, players, games, p05, p50, p95, m.value as mean, m.low as mean_low, m.high as mean_high,
  s.value as stalled, s.low as stalled_low, s.high as stalled_high
from quantiles join estimated using (lineup, players)
order by lineup, players
