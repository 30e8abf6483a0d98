-- Question: How often is each item acquired, and when?
-- Note: Win points of the seats that acquired it do not make it the cause: a player who acquires much wins.
-- Parameters:
--   $lineup (cells.lineup, required): which policy plays which seat
--   $counts (text, optional): only these numbers of players, such as 2,4
-- Columns:
--   item [Item, item]: its id
--   cost [Cost, integer]: as printed
--   times [Times, integer]: how often
--   round [Mean round, number]: in which it was acquired
--   value [Win points of those who did, signed]: less 1
--   low: lower end of its 95% interval (Student, from the variance over deals)
--   high: upper end of its 95% interval
--   paid [Mean price, number]: what was paid for it
with summed as (
  select item, sum(built)::bigint as times, sum(rounds)::bigint as rounds, sum(paid)::bigint as paid,
    average(built_points, built) as a
  from item_deals
  where lineup = $lineup and ($counts is null or list_contains(string_split($counts, ','), players::varchar))
  group by item
)
select item, cost, coalesce(times, 0) as times, rounds / nullif(times, 0) as round, a.value - 1 as value,
  a.low - 1 as low, a.high - 1 as high, paid / nullif(times, 0) as paid
from item_list left join summed using (item)
order by times desc, item
