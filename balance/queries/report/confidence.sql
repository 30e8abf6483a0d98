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
with built as (  -- games whose winner has built one
  select distinct b.game_id
  from builds b join games g on g.game_id = b.game_id and g.winner_seat = b.seat
  where b.invention in (select id from inventions where confidence in ('contested', 'one'))
), dealt as (
  select g.players, deal(g.game_id) as deal, count(b.game_id) as x, count(*) as y
  from games g left join built b on b.game_id = g.game_id
  where g.winner_seat is not null
    and ($counts is null or list_contains(string_split($counts, ','), g.players::varchar))
  group by g.players, deal(g.game_id)
)
select players, won, f.value as built, f.low as low, f.high as high
from (select players, sum(y)::bigint as won, share(x, y) as f from dealt group by players)
order by players
