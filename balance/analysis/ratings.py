"""One number per policy: a Plackett-Luce rating fitted to who won at which table, and how badly it fits.

The model knows nothing but strengths: a seat wins with the chance of its policy's strength divided by the sum
over the table. That is the Plackett-Luce model where only the winner is known. Strengths are found by the MM
algorithm of Hunter (2004); standard errors by a jackknife over groups of deals, since games of a deal, and
tables that play the same deals, are not independent.

Ratings are 400 times the decimal logarithm of the strength, with mean 0: 100 points more are odds of 1.78 to
1 between two seats. What one number cannot say is told beside it: the deviance, the tables that fit worst,
and cycles, policies that beat each other in a ring.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]
    Counts = npt.NDArray[np.int64]

__all__ = ["GROUPS", "SCALE", "Rating", "Tables", "cycles", "fit"]

SCALE: Final = 400.0
"""Points of a tenfold strength."""
GROUPS: Final = 20
"""Groups of deals that the jackknife leaves out one by one."""
_PRIOR: Final = 0.5
"""Wins and losses that every policy is lent against a player of average strength, so that somebody who never
(or always) wins has a rating too; a single game in total, nothing beside thousands."""
_CLOSE: Final = 1e-10
_MOST_STEPS: Final = 20_000


@dataclass(frozen=True)
class Tables:
    """Who won at which kind of table. A kind of table is a composition: how many seats each policy has."""

    compositions: Counts
    """A row per kind of table, a column per policy: seats."""
    wins: Counts
    """A row per group of deals, kind of table and policy: games won. Stalled games are left out."""

    def all_wins(self) -> Counts:
        """Return the wins over all groups."""
        total: Counts = self.wins.sum(axis=0)
        return total


@dataclass(frozen=True)
class Rating:
    """Ratings of all policies, and what contradicts them."""

    ratings: tuple[float, ...]
    errors: tuple[float, ...]
    """Standard errors of the ratings, as differences from the mean rating."""
    expected: Floats
    """The chance of each policy (all its seats together) to win at each kind of table."""
    deviance: float
    """Twice the log likelihood that free chances for every table would have beyond this model."""
    freedom: int
    """What the deviance would be on average, were the model true and every game independent."""


def fit(tables: Tables) -> Rating:
    """Fit the ratings of all policies to the tables."""
    import numpy as np

    wins = tables.all_wins()
    strengths = _strengths(tables.compositions, wins)
    logs = _centred(np.log(strengths))
    groups = [group for group in range(len(tables.wins)) if tables.wins[group].any()]
    without = [
        _centred(np.log(_strengths(tables.compositions, wins - tables.wins[group], strengths)))
        for group in groups
    ]
    errors = np.zeros(len(logs))
    if len(groups) > 1:
        spread = np.array(without) - np.mean(without, axis=0)
        errors = np.sqrt((spread**2).sum(axis=0) * (len(groups) - 1) / len(groups))
    points = SCALE / np.log(10)
    expected = _chances(tables.compositions, strengths)
    deviance, freedom = _misfit(tables.compositions, wins, expected)
    return Rating(
        tuple((points * logs).tolist()), tuple((points * errors).tolist()), expected, deviance, freedom
    )


def _centred(logs: Floats) -> Floats:
    centred: Floats = logs - logs.mean()
    return centred


def _strengths(compositions: Counts, wins: Counts, start: Floats | None = None) -> Floats:
    """Return the strengths that make the wins most likely (MM); their geometric mean is 1."""
    import numpy as np

    games = wins.sum(axis=1)
    own = wins.sum(axis=0) + _PRIOR
    strengths = np.ones(compositions.shape[1]) if start is None else start
    for _ in range(_MOST_STEPS):
        at_table = games / (compositions * strengths).sum(axis=1)
        exposure = (compositions * at_table[:, None]).sum(axis=0)
        better = np.exp(_centred(np.log(own / (exposure + 2 * _PRIOR / (strengths + 1)))))
        moved = float(np.abs(np.log(better / strengths)).max())
        strengths = better
        if moved < _CLOSE:
            break
    return np.asarray(strengths)


def _chances(compositions: Counts, strengths: Floats) -> Floats:
    weights = compositions * strengths
    chances: Floats = weights / weights.sum(axis=1, keepdims=True)
    return chances


def _misfit(compositions: Counts, wins: Counts, expected: Floats) -> tuple[float, int]:
    """Return the deviance against the saturated table, and its degrees of freedom."""
    import numpy as np

    games = wins.sum(axis=1, keepdims=True)
    fitted = games * expected
    seen = wins > 0
    deviance = 2 * float((wins[seen] * np.log(wins[seen] / fitted[seen])).sum())
    played = games[:, 0] > 0
    present = (compositions[played] > 0).sum(axis=1)
    return deviance, int((present - 1).sum()) - (compositions.shape[1] - 1)


def cycles(policies: Sequence[str], beats: Mapping[tuple[str, str], bool]) -> list[tuple[str, ...]]:
    """Return the rings among policies that beat each other: of two (each beats the other), and of three.

    `beats[x, y]`: one x among many y takes more than its share, beyond doubt.

    >>> cycles("abc", {("a", "b"): True, ("b", "c"): True, ("c", "a"): True})
    [('a', 'b', 'c')]
    """
    return [
        ring
        for length in (2, 3)
        for ring in permutations(policies, length)
        if ring[0] == min(ring, key=policies.index)  # each ring once, from its first policy on
        and all(beats.get((ring[k], ring[(k + 1) % length]), False) for k in range(length))
    ]
