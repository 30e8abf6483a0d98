-- Question: How many games of each cell fall into each class of lengths?
-- Note: Classes suit all cells: narrow where most games end, one for the long rest.
-- Parameters:
--   $counts (text, optional): only these numbers of players, such as 2,4
--   $classes (integer, default 14): how many classes at most, about
-- Columns:
--   cell_id: its number in the run
--   shortest: the shortest games of the class, in rounds
--   longest: its longest games
--   games: how many games
with counted as (
  select l.cell_id, l.length, l.games from lengths l join cells c using (cell_id)
  where $counts is null or list_contains(string_split($counts, ','), c.players::varchar)
), ranked as (
  select length, sum(games) over (order by length) as upto, sum(games) over () as n
  from (select length, sum(games) as games from counted group by length)
), shaped as (  -- nearly all games end by `most`; those that never end would make classes wide
  select min(length) as shortest, max(length) as longest, min(length) filter (upto >= 0.96::double * n) as most
  from ranked
), stepped as (
  select *, greatest(1, ceil((most - shortest + 1) / ($classes - 1)))::int as step from shaped
), class as (
  select place, shortest + place * step as shortest,
    case when shortest + place * step > most then longest else shortest + (place + 1) * step - 1 end as longest
  from stepped, unnest(range((most - shortest) // step + 2)) t(place)
  where shortest + place * step <= longest
)
select c.cell_id, k.shortest, k.longest, coalesce(sum(l.games), 0)::bigint as games
from (select distinct cell_id from counted) c cross join class k
left join counted l on l.cell_id = c.cell_id and l.length between k.shortest and k.longest
group by c.cell_id, k.shortest, k.longest
order by c.cell_id, k.shortest
