"""An interval, and corrections that need nothing but p-values.

Confidence is 95% throughout, two-sided; "at least" means the lower end, "at most" the upper one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

Z: Final = 1.959963984540054


class Interval(NamedTuple):
    """An estimate with the ends of its 95% interval."""

    value: float
    low: float
    high: float


def adjusted(p_values: Sequence[float]) -> list[float]:
    """Return p-values adjusted by Benjamini and Hochberg; up to q: found at a false discovery rate of q.

    >>> [round(p, 4) for p in adjusted([0.01, 0.04, 0.03, 0.5])]
    [0.04, 0.0533, 0.0533, 0.5]
    """
    import numpy as np

    given = np.asarray(p_values, np.float64)
    order = np.argsort(-given, kind="stable")
    left = np.arange(len(given), 0, -1)
    found = np.empty(len(given))
    found[order] = np.minimum.accumulate(np.minimum(1.0, given[order] * len(given) / left))
    return list(found.tolist())
