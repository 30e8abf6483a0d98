"""How well players play, by what a game declares."""

from __future__ import annotations

from collections.abc import Sequence

from balance.dataset.plan import PlannedCell
from balance.games.facts import Facts, Strength


def strength_of(facts: Facts, lineup: str) -> Strength:
    """Return the strength of play of a lineup; one that the game does not declare is named by its text."""
    for strength in facts.strengths:
        if lineup == strength.lineup or (strength.lineup[-1:] == ":" and lineup.startswith(strength.lineup)):
            return strength
    return Strength(lineup, lineup)


def of_default(cells: Sequence[PlannedCell], facts: Facts) -> list[PlannedCell]:
    """Return the cells of the default player, or all if it did not play: most metrics are judged there."""
    return [cell for cell in cells if cell.lineup == facts.default_lineup] or list(cells)
