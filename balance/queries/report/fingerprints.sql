-- Question: What does each variant move, alone, in units of the spread of the game without variants?
-- Note: 1 is the standard deviation from deal to deal without variants, of a share of games at least that of a share of 1%.
--       Bars end at 3. The interval takes both sides as independent: for length and actions that is about a tenth too wide.
-- Parameters:
--   $lineup (cells.lineup, required): which policy plays which seat
--   $players (cells.players, required): how many play
-- Columns:
--   variant [Variant, variant]: what is in force
--   moved [What it moves]: what is measured, in short
--   shift [Shift, signed]: in units of the spread
--   low: lower end of its 95% interval (normal)
--   high: upper end of its 95% interval
--   value [Value, number]: with the variant
--   without [Without, number]: without any
--   games [Games, integer]: how many games with the variant
-- Figure: rows
--   label: variant
--   x: moved
--   y: shift
--   n: games
--   y_title: spreads of the game without
with summed as (
  select k.variants[1] as variant, s.measure, s."of", s.num / s.den as value, s.games, s.den = s.games as of_games,
    variance_from({'deals': s.deals, 'num': s.num, 'den': s.den, 'num2': s.num2, 'den2': s.den2, 'numden': s.numden}) as v,
    s.deals
  from metric_sums s join cells c using (cell_id) join combinations k using (cell_id)
  where k.size <= 1 and c.lineup = $lineup and c.players = $players
    and s.measure not in ('seat', 'comeback', 'win_points', 'neighbour', 'skill')
), base as (
  select measure, "of", value, v, greatest(sqrt(v * deals), case when of_games and value between 0 and 1
    then sqrt(0.01::double * 0.99::double) else 0::double end) as spread
  from summed where variant is null
), words as (
  from (values (1, 'mean_length', 'length'), (2, 'stalls', 'nobody wins'), (3, 'no_lead_change', 'lead never changes'),
    (4, 'half_leader', 'half-time leader wins'), (5, 'tie_extensions', 'goes on after the goal'), (6, 'money', 'money at the end'),
    (7, 'hand', 'cards at the end'), (8, 'exhaustion', 'deck runs out')) w(place, measure, word)
)
select s.variant, coalesce(nullif(s."of", ''), w.word, replace(s.measure, '_', ' ')) as moved,
  (s.value - b.value) / b.spread as shift, (s.value - b.value - z() * sqrt(s.v + b.v)) / b.spread as low,
  (s.value - b.value + z() * sqrt(s.v + b.v)) / b.spread as high, s.value, b.value as without, s.games
from summed s join base b using (measure, "of") left join words w using (measure)
where s.variant is not null and b.spread > 0
order by s.variant, coalesce(w.place, 9), s.measure, s."of"
