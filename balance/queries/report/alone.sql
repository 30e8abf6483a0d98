-- Question: What does a variant do alone?
-- Parameters:
--   $variant (text, required): the id of the variant
--   $lineup (cells.lineup, required): which policy plays which seat
--   $counts (text, optional): only these numbers of players, such as 2,4
-- Columns:
--   players [Players, integer]: how many play
--   p50 [Median rounds, integer]: half of the games are no longer than that
--   p50_low: lower end of its 95% interval (order statistics)
--   p50_high: upper end of its 95% interval
--   ratio [Times as long, number]: mean length, as a multiple of that without any
--   ratio_low: lower end of its 95% interval (Fieller, on common deals)
--   ratio_high: upper end of its 95% interval
--   stalled [Nobody wins, share]: the share of games that stall
--   stalled_low: lower end of its 95% interval (Wilson)
--   stalled_high: upper end of its 95% interval
--   games [Games, integer]: how many games
--   cell_id [Cell, hidden]: the number of the combination at this table, for @report/cell
select c.players, max(c.value) filter (c.metric = 'length') as p50, max(c.low) filter (c.metric = 'length') as p50_low,
  max(c.high) filter (c.metric = 'length') as p50_high, max(c.value) filter (c.metric = 'length_ratio') as ratio,
  max(c.low) filter (c.metric = 'length_ratio') as ratio_low, max(c.high) filter (c.metric = 'length_ratio') as ratio_high,
  max(c.value) filter (c.metric = 'stalls') as stalled, max(c.low) filter (c.metric = 'stalls') as stalled_low,
  max(c.high) filter (c.metric = 'stalls') as stalled_high, max(c.games) as games, c.cell_id
from metrics c join combinations k using (cell_id)
where k.variants = [$variant] and c.lineup = $lineup
  and ($counts is null or list_contains(string_split($counts, ','), c.players::varchar))
group by c.players, c.cell_id
order by c.players
