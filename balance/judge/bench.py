"""Comparing metrics of cells with thresholds, before any correction; all p-values are computed at once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from balance.judge.findings import Finding, compute_p_values
from balance.judge.strengths import strength_of
from balance.judge.thresholds import Class, Thresholds
from balance.measure.cells import CellStatistics, Statistics
from balance.measure.metrics import Measurement, measure_cells


@dataclass
class CellLook:
    """What is known of a cell before any correction."""

    cell: CellStatistics
    findings: list[Finding]
    missing: tuple[str, ...]
    not_looked_at: tuple[str, ...]
    may_break: bool = False
    """Whether what is missing could break the game."""

    @property
    def p_unbroken(self) -> float:
        """The p-value against "outside an end that breaks the game"."""
        if not self.judged or self.may_break:
            return 1.0
        return max((f.p_fine for f in self.findings if f.kind is Class.BREAKS and f.holds), default=0.0)

    @property
    def p_fine(self) -> float:
        """The p-value against "outside any end"."""
        if not self.judged:
            return 1.0
        return max((f.p_fine for f in self.findings if f.holds), default=0.0)

    @property
    def judged(self) -> bool:
        """Whether a verdict may rest on anything here."""
        return any(not finding.weaker for finding in self.findings)

    @property
    def left_out(self) -> bool:
        """Whether it shows weaker play alone."""
        return bool(self.findings) and not self.judged


@dataclass
class Bench:
    """What several judgements of the same games share: measurements are computed once."""

    statistics: Statistics
    measured: dict[int, list[Measurement]] = field(default_factory=dict)
    _played: dict[str, set[tuple[int, tuple[str, ...]]]] = field(default_factory=dict)

    def of(self, cell: CellStatistics) -> list[Measurement]:
        """Return the metrics of a cell."""
        self.measure([cell])
        return self.measured[cell.id]

    def measure(self, cells: Iterable[CellStatistics]) -> None:
        """Compute the metrics of cells, all at once."""
        missing = [cell for cell in cells if cell.id not in self.measured]
        if missing:
            self.measured |= measure_cells(self.statistics, missing)

    def without(self, finding: Finding) -> Measurement | None:
        """Return what a finding is about, measured without variants; None if that was not played."""
        base = self.statistics.baseline(finding.cell) if finding.cell.variants else None
        if base is None:
            return None
        return next((m for m in self.of(base) if m.name == finding.measured.name), None)

    def looks(self, cells: Sequence[CellStatistics], thresholds: Thresholds) -> list[CellLook]:
        """Compare cells with the thresholds; p-values of all findings are computed at once."""
        self.measure(cells)
        found = [self._look(cell, thresholds) for cell in cells]
        compute_p_values([finding for seen in found for finding in seen.findings])
        return found

    def weaker(self, cell: CellStatistics, measured: Measurement) -> bool:
        """Return whether a metric is judged at another table: that of the default player, if it was played.

        Metrics that compare policies are judged where they meet the default player, skill where one of it
        sits among others, if that was played; players who think everything out count wherever they play.
        """
        facts = self.statistics.facts
        if measured.metric.name == "skill":
            alone = f"one:{facts.usual},"
            return not cell.lineup.startswith(alone) and (cell.players, cell.variants) in self._with(alone)
        if (measured.metric.compares or measured.metric.mixed) and f"win_points:{facts.usual}" in cell.sums:
            return False
        if cell.lineup == facts.default_lineup or not strength_of(facts, cell.lineup).learned:
            return False
        default = self.statistics.find(cell.players, cell.variants, facts.default_lineup)
        return default is not None and bool(default.games)

    def _with(self, start: str) -> set[tuple[int, tuple[str, ...]]]:
        """Return the players and variants for which a lineup that begins like this was played."""
        if start not in self._played:
            cells = self.statistics.cells.values()
            self._played[start] = {
                (c.players, c.variants) for c in cells if c.games and c.lineup.startswith(start)
            }
        return self._played[start]

    def pooled(self, measured: Measurement) -> bool:
        """Return whether a metric is judged over everything that was played."""
        name = measured.metric.name
        return name == "item" or (name == "seat" and self.statistics.facts.seats_alike)

    def _look(self, cell: CellStatistics, thresholds: Thresholds) -> CellLook:
        findings: list[Finding] = []
        looked: set[str] = set()
        for measured in self.measured[cell.id]:
            threshold = thresholds.of(measured)
            if threshold is None or not measured.comparable:
                continue
            looked.add(measured.metric.name)
            for upper, bound in ((False, threshold.low), (True, threshold.high)):
                if bound is not None:
                    accepted = thresholds.accepts(measured, upper=upper)
                    finding = Finding(cell, measured, threshold, upper, accepted=accepted)
                    finding.weaker, finding.pooled = self.weaker(cell, measured), self.pooled(measured)
                    findings.append(finding)
        wanted = dict.fromkeys(threshold.metric for threshold in thresholds.entries)
        absent = [name for name in wanted if name not in looked]
        needs_base = [name for name in absent if name.endswith("_ratio") and cell.variants]
        missing = needs_base if self.statistics.baseline(cell) is None else []
        rest = [name for name in absent if name not in missing]
        may_break = any(Class.BREAKS in t.classes for t in thresholds.entries if t.metric in missing)
        return CellLook(cell, findings, tuple(missing), tuple(rest), may_break)
