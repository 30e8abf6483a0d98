-- Question: How long do games last with and without the variants of a cell?
-- Title: How long games last with and without
-- Parameters:
--   $cell (integer, required): the number of the cell in the run
--   $last (integer, default 60): longer games count as games of this length
-- Columns:
--   rounds [Rounds, integer]: length of a game
--   side [Side]: with the variants, or without any on the same seats
--   share [Share of games, share]: of all games of the cell
--   games [Games, integer]: how many games
-- Figure: histogram
--   x: rounds
--   series: side
--   y: share
--   n: games
--   x_title: rounds
--   y_title: share of games
with sides as (
  select 'with' as side, $cell as cell_id
  union all
  select 'without', b.cell_id
  from cells c join cells b on b.edition = c.edition and b.players = c.players and b.lineup = c.lineup
    join combinations k on k.cell_id = b.cell_id
  where c.cell_id = $cell and k.size = 0 and b.cell_id <> $cell
), lasting as (
  select side, least(length, $last)::int as rounds, sum(games)::int as games
  from lengths join sides using (cell_id) group by all
), every as (  -- lengths that no game has are 0
  select side, unnest(range(1, max(rounds) + 1)) as rounds, sum(games) as n from lasting group by side
)
select e.rounds, e.side, coalesce(l.games, 0) / e.n as share, coalesce(l.games, 0) as games
from every e left join lasting l using (side, rounds)
order by e.side, e.rounds
