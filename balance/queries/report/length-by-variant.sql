-- Question: How much longer or shorter are games under each variant alone?
-- Note: Mean length, as a multiple of that without variants.
-- Parameters:
--   $lineup (cells.lineup, required): which policy plays which seat
--   $counts (text, optional): only these numbers of players, such as 2,4
-- Columns:
--   variant [Variant, variant]: what is in force
--   players [Players, integer]: how many play
--   ratio [Times as long, number]: mean length, as a multiple of that without any
--   low: lower end of its 95% interval (Fieller, on common deals)
--   high: upper end of its 95% interval
--   games: how many games
-- Spread: players, ratio
select k.variants[1] as variant, c.players, c.value as ratio, c.low as low, c.high as high, c.games as games
from metrics c join combinations k using (cell_id)
where c.metric = 'length_ratio' and k.size = 1 and c.lineup = $lineup
  and ($counts is null or list_contains(string_split($counts, ','), c.players::varchar))
order by variant, c.players
