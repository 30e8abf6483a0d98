"""How many combinations are broken, bent or fine, estimated with a confidence interval, by number of players.

The number of verdicts grows with the number of games: few games decide little. The estimate does not: it adds
up the chance of each class over all combinations, by what all estimates show of the true distances from each
threshold (`balance.stats.deconvolution`). What is within 1.5 standard errors of a threshold may be on either
side, whatever the distribution of the truths, point masses on thresholds included: the interval counts it for
one side at one end and for the other at the other, and adds three standard deviations. It is never wider than
what tests show: from the combinations shown to be of a class to all but those shown not to be, each at 2.5%
after Holm's correction. `tests/judge/test_counting.py` counts how often it covers.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from balance.judge.findings import Finding
from balance.judge.thresholds import Class
from balance.judge.verdict import Judgement, Verdict
from balance.stats.deconvolution import chances_beyond, normal_scores

_LEVEL: Final = 0.025
"""The one-sided level of each end of the interval."""
_BAND: Final = 1.5
"""Standard errors around a threshold within which nobody can say on which side the truth is."""
_SPREAD: Final = 3.0
"""Standard deviations that the interval adds: combinations share their deals, and so their luck."""
COUNTED: Final = (Verdict.BROKEN, Verdict.BENT, Verdict.FINE)

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Counted:
    """The number of combinations of a class."""

    verdict: Verdict
    estimate: float
    low: int
    high: int
    of: int

    def __str__(self) -> str:
        return f"{self.estimate:,.0f} {self.verdict} ({self.low:,} to {self.high:,})"


def counted(judgements: Iterable[Judgement]) -> tuple[Counted, ...]:
    """Return the estimated number of broken, bent and fine combinations; all have the same players."""
    every = list(judgements)
    tested = [_p_values(judgement) for judgement in every]
    chances = _chances(every)
    found = []
    for verdict in COUNTED:
        low = _rejected([p[verdict][0] for p in tested])
        high = len(every) - _rejected([p[verdict][1] for p in tested])
        least, middle, most = chances[verdict]
        narrow_low = max(low, math.floor(_sum(least, -_SPREAD)))
        narrow_high = min(high, math.ceil(_sum(most, _SPREAD)))
        if narrow_low <= narrow_high:
            low, high = narrow_low, narrow_high
        estimate = min(max(float(middle.sum()), low), high)
        found.append(Counted(verdict, round(estimate, 1), low, high, len(every)))
    return tuple(found)


def _sum(chances: Floats, spread: float) -> float:
    """Return the expected number, and some standard deviations more."""
    return float(chances.sum() + spread * math.sqrt((chances * (1 - chances)).sum()))


def _chances(judgements: Sequence[Judgement]) -> Mapping[Verdict, Floats]:
    """Return by class the chances of all combinations: at least, about, and at most."""
    inside = {kind: np.ones((len(judgements), 3)) for kind in Class}
    ends: dict[tuple[str, str, bool], list[tuple[int, Finding]]] = {}
    for place, judgement in enumerate(judgements):
        findings = [finding for cell in judgement.cells for finding in cell.findings if finding.counts]
        for finding in findings:
            if finding.holds:
                key = finding.cell.lineup, finding.measured.name, finding.upper
                ends.setdefault(key, []).append((place, finding))
            elif finding.outside:
                inside[finding.kind][place] = 0.0
        if not any(finding.holds for finding in findings):
            for kind in Class:
                inside[kind][place] *= (1.0, 0.5, 0.0)
    for own in ends.values():
        away = [finding.z if finding.upper else -finding.z for _, finding in own]
        scores = normal_scores([f.p_broken for _, f in own], [f.p_fine for _, f in own], away)
        beyond = chances_beyond(scores, (_BAND, 0.0, -_BAND))
        for (place, finding), chance in zip(own, beyond, strict=True):
            inside[finding.kind][place] *= 1 - chance
    unbroken, unbent = inside[Class.BREAKS].T, inside[Class.BENDS].T  # at most, about, at least
    return {
        Verdict.BROKEN: 1 - unbroken,
        Verdict.BENT: unbroken[::-1] * (1 - unbent),
        Verdict.FINE: unbroken[::-1] * unbent[::-1],
    }


def _p_values(judgement: Judgement) -> dict[Verdict, tuple[float, float]]:
    """Return by class the p-values of "it is" and of "it is not"."""
    counting = [finding for cell in judgement.cells for finding in cell.findings if finding.counts]
    findings = [finding for finding in counting if not finding.pooled]
    charged = {finding.kind for finding in counting if finding.pooled and finding.outside}
    breaks, bends = ([f for f in findings if f.kind is kind] for kind in (Class.BREAKS, Class.BENDS))
    broken, unbroken = _outside(breaks), 1.0 if Class.BREAKS in charged else _inside(breaks)
    bent, unbent = _outside(bends), 1.0 if Class.BENDS in charged else _inside(bends)
    if not findings:
        return dict.fromkeys(Verdict, (1.0, 1.0))
    return {
        Verdict.BROKEN: (broken, unbroken),
        Verdict.BENT: (max(unbroken, bent), min(1.0, 2 * min(broken, unbent))),
        Verdict.FINE: (max(unbroken, unbent), _outside(findings)),
    }


def _outside(findings: Sequence[Finding]) -> float:
    """Return the p-value of "one of them is outside its range"."""
    return min(1.0, len(findings) * min((finding.p_broken for finding in findings), default=1.0))


def _inside(findings: Sequence[Finding]) -> float:
    """Return the p-value of "all of them are inside their ranges"."""
    return max((finding.p_fine for finding in findings if finding.holds), default=0.0)


def _rejected(p_values: Sequence[float]) -> int:
    """Return how many Holm's procedure rejects."""
    ordered = sorted(p_values)
    for place, p in enumerate(ordered):
        if p * (len(ordered) - place) > _LEVEL:
            return place
    return len(ordered)
