-- Question: Under which variants is an item worth more or less than in the same games without them?
-- Note: Ranked by the end of the interval that is nearer to 0: few games alone rank nothing high.
-- Parameters:
--   $lineup (cells.lineup, required): which policy plays which seat
--   $counts (text, optional): only these numbers of players, such as 2,4
--   $item (integer, optional): only this item, by its id; corrections are for all
--   $most (integer, default 10): how many rows
-- Columns:
--   item [Item, item]: its id
--   variant [Variant, variant]: what is in force
--   difference [Difference, signed]: its value under it, less its value in the same games without it
--   low: lower end of its 95% interval (Student, from the variance over deals)
--   high: upper end of its 95% interval
--   differs [Differs]: whether that is clear: p-value at most 5%, corrected for all items and variants (Benjamini and Yekutieli)
--   with_value [Under it, signed]: win points of the seats that were dealt it, less 1
--   without_value [Without, signed]: the same in games without the variant
--   seats [Dealt, integer]: seats that were dealt it under the variant
--   found [Found, hidden]: of how many items and variants that is so
--   tests [Tests, hidden]: of how many in all
with summed as (
  select item, variant, sum(y)::bigint as seats, sums(x, y) as own, sums(u, v) as base, common(x, y, u, v) as c
  from item_versus
  where lineup = $lineup and ($counts is null or list_contains(string_split($counts, ','), players::varchar))
  group by item, variant
), tested as (
  select *, difference_from(own, base, c) as d, two_sided(difference_from(own, base, c).value,
    difference_variance(own, base, c), least(own.deals, base.deals)) as p
  from summed where own.den > 0 and base.den > 0
), looked as (
  select *, count(p) over () as tests, row_number() over (order by p, item, variant) as place from tested
), corrected as (
  select *, min(p * tests * harmonic(tests) / place) over (order by place desc) as adjusted from looked where p is not null
), told as (
  select *, adjusted <= 0.05::double as differs from corrected where $item is null or item = $item
)
select item, variant, d.value as difference, d.low as low, d.high as high, differs,
  own.num / own.den - 1 as with_value, base.num / base.den - 1 as without_value, seats,
  count(*) filter (differs) over () as found, count(*) over () as tests
from told
order by greatest(d.low, -d.high) desc, variant, item
limit $most
