-- Question: How long do games last, and how many never end?
-- Parameters:
--   $lineup (cells.lineup, optional): only games of this lineup
-- Columns:
--   lineup: who sits where
--   players: how many play
--   games: how many games
--   stalled: games that nobody won
--   stalled_share: stalled / games
--   p05: 5% of games are no longer than so many rounds
--   median: half of games are no longer than so many rounds
--   p95: 95% of games are no longer than so many rounds
--   rounds: sum of rounds
--   mean_rounds: rounds / games
select lineup, players, count(*) as games, count(*) filter (stalled) as stalled,
  count(*) filter (stalled) / count(*) as stalled_share,
  quantile_disc(rounds, 0.05) as p05, quantile_disc(rounds, 0.5) as median,
  quantile_disc(rounds, 0.95) as p95,
  sum(rounds)::bigint as rounds, sum(rounds)::bigint / count(*) as mean_rounds
from games
where $lineup is null or lineup = $lineup
group by lineup, players
order by lineup, players
