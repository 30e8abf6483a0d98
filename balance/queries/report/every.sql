-- Question: What is the verdict on every combination at each number of players?
-- Parameters:
--   $size (integer, required): how many variants are in force
--   $counts (text, optional): only these numbers of players, such as 2,4
-- Columns:
--   variants [Combination, pair]: what is in force
--   reason [Why]: what breaks or bends it most, or keeps it undecided, where it is worst
--   of [Of, of]: of which seat, policy, action or item
--   metric [Metric, hidden]: its name
--   players [Players, integer]: how many play
--   verdict [Verdict, verdict]: over all strengths of play that decide
-- Spread: players, verdict
with ranked as (
  select *, row_number() over (partition by variants order by
    list_position(['broken', 'undecided', 'bent', 'fine'], verdict), severity desc, further_games desc nulls first,
    players) as place
  from verdicts
  where size = $size and ($counts is null or list_contains(string_split($counts, ','), players::varchar))
)
select r.variants, coalesce(t.title, '') as reason, coalesce(w."of", '') as "of", w.metric, r.players, r.verdict
from ranked r join ranked w on w.variants = r.variants and w.place = 1
left join metric_list t on t.metric = w.metric
order by r.variants, r.players
