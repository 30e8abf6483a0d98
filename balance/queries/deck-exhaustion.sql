-- Question: How often does the deck run out?
-- Game: nefarious
-- Parameters:
--   $lineup (cells.lineup, optional): only games of this lineup
--   $twist (twists.id, optional): only games with this twist, alone or in a pair
-- Columns:
--   lineup: who sits where
--   players: how many play
--   deals: how many deals; games of a deal share its shuffle, whatever the twists
--   games: how many games
--   exhausted: games in which the deck ran out
--   exhausted_share: exhausted / games
--   low: lower end of its 95% interval (Wilson, from the variance over deals)
--   high: upper end of its 95% interval
with deals as (  -- the unit is the deal: its games share the shuffle, in all cells
  select lineup, players, deal(game_id) as deal, count(*) as games,
    count(*) filter (deck_exhausted) as exhausted
  from games
  where ($lineup is null or lineup = $lineup)
    and ($twist is null or pair_a = $twist or pair_b = $twist)
  group by lineup, players, deal(game_id)
), sums as (
  select lineup, players, count(*) as deals, sum(games)::bigint as games, sum(exhausted)::bigint as exhausted,
    sum(exhausted * exhausted)::bigint as exhausted_exhausted,
    sum(exhausted * games)::bigint as exhausted_games, sum(games * games)::bigint as games_games
  from deals
  group by lineup, players
), shares as (
  select *, exhausted / games as share,
    (exhausted_exhausted - 2 * (exhausted / games) * exhausted_games
      + (exhausted / games) * (exhausted / games) * games_games)
      / (1.0 * games * games) as variance
  from sums
), known as (  -- in how many independent games it would be known as well; if nothing varies, the deals
  select *, case when variance > 1e-12 then share * (1 - share) / variance else deals end as effective
  from shares
)
select lineup, players, deals, games, exhausted, share as exhausted_share,
  wilson_low(share * effective, effective) as low,
  wilson_high(share * effective, effective) as high
from known
order by lineup, players
