"""How strong the policies are against each other: one against the rest, and mixed tables.

Seeds and samples are those of `balance.experiments.samples`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from balance.errors import UsageError
from balance.experiments.dealing import play_deals
from balance.games.contract import Game
from balance.games.lineup import Lineup, drawn_lineup, parse_lineup
from balance.stats.intervals import Interval
from balance.stats.ratio import Ratio

EVERYBODY: Final = "all"
"""The opponents of a policy at mixed tables."""
_DIGITS: Final = 4


@dataclass(frozen=True, slots=True)
class Rung:
    """The win points of a policy against some opponents, with their 95% interval."""

    measure: str
    """`mixed` or `one`."""
    policy: str
    against: str
    value: float
    low: float | None = None
    high: float | None = None
    games: int | None = None
    stalled: int | None = None


@dataclass(frozen=True)
class Match:
    """A lineup to be played, every rotation of its deals, and whose win points are measured."""

    measured: tuple[str, ...]
    against: str
    lineup: Lineup
    deals: int
    """Deals in each cell; no two cells play the same deal."""


@dataclass(frozen=True)
class Ladder:
    """What is played for a ladder: every ordered pair of policies, and mixed tables."""

    game: Game[Any, Any]
    policies: tuple[str, ...]
    cells: tuple[Any, ...]
    matches: tuple[Match, ...]

    @property
    def games(self) -> int:
        """How many games that is."""
        return len(self.cells) * sum(match.deals * match.lineup.rotations for match in self.matches)

    def play(self, seed: int, jobs: int = 1, advance: Callable[[int], object] = lambda _: None) -> list[Rung]:
        """Return the win points at mixed tables, the best policy first, then those of one against the rest.

        `advance` is called with the games played since its last call.
        """
        found = [rung for match in self.matches for rung in self._play(match, seed, jobs, advance)]
        mixed = sorted((r for r in found if r.measure == "mixed"), key=lambda r: (-r.value, r.policy))
        order = {rung.policy: place for place, rung in enumerate(mixed)}
        ones = (rung for rung in found if rung.measure == "one")
        return mixed + sorted(ones, key=lambda r: (order[r.policy], order[r.against]))

    def _play(self, match: Match, seed: int, jobs: int, advance: Callable[[int], object]) -> list[Rung]:
        import numpy as np

        tasks = (
            (cell, match.lineup, range(place * match.deals, (place + 1) * match.deals))
            for place, cell in enumerate(self.cells)
        )
        measured = np.array([self.game.policy_number(name) for name in match.measured])
        points = Ratio.of(np.zeros((len(measured), 0)), 0, match.lineup.players)
        games = stalled = 0
        for batch in play_deals(self.game, tasks, seed, jobs):
            score, seats = batch.by_deal(batch.seated[:, :, None] == measured)
            points += Ratio.of(score.T, seats.T)  # a row per policy
            games += batch.winners.size
            stalled += int((batch.winners < 0).sum())
            advance(batch.winners.size)
        measure = "mixed" if match.against == EVERYBODY else "one"
        return [
            Rung(measure, name, match.against, *_rounded(points[place]), games, stalled)
            for place, name in enumerate(match.measured)
        ]


def _rounded(points: Ratio) -> Interval:
    return Interval(*(round(end, _DIGITS) + 0.0 for end in points.interval))


@dataclass(frozen=True)
class Standings:
    """A ladder that was played, and what it was played with."""

    game: Game[Any, Any]
    edition: str
    players: int
    described: str
    """The variants in force, in words."""
    seed: int
    games: int
    rungs: tuple[Rung, ...]


def plan(
    game: Game[Any, Any], policies: Sequence[str], players: int, cells: Sequence[Any], games: int
) -> Ladder:
    """Return what to play: at least `games` of each pair, and as many mixed ones for each policy.

    Games are shared out evenly among the cells; all rotations of a deal are played.
    """
    names = tuple(dict.fromkeys(game.policy_name(game.policy_number(name)) for name in policies))
    if len(names) < 2:
        raise UsageError(f"a ladder needs two policies at least, not {len(names)} ({', '.join(names)})")
    deals = _share(games, len(cells) * players)
    ones = [
        Match((one,), rest, parse_lineup(",".join([one, *[rest] * (players - 1)]), players, game), deals)
        for one in names
        for rest in names
        if one != rest
    ]
    together = drawn_lineup(names, players, game, EVERYBODY)
    mixed = Match(names, EVERYBODY, together, _share(games * len(names), len(cells)))
    return Ladder(game, names, tuple(cells), (*ones, mixed))


def _share(games: int, parts: int) -> int:
    return max(1, math.ceil(games / parts))
