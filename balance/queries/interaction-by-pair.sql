-- Question: What does a pair do to a measure beyond its two twists alone: mean_length, win_points ...?
-- Game: nefarious
-- Parameters:
--   $measure (measures.measure, required): which measure
--   $of (text, optional): only this policy or seat
--   $players (cells.players, optional): only games with this many players
--   $lineup (cells.lineup, optional): only games of this lineup
--   $twist (twists.id, optional): only pairs with this twist
-- Columns:
--   lineup: which policy plays which seat
--   players: how many play
--   pair_a: first twist of the pair, in alphabetical order
--   pair_b: second twist of the pair
--   of: which policy or seat the figure is about; empty if it has no parts
--   games: games with the pair
--   pair: the measure with both
--   a: with pair_a alone
--   b: with pair_b alone
--   plain: without any twist
--   effect: pair / plain over the product of the same for each twist (1: each does what it does alone); of shares and win points pair - a - b + plain
--   low: lower end of its 95% interval (on the deals that all four have)
--   high: upper end of its 95% interval
select lineup, players, pair_a, pair_b, "of", games, with_both / den as pair, first_alone / den as a,
  second_alone / den as b, with_none / den as plain, case scale when 'log' then exp(value) else value end as effect,
  case scale when 'log' then exp(low) else low end as low, case scale when 'log' then exp(high) else high end as high
from interactions
where measure = $measure and ($of is null or "of" = $of)
  and ($players is null or players = $players) and ($lineup is null or lineup = $lineup)
  and ($twist is null or pair_a = $twist or pair_b = $twist)
order by all
