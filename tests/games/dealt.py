"""The tiny race with charms that are dealt: everybody may buy one charm, which chance gave them at the start.

What is worth something to be dealt has a price; the tiny game itself deals nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from balance.games.contract import Column, Holdings
from tests.games.tiny import FACTS, Race, Tiny

_OPENING = Column(
    "opening_0", "uint64", "measure", "charms dealt: bit k is the charm with the k-th lowest id"
)


@dataclass
class DealtRace(Race):
    """A race in which everybody has an offer of their own."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.hands = [[charm] for charm in self.offer[: len(self.runners)]]

    def take_turn(self, seat: int) -> int:
        self.offer = self.hands[seat]
        return super().take_turn(seat)


class DealtTiny(Tiny):
    """The game as the toolkit sees it."""

    name = "dealt"
    facts = replace(
        FACTS,
        title="Dealt race",
        default_lineup="mirror:thrifty",
        tables=tuple(
            replace(table, columns=(*table.columns, _OPENING)) if table.name == "seats" else table
            for table in FACTS.tables
        ),
        holdings=Holdings("held", (("opening", ("opening_0",)),)),
    )

    def _race(self, cell, seed, index, policies, replicate):
        return DealtRace(cell, (seed, cell.players, index), policies, replicate).play()

    def play(self, cell, seed, indices, policies, replicates=None):
        tables = super().play(cell, seed, indices, policies, replicates)
        ids = sorted(cell.charms)
        names = ["random"] * cell.players
        hands = [DealtRace(cell, (seed, cell.players, int(index)), names, 0).hands for index in indices]
        masks = [1 << ids.index(hand[0]) for dealt in hands for hand in dealt]
        tables["seats"]["opening_0"] = np.array(masks, np.uint64)
        return tables


GAME = DealtTiny()
