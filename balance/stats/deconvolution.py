"""The distribution of true values behind noisy estimates, without assuming its shape.

Estimates are in standard errors from a threshold, so each is its true distance plus noise of variance 1. The
nonparametric maximum likelihood of the distances is found by EM on a grid; it may have point masses anywhere.
"""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

REACH: Final = 8.0
"""Distances beyond this are beyond doubt, and are put here."""
_STEP: Final = 0.2
_ROUNDS: Final = 100
_NARROW: Final = 0.1
_ANYWHERE: Final = 1e-3
_POINTING: Final = 0.5
_GRID: Final = np.round(np.arange(-REACH - 1, REACH + 1 + _STEP / 2, _STEP), 10)
_BINS: Final = np.round(np.arange(-REACH, REACH + _STEP / 2, _STEP), 10)
_LIKELIHOOD: Final = np.exp(-0.5 * (_BINS[:, None] - _GRID[None, :]) ** 2)


def chances_beyond(distances: Any, bands: Any) -> Floats:
    """Return for each estimate the chance that its true distance is above each of `bands`.

    A distance exactly at a band counts half: its side is not known.

    >>> chances_beyond([-7.0, -6.5, 0.0, 7.5], [0.0]).round(2).T
    array([[0. , 0. , 0.5, 1. ]])
    """
    seen = np.clip(np.nan_to_num(np.asarray(distances, np.float64)), -REACH, REACH)
    if seen.size == 0:
        return np.zeros((0, len(bands)))
    places = np.rint((seen + REACH) / _STEP).astype(np.int64)
    counts = np.bincount(places, minlength=len(_BINS)).astype(np.float64)
    # a normal distribution as wide as the estimates beyond their noise, and a little of everything: from
    # there EM goes where the estimates ask for it; a flat one would leave some chance of anything where
    # estimates are poor, which adds up over many thresholds
    wide = math.sqrt(max(float(seen.var()) - 1, _NARROW**2))
    weights = np.exp(-0.5 * ((_GRID - seen.mean()) / wide) ** 2)
    weights = weights / weights.sum() + _ANYWHERE / len(_GRID)
    filled = np.flatnonzero(counts)
    counts, likelihood = counts[filled] / counts.sum(), _LIKELIHOOD[filled]
    for _ in range(_ROUNDS):
        weights = weights * ((counts / (likelihood @ weights)) @ likelihood)
    after = _LIKELIHOOD * weights
    after /= after.sum(axis=1, keepdims=True)
    above = _GRID[:, None] - np.asarray(bands, np.float64)[None, :]
    beyond = np.where(np.abs(above) < _STEP / 2, 0.5, (above > 0).astype(np.float64))
    return np.asarray(np.clip(after @ beyond, 0.0, 1.0)[places])


def normal_scores(p_above: Any, p_below: Any, z: Any) -> Floats:
    """Return distances in standard errors from p-values of "above" and of "below" the threshold.

    Where hardly anything was seen, neither says anything; then the estimate itself (`z`) points to a side.

    >>> normal_scores([0.025, 0.9, 1.0], [0.98, 0.16, 0.8], [1.8, -1.1, -0.2]).round(1)
    array([ 2. , -1. , -0.2])
    """
    from scipy.special import ndtri

    above, below = (np.maximum(0.0, -ndtri(np.asarray(p, np.float64))) for p in (p_above, p_below))
    pointing = np.clip(np.nan_to_num(np.asarray(z, np.float64)), -_POINTING, _POINTING)
    return np.where((above == 0) & (below == 0), pointing, above - below)
