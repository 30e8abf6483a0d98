"""What is judged over everything that was played, once for each number of players: seats and opening items.

Chance decides who sits where and who is dealt what, so whether that is fair can be asked of all combinations
of variants at once; one alone has too few games to answer. Each metric is broken, bent, fine or undecided
like a cell, corrected over all of these and nothing else. It holds up no combination, and a combination is
charged only where its own games show the effect.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Final

from balance.dataset.measures import metrics_of
from balance.judge.bench import Bench, CellVerdict, Verdict
from balance.judge.findings import Finding, compute_p_values
from balance.judge.thresholds import Thresholds
from balance.measure.cells import CellStatistics, Statistics
from balance.measure.metrics import Measurement, intervals_of
from balance.stats.corrections import benjamini_yekutieli

_NAMES: Final = {False: "everything that was played", True: "where the deck runs dry in most games"}


def judge_pools(
    bench: Bench, thresholds: Thresholds, rate: float, players: Collection[int]
) -> tuple[CellVerdict, ...]:
    """Judge every metric that is judged over everything, at some numbers of players."""
    found = [look for look in _looks(bench, thresholds) if look.cell.players in players]
    every = [finding for one in found for finding in one.findings]
    compute_p_values(every)
    for finding, p in zip(every, benjamini_yekutieli([f.p_broken for f in every]), strict=True):
        finding.adjusted, finding.outside = p, p <= rate
    for one, p in zip(found, benjamini_yekutieli([one.p_fine for one in found]), strict=True):
        one.not_broken = p <= rate
        if one.broken or one.bent:
            one.verdict = Verdict.BROKEN if one.broken else Verdict.BENT
        elif one.not_broken:
            one.verdict = Verdict.FINE
        # what is furthest towards an end of its range
        one.holding = max(one.findings, key=lambda finding: (finding.outside, finding.p_fine))
    return tuple(found)


def _looks(bench: Bench, thresholds: Thresholds) -> Iterator[CellVerdict]:
    """Yield the findings of each pool and metric, before any correction."""
    for (players, dry), measured in _measured(bench.statistics).items():
        cell = CellStatistics(-1, players, (), bench.statistics.facts.default_lineup, 1)
        by_metric: dict[str, list[Finding]] = {}
        for one in measured:
            threshold = thresholds.of(one) if bench.pooled(one) else None
            ends = ((False, threshold.low), (True, threshold.high)) if threshold else ()
            for upper, bound in ends:
                if threshold and bound is not None:
                    accepted = thresholds.accepts(one, upper=upper)
                    finding = Finding(cell, one, threshold, upper, accepted=accepted)
                    by_metric.setdefault(one.metric.name, []).append(finding)
        for findings in by_metric.values():
            yield CellVerdict(cell, _NAMES[dry], tuple(findings))


def _measured(statistics: Statistics) -> dict[tuple[int, bool], list[Measurement]]:
    known = metrics_of(statistics.facts)
    return {
        key: [
            Measurement(known[name.partition(":")[0]], name.partition(":")[2], ratio, interval)
            for (name, ratio), interval in zip(sums.items(), intervals_of(sums.values()), strict=True)
        ]
        for key, sums in statistics.pools.items()
    }
