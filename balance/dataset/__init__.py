"""Runs on the disk: their schema, opening them, and whether they are still what was written.

Knows a game by its contract alone, and nothing of how games are simulated.
"""
