-- Question: Is the game open to the end: lead changes, half-time leaders, comebacks?
-- Game: nefarious
-- Parameters:
--   $lineup (cells.lineup, optional): only games of this lineup
--   $twist (twists.id, optional): only games with this twist, alone or in a pair
-- Columns:
--   lineup: who sits where
--   players: how many play
--   games: how many games
--   lead_changes: sum over games: how often the sole leader was another than before
--   mean_lead_changes: lead_changes / games
--   without: games without any change of the lead
--   without_share: without / games
--   led: games with a winner and one leader alone at half-time
--   leader_wins: of these, games that the leader won
--   leader_wins_share: leader_wins / led
--   comebacks: games won by somebody who was behind at half-time
--   comebacks_share: comebacks / games with a winner
--   mean_deficit: how many points those were behind, mean; nothing if there is none
with halves as (  -- one leads alone if the first and the last of the best are the same
  select game_id, max(vp_half) as top, max(vp_half) filter (won) as winner_half,
    arg_max(seat, vp_half * 8 + seat) = arg_max(seat, vp_half * 8 - seat) as alone
  from seats
  where ($lineup is null or lineup = $lineup)
    and ($twist is null or pair_a = $twist or pair_b = $twist)
  group by game_id
), sums as (
  select lineup, players, count(*) as games, sum(lead_changes)::bigint as lead_changes,
    count(*) filter (lead_changes = 0) as without,
    count(*) filter (not stalled) as decided, count(*) filter (not stalled and alone) as led,
    count(*) filter (not stalled and alone and winner_half = top) as leader_wins,
    count(*) filter (not stalled and winner_half < top) as comebacks,
    coalesce(sum(top - winner_half) filter (not stalled), 0)::bigint as deficit
  from games join halves using (game_id)
  group by lineup, players
)
select lineup, players, games, lead_changes, lead_changes / games as mean_lead_changes, without,
  without / games as without_share, led, leader_wins, leader_wins / nullif(led, 0) as leader_wins_share,
  comebacks,
  comebacks / nullif(decided, 0) as comebacks_share, deficit / nullif(comebacks, 0) as mean_deficit
from sums
order by lineup, players
