"""Ratios over deals: how much of how many, with value, confidence interval and one-sided p-values.

The one kind of number of the toolkit. Everything is an array, so thousands of figures are computed at once.
What goes in are whole numbers that add up over deals; `balance/dataset/macros.sql` does the same arithmetic
in SQL. Confidence is 95%, two-sided; `docs/methods.md` has the reasons. Plays nothing and reads nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from balance.stats.arithmetic import binomial_tail, fieller, standardised, student, student_tail, wilson
from balance.stats.intervals import Interval, Z

Array = npt.NDArray[Any]
Whole = Any
"""An array of whole numbers, or a single one."""
Floats = npt.NDArray[np.float64]


_WORD = 2.0**62
"""Below this the terms of a spread fit into 64 bits."""


def _spread(num: Whole, den: Whole, num2: Whole, den2: Whole, numden: Whole) -> Whole:
    return num2 * den * den - 2 * num * den * numden + num * num * den2


class _Arrays:
    """A record whose fields are arrays of one shape, or single numbers."""

    @classmethod
    def stack(cls, many: Sequence[Self]) -> Self:
        """Return one record of arrays for many of single numbers."""
        made = {}
        for field in fields(cls):  # type: ignore[arg-type]
            values = [getattr(one, field.name) for one in many]
            nested = values and isinstance(values[0], _Arrays)
            made[field.name] = type(values[0]).stack(values) if nested else np.array(values)
        return cls(**made)

    def __getitem__(self, which: Any) -> Self:
        return type(self)(*[getattr(self, name)[which] for name in self.__dataclass_fields__])  # type: ignore[attr-defined]

    @property
    def interval(self) -> Interval:
        """The value with the ends of its confidence interval, of a single number."""
        return Interval(*(float(getattr(self, name)) for name in ("value", "low", "high")))


@dataclass(frozen=True)
class Ratio(_Arrays):
    """`num` of `den`, with the sums over deals of both squares and of the product.

    >>> stalls = Ratio.of([1, 0, 0, 1, 0, 0, 0, 0, 0, 0], 1, most=1)
    >>> round(float(stalls.value), 2), round(float(stalls.low), 3), round(float(stalls.high), 3)
    (0.2, 0.057, 0.51)
    """

    deals: Whole
    num: Whole
    den: Whole
    num2: Whole
    den2: Whole
    numden: Whole
    most: Any
    """The greatest possible value: 1 of a share, the players of win points; infinite: an amount."""

    @classmethod
    def of(cls, num: Any, den: Any, most: Any = np.inf) -> Ratio:
        """Sum up deals: the last axis of `num` and `den`; deals without a denominator do not count."""
        x, y = np.broadcast_arrays(np.asarray(num, np.int64), np.asarray(den, np.int64))
        deals = np.asarray((y != 0).sum(-1))
        num, den, num2, den2, numden = (np.asarray(one.sum(-1)) for one in (x, y, x * x, y * y, x * y))
        greatest = np.broadcast_to(np.asarray(most, np.float64), deals.shape)
        return cls(deals, num, den, num2, den2, numden, greatest)

    def __add__(self, other: Ratio) -> Ratio:
        """Return the ratio over the deals of both, which have none in common."""
        names = ("deals", "num", "den", "num2", "den2", "numden")
        return replace(self, **{name: getattr(self, name) + getattr(other, name) for name in names})

    @property
    def n(self) -> Whole:
        """How many deals."""
        return self.deals

    @cached_property
    def spread(self) -> Floats:
        """The variance over deals times the fourth power of `den`: integers cancel before a division."""
        own = (self.num, self.den, self.num2, self.den2, self.numden)
        num, den, num2, den2, numden = (np.asarray(one, np.float64) for one in own)
        largest = num2 * den * den + 2 * num * den * numden + num * num * den2
        if np.max(largest, initial=0.0) < _WORD:
            return np.asarray(_spread(*(np.asarray(one, np.int64) for one in own)), np.float64)
        return np.asarray(self.exact_spread, np.float64)

    @property
    def exact_spread(self) -> Array:
        """The same as whole numbers of any size."""
        own = (self.num, self.den, self.num2, self.den2, self.numden)
        return np.asarray(_spread(*(np.asarray(one).astype(object) for one in own)), object)

    @cached_property
    def variance(self) -> Floats:
        """The variance, corrected for having been estimated from these deals; infinite from one deal."""
        with np.errstate(all="ignore"):
            deals = np.asarray(self.deals, np.float64)
            found = self.spread / np.asarray(self.den, np.float64) ** 4 * deals / (deals - 1)
        return np.where((deals > 1) & (np.asarray(self.den) != 0), found, np.inf)

    @cached_property
    def _share(self) -> Floats:
        with np.errstate(all="ignore"):
            found = np.minimum(1.0, np.asarray(self.num) / (np.asarray(self.most) * self.den))
        return np.where(np.asarray(self.den) == 0, 0.0, found)

    @cached_property
    def trials(self) -> Floats:
        """In how many independent trials a share would be known as well; the deals, if all agree."""
        share, den = self._share, np.asarray(self.den, np.float64)
        with np.errstate(all="ignore"):
            alike = den * den / self.den2
            found = share * (1 - share) * np.asarray(self.most, np.float64) ** 2 * den**4 / self.spread
        return np.where(den == 0, 0.0, np.where(self.spread == 0, alike, found))

    @property
    def _limited(self) -> npt.NDArray[np.bool_]:
        return np.asarray(np.isfinite(self.most))

    @cached_property
    def value(self) -> Floats:
        """The ratio."""
        with np.errstate(all="ignore"):
            den = np.asarray(self.den, np.float64)
            return np.asarray(np.minimum(self.most, np.where(den == 0, np.nan, np.asarray(self.num) / den)))

    @cached_property
    def _ends(self) -> tuple[Floats, Floats]:
        low, high = wilson(self._share, self.trials)
        with np.errstate(all="ignore"):
            low, high = self.most * low, self.most * high
            if self._limited.all():
                return low, high
            reach = student(self.deals - 1) * np.sqrt(self.variance)
            reach = np.where(np.asarray(self.deals) > 1, reach, np.inf)
            return (
                np.where(self._limited, low, self.value - reach),
                np.where(self._limited, high, self.value + reach),
            )

    @property
    def low(self) -> Floats:
        """Wilson's end for a share, Student's for an amount."""
        return self._ends[0]

    @property
    def high(self) -> Floats:
        """The upper end."""
        return self._ends[1]

    def above(self, threshold: Any) -> Floats:
        """Return p-values against "at most": binomial tails for shares, t tests for amounts."""
        return self._tail(self._share, np.asarray(threshold) / self.most, self._standardised(threshold))

    def below(self, threshold: Any) -> Floats:
        """Return p-values against "at least"."""
        return self._tail(
            1 - self._share, 1 - np.asarray(threshold) / self.most, -self._standardised(threshold)
        )

    at_least, at_most = above, below  # of what is not a whole number

    def _tail(self, share: Floats, chance: Floats, away: Floats) -> Floats:
        limited = self._limited
        if not limited.any():
            return student_tail(away, self.deals - 1)
        with np.errstate(all="ignore"):
            shares = binomial_tail(share * self.trials, self.trials, chance)
        return shares if limited.all() else np.where(limited, shares, student_tail(away, self.deals - 1))

    def _standardised(self, threshold: Any) -> Floats:
        return standardised(self.value - threshold, np.sqrt(self.variance))

    def z(self, threshold: Any) -> Floats:
        """Return how far above; of a share in standard errors as they were if the threshold were true."""
        with np.errstate(all="ignore"):
            chance = np.asarray(threshold, np.float64) / self.most
            inside = (chance > 0) & (chance < 1)
            error = np.where(inside, np.sqrt(chance * (1 - chance) / self.trials), 0.0)
        return np.where(
            self._limited, standardised(self._share - chance, error), self._standardised(threshold)
        )


@dataclass(frozen=True)
class Common(_Arrays):
    """Sums over the deals that two ratios have in common: x of y here, u of v there, and their products."""

    deals: Whole
    x: Whole
    y: Whole
    u: Whole
    v: Whole
    xu: Whole
    xv: Whole
    yu: Whole
    yv: Whole

    def __add__(self, other: Common) -> Common:
        """Return the sums over the deals of both, which have none in common."""
        return Common(*(getattr(self, one.name) + getattr(other, one.name) for one in fields(self)))

    def covariance(self, own: Ratio, base: Ratio) -> Floats:
        """Return the covariance of two ratios, linearised; 0 where no two deals are common."""
        spread = np.asarray(self.exact_spread, np.float64)
        with np.errstate(all="ignore"):
            deals = np.asarray(self.deals, np.float64)
            found = spread / (np.asarray(self.y, np.float64) * self.v) * deals / (deals - 1)
            found = found / (np.asarray(own.den, np.float64) * base.den)
        some = (deals > 1) & (np.asarray(self.y) != 0) & (np.asarray(self.v) != 0)
        return np.where(some, found, 0.0)

    @property
    def exact_spread(self) -> Array:
        """The covariance over deals times the squares of `y` and `v`, as whole numbers of any size."""
        x, y, u, v, xu, xv, yu, yv = (
            np.asarray(getattr(self, name)).astype(object)
            for name in ("x", "y", "u", "v", "xu", "xv", "yu", "yv")
        )
        return np.asarray(xu * y * v - x * yu * v - u * xv * y + x * u * yv, object)


@dataclass(frozen=True)
class Difference(_Arrays):
    """A ratio less another one, by Student's t; what both have in common deal by deal cancels."""

    own: Ratio
    base: Ratio
    common: Common

    def __add__(self, other: Difference) -> Difference:
        """Return the difference over the deals of both, which have none in common."""
        return Difference(self.own + other.own, self.base + other.base, self.common + other.common)

    @property
    def deals(self) -> Whole:
        """How many deals."""
        return self.common.deals

    @cached_property
    def value(self) -> Floats:
        """The difference; NaN where one side has nothing to divide by."""
        return self.own.value - self.base.value

    @cached_property
    def variance(self) -> Floats:
        """The variance over deals; infinite from one deal. Integers cancel before anything is divided."""
        y, v = (np.asarray(one).astype(object) for one in (self.common.y, self.common.v))
        spread = self.own.exact_spread * v**4 + self.base.exact_spread * y**4
        spread = spread - 2 * self.common.exact_spread * y * y * v * v
        with np.errstate(all="ignore"):
            deals, scale = np.asarray(self.deals, np.float64), np.asarray((y * v) ** 4, np.float64)
            found = np.asarray(spread, np.float64) / scale * deals / (deals - 1)
        return np.where((deals > 1) & (scale != 0), found, np.inf)

    @cached_property
    def _reach(self) -> Floats:
        with np.errstate(all="ignore"):
            reach = student(self.deals - 1) * np.sqrt(self.variance)
        return np.where(np.asarray(self.deals) > 1, reach, np.inf)

    @property
    def low(self) -> Floats:
        """The lower end."""
        return self.value - self._reach

    @property
    def high(self) -> Floats:
        """The upper end."""
        return self.value + self._reach

    @property
    def p(self) -> Floats:
        """Two-sided p-values against "no difference".

        Where all deals differ by the same there is no spread, but their sign: as likely as as many tosses of
        a coin. Where none differs it is 1.
        """
        away = np.abs(self.value)
        with np.errstate(all="ignore"):
            tails = 2 * student_tail(standardised(away, np.sqrt(self.variance)), self.deals - 1)
            alike = np.where(away > 0, 0.5 ** (np.asarray(self.deals, np.float64) - 1), 1.0)
        return np.minimum(1.0, np.where(self.variance > 0, tails, alike))


