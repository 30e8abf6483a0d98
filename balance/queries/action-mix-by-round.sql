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
  select c.lineup, c.round, c.players, deal(c.game_id) as deal, a.action, a.place,
    count(*) filter (c.actions >> a.place & 1 = 1) as times, sum(bit_count(c.actions))::bigint as choices
  from rounds c, (values ('speculate', 0), ('invent', 1), ('research', 2), ('work', 3)) a(action, place)
  where ($lineup is null or c.lineup = $lineup) and c.round <= $last
    and ($counts is null or list_contains(string_split($counts, ','), c.players::varchar))
  group by all
), shared as (
  select lineup, round, action, place, sum(times)::bigint as times, sum(choices)::bigint as choices, share(times, choices) as s
  from dealt group by lineup, round, action, place
)
select lineup, round, action, s.value as share, s.low as low, s.high as high, times, choices
from shared where choices >= $least
order by lineup, round, place
