-- Question: Which game of each cell is worth looking at?
-- Parameters:
--   $counts (text, optional): only these numbers of players, such as 2,4
-- Columns:
--   cell_id: its number in the run
--   typical: the first game of middle length
--   stalled: the first game that nobody wins
select cell_id, typical, stalled
from telling_games join cells using (cell_id)
where $counts is null or list_contains(string_split($counts, ','), players::varchar)
order by cell_id
