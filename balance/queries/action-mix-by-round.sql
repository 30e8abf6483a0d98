-- Question: Which actions are chosen early, which late?
-- Game: nefarious
-- Title: Which actions are chosen in which round
-- Parameters:
--   $lineup (cells.lineup, optional): only games of this lineup
--   $counts (text, optional): only these numbers of players, such as 2,4
--   $last (integer, default 25): no rounds after this one
-- Columns:
--   lineup [Lineup, hidden]: which policy plays which seat
--   round [Round, integer]: from 1
--   action [Action]: what is chosen
--   share [Share, share]: of all choices of the round, in games with their rounds on record
--   times [Times, integer]: how often
-- Figure: bars
--   x: round
--   series: action
--   y: share
--   x_title: round
--   y_title: share of choices
--   stacked: yes
with counted as (
  select c.lineup, c.round, a.action, a.place, count(*) filter (c.actions >> a.place & 1 = 1) as times
  from rounds c, (values ('speculate', 0), ('invent', 1), ('research', 2), ('work', 3)) a(action, place)
  where ($lineup is null or c.lineup = $lineup) and c.round <= $last
    and ($counts is null or list_contains(string_split($counts, ','), c.players::varchar))
  group by all
)
select lineup, round, action, (times / nullif(sum(times) over (partition by lineup, round), 0))::double as share, times
from counted
order by lineup, round, place
