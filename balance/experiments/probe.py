"""How good the play behind a verdict is: one seat played by others, and what the best of them gains.

Every policy that the game names takes one seat among default players, on deals of the check, every rotation
of each. Who gains nothing shows nothing; what somebody gains is a lower bound of what a best reply would.
Nothing is learned for it (`balance exploit` trains a best reply).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations
from statistics import NormalDist
from typing import Any, Final

from balance import machine
from balance.experiments.dealing import play_deals
from balance.games.contract import Catalog, Game
from balance.games.lineup import parse_lineup
from balance.judge.quality import MOST
from balance.judge.verdict import ALPHA
from balance.stats.ratio import Ratio

FAIR: Final = 1.0
"""The win points of a default player among default players: all rotations are played."""


@dataclass(frozen=True, slots=True)
class Gain:
    """The gain of the best of some policies in the place of one default player, at one number of players."""

    players: int
    usual: str
    policy: str
    tried: int
    value: float
    low: float
    """Gained at least: a one-sided bound at 95% that holds for all that were tried together."""
    games: int

    @property
    def words(self) -> str:
        """The gain in words."""
        if self.low <= 0:
            return "no better play found"
        return "better play gains much" if self.low > MOST else "better play gains a little"

    def __str__(self) -> str:
        return (
            f"{self.players} players, {self.words}: of {self.tried} others in the place of one {self.usual}, "
            f"{self.policy} does best, {self.value:+.2f} win points (at least {self.low:+.2f})"
        )


def probe(
    game: Game[Any, Any],
    catalog: Catalog,
    variants: Sequence[str],
    *,
    players: int,
    edition: str,
    seed: int,
    games: int,
    jobs: int | None = None,
) -> Gain:
    """Play one seat by each other policy, about `games` of each, and return the best gain."""
    facts, deals = game.facts, math.ceil(games / players)
    usual = facts.usual
    others = [name for name in (*facts.policies, *facts.probes) if name != usual]
    orders = list(permutations(variants)) if facts.variants_ordered else [tuple(variants)]
    cells = [game.compile(catalog, edition, players, order) for order in orders]
    shares = [range(deals)[place :: len(cells)] for place in range(len(cells))]
    reach = NormalDist().inv_cdf(1 - ALPHA / len(others))
    found, played = [], 0
    for name in others:
        lineup = parse_lineup(f"one:{name},{usual}", players, game)
        tasks = [(cell, lineup, own) for cell, own in zip(cells, shares, strict=True)]
        points = Ratio.of([], 0, players)
        for batch in play_deals(game, tasks, seed, machine.threads(jobs)):
            score, seats = batch.by_deal(batch.seated[:, :, None] == game.policy_number(name))
            points += Ratio.of(score[:, 0], seats[:, 0], players)
            played += batch.winners.size
        value = float(points.value) - FAIR
        found.append((value - reach * math.sqrt(float(points.variance)), value, name))
    low, value, policy = max(found)
    return Gain(players, usual, policy, len(others), value, low, played)
