-- Question: How early is a game decided: how often does the player who leads after a round win in the end?
-- Game: nefarious
-- Title: How often the sole leader after a round wins in the end
-- Note: Of the games with their rounds on record that have one leader after the round; by chance alone each player would win
--       equally often. Where fewer than 30 games have one, nothing is drawn.
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
with led as (
  select lineup, players, cell_id, game_id, round, max_by(seat, vp) as leader, max(vp, 2) as best
  from rounds
  where ($lineup is null or lineup = $lineup)
    and ($counts is null or list_contains(string_split($counts, ','), players::varchar))
  group by all
), dealt as (
  select l.lineup, l.players, l.round, deal(l.game_id) as deal, count(*) as games,
    count(*) filter (l.leader = g.winner_seat) as won
  from led l join games g on g.cell_id = l.cell_id and g.game_id = l.game_id
  where l.best[1] > l.best[2]
  group by all
), shared as (
  select lineup, players, round, sum(games)::bigint as games, share(won, games) as s from dealt group by lineup, players, round
)
select lineup, round, players, s.value as share, s.low as low, s.high as high, games
from shared where games >= 30
order by lineup, players, round
