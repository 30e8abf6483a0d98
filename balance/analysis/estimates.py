"""Estimates: a value with its 95% interval, and what can be said against a threshold.

One class per kind of figure. All of them answer the same five questions: four one-sided p-values, each small
if the named statement can be made, and how many standard errors lie between the value and a threshold. The
statements come in pairs because some figures are whole numbers: "above 5" and "at least 5" differ for a
median. Tails are exact where possible: corrected over thousands of cells, a p-value must be right far out.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

from balance.analysis.cells import Paired, Sums
from balance.analysis.intervals import Interval, Z, fieller, normal_tail, quantile, wilson

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = ["Agreement", "Bootstrapped", "Estimate", "Mean", "Quantile", "Quotient", "Share", "fewest_units"]


class Estimate(Protocol):
    """What a metric is in one cell, and how sure."""

    @property
    def interval(self) -> Interval:
        """The value and the ends of its 95% interval."""

    @property
    def n(self) -> int:
        """Over how many units: deals, each one game or the games that share a shuffle."""

    def p_above(self, threshold: float) -> float:
        """Return the p-value against "at most"; small if the truth lies above."""

    def p_below(self, threshold: float) -> float:
        """Return the p-value against "at least"; small if the truth lies below."""

    def p_at_least(self, threshold: float) -> float:
        """Return the p-value against "below"; small if the truth is no less."""

    def p_at_most(self, threshold: float) -> float:
        """Return the p-value against "above"; small if the truth is no more."""

    def z(self, threshold: float) -> float:
        """Return how many standard errors the value lies above; grows with the root of `n`."""


def _tail(successes: float, n: float, chance: float) -> float:
    """Return the chance of at least so many successes; numbers need not be whole."""
    from scipy.special import betainc

    if successes <= 0:
        return 1.0
    if successes > n:
        return 0.0
    return float(betainc(successes, n - successes + 1, min(max(chance, 0.0), 1.0)))


class _Smooth:
    """For figures that are no whole numbers, "above" and "at least" are the same."""

    def p_above(self, threshold: float) -> float:
        raise NotImplementedError

    def p_below(self, threshold: float) -> float:
        raise NotImplementedError

    def p_at_least(self, threshold: float) -> float:
        """Return the p-value against "below"."""
        return self.p_above(threshold)

    def p_at_most(self, threshold: float) -> float:
        """Return the p-value against "above"."""
        return self.p_below(threshold)


@dataclass(frozen=True)
class Share(_Smooth):
    """A share of 0 to 1, or one times `scale`: win points are a share of wins times the players.

    The variance over deals is turned into the number of independent trials that would tell as much; for one
    yes or no per game that is the number of games. The interval is Wilson's, the tests are binomial.
    """

    sums: Sums
    scale: float = 1.0

    @cached_property
    def _trials(self) -> tuple[float, float]:
        """Return the share and the effective number of trials."""
        s = self.sums
        if not s.den:
            return 0.0, 0.0
        share = min(1.0, s.num / (self.scale * s.den))
        # a whole number, so that nothing cancels
        spread = s.num2 * s.den**2 - 2 * s.num * s.den * s.cross + s.num**2 * s.den2
        if not spread:  # all alike: as many trials as there are deals that say anything
            return share, s.den**2 / s.den2
        return share, share * (1 - share) * self.scale**2 * s.den**4 / spread

    @property
    def n(self) -> int:
        """Over how many deals."""
        return self.sums.deals

    @cached_property
    def interval(self) -> Interval:
        """The share with Wilson's interval, scaled."""
        value, low, high = wilson(*self._trials)
        return Interval(self.scale * value, self.scale * low, self.scale * high)

    def p_above(self, threshold: float) -> float:
        """Return the p-value against "at most"."""
        share, n = self._trials
        return _tail(share * n, n, threshold / self.scale)

    def p_below(self, threshold: float) -> float:
        """Return the p-value against "at least"."""
        share, n = self._trials
        return _tail((1 - share) * n, n, 1 - threshold / self.scale)

    def z(self, threshold: float) -> float:
        """Return how far above, in standard errors as they were if the threshold were true."""
        share, n = self._trials
        chance = threshold / self.scale
        if not 0 < chance < 1:
            return math.copysign(math.inf, share - chance) if share != chance else 0.0
        return (share - chance) * math.sqrt(n / (chance * (1 - chance)))


