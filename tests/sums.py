"""Sums of deals that are at hand one by one, as the views of a run add them up."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from balance.stats.ratio import Common, Difference, Quantiles, Ratio


def common_of(x: Any, y: Any, u: Any, v: Any) -> Common:
    """Sum up what two ratios have in common: x of y in one, u of v in the other; the last axis are deals."""
    a, b, c, d = np.broadcast_arrays(*(np.asarray(one, np.int64) for one in (x, y, u, v)))
    products = [(one * two).sum(-1) for one, two in ((a, c), (a, d), (b, c), (b, d))]
    some = ((b != 0) | (d != 0)).sum(-1)
    return Common(*map(np.asarray, (some, a.sum(-1), b.sum(-1), c.sum(-1), d.sum(-1), *products)))


def difference_of(x: Any, y: Any, u: Any, v: Any) -> Difference:
    """Sum up deals: x of y here, u of v there."""
    return Difference(Ratio.of(x, y), Ratio.of(u, v), common_of(x, y, u, v))


def quantiles_of(counts: Mapping[int, int], level: float, design: float = 1.0, longest: int = 0) -> Quantiles:
    """Return one quantile; `counts` has how many games have each number, none above `longest`."""
    dense = np.zeros(max([longest, *counts]) + 1, np.int64)
    dense[list(counts)] = list(counts.values())
    return Quantiles(dense, np.asarray(level, np.float64), np.asarray(design, np.float64))
