-- Question: Which combinations have the longest games, the shortest, and the most that nobody wins?
-- Note: Ranked by the end of the interval that is nearer to the ordinary: few games alone rank nothing high.
-- Parameters:
--   $which (text, required): longest, shortest or stalling
--   $lineup (cells.lineup, required): which policy plays which seat
--   $size (integer, required): how many variants are in force
--   $counts (text, optional): only these numbers of players, such as 2,4
--   $most (integer, default 10): how many rows
-- Columns:
--   variants [Combination, pair]: what is in force
--   players [Players, integer]: how many play
--   mean [Mean rounds, number]: rounds of a game
--   mean_low: lower end of its 95% interval (Student)
--   mean_high: upper end of its 95% interval
--   stalled [Nobody wins, share]: the share of games that stall
--   stalled_low: lower end of its 95% interval (Wilson)
--   stalled_high: upper end of its 95% interval
--   games [Games, integer]: how many games
--   cell_id [Cell, hidden]: the number of the combination at this table, for @report/cell
select k.variants as variants, c.players, c.value as mean, c.low as mean_low, c.high as mean_high,
  s.value as stalled, s.low as stalled_low, s.high as stalled_high, c.games as games, c.cell_id
from metrics c join metrics s using (cell_id) join combinations k using (cell_id)
where c.metric = 'mean_length' and s.metric = 'stalls' and k.size = $size
  and c.lineup = $lineup and ($which <> 'stalling' or s.value > 0)
  and ($counts is null or list_contains(string_split($counts, ','), c.players::varchar))
order by case $which when 'longest' then -c.low when 'shortest' then c.high else -s.low end, c.cell_id
limit $most
