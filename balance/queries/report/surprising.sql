-- Question: Which pairs are broken although neither of their variants alone is?
-- Parameters:
--   $counts (text, optional): only these numbers of players, such as 2,4
--   $most (integer, default 10): how many rows
-- Columns:
--   variants [Combination, pair]: what is in force
--   players [Players, integer]: how many play
--   strength [In]: how well its players play
--   sure [Sure]: yes: both alone were found fine; possibly: not found broken
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
  select c.*, v.severity, w.lineup <> c.lineup as elsewhere
  from cell_verdicts c join verdicts v on v.variants = c.variants and v.players = c.players
  join cells w on w.cell_id = v.reason_cell
  where c.only_together is not null
    and ($counts is null or list_contains(string_split($counts, ','), c.players::varchar))
), chosen as (  -- each pair once: the sure ones first, then where the worst reason is, then the worst
  select *, row_number() over (order by only_together <> 'yes', elsewhere, severity desc, players, variants, lineup) as place
  from found
  qualify row_number() over (partition by variants
    order by only_together <> 'yes', elsewhere, severity desc, players, lineup) = 1
)
select c.variants, c.players, c.strength, c.only_together as sure, t.title as reason, f."of", f.value, f.low, f.high,
  f.threshold as accepted, t.form, c.metric, c.games, c.cell_id
from chosen c
join findings f on f.cell_id = c.cell_id and f.metric = c.metric and f."of" = c."of" and f."end" = c."end"
join metric_list t on t.metric = c.metric
order by c.place
limit $most
