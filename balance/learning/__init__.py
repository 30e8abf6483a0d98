"""Learning by self-play: records games, fits networks, keeps a league of opponents. Knows no game."""
