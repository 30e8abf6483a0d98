-- Question: Which verdicts are there at each number of players?
-- Parameters:
--   $size (integer, required): how many variants are in force
--   $counts (text, optional): only these numbers of players, such as 2,4
-- Columns:
--   players [Players, integer]: how many play
--   verdict [Verdict, verdict]: broken, undecided, bent or fine
--   combinations [Combinations, integer]: how many
-- Figure: bars
--   x: players
--   series: verdict
--   y: combinations
--   x_title: players
--   y_title: combinations
--   stacked: yes
select players, word as verdict, count(*) filter (verdict = word) as combinations
from verdicts, (values (1, 'broken'), (2, 'undecided'), (3, 'bent'), (4, 'fine')) w(place, word)
where size = $size and ($counts is null or list_contains(string_split($counts, ','), players::varchar))
group by players, place, word
order by players, place
