"""Findings as sentences that a designer understands: what happens, in numbers, and what would be accepted.

Words only; nothing is computed or judged here. A metric without a sentence is shown by its title.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from balance.dataset.measures import Metric
from balance.judge.findings import Finding
from balance.judge.quality import MOST, quality_sentence
from balance.judge.verdict import TOO_MANY, CellVerdict, Judgement
from balance.measure.metrics import Measurement
from balance.stats.intervals import Interval
from balance.stats.ratio import Multiple

_MOST_BRIEF: Final = 3
_NOBODY: Final = 0.005
"""A share below which sentences say that nobody does it."""

_NEEDS: Final = {
    "luck": "needs deals that are played more than once",
    "skill": "needs one default player among others",
    "win_points": "needs other styles at the table of the default player",
}


def percent(value: float, near: float | None = None) -> str:
    """Return a share in percent, with as many digits as `near`, the figure that it stands beside, has.

    >>> percent(0.1234), percent(0.0123), percent(0.1234, near=0.0961)
    ('12%', '1.2%', '12.3%')
    """
    plain = 0.1 <= (value if near is None else near) <= 0.9 or value in (0, 1)
    return f"{value:.0%}" if plain else f"{value:.1%}"


def _number(metric: Metric, value: float, near: float | None = None) -> str:
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
    if metric.plain and isinstance(measured.estimate, Multiple):
        said = brief(measured)
        return f"{said[:1].upper()}{said[1:]}, {_figure(metric, measured.interval)} times as much"
    of = (items or {}).get(measured.of, measured.of) if metric.name == "item" else measured.of
    sentence = metric.sentence or metric.title + (" ({of})" if of else "") + ": {x}"
    said = sentence.format(x=_figure(metric, measured.interval), of=of, Of=of.capitalize())
    if base is None:
        return said
    return f"{said}; without: {_number(metric, base.interval.value)}"


def brief(measured: Measurement, base: Measurement | None = None) -> str:
    """Return a metric in a few words, with what it is in the base game: "games last 8 rounds instead of 14".

    A multiple is shown by the two figures that it compares.
    """
    metric, estimate = measured.metric, measured.estimate
    sentence = metric.sentence or metric.title + ": {x}"
    if metric.plain and isinstance(estimate, Multiple):
        now, before = (
            f"{one:.{0 if one >= 10 else 1}f}" for one in (estimate.own.value, estimate.base.value)
        )
        sentence = metric.plain
    else:
        now = _number(metric, measured.interval.value)
        before = "" if base is None else _number(metric, base.interval.value)
    said = sentence.format(x=now, of=measured.of, Of=measured.of)
    return f"{said[:1].lower()}{said[1:]}" + (f" instead of {before}" if before else "")


def finding_brief(finding: Finding, base: Measurement | None = None) -> str:
    """Return a finding in a few words: "nobody chooses to work", "games last 8 rounds instead of 14"."""
    measured = finding.measured
    if measured.metric.name == "action" and not finding.upper:
        few = "nobody" if measured.interval.value < _NOBODY else "hardly anybody"
        return f"{few} chooses to {measured.of}"
    return brief(measured, base)


def in_brief(findings: Iterable[Finding], without: Callable[[Finding], Measurement | None]) -> str:
    """Return what findings say in one line, the first of each kind; `without` measures the base game."""
    kinds: dict[str, Finding] = {}
    for finding in findings:
        metric = finding.measured.metric
        kinds.setdefault(metric.measure + finding.measured.of, finding)
    return ", ".join(finding_brief(one, without(one)) for one in list(kinds.values())[:_MOST_BRIEF])


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


def pool_sentence(pool: CellVerdict, items: Mapping[str, str] | None = None) -> str:
    """Return the verdict on what is judged over everything that was played, by its furthest figure."""
    assert pool.holding is not None
    said = finding_sentence(pool.holding, items=items)
    metric = pool.holding.measured.metric.title
    return f"{pool.cell.players} players, {metric}, {pool.strength}: {pool.verdict}. Furthest: {said}"


def needed_sentence(further: float) -> str:
    """Return how many more games would settle a verdict, in words.

    >>> needed_sentence(123_456), needed_sentence(float("inf"))
    ('About 130,000 more games would settle it.', 'Too close to call.')
    """
    if not math.isfinite(further) or further > TOO_MANY:
        return "Too close to call."
    size = int(10 ** max(0, len(str(int(further))) - 2))
    return f"About {math.ceil(further / size) * size:,} more games would settle it."


def unseen_sentence(names: Sequence[str]) -> str:
    """Return which metrics games do not show, and what would.

    >>> unseen_sentence(["luck", "item"])
    'Not looked at: luck (needs deals that are played more than once), item.'
    """
    said = (f"{name} ({_NEEDS[name]})" if name in _NEEDS else name for name in names)
    return f"Not looked at: {', '.join(said)}."


def open_sentence(judgement: Judgement, sentence: Callable[[Finding], str]) -> str:
    """Return what keeps a verdict undecided; `sentence` puts a finding into words."""
    if judgement.holding is not None:
        return f"{sentence(judgement.holding)} {needed_sentence(judgement.further)}"
    missing = [name for cell in judgement.cells for name in cell.missing]
    if missing:
        return f"Not measured without the game in the box: {', '.join(dict.fromkeys(missing))}."
    if judgement.quality is not None and judgement.quality.poor:
        return quality_sentence(judgement.quality)
    if judgement.not_looked_at:
        return f"Fine as far as was looked. {unseen_sentence(judgement.not_looked_at)}"
    return needed_sentence(judgement.further)


def quality_overview(judgements: Sequence[Judgement]) -> str:
    """Return how good the play behind some verdicts is, in one sentence."""
    known = [judgement.quality for judgement in judgements if judgement.quality is not None]
    if not known or len(judgements) == 1:
        return quality_sentence(known[0] if known else None)
    most, poor = max(quality.high for quality in known), sum(quality.poor for quality in known)
    return (
        f"How much a best reply gains is known for {len(known):,} of {len(judgements):,} verdicts: at most "
        f"{most:.2f} win points; {poor:,} rest on play that is not good enough (more than {MOST})."
    )
