"""Intervals and tails of distributions, on arrays: what `balance.stats.ratio` is made of."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from balance.stats.intervals import Z

Floats = npt.NDArray[np.float64]


def wilson(share: Any, n: Any) -> tuple[Floats, Floats]:
    """Return the ends of Wilson's interval of shares seen in `n` trials, whole or not; 0 and 1 without any.

    >>> [round(float(end), 4) for end in wilson(0.1, 100)]
    [0.0552, 0.1744]
    """
    p, m = np.asarray(share, np.float64), np.asarray(n, np.float64)
    with np.errstate(all="ignore"):
        centre = p + Z * Z / (2 * m)
        reach = Z * np.sqrt(p * (1 - p) / m + Z * Z / (4 * m * m))
        scale = 1 + Z * Z / m
        known = m > 0
        return (
            np.where(known, np.maximum(0.0, (centre - reach) / scale), 0.0),
            np.where(known, np.minimum(1.0, (centre + reach) / scale), 1.0),
        )


def fieller(a: Any, b: Any, var_a: Any, var_b: Any, cov: Any, t: Any = Z) -> tuple[Floats, Floats]:
    """Return the ends of the interval of a quotient of two estimates; infinite if `b` may be 0.

    >>> [round(float(end), 4) for end in fieller(10, 5, 0.25, 0.04, 0.0)]
    [1.7603, 2.2644]
    """
    a, b, var_a, var_b, cov, t = (np.asarray(one, np.float64) for one in (a, b, var_a, var_b, cov, t))
    # the ratios q with (a - q b)^2 <= t^2 (var_a - 2 q cov + q^2 var_b)
    with np.errstate(all="ignore"):
        square, middle, rest = b * b - t * t * var_b, a * b - t * t * cov, a * a - t * t * var_a
        root = middle * middle - square * rest
        reach = np.sqrt(np.maximum(root, 0.0))
        known = (square > 0) & ~np.isnan(root)
        return (
            np.where(known, (middle - reach) / square, -np.inf),
            np.where(known, (middle + reach) / square, np.inf),
        )


def student(freedom: Any) -> Floats:
    """Return the quantile of 97.5% of Student's t; infinite without a degree of freedom.

    >>> round(float(student(10)), 3), float(student(0))
    (2.228, inf)
    """
    from scipy.special import stdtrit

    given = np.asarray(freedom, np.float64)
    return np.where(given > 0, stdtrit(np.maximum(given, 1e-9), 0.975), np.inf)


def student_tail(z: Any, freedom: Any) -> Floats:
    """Return the chance that a number of Student's t is above `z`; 1 without a degree of freedom."""
    from scipy.special import stdtr

    given = np.asarray(freedom, np.float64)
    return np.where(given > 0, stdtr(np.maximum(given, 1e-9), -np.asarray(z)), 1.0)


def binomial_tail(successes: Any, n: Any, chance: Any) -> Floats:
    """Return the chance of at least this many successes; numbers need not be whole."""
    from scipy.special import betainc

    k, m = np.asarray(successes, np.float64), np.asarray(n, np.float64)
    inside = (k > 0) & (k <= m)
    with np.errstate(all="ignore"):
        found = betainc(np.where(inside, k, 1.0), np.where(inside, m - k + 1, 1.0), np.clip(chance, 0.0, 1.0))
    return np.where(k <= 0, 1.0, np.where(k > m, 0.0, found))


def standardised(difference: Any, error: Any) -> Floats:
    """Return differences in standard errors; infinite where there is no error but a difference."""
    far, by = np.asarray(difference, np.float64), np.asarray(error, np.float64)
    with np.errstate(all="ignore"):
        return np.where(by == 0, np.where(far == 0, 0.0, np.copysign(np.inf, far)), far / by)


@cache
def separation(alpha: float) -> float:
    """Return how many standard errors from a threshold a figure must be to be distinguished from it.

    `alpha` is the level of a one-sided test, which then succeeds with a chance of 80%. It grows with the
    root of the games.

    >>> round(separation(0.05), 2)
    2.49
    """
    from scipy.special import ndtri

    return float(ndtri(0.8) - ndtri(max(alpha, 1e-300)))
