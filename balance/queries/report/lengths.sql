-- Question: How long do games last?
-- Title: How long games last by number of players
-- Parameters:
--   $lineup (cells.lineup, required): which policy plays which seat
--   $counts (text, optional): only these numbers of players, such as 2,4
--   $last (integer, default 60): no rounds after this one; their games count all the same
-- Columns:
--   rounds [Rounds, integer]: length of a game
--   players [Players, integer]: how many play
--   share [Share of games, share]: of all games with as many players
--   games [Games, integer]: how many games
-- Figure: histogram
--   x: rounds
--   series: players
--   y: share
--   n: games
--   x_title: rounds
--   y_title: share of games
with counted as (
  select c.players, l.length as rounds, sum(l.games)::bigint as games
  from lengths l join cells c using (cell_id)
  where c.lineup = $lineup
    and ($counts is null or list_contains(string_split($counts, ','), c.players::varchar))
  group by all
), every as (  -- lengths that no game has are 0
  select players, unnest(range(1, least(max(rounds), $last)::int + 1)) as rounds, sum(games) as n
  from counted group by players
)
select rounds, players, coalesce(games, 0) / n as share, coalesce(games, 0) as games
from every left join counted using (players, rounds)
order by players, rounds
