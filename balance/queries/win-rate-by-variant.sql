-- Question: How does each strategy fare under each variant, alone or with another?
-- Parameters:
--   $lineup (cells.lineup, optional): only games of this lineup
--   $counts (text, optional): only these numbers of players, such as 2,4
--   $size (integer, optional): how many variants are in force: 1 is the variant alone
-- Columns:
--   lineup [Lineup, hidden]: which policy plays which seat
--   variant [Variant, variant]: what is in force
--   policy [Strategy]: who plays
--   win_points [Win points, number]: over all numbers of players together; 1 is fair
--   low: lower end of its 95% interval (Student, from the variance over deals)
--   high: upper end of its 95% interval
--   deals: how many deals, at each number of players
--   seats: how many seats, over all games
-- Spread: policy, win_points
with dealt as (  -- the deal is the unit, in whatever cell
  select lineup, variant, "of" as policy, players, deal, sum(num) as x, sum(den) as y
  from variant_figures
  where measure = 'win_points' and den > 0 and ($lineup is null or lineup = $lineup) and ($size is null or size = $size)
    and ($counts is null or list_contains(string_split($counts, ','), players::varchar))
  group by all
), shared as (
  select lineup, variant, policy, average(x, y) as s, count(*) as deals, sum(y)::bigint as seats
  from dealt group by lineup, variant, policy
)
select lineup, variant, policy, s.value as win_points, greatest(0, s.low) as low, s.high as high, deals, seats
from shared left join policies using (policy)
order by lineup, variant, number, policy