@dataclass(frozen=True)
class Multiple(_Arrays):
    """A ratio as a multiple of another one, by Fieller; what both have in common deal by deal cancels."""

    own: Ratio
    base: Ratio
    common: Common

    @property
    def n(self) -> Whole:
        """How many deals."""
        return self.own.deals

    @property
    def freedom(self) -> Whole:
        """The degrees of freedom."""
        return np.minimum(self.own.deals, self.base.deals) - 1

    @cached_property
    def _covariance(self) -> Floats:
        return self.common.covariance(self.own, self.base)

    @cached_property
    def value(self) -> Floats:
        """The quotient."""
        with np.errstate(all="ignore"):
            return self.own.value / self.base.value

    @cached_property
    def _ends(self) -> tuple[Floats, Floats]:
        t = student(self.freedom)
        return fieller(
            self.own.value, self.base.value, self.own.variance, self.base.variance, self._covariance, t
        )

    @property
    def low(self) -> Floats:
        """Fieller's end, never below 0; infinite if the denominator may be 0."""
        low = self._ends[0]
        return np.where(np.isfinite(low), np.maximum(low, 0.0), low)

    @property
    def high(self) -> Floats:
        """The upper end."""
        return self._ends[1]

    def above(self, threshold: Any) -> Floats:
        """Return p-values against "at most"."""
        return student_tail(self.z(threshold), self.freedom)

    def below(self, threshold: Any) -> Floats:
        """Return p-values against "at least"."""
        return student_tail(-self.z(threshold), self.freedom)

    at_least, at_most = above, below  # of what is not a whole number

    def z(self, threshold: Any) -> Floats:
        """Return by how many standard errors one exceeds this many times the other."""
        t = np.asarray(threshold, np.float64)
        with np.errstate(all="ignore"):
            variance = self.own.variance - 2 * t * self._covariance + t * t * self.base.variance
            return standardised(self.own.value - t * self.base.value, np.sqrt(np.maximum(variance, 0.0)))


