"""Metrics of cells compared with thresholds, before any correction, and whose play each counts for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from balance.dataset.plan import PlannedCell
from balance.judge.findings import Finding, Findings, worst_first
from balance.judge.quality import NOTHING_KNOWN, Qualities
from balance.judge.strengths import strength_of
from balance.judge.thresholds import Thresholds
from balance.measure.cells import Statistics
from balance.measure.metrics import Array, Measurement, Name


class Verdict(StrEnum):
    """A verdict on a combination of variants."""

    BROKEN = "broken"
    UNDECIDED = "undecided"
    BENT = "bent"
    FINE = "fine"


@dataclass(slots=True)
class CellVerdict:
    """One cell: its findings, and the verdict at its strength of play once they are corrected."""

    cell: PlannedCell
    strength: str
    table: Findings
    rows: Array
    missing: tuple[str, ...] = ()
    """Metrics with a threshold that should have been measured and could not: the verdict is not fine."""
    verdict: Verdict = Verdict.UNDECIDED
    judged: bool = True
    """Whether a verdict may rest on it: not on weaker play, and on search only where it finds a fault."""
    not_broken: bool = False
    p_fine: float = 1.0
    further: float = 0.0
    """Games of this cell that would settle it, were everything as estimated; infinite if none would."""
    held: int | None = None

    @property
    def findings(self) -> list[Finding]:
        """Everything that was looked at."""
        return [self.table.finding(place) for place in self.rows.tolist()]

    @property
    def holding(self) -> Finding | None:
        """The finding that needs most games."""
        return None if self.held is None else self.table.finding(self.held)

    @property
    def outside(self) -> list[Finding]:
        """Findings outside their range, whether a verdict rests on them or not, the worst first."""
        places = self.rows[self.table.outside[self.rows]].tolist()
        return sorted(map(self.table.finding, places), key=worst_first)

    @property
    def broken(self) -> list[Finding]:
        """Findings that break it, the worst first."""
        return [finding for finding in self.outside if finding.broken]

    @property
    def bent(self) -> list[Finding]:
        """Findings that bend it, the farthest outside first."""
        return [finding for finding in self.outside if finding.bent]

    @property
    def accepted(self) -> list[Finding]:
        """Findings that would break or bend it, had they not been accepted."""
        return [f for f in self.outside if f.accepted and not (f.weaker or f.overridden)]

    @property
    def weaker(self) -> list[Finding]:
        """Findings outside their range in weaker play alone."""
        return [finding for finding in self.outside if finding.weaker]


@dataclass(frozen=True)
class Bench:
    """Metrics that several judgements of the same games share."""

    statistics: Statistics
    qualities: Qualities = NOTHING_KNOWN

    def of(self, cell: PlannedCell) -> list[Measurement]:
        """Return the metrics of a cell."""
        return self.statistics.figures.of(cell.id)

    def without(self, finding: Finding) -> Measurement | None:
        """Return what a finding is about, measured without variants; None if that was not played."""
        base = self.statistics.baseline(finding.cell) if finding.cell.variants else None
        return self.statistics.figures.find(base.id, finding.measured.name) if base else None

    def pooled(self, name: Name) -> bool:
        """Return whether a metric is judged over everything that was played."""
        metric = name.metric.name
        return metric == "item" or (metric == "seat" and self.statistics.facts.seats_alike)

    def looks(self, cells: Sequence[PlannedCell], thresholds: Thresholds) -> Findings:
        """Compare cells with the thresholds; p-values of all findings are computed at once."""
        figures = self.statistics.figures
        found = Findings(figures, cells, thresholds)
        found.pooled = figures.of_names(map(self.pooled, figures.names))[found.code]
        found.weaker = self._weaker(found)
        found.search = self._searching(found)
        return found

    def _weaker(self, found: Findings) -> Array:
        """Return which findings are judged at another table: that of the default player, if it was played.

        Metrics that compare policies are judged where they meet the default player, skill where one of it
        sits among others, if that was played; players who think everything out count wherever they play.
        """
        facts, figures = self.statistics.facts, found.figures
        alone = f"one:{facts.usual},"
        every = self.statistics.cells.values()
        skilled = {(c.players, c.variants) for c in every if c.games and c.lineup.startswith(alone)}

        def of_cells(holds: Callable[[PlannedCell], bool]) -> Array:
            return np.fromiter(map(holds, found.cells), np.bool_, len(found.cells))[found.at]

        elsewhere = of_cells(
            lambda cell: not cell.lineup.startswith(alone) and (cell.players, cell.variants) in skilled
        )
        beside = of_cells(
            lambda cell: (
                cell.lineup != facts.default_lineup
                and not self._searches(cell)
                and self._default(cell) is not None
            )
        )
        meets = figures.has([cell.id for cell in found.cells], f"win_points:{facts.usual}")[found.at]
        skill = figures.of_names(name.metric.name == "skill" for name in figures.names)[found.code]
        comparing = figures.of_names(name.metric.compares or name.metric.mixed for name in figures.names)
        return np.where(skill, elsewhere, beside & ~(comparing[found.code] & meets))

    def _searching(self, found: Findings) -> Array:
        """Return what players who search show beside the default player, who shows the metric too."""
        wanted = np.zeros(len(found), np.bool_)
        for place, cell in enumerate(found.cells):
            default = self._default(cell) if self._searches(cell) else None
            if default is not None:
                shown, _ = found.figures.rows(np.array([default.id]))
                own = slice(found.starts[place], found.starts[place + 1])
                wanted[own] = np.isin(found.code[own], found.figures.code[shown])
        return wanted

    def _searches(self, cell: PlannedCell) -> bool:
        return not strength_of(self.statistics.facts, cell.lineup).learned

    def _default(self, cell: PlannedCell) -> PlannedCell | None:
        found = self.statistics.find(cell.players, cell.variants, self.statistics.facts.default_lineup)
        return found if found is not None and found.games else None
