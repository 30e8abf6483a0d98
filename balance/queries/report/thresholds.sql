-- Question: What is accepted, why, and how many combinations are outside at some number of players?
-- Parameters:
--   $counts (text, optional): only these numbers of players, such as 2,4
-- Columns:
--   title [Metric]: what is measured
--   threshold_id [Name, hidden]: the name of its threshold: a metric, or a metric of one thing
--   accepted [Accepted]: the accepted range
--   class [Beyond it]: whether a metric outside breaks the game or bends it
--   reason [Why]: in the words of the designers
--   outside [Outside, integer]: how many combinations clearly are; empty if these games do not show the metric
select m.title || coalesce(' (' || nullif(split_part(t.threshold_id, ':', 2), '') || ')', '') as title, t.threshold_id,
  case when m.form <> 'share' then t.accepted when t.low is null then format('at most {:g}%', 100 * t.high)
    when t.high is null then format('at least {:g}%', 100 * t.low) else format('{:g}% to {:g}%', 100 * t.low, 100 * t.high)
  end as accepted, case when t.class_low <> t.class_high then t.class_low || ' / ' || t.class_high
    else coalesce(t.class_low, t.class_high) end as class, t.reason,
  case when count(f.cell_id) > 0
    then count(distinct f.variants) filter (f.outside and not f.weaker and not f.accepted) end as outside
from thresholds t join metric_list m on m.metric = split_part(t.threshold_id, ':', 1)
left join findings f on f.threshold_id = t.threshold_id and f.size > 0
  and ($counts is null or list_contains(string_split($counts, ','), f.players::varchar))
group by all
order by min(m.place), t.threshold_id
