"""Ratios over blocks of deals: how much per how many, and how sure, from whole numbers alone.

Games that share a deal tell less than as many games of different deals, in one cell and across cells. So the
unit is the deal, or a block of whole deals where there are many: blocks are independent, and the spread
between them is the spread of the figure. All sums are exact; the only division is the last step.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from balance.analysis.intervals import Interval

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Numbers = npt.NDArray[np.int64]

__all__ = ["BLOCKS", "Figure", "Moments", "mean_of", "p_not_zero", "quantile_of"]

BLOCKS: Final = 256
"""Deals are spread over so many blocks by their index; a block of few deals is as good as one deal."""


@dataclass(frozen=True, slots=True)
class Figure:
    """An estimate with its variance and the degrees of freedom behind that."""

    value: float
    variance: float
    freedom: float
    """Infinite for a known number, 0 if nothing is known of the variance."""

    @property
    def interval(self) -> Interval | None:
        """The 95% interval by Student's t; None if there is no spread to judge by."""
        if self.freedom <= 0 or not self.variance:
            return None
        reach = quantile_of(self.freedom) * math.sqrt(self.variance)
        return Interval(self.value, self.value - reach, self.value + reach)


def quantile_of(freedom: float) -> float:
    """Return the quantile of 97.5% of Student's t.

    >>> round(quantile_of(10), 3), quantile_of(0)
    (2.228, inf)
    """
    from scipy.special import stdtrit

    return float(stdtrit(freedom, 0.975)) if freedom > 0 else math.inf


def p_not_zero(figure: Figure) -> float:
    """Return the two-sided p-value against "it is 0"; 1 if there is no spread to judge by.

    >>> round(p_not_zero(Figure(2.228, 1.0, 10)), 3)
    0.05
    """
    from scipy.special import stdtr

    if figure.freedom <= 0 or not figure.variance:
        return 1.0
    return float(2 * stdtr(figure.freedom, -abs(figure.value) / math.sqrt(figure.variance)))


@dataclass(frozen=True, slots=True)
class Moments:
    """Columns of whole numbers, a row per block: their sums, and the sums of all products of two."""

    blocks: int
    """How many blocks have anything in them."""
    totals: tuple[int, ...]
    products: tuple[tuple[int, ...], ...]

    @classmethod
    def of(cls, columns: Sequence[Numbers]) -> Moments:
        """Sum up columns; a block of zeros alone says nothing.

        >>> import numpy as np
        >>> Moments.of([np.array([1, 0, 2]), np.array([2, 0, 3])])
        Moments(blocks=2, totals=(3, 5), products=((5, 8), (8, 13)))
        """
        import numpy as np

        rows = np.stack(columns, axis=1).astype(np.int64)
        products = rows.T @ rows
        return cls(
            int(rows.any(axis=1).sum()),
            tuple(int(total) for total in rows.sum(axis=0)),
            tuple(tuple(int(product) for product in line) for line in products),
        )

    def ratio(self, above: int, below: int) -> Figure | None:
        """Return the ratio of two columns with its variance; None if there is nothing to divide by."""
        if not self.totals[below]:
            return None
        variance = self.covariance((above, below), (above, below))
        return Figure(self.totals[above] / self.totals[below], variance, self.blocks - 1)

    def difference(self, one: tuple[int, int], two: tuple[int, int]) -> Figure | None:
        """Return by how much a ratio exceeds another one over the same blocks."""
        if not self.totals[one[1]] or not self.totals[two[1]]:
            return None
        value = self.totals[one[0]] / self.totals[one[1]] - self.totals[two[0]] / self.totals[two[1]]
        variance = self.covariance(one, one) + self.covariance(two, two) - 2 * self.covariance(one, two)
        return Figure(value, max(variance, 0.0), self.blocks - 1)

    def covariance(self, one: tuple[int, int], two: tuple[int, int]) -> float:
        """Return the covariance of two ratios, linearised, over blocks.

        What a block adds to a ratio a/b is (a_k - r b_k) / b. The sum of products is multiplied out, so that
        whole numbers cancel before anything is divided.
        """
        if self.blocks < 2:
            return 0.0
        (a, b), (c, d) = one, two
        n_a, n_b, n_c, n_d = (self.totals[k] for k in (a, b, c, d))
        spread = (
            self.products[a][c] * n_b * n_d
            - n_a * n_d * self.products[b][c]
            - n_c * n_b * self.products[a][d]
            + n_a * n_c * self.products[b][d]
        )
        return spread * self.blocks / ((n_b * n_d) ** 2 * (self.blocks - 1))


def mean_of(figures: Sequence[Figure]) -> Figure:
    """Return the mean of independent figures, each counting alike; freedom by Welch and Satterthwaite."""
    count = len(figures)
    value = sum(figure.value for figure in figures) / count
    parts = [(figure.variance / count**2, figure.freedom) for figure in figures]
    variance = sum(part for part, _ in parts)
    if not all(part and freedom > 0 for part, freedom in parts):
        return Figure(
            value, variance, 0
        )  # a part without a spread would make the whole look surer than it is
    return Figure(value, variance, variance**2 / sum(part**2 / freedom for part, freedom in parts))
