-- Question: Which actions are chosen early, which late?
-- Game: nefarious
-- Parameters:
--   $players (cells.players, optional): only games of so many players
--   $lineup (cells.lineup, optional): only games of this lineup
--   $twist (twists.id, optional): only games with this twist, alone or in a pair
--   $last (integer, default 20): no rounds after this one
-- Columns:
--   lineup: who sits where
--   round: round, from 1
--   seats: seats of the games with rounds on record that were still going
--   speculate: times Speculate was chosen
--   invent: times Invent was chosen
--   research: times Research was chosen
--   work: times Work was chosen
--   choices: all of them
--   speculate_share: part of all choices
--   invent_share: part of all choices
--   research_share: part of all choices
--   work_share: part of all choices
with counts as (
  select lineup, round, count(*) as seats, count(*) filter (actions & 1 <> 0) as speculate,
    count(*) filter (actions & 2 <> 0) as invent, count(*) filter (actions & 4 <> 0) as research,
    count(*) filter (actions & 8 <> 0) as work
  from rounds
  where ($players is null or players = $players)
    and ($lineup is null or lineup = $lineup)
    and ($twist is null or pair_a = $twist or pair_b = $twist)
    and round <= $last
  group by lineup, round
)
select *, speculate + invent + research + work as choices,
  speculate / nullif(choices, 0) as speculate_share, invent / nullif(choices, 0) as invent_share,
  research / nullif(choices, 0) as research_share, work / nullif(choices, 0) as work_share
from counts
order by lineup, round
