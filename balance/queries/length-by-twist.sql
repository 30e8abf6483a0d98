-- Question: How long do games last under each twist?
-- Game: nefarious
-- Parameters:
--   $players (cells.players, optional): only games of so many players
--   $lineup (cells.lineup, optional): only games of this lineup
--   $alone (boolean, default false): only games with the twist alone, not in a pair
-- Columns:
--   lineup: who sits where
--   twist: the twist, alone or in a pair
--   twist_name: its name
--   games: how many games
--   stalled: games that nobody won
--   stalled_share: stalled / games
--   p05: 5% of games are no longer than so many rounds
--   median: half of games are no longer than so many rounds
--   p95: 95% of games are no longer than so many rounds
--   rounds: sum of rounds
--   mean_rounds: rounds / games
--   plain_median: median without any twist, same lineup and players
--   plain_mean: mean of rounds without any twist
with in_force as (
  select lineup, unnest([pair_a, pair_b]) as twist, rounds, stalled
  from games
  where ($players is null or players = $players)
    and ($lineup is null or lineup = $lineup)
    and (pair_b is null or not $alone)
), lengths as (
  select lineup, twist, count(*) as games, count(*) filter (stalled) as stalled,
    count(*) filter (stalled) / count(*) as stalled_share,
    quantile_disc(rounds, 0.05) as p05, quantile_disc(rounds, 0.5) as median,
    quantile_disc(rounds, 0.95) as p95,
    sum(rounds)::bigint as rounds, sum(rounds)::bigint / count(*) as mean_rounds
  from in_force
  where twist is not null
  group by lineup, twist
), plain as (
  select lineup, quantile_disc(rounds, 0.5) as plain_median, sum(rounds)::bigint / count(*) as plain_mean
  from games
  where ($players is null or players = $players)
    and ($lineup is null or lineup = $lineup)
    and pair_a is null
  group by lineup
)
select lineup, twist, name as twist_name, games, stalled, stalled_share, p05, median, p95, rounds,
  mean_rounds,
  plain_median, plain_mean
from lengths join twists on id = twist left join plain using (lineup)
order by lineup, twist