@dataclass(frozen=True)
class Mean(_Smooth):
    """How much per game or per seat; the variance is that over deals."""

    sums: Sums

    @property
    def n(self) -> int:
        """Over how many deals."""
        return self.sums.deals

    @cached_property
    def _error(self) -> float:
        s = self.sums
        if s.deals < 2 or not s.den:
            return math.inf
        spread = s.num2 * s.den**2 - 2 * s.num * s.den * s.cross + s.num**2 * s.den2
        return math.sqrt(spread / s.den**4 * s.deals / (s.deals - 1))

    @cached_property
    def interval(self) -> Interval:
        """The mean with its interval."""
        value = self.sums.num / self.sums.den if self.sums.den else math.nan
        reach = _t_quantile(self.n - 1) * self._error
        return Interval(value, value - reach, value + reach)

    def p_above(self, threshold: float) -> float:
        """Return the p-value against "at most"."""
        return _t_tail(self.z(threshold), self.n - 1)

    def p_below(self, threshold: float) -> float:
        """Return the p-value against "at least"."""
        return _t_tail(-self.z(threshold), self.n - 1)

    def z(self, threshold: float) -> float:
        """Return how many standard errors above."""
        return _standardised(self.interval.value - threshold, self._error)


@dataclass(frozen=True)
class Quotient(_Smooth):
    """A mean as a multiple of that in games without variants, by Fieller.

    Cells share their seeds: the covariance over the deals that both have played is taken into account.
    """

    own: Sums
    base: Sums
    paired: Paired

    @property
    def n(self) -> int:
        """Over how many deals."""
        return self.own.deals

    @cached_property
    def _moments(self) -> tuple[float, float, float, float, float]:
        """Return both means per deal, their variances, and their covariance."""
        a, b, p = self.own, self.base, self.paired
        both = (p.product - p.own * p.base / p.deals) / (p.deals - 1) if p.deals > 1 else 0.0
        covariance = both * p.deals / (a.deals * b.deals)
        return a.num / a.deals, b.num / b.deals, _variance(a), _variance(b), covariance

    @cached_property
    def interval(self) -> Interval:
        """The quotient with Fieller's interval, never below 0; open-ended if the denominator may be 0."""
        value, low, high = fieller(*self._moments, _t_quantile(self._freedom))
        return Interval(value, max(low, 0.0) if math.isfinite(low) else low, high)

    @property
    def _freedom(self) -> int:
        return min(self.own.deals, self.base.deals) - 1

    def p_above(self, threshold: float) -> float:
        """Return the p-value against "at most"."""
        return _t_tail(self.z(threshold), self._freedom)

    def p_below(self, threshold: float) -> float:
        """Return the p-value against "at least"."""
        return _t_tail(-self.z(threshold), self._freedom)

    def z(self, threshold: float) -> float:
        """Return by how many standard errors the mean exceeds so many times the other."""
        own, base, v_own, v_base, covariance = self._moments
        variance = v_own - 2 * threshold * covariance + threshold**2 * v_base
        return _standardised(own - threshold * base, math.sqrt(max(variance, 0.0)))


@dataclass(frozen=True)
class Quantile:
    """A quantile of whole numbers: order statistics for the interval, sign tests for thresholds."""

    counts: Mapping[int, int]
    """How many games have each number."""
    level: float = 0.5
    design: float = 1.0
    """How many times fewer independent games would tell as much; more than 1 where deals were replicated."""

    @property
    def n(self) -> int:
        """Over how many games."""
        return sum(self.counts.values())

    @cached_property
    def interval(self) -> Interval:
        """The quantile with its interval."""
        return quantile(self.counts, self.level, self.design)

    def _sign(self, count: int, chance: float) -> float:
        return _tail(count / self.design, self.n / self.design, chance)

    def p_above(self, threshold: float) -> float:
        """Return the p-value against "at most"."""
        return self._sign(sum(c for x, c in self.counts.items() if x > threshold), 1 - self.level)

    def p_below(self, threshold: float) -> float:
        """Return the p-value against "at least"."""
        return self._sign(sum(c for x, c in self.counts.items() if x < threshold), self.level)

    def p_at_least(self, threshold: float) -> float:
        """Return the p-value against "below"."""
        return self._sign(sum(c for x, c in self.counts.items() if x >= threshold), 1 - self.level)

    def p_at_most(self, threshold: float) -> float:
        """Return the p-value against "above"."""
        return self._sign(sum(c for x, c in self.counts.items() if x <= threshold), self.level)

    def z(self, threshold: float) -> float:
        """Return how far the share of greater numbers lies above what it would be."""
        n = self.n / self.design
        above = sum(c for x, c in self.counts.items() if x > threshold) / self.n
        below = sum(c for x, c in self.counts.items() if x < threshold) / self.n
        # where the threshold itself is common, the side that the value lies on counts
        far = above - (1 - self.level) if self.interval.value > threshold else self.level - below
        return far * math.sqrt(n / (self.level * (1 - self.level)))


