-- Question: What is the verdict on a combination, and on each of its variants alone?
-- Title: Verdicts
-- Parameters:
--   $variants (text, required): the ids of the variants, sorted, with commas; empty: the game without any
--   $counts (text, optional): only these numbers of players, such as 2,4
-- Columns:
--   players [Players, integer]: how many play
--   strength [In]: how well its players play, with what is judged there if that is not everything
--   median [Median rounds, integer]: half of the games are no longer than that
--   low: lower end of its 95% interval (order statistics)
--   high: upper end of its 95% interval
--   games [Games, integer]: how many games
--   cell_id [Cell]: the number of the combination at this table, for @report/cell
--   whose [Whose, variant]: all variants together, or one of them alone
--   verdict [Verdict, verdict]: broken, bent, undecided or fine
-- Spread: whose, verdict
with judged as (
  select cell_id, bool_or(weaker) as elsewhere,
    string_agg(distinct metric, ', ' order by metric) filter (not weaker and not overridden and not accepted) as metrics
  from findings where class <> 'shown' group by cell_id
), own as (
  select c.*, c.strength || case when j.elsewhere then ' (' || coalesce(j.metrics, 'nothing judged') || ')' else '' end as judged
  from cell_verdicts c join judged j using (cell_id)
  where array_to_string(c.variants, ',') = $variants
    and ($counts is null or list_contains(string_split($counts, ','), c.players::varchar))
), each as (
  select cell_id, 0 as place, case when size > 1 then 'Together' else 'Verdict' end as whose, verdict from own
  union all
  select o.cell_id, list_position(o.variants, p.variants[1]), p.variants[1], p.verdict
  from own o join cell_verdicts p on p.edition = o.edition and p.players = o.players and p.lineup = o.lineup
    and p.size = 1 and list_contains(o.variants, p.variants[1])
  where o.size > 1
)
select o.players, o.judged as strength, m.value::int as median, m.low::int as low, m.high::int as high, o.games, o.cell_id,
  e.whose, e.verdict
from own o join each e using (cell_id) join metrics m on m.cell_id = o.cell_id and m.metric = 'length'
order by o.players, o.cell_id, e.place
