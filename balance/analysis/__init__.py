"""Statistics over games: what can be said of them, and how sure. Knows games by their contract only."""
