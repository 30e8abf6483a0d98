-- Question: Which actions are chosen early, which late?
-- Game: nefarious
-- Title: Which actions are chosen in which round
-- Note: Of all choices of the round, in games with their rounds on record.
-- Parameters:
--   $lineup (cells.lineup, optional): only games of this lineup
--   $counts (text, optional): only these numbers of players, such as 2,4
--   $last (integer, default 25): no rounds after this one
--   $least (integer, default 1): no rounds with fewer choices
-- Columns:
--   lineup [Lineup, hidden]: which policy plays which seat
--   round [Round, integer]: from 1
--   action [Action]: what is chosen
--   share [Share, share]: of all choices of the round
--   low: lower end of its 95% interval (Wilson, from the variance over deals)
--   high: upper end of its 95% interval
--   times [Times, integer]: how often
--   choices [Choices, integer]: how many choices in the round
-- Figure: areas
--   x: round
--   series: action
--   y: share
--   n: choices
--   x_title: round
--   y_title: share of choices
with dealt as (
  select t.table_id, r.round, deal(r.game_id) as deal, sum(bit_count(r.actions))::bigint as choices,
    [sum(r.actions & 1), sum(r.actions >> 1 & 1), sum(r.actions >> 2 & 1), sum(r.actions >> 3 & 1)]::bigint[] as times
  from rounds r join cell_tables t on t.cell_id = r.cell_id
  where ($lineup is null or r.lineup = $lineup) and r.round <= $last
    and ($counts is null or list_contains(string_split($counts, ','), r.players::varchar))
  group by t.table_id, r.round, deal(r.game_id)
), shared as (
  select c.lineup, d.round, a.action, a.place, sum(d.times[a.place])::bigint as times, sum(d.choices)::bigint as choices,
    share(d.times[a.place], d.choices) as s
  from dealt d join cells c on c.cell_id = d.table_id,
    (values ('speculate', 1), ('invent', 2), ('research', 3), ('work', 4)) a(action, place)
  group by c.lineup, d.round, a.action, a.place
)
select lineup, round, action, s.value as share, s.low as low, s.high as high, times, choices
from shared where choices >= $least
order by lineup, round, place
