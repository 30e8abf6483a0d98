-- Question: How often does each policy win at each number of players?
-- Parameters:
--   $lineup (cells.lineup, optional): only games of this lineup
--   $policy (policies.policy, optional): only this policy
-- Columns:
--   lineup: who sits where
--   players: how many play
--   policy: who played
--   deals: how many deals; games of a deal share its shuffle, whatever the twists
--   seats: how many seats, over all games
--   wins: seats that won
--   stalled_seats: seats in games that nobody won
--   points: sum of win points: as many as there are players for a win, 1 for each seat of a stalled game
--   win_points: points / seats; 1 is a fair share
--   low: lower end of its 95% interval (Wilson, from the variance over deals)
--   high: upper end of its 95% interval
with deals as (  -- the unit is the deal: its games share the shuffle, in all cells
  select lineup, players, policy, deal(game_id) as deal, count(*) as seats, count(*) filter (won) as wins,
    count(*) filter (stalled) as stalled_seats, sum(win_points)::bigint as points
  from seats
  where ($lineup is null or lineup = $lineup)
    and ($policy is null or policy = $policy)
  group by lineup, players, policy, deal(game_id)
), sums as (
  select lineup, players, policy, count(*) as deals, sum(seats)::bigint as seats, sum(wins)::bigint as wins,
    sum(stalled_seats)::bigint as stalled_seats, sum(points)::bigint as points,
    sum(points * points)::bigint as points_points, sum(points * seats)::bigint as points_seats,
    sum(seats * seats)::bigint as seats_seats
  from deals
  group by lineup, players, policy
), shares as (
  select *, points / seats / players as share,
    (points_points - 2 * (points / seats) * points_seats
      + (points / seats) * (points / seats) * seats_seats)
      / (1.0 * seats * seats) / players / players as variance
  from sums
), known as (  -- in how many independent games it would be known as well; if nothing varies, the deals
  select *, case when variance > 1e-12 then share * (1 - share) / variance else deals end as effective
  from shares
)
select lineup, players, policy, deals, seats, wins, stalled_seats, points, points / seats as win_points,
  players * wilson_low(share * effective, effective) as low,
  players * wilson_high(share * effective, effective) as high
from known
order by lineup, players, policy
