-- Question: Which combinations are worst?
-- Note: What is named because of extreme figures looks worse than it is; the first page has it on fresh games.
-- Parameters:
--   $size (integer, required): how many variants are in force
--   $counts (text, optional): only these numbers of players, such as 2,4
--   $most (integer, default 10): how many rows
-- Columns:
--   rank [, integer]: the worst first
--   variants [Combination, pair]: what is in force
--   players [Players, integer]: the number of players at which it is worst
--   strength [In]: how well its players play
--   reason [What is wrong]: the metric that is furthest outside
--   of [Of, of]: of which seat, policy, action or item
--   value [Measured, form]: over all its games
--   low: lower end of its 95% interval
--   high: upper end of its 95% interval
--   accepted [Limit, form]: the end of the accepted range that it is beyond
--   form [Form, hidden]: how the figures are printed
--   metric [Metric, hidden]: its name
--   games [Games, integer]: how many games
--   cell_id [Cell, hidden]: the number of the combination at this table, for @report/cell
with found as (
  select * from verdicts
  where verdict = 'broken' and size = $size
    and ($counts is null or list_contains(string_split($counts, ','), players::varchar))
  qualify row_number() over (partition by variants order by severity desc, players) = 1
)
select row_number() over (order by v.severity desc, v.players, v.variants) as rank, v.variants, v.players, f.strength,
  t.title as reason, f."of", f.value, f.low, f.high, f.threshold as accepted, t.form, v.metric, c.games, f.cell_id
from found v
join findings f on f.cell_id = v.reason_cell and f.metric = v.metric and f."of" = v."of" and f."end" = v."end"
join cell_verdicts c on c.cell_id = v.reason_cell join metric_list t on t.metric = v.metric
order by rank
limit $most
