-- Question: Which actions do the policies choose?
-- Game: nefarious
-- Parameters:
--   $players (cells.players, optional): only games of so many players
--   $lineup (cells.lineup, optional): only games of this lineup
--   $twist (twists.id, optional): only games with this twist, alone or in a pair
-- Columns:
--   lineup: who sits where
--   policy: who played
--   seats: how many seats, over all games
--   speculate: times Speculate was chosen
--   invent: times Invent was chosen
--   research: times Research was chosen
--   work: times Work was chosen
--   choices: all of them
--   speculate_share: part of all choices
--   invent_share: part of all choices
--   research_share: part of all choices
--   work_share: part of all choices
select lineup, policy, count(*) as seats, sum(chose_speculate)::bigint as speculate,
  sum(chose_invent)::bigint as invent,
  sum(chose_research)::bigint as research, sum(chose_work)::bigint as work,
  speculate + invent + research + work as choices,
  speculate / nullif(choices, 0) as speculate_share, invent / nullif(choices, 0) as invent_share,
  research / nullif(choices, 0) as research_share, work / nullif(choices, 0) as work_share
from seats
where ($players is null or players = $players)
  and ($lineup is null or lineup = $lineup)
  and ($twist is null or pair_a = $twist or pair_b = $twist)
group by lineup, policy
order by lineup, policy
