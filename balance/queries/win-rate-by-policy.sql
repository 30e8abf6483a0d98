-- Question: How often does each policy win, measured against its fair share?
-- Parameters:
--   $players (cells.players, optional): only games of so many players
--   $lineup (cells.lineup, optional): only games of this lineup
-- Columns:
--   lineup: who sits where
--   policy: who played
--   deals: how many deals; games of a deal share its shuffle, whatever the twists
--   seats: how many seats, over all games
--   wins: seats that won
--   stalled_seats: seats in games that nobody won
--   points: sum of win points: as many as there are players for a win, 1 for each seat of a stalled game
--   win_points: points / seats; 1 is a fair share
--   low: lower end of its 95% interval, from the variance over deals
--   high: upper end of its 95% interval
with deals as (  -- the unit is the deal: its games share the shuffle, in all cells
  select lineup, policy, players, deal(game_id) as deal, count(*) as seats, count(*) filter (won) as wins,
    count(*) filter (stalled) as stalled_seats, sum(win_points)::bigint as points
  from seats
  where ($players is null or players = $players)
    and ($lineup is null or lineup = $lineup)
  group by lineup, policy, players, deal(game_id)
), sums as (
  select lineup, policy, count(*) as deals, sum(seats)::bigint as seats, sum(wins)::bigint as wins,
    sum(stalled_seats)::bigint as stalled_seats, sum(points)::bigint as points,
    sum(points * points)::bigint as points_points, sum(points * seats)::bigint as points_seats,
    sum(seats * seats)::bigint as seats_seats
  from deals
  group by lineup, policy
), shares as (
  select *, points / seats as mean,
    1.959963984540054 / seats
      * sqrt(greatest(0, points_points - 2 * mean * points_seats + mean * mean * seats_seats)) as reach
  from sums
)
select lineup, policy, deals, seats, wins, stalled_seats, points, mean as win_points,
  greatest(0, mean - reach) as low,
  mean + reach as high
from shares
order by lineup, policy
