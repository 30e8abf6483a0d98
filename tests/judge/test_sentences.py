"""Figures in sentences: as many digits as the figure itself is told with, at both ends of its interval."""

import pytest

from balance import games
from balance.dataset.measures import metrics_of
from balance.dataset.plan import PlannedCell
from balance.judge.findings import Finding
from balance.judge.sentences import _figure, in_brief, measured_sentence
from balance.judge.thresholds import Threshold
from balance.measure.metrics import Measurement
from balance.stats.intervals import Interval
from balance.stats.ratio import Multiple, Ratio
from tests.sums import common_of

CELL = PlannedCell(1, 4, ("geeks",), "mirror:learned", 0, 0, 1)


def measured(name, of, estimate):
    metric = metrics_of(games.get("nefarious").facts)[name]
    return Measurement(
        metric, of, estimate, Interval(*(float(getattr(estimate, end)) for end in ("value", "low", "high")))
    )


def length_ratio(own, base):
    """The mean length of two deals of a cell and of its base game, compared."""
    return measured(
        "length_ratio", "", Multiple(Ratio.of(own, 1), Ratio.of(base, 1), common_of(own, 1, base, 1))
    )


def share(name, of, num, den):
    return measured(name, of, Ratio.of([num] * 4, den))


def test_a_multiple_is_shown_by_the_two_figures_that_it_compares():
    said = measured_sentence(length_ratio([8, 8, 9, 7], [14, 15, 13, 14]))
    assert said.startswith("Games last 8.0 rounds on average instead of 14, 0.57 (")
    assert said.endswith(" times as much")


def test_what_bends_a_game_in_one_line_each_kind_of_thing_once():
    bends = Threshold("action", 0.5, None, "")
    longer = [
        (length_ratio([8, 8, 9, 7], [14, 15, 13, 14]), None),
        (share("action", "work", 0, 100), share("action", "work", 9, 100)),
        (share("length_ratio", "", 1, 2), None),
        (share("action", "invent", 1, 100), None),
        (share("exhaustion", "", 1, 1), share("exhaustion", "", 1, 2)),
    ]
    findings = {id(one): base for one, base in longer}
    line = in_brief(
        [Finding(CELL, one, bends, upper=False) for one, _ in longer],
        lambda finding: findings[id(finding.measured)],
    )
    assert line == (
        "games last 8.0 rounds on average instead of 14, nobody chooses to work, "
        "hardly anybody chooses to invent"
    )


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
