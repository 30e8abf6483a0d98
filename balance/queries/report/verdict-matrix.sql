-- Question: What is the verdict on each combination at one number of players?
-- Parameters:
--   $players (cells.players, required): how many play
-- Columns:
--   variants [Combination, pair]: what is in force
--   verdict [Verdict, verdict]: over all strengths of play that decide
--   games [Games, integer]: how many games
select variants, verdict, games
from verdicts
where size > 0 and players = $players
order by variants
