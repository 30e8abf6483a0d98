-- Question: What is a cell like: every metric with its interval, and the same without variants?
-- Parameters:
--   $cell (integer, required): its number in the run
--   $atlas (boolean, default false): only what the atlas offers, and win points
-- Columns:
--   title [Metric]: what is measured
--   of [Of, hidden]: of which seat, policy or action
--   value [Value, form]: over all its games
--   low: lower end of its 95% interval
--   high: upper end of its 95% interval
--   without [Without variants, form]: without variants, with the same players
--   without_low: lower end of its 95% interval
--   without_high: upper end of its 95% interval
--   metric [Name, hidden]: its name
--   form [Form, hidden]: how the figures are printed
--   deals [Deals, hidden]: how many deals
--   games [Games, hidden]: how many games
select t.title || case when m."of" <> '' then ' (' || m."of" || ')' else '' end as title, m."of", m.value, m.low, m.high, b.value as without, b.low as without_low, b.high as without_high,
  m.metric, t.form, m.deals, m.games
from metrics m join metric_list t on t.metric = m.metric join combinations k on k.cell_id = m.cell_id
left join (select n.* from metrics n join combinations o on o.cell_id = n.cell_id where o.size = 0) b
  on b.edition = m.edition and b.players = m.players and b.lineup = m.lineup and b.metric = m.metric and b."of" = m."of"
  and k.size > 0
where m.cell_id = $cell and (not $atlas or t.atlas or m.metric = 'win_points')
order by t.place, m."of"