@dataclass(frozen=True)
class Quantiles(_Arrays):
    """A quantile of whole numbers: order statistics for the interval, sign tests for thresholds."""

    counts: Array
    """How many games have each number from 0 on: one more axis than the others."""
    level: Floats
    design: Floats
    """How many times fewer independent games would say as much; more than 1 where deals were replayed."""

    @cached_property
    def _upto(self) -> Array:
        return np.cumsum(self.counts, -1)

    @property
    def n(self) -> Whole:
        """How many games."""
        return self._upto[..., -1]

    def _ranked(self, rank: Array) -> Floats:
        return np.asarray((self._upto < np.asarray(rank)[..., None]).sum(-1), np.float64)

    @cached_property
    def value(self) -> Floats:
        """The quantile; a median of an even number of games is between the two in the middle."""
        n = self.n
        first = self._ranked(np.maximum(1, np.ceil(n * self.level)))
        second = self._ranked(np.minimum(n, np.floor(n * self.level) + 1))
        return np.where(self.level == 0.5, (first + second) / 2, first)

    @property
    def _reach(self) -> Floats:
        return np.asarray(Z * np.sqrt(self.n * self.design * self.level * (1 - self.level)))

    @cached_property
    def low(self) -> Floats:
        """The order statistic that is below the quantile with 97.5%."""
        return self._ranked(np.maximum(1, np.floor(self.n * self.level - self._reach)))

    @cached_property
    def high(self) -> Floats:
        """The order statistic that is above."""
        return self._ranked(np.minimum(self.n, np.ceil(self.n * self.level + self._reach) + 1))

    def _below(self, threshold: Any, *, included: bool) -> Array:
        least = np.floor(threshold) if included else np.ceil(threshold) - 1
        place = np.clip(np.asarray(least, np.int64), -1, self.counts.shape[-1] - 1)
        place = np.broadcast_to(place, np.shape(self.level))
        found = np.take_along_axis(self._upto, np.maximum(place, 0)[..., None], -1)[..., 0]
        return np.where(place < 0, 0, found)

    def _sign(self, count: Array, chance: Floats) -> Floats:
        return binomial_tail(count / self.design, self.n / self.design, chance)

    def above(self, threshold: Any) -> Floats:
        """Return p-values against "at most"."""
        return self._sign(self.n - self._below(threshold, included=True), 1 - self.level)

    def below(self, threshold: Any) -> Floats:
        """Return p-values against "at least"."""
        return self._sign(self._below(threshold, included=False), self.level)

    def at_least(self, threshold: Any) -> Floats:
        """Return p-values against "below"."""
        return self._sign(self.n - self._below(threshold, included=False), 1 - self.level)

    def at_most(self, threshold: Any) -> Floats:
        """Return p-values against "above"."""
        return self._sign(self._below(threshold, included=True), self.level)

    def z(self, threshold: Any) -> Floats:
        """Return how far the share of greater numbers is above what it would be."""
        above = 1 - self._below(threshold, included=True) / self.n
        below = self._below(threshold, included=False) / self.n
        # where the threshold itself is common, the side of the value counts
        far = np.where(self.value > threshold, above - (1 - self.level), self.level - below)
        return np.asarray(far * np.sqrt(self.n / self.design / (self.level * (1 - self.level))))


@dataclass(frozen=True)
class Normal(_Arrays):
    """Figures with a standard error over deals, near enough to normal."""

    value: Any
    error: Any
    deals: Whole

    @property
    def n(self) -> Whole:
        """How many deals."""
        return self.deals

    @property
    def low(self) -> Floats:
        """The lower end."""
        return np.asarray(self.value - Z * self.error)

    @property
    def high(self) -> Floats:
        """The upper end."""
        return np.asarray(self.value + Z * self.error)

    def above(self, threshold: Any) -> Floats:
        """Return p-values against "at most"."""
        from scipy.special import ndtr

        return np.asarray(ndtr(-self.z(threshold)))

    def below(self, threshold: Any) -> Floats:
        """Return p-values against "at least"."""
        from scipy.special import ndtr

        return np.asarray(ndtr(self.z(threshold)))

    at_least, at_most = above, below  # of what is not a whole number

    def z(self, threshold: Any) -> Floats:
        """Return how many standard errors above."""
        return standardised(self.value - threshold, self.error)
