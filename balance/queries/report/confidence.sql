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
select players, won, f.value as built, f.low as low, f.high as high
from (select *, share_from(s, 1) as f from (
  select players, sum(y)::bigint as won, sums(x, y) as s
  from (
    select c.players, c.game_index, count(b.game_id) as x, count(*) as y
    from games c left join (
      select distinct cell_id, game_id, seat
      from builds join inventions i on i.id = invention where i.confidence in ('contested', 'one')
    ) b on b.cell_id = c.cell_id and b.game_id = c.game_id and b.seat = c.winner_seat
    where c.winner_seat is not null
      and ($counts is null or list_contains(string_split($counts, ','), c.players::varchar))
    group by all
  ) group by players
))
order by players
