"""Corrections for having looked at many things at once, and for having looked at the same thing repeatedly.

Cells of a run share their seeds, so their p-values depend on each other. Benjamini and Yekutieli's procedure
holds whatever the dependence is. Benjamini and Hochberg's costs less; it is used for most tests of verdicts,
where simulations show that it holds (`tests/judge/test_calibration.py`). Plain arithmetic.
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


KEPT: Final = 0.8
"""Larger p-values of one-sided tests show nothing, and are left out of their family."""


def one_sided(p_values: Sequence[float], settled: int = 0) -> list[float]:
    """Return adjusted p-values of one-sided tests; those up to q are found at a false discovery rate of q.

    Most one-sided tests have no chance of a finding: the figure is far on the other side. Benjamini and
    Hochberg's procedure would pay for them. P-values above 0.8 are therefore left out, and the others are
    divided by 0.8 to make up for that (Zhao, Small and Su 2019). `settled` tests were found earlier and
    still count. Tests that depend on each other positively keep the rate.

    >>> [round(p, 4) for p in one_sided([0.01, 0.04, 0.95, 0.99])]
    [0.025, 0.05, 1.0, 1.0]
    """
    import numpy as np

    given = np.asarray(p_values, np.float64)
    kept = given <= KEPT
    found = np.ones(len(given))
    found[kept] = adjusted([*(given[kept] / KEPT), *[1.0] * settled])[: int(kept.sum())]
    return list(found.tolist())


def enough(rate: float, p_values: Sequence[float], settled: int = 0) -> float:
    """Return the p-value that would be enough for one more finding of `one_sided` at a rate.

    >>> round(enough(0.05, [0.01, 0.5, 0.99]), 4)
    0.04
    """
    claimed = sum(p <= rate for p in one_sided(p_values, settled))
    tests = max(sum(p <= KEPT for p in p_values) + settled, 1)
    return KEPT * rate * min(claimed + 1, tests) / tests


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
