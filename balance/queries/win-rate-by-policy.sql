-- Question: How often does each policy win among the others, over all numbers of players?
-- Title: Win points of each policy
-- Parameters:
--   $players (cells.players, optional): only games with this many players
--   $lineup (cells.lineup, optional): only games of this lineup; where all play alike, win points are 1 by construction and not shown
-- Columns:
--   lineup [Lineup]: which policy plays which seat
--   policy [Policy]: who played
--   win_points [Win points, number]: share of wins times players; 1 is fair
--   low: lower end of its 95% interval (Student, from the variance over deals)
--   high: upper end of its 95% interval
--   deals [Deals, integer]: how many deals, at each number of players
--   seats [Seats, integer]: how many seats, over all games
with shared as (
  select lineup, "of" as policy, average(num, den) as s, count(*) as deals, sum(den)::bigint as seats
  from lineup_figures
  where measure = 'win_points' and den > 0 and ($lineup is null or lineup = $lineup)
    and ($players is null or players = $players)
  group by lineup, "of"
)
select lineup, policy, s.value as win_points, greatest(0, s.low) as low, s.high as high, deals, seats
from shared
order by lineup, policy