@dataclass(frozen=True)
class Agreement(_Smooth):
    """The intraclass correlation of winning within deals: how much of who wins the deal decides.

    Two games of one deal have the same winner with the chance P; by seats alone it would be C, the sum of
    squared shares. The value is (P - C) / (1 - C); its variance over deals is that of its linearisation.
    """

    patterns: Mapping[tuple[int, ...], int]
    """How many deals had these wins by seat."""
    replicates: int

    @property
    def n(self) -> int:
        """Over how many deals."""
        return sum(self.patterns.values())

    @cached_property
    def _fitted(self) -> tuple[float, float]:
        """Return the value and its standard error."""
        import numpy as np

        wins = np.array(list(self.patterns), np.float64)
        wins = np.column_stack([wins, self.replicates - wins.sum(axis=1)])  # nobody: a stalled game
        weights = np.array(list(self.patterns.values()), np.float64)
        deals, again = weights.sum(), self.replicates
        same = (wins * (wins - 1)).sum(axis=1) / (again * (again - 1))
        shares = wins / again
        mean_same = float(weights @ same / deals)
        mean = weights @ shares / deals
        chance = float((mean**2).sum())
        if chance >= 1 or deals < 2:
            return math.nan, math.inf
        value = (mean_same - chance) / (1 - chance)
        slope = (mean_same - 1) / (1 - chance) ** 2
        influence = same / (1 - chance) + slope * 2 * (shares @ mean)
        centred = influence - weights @ influence / deals
        variance = float(weights @ centred**2 / (deals - 1) / deals)
        return value, math.sqrt(variance)

    @cached_property
    def interval(self) -> Interval:
        """The correlation with its interval."""
        value, error = self._fitted
        return Interval(value, value - Z * error, value + Z * error)

    def p_above(self, threshold: float) -> float:
        """Return the p-value against "at most"."""
        return normal_tail(self.z(threshold))

    def p_below(self, threshold: float) -> float:
        """Return the p-value against "at least"."""
        return normal_tail(-self.z(threshold))

    def z(self, threshold: float) -> float:
        """Return how many standard errors above."""
        value, error = self._fitted
        return 0.0 if math.isnan(value) else _standardised(value - threshold, error)


@dataclass(frozen=True)
class Bootstrapped(_Smooth):
    """A figure that no formula follows, with the same figure of many resampled sets of games."""

    value: float
    again: Sequence[float]
    units: int

    @property
    def n(self) -> int:
        """Over how many games."""
        return self.units

    @cached_property
    def _sorted(self) -> npt.NDArray[np.float64]:
        import numpy as np

        return np.sort(np.asarray(self.again, np.float64))

    @cached_property
    def interval(self) -> Interval:
        """The value with the middle 95% of the resampled ones."""
        import numpy as np

        low, high = np.quantile(self._sorted, [0.025, 0.975])
        return Interval(self.value, min(self.value, float(low)), max(self.value, float(high)))

    def p_above(self, threshold: float) -> float:
        """Return the p-value against "at most": never less than one resample in all."""
        return float((self._sorted <= threshold).sum() + 1) / (len(self.again) + 1)

    def p_below(self, threshold: float) -> float:
        """Return the p-value against "at least"."""
        return float((self._sorted >= threshold).sum() + 1) / (len(self.again) + 1)

    def z(self, threshold: float) -> float:
        """Return how many standard errors above."""
        return _standardised(self.value - threshold, float(self._sorted.std()))


def fewest_units(estimate: Estimate, threshold: float, alpha: float, power: float = 0.8) -> float:
    """Return how many units would settle on which side of a threshold the truth lies, were it as estimated.

    `alpha` is the level of a one-sided test, `power` the chance that it then succeeds.
    """
    from scipy.special import ndtri

    away = abs(estimate.z(threshold))
    if not away or math.isnan(away):
        return math.inf
    needed = float(ndtri(power) - ndtri(max(alpha, 1e-300)))
    return estimate.n * (needed / away) ** 2


def _variance(sums: Sums) -> float:
    """Return the variance of a mean per deal."""
    if sums.deals < 2:
        return math.inf
    return (sums.num2 * sums.deals - sums.num**2) / (sums.deals**2 * (sums.deals - 1))


def _standardised(difference: float, error: float) -> float:
    if error == 0:
        return math.copysign(math.inf, difference) if difference else 0.0
    return difference / error


def _t_tail(z: float, freedom: int) -> float:
    from scipy.special import stdtr

    return float(stdtr(freedom, -z)) if freedom > 0 else 1.0


def _t_quantile(freedom: int) -> float:
    from scipy.special import stdtrit

    return float(stdtrit(freedom, 0.975)) if freedom > 0 else math.inf
