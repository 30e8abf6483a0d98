-- Question: How many winners had built an invention whose print is not known for sure?
-- Game: nefarious
-- Title: Winners who built a contested or single-source invention
-- Parameters:
--   $counts (text, optional): only these numbers of players, such as 2,4
-- Columns:
--   players [Players, integer]: how many play
--   won [Games with a winner, integer]: how many
--   built [Winner built one, share]: at least one of them
--   low: lower end of its 95% interval (Wilson, from the variance over deals)
--   high: upper end of its 95% interval
with won as (
  select g.game_id, g.players, exists (
      from builds b where b.game_id = g.game_id and b.seat = g.winner_seat
      and b.invention in (select id from inventions where confidence in ('contested', 'one'))
    ) as built
  from games g
  where g.winner_seat is not null
    and ($counts is null or list_contains(string_split($counts, ','), g.players::varchar))
), dealt as (
  select players, deal(game_id) as deal, count(*) filter (built) as x, count(*) as y from won
  group by players, deal(game_id)
)
select players, won, f.value as built, f.low as low, f.high as high
from (select players, sum(y)::bigint as won, share(x, y) as f from dealt group by players)
order by players
