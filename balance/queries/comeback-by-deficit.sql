-- Question: Who is so many points behind at half-time: how often do they still win?
-- Game: nefarious
-- Parameters:
--   $players (cells.players, optional): only games of so many players
--   $lineup (cells.lineup, optional): only games of this lineup
--   $twist (twists.id, optional): only games with this twist, alone or in a pair
-- Columns:
--   lineup: who sits where
--   deficit: points behind the best at half-time; 0: nobody is ahead
--   seats: seats in games that somebody won
--   wins: seats that won
--   points: sum of win points: as many as there are players for a win
--   win_points: points / seats; 1 is a fair share
with tops as (
  select game_id, max(vp_half) as top
  from seats
  where ($players is null or players = $players)
    and ($lineup is null or lineup = $lineup)
    and ($twist is null or pair_a = $twist or pair_b = $twist)
  group by game_id
), sums as (
  select lineup, top - vp_half as deficit, count(*) as seats, count(*) filter (won) as wins,
    sum(win_points)::bigint as points
  from seats join tops using (game_id)
  where not stalled
    and ($players is null or players = $players)
    and ($lineup is null or lineup = $lineup)
    and ($twist is null or pair_a = $twist or pair_b = $twist)
  group by lineup, deficit
)
select *, points / seats as win_points
from sums
order by lineup, deficit
