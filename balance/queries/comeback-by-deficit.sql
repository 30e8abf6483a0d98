-- Question: How often does a seat win that is behind at half-time?
-- Title: Chance to win for a seat by how many points it is behind at half-time
-- Note: Where fewer than 30 seats were that far behind, nothing is drawn.
-- Parameters:
--   $lineup (cells.lineup, optional): only games of this lineup
--   $counts (text, optional): only these numbers of players, such as 2,4
-- Columns:
--   lineup [Lineup, hidden]: which policy plays which seat
--   behind [Points behind]: at half-time
--   players [Players, integer]: how many play
--   share [Chance to win, share]: of the seats that are that far behind
--   low: lower end of its 95% interval (Wilson, from the variance over deals)
--   high: upper end of its 95% interval
--   seats [Seats, integer]: how many
-- Figure: dots
--   label: behind
--   series: players
--   y: share
--   n: seats
--   x_title: players
--   y_title: chance to win
with shared as (
  select lineup, "of"::int as least, players, sum(den)::bigint as seats, share(num, den) as s
  from lineup_figures
  where measure = 'comeback' and ($lineup is null or lineup = $lineup)
    and ($counts is null or list_contains(string_split($counts, ','), players::varchar))
  group by lineup, "of", players
)
select lineup, case least when 1 then '1' when 2 then '2-3' when 4 then '4-7' when 8 then '8-15' else '16+' end as behind,
  players, s.value as share, s.low as low, s.high as high, seats
from shared where seats >= 30
order by lineup, least, players
