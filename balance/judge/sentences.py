"""Findings as sentences that a designer understands: what happens, in numbers, and what would be accepted.

Words only; nothing is computed or judged here. A metric without a sentence is shown by its title.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from balance.dataset.measures import Metric
from balance.judge.findings import Finding
from balance.judge.verdict import TOO_MANY
from balance.measure.metrics import Measurement
from balance.stats.intervals import Interval


def percent(value: float, near: float | None = None) -> str:
    """Return a share in percent, with as many digits as `near`, the figure that it stands beside, has.

    >>> percent(0.1234), percent(0.0123), percent(0.1234, near=0.0961)
    ('12%', '1.2%', '12.3%')
    """
    plain = 0.1 <= (value if near is None else near) <= 0.9 or value in (0, 1)
    return f"{value:.0%}" if plain else f"{value:.1%}"


def _number(metric: Metric, value: float, near: float | None = None) -> str:
    """Return a number in words, with as many digits as `near`, the figure that it stands beside, has."""
    if metric.form == "share":
        return percent(value, near)
    if metric.form == "rounds":
        return f"{value:.0f}"
    return f"{value:.2f}" if abs(value) < 10 else f"{value:.0f}"


def _figure(metric: Metric, interval: Interval) -> str:
    value, low, high = (_number(metric, end, interval.value) for end in interval)
    return f"{value} ({low} to {high})"


def measured_sentence(
    measured: Measurement, base: Measurement | None = None, items: Mapping[str, str] | None = None
) -> str:
    """Return a metric of a cell as a sentence, beside that without variants if it is given.

    `items` has the names of items by id.
    """
    metric = measured.metric
    of = (items or {}).get(measured.of, measured.of) if metric.name == "item" else measured.of
    sentence = metric.sentence or metric.title + (" ({of})" if of else "") + ": {x}"
    said = sentence.format(x=_figure(metric, measured.interval), of=of, Of=of.capitalize())
    if base is None or metric.name.endswith("_ratio"):
        return said
    return f"{said}; without: {_number(metric, base.interval.value)}"


def finding_sentence(
    finding: Finding, base: Measurement | None = None, items: Mapping[str, str] | None = None
) -> str:
    """Return a finding as a sentence with what would be accepted.

    "Games last 4 (4 to 4) rounds (median); without: 13. Accepted: at least 5."
    """
    bound = _number(finding.measured.metric, finding.bound)
    range_ = f"at most {bound}" if finding.upper else f"at least {bound}"
    end = f"Accepted: {range_}{', but accepted by you' * finding.accepted}."
    return f"{measured_sentence(finding.measured, base, items)}. {end}"


def needed_sentence(further: float) -> str:
    """Return how many more games would settle a verdict, in words.

    >>> needed_sentence(123_456), needed_sentence(float("inf"))
    ('About 130,000 more games would settle it.', 'Too close to call.')
    """
    if not math.isfinite(further) or further > TOO_MANY:
        return "Too close to call."
    size = int(10 ** max(0, len(str(int(further))) - 2))
    return f"About {math.ceil(further / size) * size:,} more games would settle it."
