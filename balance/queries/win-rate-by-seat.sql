-- Question: Does it matter where one sits?
-- Title: Win points of each seat
-- Note: Games that share a shuffle are one deal, in whatever cell they were played; the deal is the unit.
-- Parameters:
--   $lineup (cells.lineup, optional): only games of this lineup
--   $counts (text, optional): only these numbers of players, such as 2,4
-- Columns:
--   lineup [Lineup, hidden]: who sits where
--   seat [Seat, integer]: counted from 0
--   players [Players, integer]: how many play
--   win_points [Win points, number]: share of wins times players; 1 is fair
--   low: lower end of its 95% interval (Wilson, from the variance over deals)
--   high: upper end of its 95% interval
--   deals: how many deals
--   games: how many games
-- Spread: players, win_points
with dealt as (  -- the deal is the unit, in whatever cell
  select lineup, players, "of"::int as seat, deal, sum(num) as x, sum(den) as y
  from figures join cells using (cell_id)
  where measure = 'seat' and try_cast("of" as int) < players and ($lineup is null or lineup = $lineup)
    and ($counts is null or list_contains(string_split($counts, ','), players::varchar))
  group by all
), shared as (
  select lineup, seat, players, points(x, y, players) as s, count(*) as deals, sum(y)::bigint as games
  from dealt group by lineup, seat, players
)
select lineup, seat, players, s.value as win_points, s.low as low, s.high as high, deals, games
from shared
order by lineup, seat, players
