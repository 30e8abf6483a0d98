-- Question: Under which twists is a card in the opening hand worth more than in the same games without the twist?
-- Game: nefarious
-- Parameters:
--   $invention (inventions.id, required): the card, by id or name
--   $players (cells.players, optional): only games with this many players
--   $lineup (cells.lineup, optional): only games of this lineup
-- Columns:
--   lineup: which policy plays which seat
--   twist: the twist, alone or in a pair
--   twist_name: its name
--   difference: value under it less that in the same combinations without it, over common deals
--   low: lower end of its 95% interval (Student, from the variance over deals)
--   high: upper end of its 95% interval
--   value: win points of the seats that were dealt it, less 1
--   without_value: the same without the twist
--   seats: seats that were dealt it under the twist
with summed as (
  select lineup, variant as twist, sums(x, y) as own, sums(u, v) as base, common(x, y, u, v) as c
  from item_versus
  where item = $invention and ($players is null or players = $players) and ($lineup is null or lineup = $lineup)
  group by lineup, variant
), compared as (select *, difference_from(own, base, c) as d from summed where own.den > 0 and base.den > 0)
select lineup, twist, name as twist_name, d.value as difference, d.low as low, d.high as high,
  own.num / own.den - 1 as value, base.num / base.den - 1 as without_value, own.den::bigint as seats
from compared join twists on id = twist
order by difference desc, lineup, twist
