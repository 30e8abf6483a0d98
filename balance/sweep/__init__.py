"""Sweeps: millions of seeded games, cell by cell, into a folder that one can trust, resume and reproduce.

Knows a game by its contract alone. What a run is on the disk belongs to `balance.dataset`.
"""
