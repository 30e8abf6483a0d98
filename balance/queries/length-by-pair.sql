-- Question: How long do games last under each pair of twists?
-- Game: nefarious
-- Parameters:
--   $players (cells.players, optional): only games of so many players
--   $lineup (cells.lineup, optional): only games of this lineup
--   $twist (twists.id, optional): only games with this twist, alone or in a pair
-- Columns:
--   lineup: who sits where
--   pair_a: first twist of the pair, in alphabetical order
--   pair_b: second twist of the pair
--   games: how many games
--   stalled: games that nobody won
--   stalled_share: stalled / games
--   p05: 5% of games are no longer than so many rounds
--   median: half of games are no longer than so many rounds
--   p95: 95% of games are no longer than so many rounds
--   rounds: sum of rounds
--   mean_rounds: rounds / games
--   plain_mean: mean of rounds without any twist, same lineup and players
with lengths as (
  select lineup, pair_a, pair_b, count(*) as games, count(*) filter (stalled) as stalled,
    count(*) filter (stalled) / count(*) as stalled_share,
    quantile_disc(rounds, 0.05) as p05, quantile_disc(rounds, 0.5) as median,
    quantile_disc(rounds, 0.95) as p95,
    sum(rounds)::bigint as rounds, sum(rounds)::bigint / count(*) as mean_rounds
  from games
  where pair_b is not null
    and ($players is null or players = $players)
    and ($lineup is null or lineup = $lineup)
    and ($twist is null or pair_a = $twist or pair_b = $twist)
  group by lineup, pair_a, pair_b
), plain as (
  select lineup, sum(rounds)::bigint / count(*) as plain_mean
  from games
  where ($players is null or players = $players)
    and ($lineup is null or lineup = $lineup)
    and pair_a is null
  group by lineup
)
select lengths.*, plain_mean
from lengths left join plain using (lineup)
order by lineup, pair_a, pair_b
