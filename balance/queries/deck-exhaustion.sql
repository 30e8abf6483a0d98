-- Question: How often does the deck run out?
-- Title: Games in which the deck runs out
-- Game: nefarious
-- Parameters:
--   $lineup (cells.lineup, optional): only games of this lineup
--   $twist (twists.id, optional): only games with this twist, alone or in a pair
-- Columns:
--   lineup [Lineup]: which policy plays which seat
--   players [Players, integer]: how many play
--   deals [Deals, integer]: how many deals; games of a deal share its shuffle, whatever the twists
--   games [Games, integer]: how many games
--   exhausted [Deck runs out, integer]: games in which the deck ran out
--   exhausted_share [Share, share]: exhausted / games
--   low: lower end of its 95% interval (Wilson, from the variance over deals)
--   high: upper end of its 95% interval
with figures as (  -- the unit is the deal: its games share the shuffle, in all cells
  select lineup, players, count(*) as deals, sum(games)::bigint as games,
    sum(exhaustion)::bigint as exhausted, share(exhaustion, games) as s
  from (
    select lineup, players, deal, sum(games) as games, sum(exhaustion) as exhaustion
    from deals join (select * exclude (deals) from cells) using (cell_id)
    where ($lineup is null or lineup = $lineup)
      and ($twist is null or pair_a = $twist or pair_b = $twist)
    group by all
  )
  group by lineup, players
)
select lineup, players, deals, games, exhausted, s.value as exhausted_share, s.low as low, s.high as high
from figures
order by lineup, players
