"""Comparing metrics of cells with thresholds, before any correction; all p-values are computed at once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from balance.judge.findings import Finding, compute_p_values, worst_first
from balance.judge.quality import NOTHING_KNOWN, Qualities
from balance.judge.strengths import strength_of
from balance.judge.thresholds import Class, Thresholds
from balance.measure.cells import CellStatistics, Statistics
from balance.measure.metrics import Measurement, measure_cells


class Verdict(StrEnum):
    """A verdict on a combination of variants."""

    BROKEN = "broken"
    UNDECIDED = "undecided"
    BENT = "bent"
    FINE = "fine"


@dataclass(slots=True)
class CellVerdict:
    """One cell: its findings, and the verdict at its strength of play once they are corrected."""

    cell: CellStatistics
    strength: str
    """The strength of play that it holds for: `casual play`."""
    findings: tuple[Finding, ...]
    missing: tuple[str, ...] = ()
    """Metrics with a threshold that should have been measured and could not: the verdict is not fine."""
    may_break: bool = False
    """Whether what is missing could break the game."""
    verdict: Verdict = Verdict.UNDECIDED
    not_broken: bool = False
    """Whether every metric is clearly inside the ends that break the game."""
    further: float = 0.0
    """Games of this cell that would settle it, were everything as estimated; infinite if none would."""
    holding: Finding | None = None
    """The finding that needs most of them."""

    @property
    def p_unbroken(self) -> float:
        """The p-value against "outside an end that breaks the game"."""
        return 1.0 if self.may_break else self._p_inside([f for f in self.findings if f.kind is Class.BREAKS])

    @property
    def p_fine(self) -> float:
        """The p-value against "outside any end"."""
        return self._p_inside(self.findings)

    def _p_inside(self, findings: Sequence[Finding]) -> float:
        return max((f.p_fine for f in findings if f.holds), default=0.0) if self._shows_play else 1.0

    @property
    def _shows_play(self) -> bool:
        """Whether it shows the play that a verdict is about."""
        return any(not (finding.weaker or finding.search) for finding in self.findings)

    @property
    def advises(self) -> bool:
        """Whether it shows players who search, beside the default player: it can find faults, not fine."""
        return not self._shows_play and any(finding.search for finding in self.findings)

    @property
    def judged(self) -> bool:
        """Whether a verdict may rest on it: not on weaker play, and on search only where it finds a fault."""
        fault = any(finding.broken or finding.bent for finding in self.findings)
        return not self.findings or self._shows_play or fault

    @property
    def broken(self) -> list[Finding]:
        """Findings that break it, the worst first."""
        return sorted((f for f in self.findings if f.broken), key=worst_first)

    @property
    def bent(self) -> list[Finding]:
        """Findings that bend it, the farthest outside first."""
        return sorted((f for f in self.findings if f.bent), key=worst_first)

    @property
    def accepted(self) -> list[Finding]:
        """Findings that would break or bend it, had they not been accepted."""
        return sorted((f for f in self.findings if f.outside and f.accepted), key=worst_first)

    @property
    def weaker(self) -> list[Finding]:
        """Findings outside their range in weaker play alone."""
        return sorted((f for f in self.findings if f.outside and f.weaker), key=worst_first)


@dataclass
class Bench:
    """Measurements that several judgements of the same games share, computed once."""

    statistics: Statistics
    qualities: Qualities = NOTHING_KNOWN
    """The quality of the play behind each verdict."""
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

    def looks(self, cells: Sequence[CellStatistics], thresholds: Thresholds) -> list[CellVerdict]:
        """Compare cells with the thresholds; p-values of all findings are computed at once."""
        self.measure(cells)
        found = [self._look(cell, thresholds) for cell in cells]
        compute_p_values([finding for seen in found for finding in seen.findings])
        return found

    def searches(self, cell: CellStatistics) -> bool:
        """Return whether the players of a cell think everything out."""
        return not strength_of(self.statistics.facts, cell.lineup).learned

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
        if cell.lineup == facts.default_lineup or self.searches(cell):
            return False
        return self._default(cell) is not None

    def _default(self, cell: CellStatistics) -> CellStatistics | None:
        """Return the cell of the default player with the same players and variants, if it was played."""
        facts = self.statistics.facts
        found = self.statistics.find(cell.players, cell.variants, facts.default_lineup)
        return found if found is not None and found.games else None

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

    def _look(self, cell: CellStatistics, thresholds: Thresholds) -> CellVerdict:
        default = self._default(cell) if self.searches(cell) else None
        beside = {measured.name for measured in self.of(default)} if default else set()
        findings: list[Finding] = []
        for measured in self.measured[cell.id]:
            threshold = thresholds.of(measured)
            if threshold is None or not measured.comparable:
                continue
            for upper, bound in ((False, threshold.low), (True, threshold.high)):
                if bound is not None:
                    accepted = thresholds.accepts(measured, upper=upper)
                    finding = Finding(cell, measured, threshold, upper, accepted=accepted)
                    finding.weaker, finding.pooled = self.weaker(cell, measured), self.pooled(measured)
                    finding.search = measured.name in beside
                    findings.append(finding)
        looked = {finding.measured.metric.name for finding in findings}
        multiples = [t for t in thresholds.entries if t.of_base and t.metric not in looked]
        missing = multiples if cell.variants and self.statistics.baseline(cell) is None else []
        strength = strength_of(self.statistics.facts, cell.lineup).name
        may_break = any(Class.BREAKS in threshold.classes for threshold in missing)
        return CellVerdict(cell, strength, tuple(findings), tuple(t.metric for t in missing), may_break)
