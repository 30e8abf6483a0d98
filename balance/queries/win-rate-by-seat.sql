-- Question: Does it matter where one sits?
-- Title: Win points of each seat
-- Note: Games that share a shuffle are one deal, in whatever combination they were played; the deal is the unit.
-- Parameters:
--   $lineup (cells.lineup, optional): only games of this lineup
--   $counts (text, optional): only these numbers of players, such as 2,4
-- Columns:
--   lineup [Lineup, hidden]: which policy plays which seat
--   seat [Seat, integer]: counted from 0
--   players [Players, integer]: how many play
--   win_points [Win points, number]: share of wins times players; 1 is fair
--   low: lower end of its 95% interval (Wilson, from the variance over deals)
--   high: upper end of its 95% interval
--   deals: how many deals
--   games: how many games
-- Spread: players, win_points
with shared as (
  select lineup, "of"::int as seat, players, points(num, den, players) as s, count(*) as deals, sum(den)::bigint as games
  from lineup_figures
  where measure = 'seat' and try_cast("of" as int) < players and ($lineup is null or lineup = $lineup)
    and ($counts is null or list_contains(string_split($counts, ','), players::varchar))
  group by lineup, "of", players
)
select lineup, seat, players, s.value as win_points, s.low as low, s.high as high, deals, games
from shared
order by lineup, seat, players
