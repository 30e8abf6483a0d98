-- Question: How are the lengths of games spread under each variant alone?
-- Note: The grey outline is the game without variants. A tick marks the median; the last round stands for all longer games.
-- Parameters:
--   $lineup (cells.lineup, required): which policy plays which seat
--   $players (cells.players, required): how many play
-- Columns:
--   variant [Variant, variant]: what is in force; none: without any
--   rounds [Rounds, integer]: length of a game
--   share [Share of games, share]: of its games
--   median [Median, integer]: half of the games are no longer than that
--   median_low: lower end of its 95% interval (order statistics)
--   median_high: upper end of its 95% interval
--   games [Games, integer]: how many games
-- Figure: ridges
--   label: variant
--   x: rounds
--   y: share
--   middle: median
--   n: games
--   x_title: rounds
--   y_title: share of games
with own as (
  select c.cell_id, coalesce(k.variants[1], 'none') as variant, k.size
  from cells c join combinations k using (cell_id)
  where k.size <= 1 and c.lineup = $lineup and c.players = $players
), middles as (
  select o.*, m.value::int as median, m.low::int as median_low, m.high::int as median_high, m.games
  from own o join metrics m using (cell_id) where m.metric = 'length'
), ends as (  -- a few very long games do not squeeze the others
  select least(max(m.value), 3 * max(s.median))::int as last
  from own join metrics m using (cell_id), middles s where m.metric = 'length_long'
), counted as (
  select l.cell_id, least(l.length, e.last) as rounds, sum(l.games)::bigint as n
  from lengths l join own using (cell_id), ends e group by all
)
select m.variant, r.rounds, coalesce(c.n, 0) / m.games as share, m.median, m.median_low, m.median_high, m.games
from middles m, (select unnest(range(1, last + 1))::int as rounds from ends) r
left join counted c on c.cell_id = m.cell_id and c.rounds = r.rounds
order by m.size, m.median, m.variant, r.rounds
