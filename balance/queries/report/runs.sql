-- Question: What was played?
-- Title: What was played
-- Columns:
--   run_id [Run]: its id
--   seed [Seed, text]: of all games
--   games [Games, integer]: how many
--   catalog_version [Catalog]: its version
--   catalog_hash [Its digest]: of the catalog
--   policies_hash [Players' digest]: of the players' weights
--   engine_hash [Engine's digest]: of the code that played
select run_id, seed, games, catalog_version, catalog_hash[:12] as catalog_hash,
  policies_hash[:12] as policies_hash, engine_hash[:12] as engine_hash
from run
order by run_id
