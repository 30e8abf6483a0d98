-- Question: What is each item worth to a player who is dealt it, in win points beyond a fair share?
-- Title: What each item is worth, by value
-- Note: Chance deals, so the item is the cause. Filled, and "yes": it differs from the average item, corrected for
--       all items (Benjamini and Yekutieli). Neighbours in rank are rarely distinct: look at the intervals.
-- Parameters:
--   $lineup (cells.lineup, required): which policy plays which seat
--   $counts (text, optional): only these numbers of players, such as 2,4
-- Columns:
--   rank [, integer]: the best first
--   item [Item, item]: its id
--   item_name [Name, hidden]: its name
--   cost [Cost, integer]: as printed
--   value [Value, signed]: win points of the seats that were dealt it, less 1
--   low: lower end of its 95% interval (Student, from the variance over deals)
--   high: upper end of its 95% interval
--   differs [Differs]: whether it clearly differs from the average item
--   built [Built, share]: of the seats that were dealt it, how many built it
--   built_low: lower end of its 95% interval (Wilson, from the variance over deals)
--   built_high: upper end of its 95% interval
--   seats [Dealt, integer]: seats that were dealt it
--   deals [Deals, hidden]: deals in which it was dealt
-- Figure: scatter
--   label: item
--   x: cost
--   y: value
--   n: seats
--   series: differs
--   x_title: printed cost
--   y_title: value in win points
--   reference: 0
with summed as (
  select item, sum(opening)::bigint as seats, sums(opening_points, opening) as s, sums(built_opening, opening) as b
  from item_openings
  where lineup = $lineup and ($counts is null or list_contains(string_split($counts, ','), players::varchar))
  group by item
), tested as (
  select *, mean_from(s) as v, share_from(b, 1) as f, two_sided(s.num / s.den - 1, variance_from(s), s.deals) as p
  from summed where seats > 0
), looked as (
  select *, count(p) over () as tests, row_number() over (order by p, item) as place from tested
), corrected as (
  select *, min(p * tests * harmonic(tests) / place) over (order by place desc) as adjusted from looked
)
select row_number() over (order by v.value desc, item) as rank, item, item_name, cost, v.value - 1 as value,
  v.low - 1 as low, v.high - 1 as high, coalesce(adjusted <= 0.05::double, false) as differs, f.value as built,
  f.low as built_low, f.high as built_high, seats, s.deals as deals
from corrected join item_list using (item)
order by rank
