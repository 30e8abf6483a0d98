-- Question: How often does each policy win among the others?
-- Title: Win points of each strategy
-- Note: Games that share a shuffle are one deal, in whatever combination they were played; the deal is the unit.
-- Parameters:
--   $lineup (cells.lineup, optional): only games of this lineup; where all play alike, win points are 1 by construction and not shown
--   $counts (text, optional): only these numbers of players, such as 2,4
-- Columns:
--   lineup [Lineup, hidden]: which policy plays which seat
--   policy [Strategy]: who plays
--   players [Players, integer]: how many play
--   win_points [Win points, number]: share of wins times players; 1 is fair
--   low: lower end of its 95% interval (Wilson, from the variance over deals; Student below 10 deals)
--   high: upper end of its 95% interval
--   deals: how many deals
--   seats: how many seats, over all games
-- Spread: players, win_points
-- Figure: dots
--   label: policy
--   series: players
--   y: win_points
--   n: seats
--   x_title: players
--   y_title: win points
--   reference: 1
with shared as (
  select lineup, "of" as policy, players, points(num, den, players) as s, average(num, den) as few, count(*) as deals,
    sum(den)::bigint as seats
  from lineup_figures
  where measure = 'win_points' and den > 0 and ($lineup is null or lineup = $lineup)
    and ($counts is null or list_contains(string_split($counts, ','), players::varchar))
  group by lineup, "of", players
)
select lineup, policy, players, s.value as win_points,
  case when deals >= 10 then s.low when few.low is not null then greatest(0, few.low) end as low,
  case when deals >= 10 then s.high when few.high is not null then least(players, few.high) end as high, deals, seats
from shared left join policies using (policy)
order by lineup, number, policy, players
