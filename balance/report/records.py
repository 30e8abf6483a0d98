"""Verdicts and findings as records of plain values: what JSON holds, and what a program reads."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from balance.judge.counting import counted
from balance.judge.findings import Finding
from balance.judge.quality import columns, quality_sentence
from balance.judge.verdict import CellVerdict, Judgement
from balance.report.model import VerdictCount


def verdict_record(judgement: Judgement, sentence: Callable[[Finding], str]) -> dict[str, Any]:
    """Return the verdict on a combination at one number of players; `sentence` puts a finding into words."""
    return {
        "players": judgement.players,
        "variants": list(judgement.variants),
        "verdict": judgement.verdict.value,
        "broken_for": list(judgement.broken_for),
        "bent_for": list(judgement.bent_for),
        "not_broken": judgement.not_broken,
        "not_looked_at": list(judgement.not_looked_at),
        "quality": quality_sentence(judgement.quality),
        **columns(judgement.quality),
        "further_games": finite(judgement.further),
        "reasons": [sentence(finding) for finding in (*judgement.broken, *judgement.bent)],
        "accepted": [sentence(finding) for finding in judgement.accepted],
    }


def finding_record(cell: CellVerdict, finding: Finding) -> dict[str, Any]:
    """Return one metric of a cell, compared with one end of its accepted range."""
    value, low, high = map(finite, finding.measured.interval)
    return {
        "players": cell.cell.players,
        "variants": list(cell.cell.variants),
        "lineup": cell.cell.lineup,
        "strength": cell.strength,
        "metric": finding.measured.metric.name,
        "of": finding.measured.of or None,
        "class": finding.kind.value,
        "end": "high" if finding.upper else "low",
        "threshold": finding.bound,
        "value": value,
        "low": low,
        "high": high,
        "n": int(finding.measured.estimate.n),
        "p_broken": finding.p_broken,
        "adjusted": finding.adjusted,
        "p_fine": finding.p_fine,
        "outside": finding.outside,
        "accepted": finding.accepted,
        "weaker": finding.weaker,
        "pooled": finding.pooled,
        "overridden": finding.overridden,
        "broken": finding.broken,
        "bent": finding.bent,
    }


def verdict_counts(judgements: Iterable[Judgement]) -> list[VerdictCount]:
    """Return how many verdicts are which, and how many there are of each class, by number of players."""
    own: dict[int, list[Judgement]] = {}
    for judgement in judgements:
        own.setdefault(judgement.players, []).append(judgement)
    return [
        replace(VerdictCount.of(players, (j.verdict for j in every)), estimated=counted(every))
        for players, every in sorted(own.items())
    ]


def finite(value: float) -> float | None:
    """Return a number, or None for one that JSON does not have."""
    return value if math.isfinite(value) else None
