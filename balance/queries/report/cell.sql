-- Question: What is a cell like: every metric with its interval?
-- Parameters:
--   $cell (integer, required): its number in the run
-- Columns:
--   metric [Metric]: what is measured
--   of [Of]: of which seat, policy or action
--   value [Value, number]: over all games of the cell
--   low: lower end of its 95% interval
--   high: upper end of its 95% interval
--   deals [Deals, integer]: how many deals
--   games [Games, integer]: how many games
select metric, "of", value, low, high, deals, games
from metrics
where cell_id = $cell
order by metric, "of"
