"""Ridge regression of one figure on a few others, and predictions with their intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from balance.stats.arithmetic import student
from balance.stats.intervals import Interval

_PENALTIES: Final = (0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 1000.0)
"""In units of one observation, of features with a spread of 1; cross-validation chooses."""


@dataclass(frozen=True, slots=True)
class Ridge:
    """A fitted regression: plain numbers, so that it can be kept as JSON."""

    features: tuple[str, ...]
    center: tuple[float, ...]
    mean: float
    slopes: tuple[float, ...]
    leverage: tuple[tuple[float, ...], ...]
    """How much further off a prediction is away from the means, as a quadratic form."""
    freedom: float
    observations: int
    error: float
    """Leave-one-out error: the root of the mean square of what each observation is off, fitted without it."""

    def predict(self, given: Mapping[str, float]) -> Interval:
        """Return the predicted figure of one new observation, with its 95% interval."""
        away = np.array([given[name] for name in self.features]) - self.center
        value = self.mean + float(away @ np.array(self.slopes))
        further = 1 + 1 / self.observations + float(away @ np.array(self.leverage) @ away)
        reach = float(student(self.freedom)) * self.error * further**0.5
        return Interval(value, value - reach, value + reach)


def fit(rows: Sequence[Mapping[str, float]], figures: Sequence[float]) -> Ridge:
    """Fit a figure to features, with the penalty that leaves the smallest leave-one-out error.

    >>> line = fit([{"x": x} for x in range(20)], [2.0 * x + x % 2 for x in range(20)])
    >>> value, low, high = line.predict({"x": 30})
    >>> low < 60 < high, line.error < 1
    (True, True)
    """
    names = tuple(rows[0])
    x = np.array([[row[name] for name in names] for row in rows], np.float64)
    y = np.asarray(figures, np.float64)
    center, mean = x.mean(axis=0), float(y.mean())
    scale = np.where(x.std(axis=0) > 0, x.std(axis=0), 1.0)
    x, y = (x - center) / scale, y - mean

    def fitted(penalty: float) -> tuple[float, float, np.ndarray]:
        inverse = np.linalg.inv(x.T @ x + penalty * np.eye(len(names)))
        own = 1 / len(y) + np.einsum("ij,jk,ik->i", x, inverse, x)
        off = y - x @ (inverse @ (x.T @ y))
        return float(np.mean((off / (1 - own)) ** 2)) ** 0.5, len(y) - 1 - float(own.sum()), inverse

    error, freedom, inverse = min((fitted(one) for one in _PENALTIES), key=lambda found: found[0])
    return Ridge(
        names,
        tuple(center.tolist()),
        mean,
        tuple((inverse @ (x.T @ y) / scale).tolist()),
        tuple(map(tuple, (inverse / np.outer(scale, scale)).tolist())),
        freedom,
        len(y),
        error,
    )
