"""Ridge regression: it finds what is there, and its intervals cover new observations."""

import json
from dataclasses import asdict

import numpy as np
import pytest
from pydantic import TypeAdapter

from balance.stats.ridge import Ridge, fit

NAMES = tuple("abcdefghi")


def drawn(rng, n, slopes, noise):
    x = rng.normal(size=(n, len(NAMES)))
    rows = [dict(zip(NAMES, map(float, row), strict=True)) for row in x]
    return rows, x @ slopes + noise(rng, n)


@pytest.mark.parametrize("cells", [12, 60])
@pytest.mark.parametrize("slope", [0.0, 0.05, 0.3])
@pytest.mark.parametrize(
    "noise",
    [lambda rng, n: rng.normal(0.1, 0.1, n), lambda rng, n: rng.exponential(0.1, n)],
    ids=["normal", "skewed"],
)
def test_the_interval_covers_new_observations(cells, slope, noise):
    rng = np.random.default_rng(7)
    slopes = np.array([slope, -slope, slope, *[0.0] * 6])
    covered, below = [], []
    for _ in range(400):
        line = fit(*drawn(rng, cells, slopes, noise))
        (row,), (truth,) = drawn(rng, 1, slopes, noise)
        _, low, high = line.predict(row)
        covered.append(low <= truth <= high)
        below.append(truth <= high)
    assert np.mean(covered) >= 0.92
    assert np.mean(below) >= 0.93  # what a verdict rests on


def test_a_slope_is_found_and_the_error_is_that_of_new_observations():
    rng = np.random.default_rng(3)
    slopes = np.array([0.3, *[0.0] * 8])
    line = fit(*drawn(rng, 60, slopes, lambda rng, n: rng.normal(0.1, 0.05, n)))
    assert line.slopes[0] == pytest.approx(0.3, abs=0.03)
    rows, truth = drawn(rng, 2000, slopes, lambda rng, n: rng.normal(0.1, 0.05, n))
    off = [line.predict(row).value - one for row, one in zip(rows, truth, strict=True)]
    assert line.error == pytest.approx(float(np.sqrt(np.mean(np.square(off)))), rel=0.2)


def test_the_interval_is_wider_where_nothing_like_it_was_seen():
    rng = np.random.default_rng(3)
    line = fit(*drawn(rng, 60, np.full(9, 0.1), lambda rng, n: rng.normal(0, 0.1, n)))
    near, far = (line.predict(dict.fromkeys(NAMES, x)) for x in (0.0, 8.0))
    assert far.high - far.low > 2 * (near.high - near.low)


def test_it_is_kept_as_json():
    rng = np.random.default_rng(3)
    line = fit(*drawn(rng, 20, np.full(9, 0.1), lambda rng, n: rng.normal(0, 0.1, n)))
    assert TypeAdapter(Ridge).validate_json(json.dumps(asdict(line))) == line
