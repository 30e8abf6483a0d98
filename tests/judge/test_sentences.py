"""Figures in sentences: as many digits as the figure itself is told with, at both ends of its interval."""

import pytest

from balance import games
from balance.dataset.measures import metrics_of
from balance.judge.sentences import _figure
from balance.stats.intervals import Interval


@pytest.mark.parametrize(
    ("metric", "interval", "told"),
    [
        ("action", Interval(0.901, 0.899, 0.905), "90.1% (89.9% to 90.5%)"),
        ("action", Interval(0.895, 0.885, 0.904), "90% (88% to 90%)"),
        ("stalls", Interval(0.0, 0.0, 0.008), "0% (0% to 0.8%)"),
        ("length", Interval(13, 12, 14), "13 (12 to 14)"),
        ("length_ratio", Interval(0.357, 0.35, 0.364), "0.36 (0.35 to 0.36)"),
    ],
)
def test_figures(metric, interval, told):
    assert _figure(metrics_of(games.get("nefarious").facts)[metric], interval) == told
