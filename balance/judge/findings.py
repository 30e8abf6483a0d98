"""Findings: one end of the accepted range of a metric of one cell, and what the games say about it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from balance.judge.thresholds import Class, Threshold
from balance.measure.cells import CellStatistics
from balance.measure.metrics import Measurement, by_kind


@dataclass(slots=True)
class Finding:
    """One end of the accepted range of one metric of one cell, and what the games say about it."""

    cell: CellStatistics
    measured: Measurement
    threshold: Threshold
    upper: bool
    """Whether the upper end of the range is looked at."""
    p_broken: float = 1.0
    """Against "within the range at this end"."""
    p_fine: float = 1.0
    """Against "outside the range at this end"."""
    z: float = 0.0
    """How many standard errors the estimate is above the end of the range."""
    accepted: bool = False
    """Whether a user accepts it: it is listed, and no verdict depends on it."""
    weaker: bool = False
    """Whether it shows weaker play, while the default player was measured too: no verdict depends on it."""
    pooled: bool = False
    """Whether it is judged over everything that was played: here it counts only if the metric is outside."""
    search: bool = False
    """Whether players who search show it, beside the default player: it counts only where it decides."""
    overridden: bool = False
    """Whether players who search decide it, and differently: no verdict depends on it."""
    adjusted: float = 1.0
    """`p_broken`, corrected over all tests of its class."""
    outside: bool = False
    """Whether the metric is clearly outside its range at this end."""
    inside: bool = False
    """Whether it is clearly inside; tested only where players search."""

    @property
    def kind(self) -> Class:
        """The effect of a metric beyond this end on the game."""
        return self.threshold.class_high if self.upper else self.threshold.class_low

    @property
    def counts(self) -> bool:
        """Whether a verdict may rest on it."""
        decides = self.outside or self.inside or not self.search
        return decides and not (self.accepted or self.weaker or self.overridden)

    @property
    def holds(self) -> bool:
        """Whether it must be shown inside its range before a verdict is *bent* or *fine*."""
        return self.counts and not self.pooled and not self.search

    @property
    def broken(self) -> bool:
        """Whether it breaks the game."""
        return self.outside and self.kind is Class.BREAKS and self.counts

    @property
    def bent(self) -> bool:
        """Whether it bends the game."""
        return self.outside and self.kind is Class.BENDS and self.counts

    @property
    def bound(self) -> float:
        """The end of the range."""
        bound = self.threshold.high if self.upper else self.threshold.low
        assert bound is not None
        return bound

    @property
    def severity(self) -> float:
        """How far outside it surely is: 0 at the end of the range, 1 as far out as a figure can be.

        Of what is too little, the part that is missing; of a share that is too large, how much of the way to
        everything; of anything else that is too large, the part that is too much. The near end of the 95%
        interval counts, so that little data look no worse than much.
        """
        _, low, high = self.measured.interval
        near = low if self.upper else high
        if not (near > self.bound if self.upper else near < self.bound):
            return 0.0
        if not self.upper:
            return 1 - near / self.bound if self.bound else 1.0
        most = self.measured.most
        if math.isfinite(most):
            return (near - self.bound) / (most - self.bound)
        return 1 - self.bound / near

    @property
    def seems_outside(self) -> bool:
        """Whether the estimate, sure or not, is outside."""
        value = self.measured.interval.value
        return value > self.bound if self.upper else value < self.bound


def worst_first(finding: Finding) -> tuple[object, ...]:
    """Return what to sort findings by: what is furthest outside; of about the same, the plainer metric.

    That nobody wins comes before everything: long games, much money and dead actions follow from it.
    """
    severity, metric = finding.severity, finding.measured.metric
    return (
        metric.name != "stalls",
        -round(severity, 1),
        metric.order,
        -severity,
        finding.p_broken,
        finding.measured.name,
        finding.cell.id,
    )


def compute_p_values(findings: Sequence[Finding]) -> None:
    """Compute the p-values of findings, each kind of estimate at once."""
    bounds = np.array([finding.bound for finding in findings], np.float64)
    upper = np.array([finding.upper for finding in findings], np.bool_)
    estimates = [finding.measured.estimate for finding in findings]
    for kind, places in by_kind(estimates).items():
        made = kind.stack([estimates[place] for place in places])
        bound, high = bounds[places], upper[places]
        broken = np.where(high, made.above(bound), made.below(bound)).tolist()
        fine = np.where(high, made.at_most(bound), made.at_least(bound)).tolist()
        rows = zip(places, broken, fine, made.z(bound).tolist(), strict=True)
        for place, p_broken, p_fine, z in rows:
            finding = findings[place]
            finding.p_broken, finding.p_fine, finding.z = p_broken, p_fine, z
