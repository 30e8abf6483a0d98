-- Question: What was played?
-- Title: What was played
-- Columns:
--   run_id [Run]: its id
--   seed [Seed, text]: of all games
--   games [Games, integer]: how many
--   catalog_version [Catalog]: its version
--   catalog_hash [Code of the catalog]: a code that changes whenever an entry does
--   policies_hash [Code of the players]: a code that changes whenever the way they play does
--   engine_hash [Code of the program]: a code that changes whenever the program that plays does
select run_id, seed, games, catalog_version, catalog_hash[:12] as catalog_hash,
  policies_hash[:12] as policies_hash, engine_hash[:12] as engine_hash
from run
order by run_id
