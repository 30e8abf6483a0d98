-- Question: What is an item worth at each number of players?
-- Parameters:
--   $item (integer, required): its id
--   $lineup (cells.lineup, required): which policy plays which seat
--   $counts (text, optional): only these numbers of players, such as 2,4
-- Columns:
--   players [Players]: how many play; all: every number of players together, each seat counting alike
--   value [Value, signed]: win points of the seats that were dealt it, less 1
--   value_low: lower end of its 95% interval (Student, from the variance over deals)
--   value_high: upper end of its 95% interval
--   built [Built, share]: of the seats that were dealt it, how many built it
--   built_low: lower end of its 95% interval (Wilson, from the variance over deals)
--   built_high: upper end of its 95% interval
--   round [Mean round, number]: in which it was built
--   drawn [When drawn, signed]: win points of seats that drew it later, less 1; a player who draws much sees more of every item
--   drawn_low: lower end of its 95% interval (Student)
--   drawn_high: upper end of its 95% interval
--   acquired [When built, signed]: win points of seats that built it, less 1; a player who builds much wins
--   acquired_low: lower end of its 95% interval (Student)
--   acquired_high: upper end of its 95% interval
--   seats [Dealt, integer]: seats that were dealt it
--   times [Times built, integer]: how often it was built
--   score_per_money [Points per coin, number]: printed points of all that were built, by what was paid
-- Figure: dots
--   label: players
--   y: value
--   n: seats
--   y_title: win points beyond a fair share
--   reference: 0
with summed as (
  select players, sum(opening)::bigint as seats, sum(built)::bigint as times, sum(rounds)::bigint as rounds,
    sum(paid)::bigint as paid, average(opening_points, opening) as v, share(built_opening, opening) as b,
    average(drawn_points, drawn) as d, average(built_points, built) as a
  from item_deals
  where item = $item and lineup = $lineup
    and ($counts is null or list_contains(string_split($counts, ','), players::varchar))
  group by grouping sets ((players), ())
)
select coalesce(players::varchar, 'all') as players, v.value - 1 as value, v.low - 1 as value_low,
  v.high - 1 as value_high, b.value as built, b.low as built_low, b.high as built_high,
  rounds / nullif(times, 0) as round, d.value - 1 as drawn, d.low - 1 as drawn_low, d.high - 1 as drawn_high,
  a.value - 1 as acquired, a.low - 1 as acquired_low, a.high - 1 as acquired_high, seats, times,
  score * times / nullif(paid, 0) as score_per_money
from summed join item_list on item = $item
order by summed.players nulls first
