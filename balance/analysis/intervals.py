"""Intervals and corrections that need nothing but counts: plain arithmetic, no library.

Confidence is 95% throughout, two-sided; "at least" means the lower end, "at most" the upper one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, NamedTuple

__all__ = ["Interval", "Z", "adjusted", "median", "normal_tail", "wilson"]

Z: Final = 1.959963984540054
"""The normal quantile of 97.5%."""


class Interval(NamedTuple):
    """An estimate with the ends of its 95% interval."""

    value: float
    low: float
    high: float


def wilson(share: float, n: float) -> Interval:
    """Return the Wilson score interval of a share that was seen in `n` independent trials.

    `n` need not be whole: an effective number of trials is as good. Without trials nothing is known.

    >>> [round(end, 4) for end in wilson(0.1, 100)]
    [0.1, 0.0552, 0.1744]
    """
    if n <= 0:
        return Interval(share, 0.0, 1.0)
    centre = share + Z * Z / (2 * n)
    reach = Z * math.sqrt(share * (1 - share) / n + Z * Z / (4 * n * n))
    scale = 1 + Z * Z / n
    return Interval(share, max(0.0, (centre - reach) / scale), min(1.0, (centre + reach) / scale))


def median(counts: Sequence[int]) -> Interval:
    """Return the median of whole numbers and its interval by order statistics; `counts[k]` of them are k.

    The ends are the order statistics whose ranks enclose the median with at least 95% by the normal
    approximation of the binomial, rounded outwards.

    >>> median([0, 10, 80, 10])
    Interval(value=2.0, low=2.0, high=2.0)
    """
    n = sum(counts)
    if not n:
        raise ValueError("no median of nothing")
    reach = Z * math.sqrt(n) / 2
    low = max(1, math.floor(n / 2 - reach))
    high = min(n, math.ceil(n / 2 + reach) + 1)
    middle = (_ranked(counts, (n + 1) // 2) + _ranked(counts, n // 2 + 1)) / 2
    return Interval(middle, float(_ranked(counts, low)), float(_ranked(counts, high)))


def _ranked(counts: Sequence[int], rank: int) -> int:
    """Return the number of a rank, the smallest having rank 1."""
    for number, count in enumerate(counts):
        rank -= count
        if rank <= 0:
            return number
    raise IndexError("rank beyond the last number")


def normal_tail(z: float) -> float:
    """Return the chance that a standard normal number is above `z`.

    >>> round(normal_tail(Z), 6)
    0.025
    """
    return math.erfc(z / math.sqrt(2)) / 2


def adjusted(p_values: Sequence[float]) -> list[float]:
    """Return p-values adjusted by Benjamini and Hochberg; up to q: found at a false discovery rate of q.

    >>> [round(p, 4) for p in adjusted([0.01, 0.04, 0.03, 0.5])]
    [0.04, 0.0533, 0.0533, 0.5]
    """
    order = sorted(range(len(p_values)), key=lambda k: p_values[k], reverse=True)
    found = [0.0] * len(p_values)
    least = 1.0
    for place, k in enumerate(order):
        least = min(least, p_values[k] * len(p_values) / (len(p_values) - place))
        found[k] = least
    return found
