-- Question: Which actions are chosen?
-- Title: Which actions are chosen, all combinations together
-- Parameters:
--   $lineup (cells.lineup, optional): only games of this lineup
--   $counts (text, optional): only these numbers of players, such as 2,4
-- Columns:
--   lineup [In, lineup]: which policy plays which seat
--   players [Players, integer]: how many play
--   games [Games, integer]: how many games
--   action [Action]: what is chosen
--   share [Share, share]: of all choices
--   low: lower end of its 95% interval (Wilson, from the variance over deals)
--   high: upper end of its 95% interval
-- Spread: action, share
with shared as (
  select lineup, players, "of" as action, sum(games)::bigint as games, share(num, den) as s
  from lineup_figures
  where measure = 'action' and ($lineup is null or lineup = $lineup)
    and ($counts is null or list_contains(string_split($counts, ','), players::varchar))
  group by lineup, players, "of"
)
select lineup, players, games, action, s.value as share, s.low as low, s.high as high
from shared
order by lineup, players, action
