"""Findings: one end of the accepted range of a metric of one cell, and what the games say about it.

Hundreds of thousands are judged at once, as columns of `Findings`; a `Finding` is a record of one of them.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np

from balance.dataset.plan import PlannedCell
from balance.judge.thresholds import Class, Threshold, Thresholds
from balance.measure.metrics import Array, Figures, Measurement


@dataclass(frozen=True, slots=True)
class Finding:
    """One end of the accepted range of one metric of one cell, and what the games say about it."""

    cell: PlannedCell
    measured: Measurement
    threshold: Threshold
    upper: bool
    p_broken: float = 1.0
    """Against "within the range at this end"."""
    p_fine: float = 1.0
    """Against "outside the range at this end"."""
    z: float = 0.0
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
    outside: bool = False
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


class Findings:
    """Findings of many cells as columns: by cell, then in the order of the metrics, the lower end first."""

    def __init__(
        self,
        figures: Figures,
        cells: Sequence[PlannedCell],
        thresholds: Thresholds,
        only: Collection[str] | None = None,
    ) -> None:
        rows, at = figures.rows(np.array([cell.id for cell in cells], np.int64))
        code = figures.code[rows]
        ranges = [
            thresholds.of(name) if only is None or name.name in only else None for name in figures.names
        ]
        ends = [(one.low, one.high) if one else (None, None) for one in ranges]
        bounds = np.array(ends, np.float64).reshape(-1, 2)
        own, end = np.nonzero(~np.isnan(bounds[code]) & figures.comparable[rows][:, None])
        self.figures, self.cells, self.ranges = figures, cells, ranges
        self.at, self.row, self.code = at[own], rows[own], code[own]
        """The place of the cell, the row of the metric, and the code of its name."""
        self.upper, self.bound = end == 1, bounds[self.code, end]

        def of_ends(values: Iterable[tuple[bool, bool]]) -> Array:
            return np.asarray(np.array(list(values), np.bool_).reshape(-1, 2)[self.code, end])

        kinds = [(one.class_low, one.class_high) if one else (Class.BENDS, Class.BENDS) for one in ranges]
        self.breaks = of_ends((low is Class.BREAKS, high is Class.BREAKS) for low, high in kinds)
        self.accepted = of_ends(
            (thresholds.accepts(name, upper=False), thresholds.accepts(name, upper=True))
            for name in figures.names
        )
        size = len(self.row)
        self.p_broken, self.p_fine, self.adjusted = np.ones(size), np.ones(size), np.ones(size)
        self.z = np.zeros(size)
        self.weaker, self.pooled, self.search, self.overridden, self.outside, self.inside = (
            np.zeros(size, np.bool_) for _ in range(6)
        )
        self._known: dict[int, Finding] = {}
        own_kind, places = self.figures.kind[self.row], self.figures.place[self.row]
        for kind, upper in product(range(len(self.figures.estimates)), (False, True)):
            own = np.flatnonzero((own_kind == kind) & (self.upper == upper))
            made, bound = self.figures.estimates[kind][places[own]], self.bound[own]
            self.p_broken[own] = made.above(bound) if upper else made.below(bound)
            self.p_fine[own] = made.at_most(bound) if upper else made.at_least(bound)
            self.z[own] = made.z(bound)

    def __len__(self) -> int:
        return len(self.row)

    @property
    def counts(self) -> Array:
        """Whether a verdict may rest on each."""
        decides = self.outside | self.inside | ~self.search
        return np.asarray(decides & ~(self.accepted | self.weaker | self.overridden))

    @property
    def holds(self) -> Array:
        """Whether each must be shown inside its range before a verdict is *bent* or *fine*."""
        return np.asarray(self.counts & ~self.pooled & ~self.search)

    @property
    def seems_outside(self) -> Array:
        """Whether each estimate, sure or not, is outside."""
        value = self.figures.value[self.row]
        return np.asarray(np.where(self.upper, value > self.bound, value < self.bound))

    @cached_property
    def starts(self) -> Array:
        """Where the findings of each cell begin, and the end of all."""
        return np.searchsorted(self.at, np.arange(len(self.cells) + 1))

    def finding(self, place: int) -> Finding:
        """Return one as a record, always the same."""
        if place not in self._known:
            threshold = self.ranges[self.code[place]]
            assert threshold is not None
            self._known[place] = Finding(
                self.cells[self.at[place]],
                self.figures.measurement(int(self.row[place])),
                threshold,
                *(getattr(self, name)[place].item() for name in _COLUMNS),
            )
        return self._known[place]


_COLUMNS = (
    *("upper", "p_broken", "p_fine", "z", "accepted", "weaker", "pooled", "search", "overridden"),
    *("adjusted", "outside", "inside"),
)
"""The columns that are fields of a record, in their order."""
