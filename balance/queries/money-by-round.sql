-- Question: How do money, hands and scores grow from round to round?
-- Game: nefarious
-- Parameters:
--   $players (cells.players, optional): only games with this many players
--   $lineup (cells.lineup, optional): only games of this lineup
--   $twist (twists.id, optional): only games with this twist, alone or in a pair
--   $last (integer, default 20): no rounds after this one
-- Columns:
--   lineup: which policy plays which seat
--   round: round, from 1
--   seats: seats of the games with rounds on record that were still going
--   money: sum of money after the round
--   cards: sum of cards in hand
--   vp: sum of scores
--   mean_money: money / seats
--   mean_cards: cards / seats
--   mean_vp: vp / seats
with sums as (
  select lineup, round, count(*) as seats, sum(money)::bigint as money, sum(hand)::bigint as cards,
    sum(vp)::bigint as vp
  from rounds
  where ($players is null or players = $players)
    and ($lineup is null or lineup = $lineup)
    and ($twist is null or pair_a = $twist or pair_b = $twist)
    and round <= $last
  group by lineup, round
)
select *, money / seats as mean_money, cards / seats as mean_cards, vp / seats as mean_vp
from sums
order by lineup, round
