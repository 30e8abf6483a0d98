-- Question: Under which pairs of twists does the deck run out?
-- Title: Games in which the deck runs out, by pair of twists
-- Game: nefarious
-- Parameters:
--   $players (cells.players, optional): only games with this many players
--   $lineup (cells.lineup, optional): only games of this lineup
-- Columns:
--   lineup [Lineup]: which policy plays which seat
--   pair_a [First twist, variant]: first twist of the pair, in alphabetical order
--   pair_b [Second twist, variant]: second twist of the pair
--   deals [Deals, integer]: how many deals; games of a deal share its shuffle, whatever the twists
--   games [Games, integer]: how many games
--   exhausted [Deck runs out, integer]: games in which the deck ran out
--   exhausted_share [Share, share]: exhausted / games
--   low: lower end of its 95% interval (Wilson, from the variance over deals)
--   high: upper end of its 95% interval
with figures as (  -- the unit is the deal: its games share the shuffle, in all cells
  select lineup, pair_a, pair_b, count(*) as deals, sum(games)::bigint as games,
    sum(exhaustion)::bigint as exhausted, share(exhaustion, games) as s
  from (
    select lineup, pair_a, pair_b, players, deal, sum(games) as games, sum(exhaustion) as exhaustion
    from deals join (select * exclude (deals) from cells) using (cell_id)
    where pair_b is not null
      and ($players is null or players = $players)
      and ($lineup is null or lineup = $lineup)
    group by all
  )
  group by lineup, pair_a, pair_b
)
select lineup, pair_a, pair_b, deals, games, exhausted, s.value as exhausted_share, s.low as low,
  s.high as high
from figures
order by lineup, pair_a, pair_b
