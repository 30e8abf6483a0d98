-- Question: What do the policies earn, keep and build?
-- Game: nefarious
-- Parameters:
--   $lineup (cells.lineup, optional): only games of this lineup
--   $twist (twists.id, optional): only games with this twist, alone or in a pair
-- Columns:
--   lineup: which policy plays which seat
--   players: how many play
--   policy: who played
--   seats: how many seats, over all games
--   income: sum of the income of whole games
--   money: sum of money at the end
--   built: sum of inventions built
--   mean_income: income / seats
--   mean_money: money / seats
--   mean_built: built / seats
with sums as (
  select lineup, players, policy, count(*) as seats, sum(income)::bigint as income,
    sum(money)::bigint as money,
    sum(built)::bigint as built
  from seats
  where ($lineup is null or lineup = $lineup)
    and ($twist is null or pair_a = $twist or pair_b = $twist)
  group by lineup, players, policy
)
select *, income / seats as mean_income, money / seats as mean_money, built / seats as mean_built
from sums
order by lineup, players, policy
