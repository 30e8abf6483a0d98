"""Intervals and corrections that need nothing but counts: plain arithmetic, no library.

Confidence is 95% throughout, two-sided; "at least" means the lower end, "at most" the upper one.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

__all__ = ["Interval", "Z", "adjusted", "fieller", "median", "normal_tail", "quantile", "wilson"]

Z: Final = 1.959963984540054
"""The normal quantile of 97.5%."""


class Interval(NamedTuple):
    """An estimate with the ends of its 95% interval."""

    value: float
    low: float
    high: float


def wilson(share: float, n: float, z: float = Z) -> Interval:
    """Return the Wilson score interval of a share that was seen in `n` independent trials.

    `n` need not be whole: an effective number of trials is as good. Without trials nothing is known. `z` is
    the quantile; Student's where the number of trials was estimated from few deals.

    >>> [round(end, 4) for end in wilson(0.1, 100)]
    [0.1, 0.0552, 0.1744]
    """
    if n <= 0:
        return Interval(share, 0.0, 1.0)
    if math.isinf(z):
        return Interval(share, 0.0, 1.0)
    centre = share + z * z / (2 * n)
    reach = z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    scale = 1 + z * z / n
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


def quantile(counts: Mapping[int, int], level: float, design: float = 1.0) -> Interval:
    """Return a quantile of whole numbers and its interval by order statistics; `counts[x]` of them are x.

    `design` says how many times fewer independent numbers would tell as much. The median of an even number of
    values lies between the two in the middle.

    >>> quantile({1: 10, 2: 80, 3: 10}, 0.5)
    Interval(value=2.0, low=2.0, high=2.0)
    >>> quantile({1: 10, 2: 80, 3: 10}, 0.95)
    Interval(value=3.0, low=2.0, high=3.0)
    """
    values = sorted(x for x, count in counts.items() if count)
    n = sum(counts.values())
    if not n:
        raise ValueError("no quantile of nothing")
    reach = Z * math.sqrt(n * design * level * (1 - level))
    low = max(1, math.floor(n * level - reach))
    high = min(n, math.ceil(n * level + reach) + 1)
    rank = max(1, math.ceil(n * level))
    found = {rank: 0.0, low: 0.0, high: 0.0, min(n, math.floor(n * level) + 1): 0.0}
    passed = 0
    for x in values:
        for wanted in found:
            if passed < wanted <= passed + counts[x]:
                found[wanted] = float(x)
        passed += counts[x]
    middle = (found[rank] + found[min(n, math.floor(n * level) + 1)]) / 2 if level == 0.5 else found[rank]
    return Interval(middle, found[low], found[high])


def fieller(
    above: float, below: float, v_above: float, v_below: float, covariance: float, z: float = Z
) -> Interval:
    """Return a ratio of two estimates and its interval by Fieller; open-ended if `below` may be 0.

    Takes both estimates, their variances, their covariance, and the quantile of the interval.

    >>> [round(end, 4) for end in fieller(10, 5, 0.25, 0.04, 0.0)]
    [2.0, 1.7603, 2.2644]
    >>> fieller(10, 0.1, 0.25, 0.04, 0.0).high
    inf
    """
    value = above / below if below else math.copysign(math.inf, above)
    # the ratios t with (above - t * below)^2 <= z^2 * (v_above - 2 t covariance + t^2 v_below)
    a = below**2 - z * z * v_below
    b = above * below - z * z * covariance
    c = above**2 - z * z * v_above
    root = b * b - a * c
    if a <= 0 or math.isnan(root):
        return Interval(value, -math.inf, math.inf)
    reach = math.sqrt(max(root, 0.0))
    return Interval(value, (b - reach) / a, (b + reach) / a)


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
