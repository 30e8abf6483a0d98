"""Corrections for having looked at many things at once, and for having looked at the same thing repeatedly.

Cells of a run share their seeds, so their p-values depend on each other in a way that nobody has worked out:
Benjamini and Yekutieli's procedure holds whatever the dependence is. Plain arithmetic.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, NamedTuple

from balance.stats.intervals import adjusted


def harmonic(n: int) -> float:
    """Return 1 + 1/2 + ... + 1/n: what the dependence of `n` tests costs at worst.

    >>> harmonic(4)
    2.083333333333333
    """
    if n > 1000:  # Euler and Maclaurin, right to the last digit here
        return math.log(n) + 0.5772156649015329 + 1 / (2 * n) - 1 / (12 * n * n)
    return sum(1 / k for k in range(1, n + 1))


def benjamini_yekutieli(p_values: Sequence[float]) -> list[float]:
    """Return adjusted p-values; those up to q are found at a false discovery rate of q, under any dependence.

    >>> [round(p, 4) for p in benjamini_yekutieli([0.01, 0.04, 0.03, 0.5])]
    [0.0833, 0.1111, 0.1111, 1.0]
    """
    cost = harmonic(len(p_values))
    return [min(1.0, p * cost) for p in adjusted(p_values)]


class Look(NamedTuple):
    """One of several looks at data that double from look to look; how many there are is fixed beforehand."""

    number: int
    of: int

    @property
    def part(self) -> float:
        """The part of the error rate that it may spend: that of its new games in those of the last look.

        >>> [Look(number, 4).part for number in (1, 2, 3, 4)]
        [0.125, 0.125, 0.25, 0.5]
        """
        return 2.0 ** (max(self.number - 1, 1) - self.of)

    @classmethod
    def first(cls, at_hand: int, budget: int) -> Look:
        """Return the first of as many looks as a budget pays for, if everything stays open all the time.

        What is decided early needs no more games, so the last look may be paid for in part only.

        >>> Look.first(600_000, 8_000_000)
        Look(number=1, of=5)
        """
        return cls(1, 1 + math.ceil(math.log2(1 + budget / max(at_hand, 1))))


ONE_LOOK: Final = Look(1, 1)
