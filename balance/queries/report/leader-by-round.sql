-- Question: How early is a game decided: how often does the player who leads after a round win in the end?
-- Game: nefarious
-- Title: How often the sole leader after a round wins in the end
-- Note: Of the games with their rounds on record that have one leader after the round; by chance alone each player would win
--       equally often. Rounds with few such games (fewer than 30, or than 1% of the round with most) are left out.
-- Parameters:
--   $lineup (cells.lineup, optional): only games of this lineup
--   $counts (text, optional): only these numbers of players, such as 2,4
-- Columns:
--   lineup [Lineup, hidden]: which policy plays which seat
--   round [Round, integer]: from 1
--   players [Players, integer]: how many play
--   share [The leader wins, share]: of the games with one leader after this round
--   low: lower end of its 95% interval (Wilson, from the variance over deals)
--   high: upper end of its 95% interval
--   games [Games, integer]: how many games have one leader then
-- Figure: lines
--   x: round
--   series: players
--   y: share
--   n: games
--   x_title: after round
--   y_title: the leader wins
with led as (  -- of the seats with most points the highest and the lowest: the same if one leads
  select game_id, round, max(vp::int * 16 + seat) & 15 as highest, 15 - (max(vp::int * 16 + 15 - seat) & 15) as lowest
  from rounds
  where ($lineup is null or lineup = $lineup)
    and ($counts is null or list_contains(string_split($counts, ','), players::varchar))
  group by game_id, round
), dealt as (
  select t.table_id, l.round, deal(l.game_id) as deal, count(*) as games,
    count(*) filter (l.highest = g.winner_seat) as won
  from led l join games g on g.game_id = l.game_id join cell_tables t on t.cell_id = g.cell_id
  where l.highest = l.lowest
  group by t.table_id, l.round, deal(l.game_id)
), shared as (
  select table_id, round, sum(games)::bigint as games, share(won, games) as s from dealt group by table_id, round
)
select c.lineup, d.round, c.players, d.s.value as share, d.s.low as low, d.s.high as high, d.games
from shared d join cells c on c.cell_id = d.table_id
qualify d.games >= greatest(30, max(d.games) over (partition by d.table_id) / 100)
order by c.lineup, c.players, d.round
