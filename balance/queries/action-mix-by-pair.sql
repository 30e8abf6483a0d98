-- Question: Is an action dead, or the only one, under a pair of twists?
-- Game: nefarious
-- Parameters:
--   $players (cells.players, optional): only games of so many players
--   $lineup (cells.lineup, optional): only games of this lineup
--   $policy (policies.policy, optional): only this policy
-- Columns:
--   lineup: who sits where
--   pair_a: first twist of the pair, in alphabetical order
--   pair_b: second twist of the pair
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
select lineup, pair_a, pair_b, count(*) as seats, sum(chose_speculate)::bigint as speculate,
  sum(chose_invent)::bigint as invent,
  sum(chose_research)::bigint as research, sum(chose_work)::bigint as work,
  speculate + invent + research + work as choices,
  speculate / nullif(choices, 0) as speculate_share, invent / nullif(choices, 0) as invent_share,
  research / nullif(choices, 0) as research_share, work / nullif(choices, 0) as work_share
from seats
where pair_b is not null
  and ($players is null or players = $players)
  and ($lineup is null or lineup = $lineup)
  and ($policy is null or policy = $policy)
group by lineup, pair_a, pair_b
order by lineup, pair_a, pair_b
