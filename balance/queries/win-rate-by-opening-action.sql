-- Question: Which action of the first round goes with winning?
-- Game: nefarious
-- Parameters:
--   $players (cells.players, optional): only games with this many players
--   $lineup (cells.lineup, optional): only games of this lineup
--   $policy (policies.policy, optional): only this policy
--   $twist (twists.id, optional): only games with this twist, alone or in a pair
-- Columns:
--   lineup: which policy plays which seat
--   actions: chosen in round 1; players chose it, so it need not be the cause
--   share: part of the seats of the lineup that chose so
--   seats: how many seats, over all games
--   wins: seats that won
--   stalled_seats: seats in games that nobody won
--   points: sum of win points: as many as there are players for a win, 1 for each seat of a stalled game
--   win_points: points / seats; 1 is a fair share
with sums as (
  select lineup, first_action, count(*) as seats, count(*) filter (won) as wins,
    count(*) filter (stalled) as stalled_seats,
    sum(win_points)::bigint as points
  from seats
  where ($players is null or players = $players)
    and ($lineup is null or lineup = $lineup)
    and ($policy is null or policy = $policy)
    and ($twist is null or pair_a = $twist or pair_b = $twist)
  group by lineup, first_action
)
select lineup,
  concat_ws(' + ',
    case when first_action & 1 <> 0 then 'speculate' end, case when first_action & 2 <> 0 then 'invent' end,
    case when first_action & 4 <> 0 then 'research' end, case when first_action & 8 <> 0 then 'work' end
  ) as actions,
  seats / sum(seats) over (partition by lineup) as share,
  seats, wins, stalled_seats, points, points / seats as win_points
from sums
order by lineup, first_action
