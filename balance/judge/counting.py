"""How many combinations are broken, bent or fine, with a confidence interval, at one number of players.

The number of verdicts grows with the number of games: few games decide little. The interval covers the truth
at any number of games: it reaches from the combinations that are shown to be of a class to all but those that
are shown not to be, each at 2.5% after Holm's correction, which holds under any dependence and for any
distribution of the truths. More games make it narrower.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from balance.judge.findings import Finding
from balance.judge.thresholds import Class
from balance.judge.verdict import Judgement, Verdict

_LEVEL = 0.025
"""Of each end of the interval."""


@dataclass(frozen=True, slots=True)
class Counted:
    """The number of combinations of a class."""

    verdict: Verdict
    low: int
    high: int
    of: int

    def __str__(self) -> str:
        return f"{self.low:,} to {self.high:,} {self.verdict}"


def counted(judgements: Iterable[Judgement]) -> list[Counted]:
    """Return the confidence interval of the number of broken, bent and fine combinations."""
    every = [_p_values(judgement) for judgement in judgements]
    return [
        Counted(
            verdict,
            _rejected([found[verdict][0] for found in every]),
            len(every) - _rejected([found[verdict][1] for found in every]),
            len(every),
        )
        for verdict in (Verdict.BROKEN, Verdict.BENT, Verdict.FINE)
    ]


def _p_values(judgement: Judgement) -> dict[Verdict, tuple[float, float]]:
    """Return by class the p-values of "it is" and of "it is not"."""
    findings = [finding for cell in judgement.cells for finding in cell.findings if finding.counts]
    breaks, bends = ([f for f in findings if f.kind is kind] for kind in (Class.BREAKS, Class.BENDS))
    broken, unbroken = _outside(breaks), _inside(breaks)
    bent, unbent = _outside(bends), _inside(bends)
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
