"""An interval, and corrections that need nothing but p-values: plain arithmetic, no library.

Confidence is 95% throughout, two-sided; "at least" means the lower end, "at most" the upper one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, NamedTuple

Z: Final = 1.959963984540054
"""The normal quantile of 97.5%."""


class Interval(NamedTuple):
    """An estimate with the ends of its 95% interval."""

    value: float
    low: float
    high: float


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
