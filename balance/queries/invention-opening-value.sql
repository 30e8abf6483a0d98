-- Question: What is a card worth in the opening hand, where chance has put it?
-- Game: nefarious
-- Parameters:
--   $players (cells.players, optional): only games with this many players
--   $lineup (cells.lineup, optional): only games of this lineup
--   $twist (twists.id, optional): only games with this twist, alone or in a pair
--   $policy (policies.policy, optional): only this policy
-- Columns:
--   invention: id of the card
--   invention_name: its name
--   cost: printed cost
--   vp: printed victory points
--   deals: how many deals; games of a deal share its shuffle, whatever the twists
--   seats: seats that had it in the opening hand
--   points: sum of win points: as many as there are players for a win, 1 for each seat of a stalled game
--   value: points / seats - 1: win points above a fair share
--   low: lower end of its 95% interval, from the variance over deals
--   high: upper end of its 95% interval
with figures as (  -- the unit is the deal: its games share the shuffle, in all cells
  select invention, count(*) as deals, sum(seats)::bigint as seats, sum(points)::bigint as points,
    average(points, seats) as s
  from (
    select invention, players, deal(game_id) as deal, count(*) as seats, sum(win_points) as points
    from cards
    where how = 'opening'
      and ($players is null or players = $players)
      and ($lineup is null or lineup = $lineup)
      and ($twist is null or pair_a = $twist or pair_b = $twist)
      and ($policy is null or policy = $policy)
    group by all
  )
  group by invention
)
select invention, name as invention_name, cost, vp, deals, seats, points, s.value - 1 as value,
  s.low - 1 as low, s.high - 1 as high
from figures join inventions on id = invention
order by value desc, invention
