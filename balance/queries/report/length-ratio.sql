-- Question: How long are games under each combination, as a multiple of those without variants?
-- Parameters:
--   $players (cells.players, required): how many play
--   $lineup (cells.lineup, required): which policy plays which seat
-- Columns:
--   variants [Combination, pair]: what is in force
--   ratio [Times as long, number]: mean length, as a multiple of that without any
--   low: lower end of its 95% interval (Fieller, on common deals)
--   high: upper end of its 95% interval
--   games [Games, integer]: how many games
select k.variants as variants, m.value as ratio, m.low as low, m.high as high, m.games as games
from metrics m join combinations k using (cell_id)
where m.metric = 'length_ratio' and m.players = $players and m.lineup = $lineup
order by k.variants
