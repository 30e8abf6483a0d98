"""Nefarious: mad inventors, minions, and two twists that change the rules of every game.

Importing this package imports nothing else; `balance.games.get("nefarious")` gives the game.
"""
