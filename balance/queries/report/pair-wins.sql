-- Question: How often does each strategy win under a combination?
-- Parameters:
--   $variants (text, required): the ids of the variants, sorted, with commas; empty: without any
--   $lineup (cells.lineup, required): which policy plays which seat
--   $counts (text, optional): only these numbers of players, such as 2,4
-- Columns:
--   policy [Strategy]: who plays
--   players [Players, integer]: how many play
--   win_points [Win points, number]: share of wins times players; 1 is fair
--   low: lower end of its 95% interval (Wilson, from the variance over deals)
--   high: upper end of its 95% interval
--   games [Games, integer]: how many games
-- Spread: players, win_points
select m."of" as policy, m.players, m.value as win_points, m.low as low, m.high as high, m.games
from metrics m join combinations k using (cell_id) left join policies p on p.policy = m."of"
where m.metric = 'win_points' and array_to_string(k.variants, ',') = $variants and m.lineup = $lineup
  and ($counts is null or list_contains(string_split($counts, ','), m.players::varchar))
order by p.number, m."of", m.players
