"""How well players play, by what a game declares."""

from __future__ import annotations

from balance.games.facts import Facts, Strength


def strength_of(facts: Facts, lineup: str) -> Strength:
    """Return how well those play whom a lineup seats; a lineup that the game says nothing of, by its text."""
    for strength in facts.strengths:
        if lineup == strength.lineup or (strength.lineup[-1:] == ":" and lineup.startswith(strength.lineup)):
            return strength
    return Strength(lineup, lineup)
