"""Verdicts: a combination of variants is broken, fine, or that is still undecided.

*Broken* rejects "the metric lies within its accepted range", one-sided at the threshold. *Fine* is an
equivalence test on every metric (all of them must succeed, so none needs a correction of its own). Whatever
is neither is undecided, and says how many further games would settle it. Both kinds of claims are corrected
over everything that was looked at, by Benjamini and Yekutieli, since cells share their seeds. docs/methods.md
gives the reasons.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final

from balance.analysis.cells import CellStatistics, Statistics
from balance.analysis.corrections import Look, benjamini_yekutieli, harmonic, largest_found
from balance.analysis.estimates import Agreement, Share, fewest_units
from balance.analysis.metrics import METRICS, Measurement, measure
from balance.analysis.thresholds import Threshold, Thresholds
from balance.games.contract import Catalog, Facts, Game, Strength, Tunable

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = [
    "ALPHA",
    "TOO_MANY",
    "Bench",
    "CellVerdict",
    "Family",
    "Finding",
    "Judgement",
    "Judgements",
    "Moved",
    "Verdict",
    "combined",
    "judge",
    "sensitivity",
    "strength_of",
    "unfitted_variants",
    "worst_first",
]

ALPHA: Final = 0.05
"""The rate of false claims among claims, for *broken* and for *fine* each."""
TOO_MANY: Final = 1_000_000
"""Games beyond which a verdict is called too close to call."""

Key = tuple[int, tuple[str, ...]]
"""What a verdict is about: players and variants."""
Unfitted = Callable[[Sequence[str]], tuple[str, ...]]


class Verdict(StrEnum):
    """What can be said of a combination of variants."""

    BROKEN = "broken"
    FINE = "fine"
    UNDECIDED = "undecided"


def combined(verdicts: Iterable[Verdict]) -> Verdict:
    """Return broken if any is, fine only if all are.

    >>> combined([Verdict.FINE, Verdict.UNDECIDED])
    <Verdict.UNDECIDED: 'undecided'>
    """
    every = set(verdicts)
    if Verdict.BROKEN in every:
        return Verdict.BROKEN
    return Verdict.FINE if every == {Verdict.FINE} else Verdict.UNDECIDED


@dataclass(slots=True)
class Finding:
    """One end of the accepted range of one metric of one cell, and what the games say about it."""

    cell: CellStatistics
    measured: Measurement
    threshold: Threshold
    upper: bool
    """Whether the upper end of the range is looked at."""
    p_broken: float
    """Against "within the range at this end"."""
    p_fine: float
    """Against "outside the range at this end"."""
    adjusted: float = 1.0
    """`p_broken`, corrected over everything that was looked at."""
    broken: bool = False

    @property
    def bound(self) -> float:
        """The end of the range."""
        bound = self.threshold.high if self.upper else self.threshold.low
        assert bound is not None
        return bound

    @property
    def severity(self) -> float:
        """How far outside it surely lies: 0 at the end of the range, 1 as far out as a figure can be.

        Of what is too little, the part that is missing; of a share that is too large, how much of the way to
        everything; of anything else that is too large, the part that is too much. The near end of the 95%
        interval counts, so that little data look no worse than much.
        """
        estimate = self.measured.estimate
        _, low, high = estimate.interval
        near = low if self.upper else high
        if not (near > self.bound if self.upper else near < self.bound):
            return 0.0
        if not self.upper:
            return 1 - near / self.bound if self.bound else 1.0
        if isinstance(estimate, Share | Agreement):
            most = estimate.scale if isinstance(estimate, Share) else 1.0
            return (near - self.bound) / (most - self.bound)
        return 1 - self.bound / near

    @property
    def outside(self) -> bool:
        """Whether the estimate, sure or not, lies outside."""
        value = self.measured.estimate.interval.value
        return value > self.bound if self.upper else value < self.bound


def worst_first(finding: Finding) -> tuple[object, ...]:
    """Return what to sort findings by: what lies furthest outside; of about the same, the plainer metric.

    That nobody wins comes before everything: long games, much money and dead actions follow from it.
    """
    severity, metric = finding.severity, finding.measured.metric
    return (
        metric.name != "stalls",
        -round(severity, 1),
        METRICS.index(metric),
        -severity,
        finding.p_broken,
        finding.measured.name,
        finding.cell.id,
    )


@dataclass(frozen=True, slots=True)
class CellVerdict:
    """The verdict at one strength of play."""

    cell: CellStatistics
    strength: str
    """For whom: `casual play`."""
    verdict: Verdict
    findings: tuple[Finding, ...]
    p_fine: float
    """Corrected over all cells that were looked at."""
    missing: tuple[str, ...] = ()
    """Metrics with a threshold that could not be measured although they should: fine cannot be said."""
    not_looked_at: tuple[str, ...] = ()
    """Metrics with a threshold that these games say nothing about."""
    further: float = 0.0
    """Games of this cell that would settle it, were everything as estimated; infinite if none would."""
    holding: Finding | None = None
    """What needs most of them."""

    @property
    def broken(self) -> list[Finding]:
        """What breaks it, the worst first."""
        return sorted((f for f in self.findings if f.broken), key=worst_first)


@dataclass(frozen=True, slots=True)
class Judgement:
    """The verdict on some variants at one number of players, over all strengths of play."""

    players: int
    variants: tuple[str, ...]
    verdict: Verdict
    cells: tuple[CellVerdict, ...]
    unfitted: tuple[str, ...] = ()
    """Variants that no policy has learned; without players who think everything out nothing is fine."""
    look: int = 1

    @property
    def key(self) -> Key:
        """What it is about."""
        return self.players, self.variants

    @property
    def tests(self) -> int:
        """How many tests for *broken* it took."""
        return sum(len(cell.findings) for cell in self.cells)

    @property
    def broken(self) -> list[Finding]:
        """What breaks it, the worst first."""
        return sorted((finding for cell in self.cells for finding in cell.broken), key=worst_first)

    @property
    def severity(self) -> float:
        """How much is wrong: the severities of all metrics that break it, each at its worst, summed."""
        worst: dict[str, float] = {}
        for finding in self.broken:
            name = finding.measured.metric.name
            worst[name] = max(worst.get(name, 0.0), finding.severity)
        return math.fsum(worst.values())

    @property
    def broken_for(self) -> list[str]:
        """For whom it is broken."""
        return [cell.strength for cell in self.cells if cell.verdict is Verdict.BROKEN]

    @property
    def played(self) -> Verdict:
        """The verdict of the games alone, whether or not somebody was tuned for the variants."""
        return combined(cell.verdict for cell in self.cells)

    @property
    def blocked(self) -> bool:
        """Whether *fine* is out of reach however many such games are played."""
        return bool(self.unfitted) or any(cell.missing for cell in self.cells)

    @property
    def further(self) -> float:
        """Games that would settle it, in all its cells; infinite if it is too close to call."""
        open_ = [cell.further for cell in self.cells if cell.verdict is Verdict.UNDECIDED]
        return sum(open_) if self.verdict is Verdict.UNDECIDED else 0.0

    @property
    def too_close(self) -> bool:
        """Whether more games than anybody plays would be needed."""
        return self.verdict is Verdict.UNDECIDED and self.further > TOO_MANY

    @property
    def holding(self) -> Finding | None:
        """What keeps it undecided most."""
        held = [cell for cell in self.cells if cell.holding and cell.verdict is Verdict.UNDECIDED]
        return max(held, key=lambda cell: cell.further).holding if held else None


@dataclass(frozen=True, slots=True)
class Family:
    """Everything that was looked at together, and so is corrected for."""

    tests: int
    """One-sided tests for *broken*: cells times metrics times ends of ranges."""
    cells: int
    """Cells, each one claim of *fine*."""
    metrics: int
    alpha: float
    """The rate of false claims, of this look."""
    level_broken: float
    """A p-value that would be enough for one more *broken*."""
    level_fine: float

    def __str__(self) -> str:
        return (
            f"{self.tests} tests of {self.metrics} metrics in {self.cells} cells, corrected together "
            f"(Benjamini-Yekutieli, false claims at most {self.alpha:.2g} of all claims)"
        )


@dataclass(frozen=True, slots=True)
class Judgements:
    """All verdicts of one command."""

    judgements: tuple[Judgement, ...]
    family: Family

    def find(self, players: int, variants: Sequence[str]) -> Judgement | None:
        """Return the verdict on some variants, if it was asked for."""
        key = (players, tuple(variants))
        return next((found for found in self.judgements if found.key == key), None)

    @property
    def not_looked_at(self) -> tuple[str, ...]:
        """Metrics with a threshold that no cell was held against: the verdicts say nothing of them."""
        cells = [cell.not_looked_at for judgement in self.judgements for cell in judgement.cells]
        common = set(cells[0]).intersection(*cells) if cells else set()
        return tuple(name for name in (cells[0] if cells else ()) if name in common)

    def counts(self) -> Counter[Verdict]:
        """Return how many verdicts of each kind there are."""
        return Counter(found.verdict for found in self.judgements)


# --- who played


def strength_of(facts: Facts, lineup: str) -> Strength:
    """Return how well those play whom a lineup seats; a lineup that the game says nothing of, by its text."""
    for strength in facts.strengths:
        if lineup == strength.lineup or (strength.lineup[-1:] == ":" and lineup.startswith(strength.lineup)):
            return strength
    return Strength(lineup, lineup)


def unfitted_variants(game: Game[Any, Any], catalog: Catalog) -> Unfitted | None:
    """Return what tells which variants no policy has learned; None if a game has nothing to learn."""
    if not isinstance(game, Tunable):
        return None
    tunable: Tunable = game
    known: dict[str, bool] = {}

    def unfitted(variants: Sequence[str]) -> tuple[str, ...]:
        for name in variants:
            if name not in known:
                known[name] = bool(tunable.unfitted(catalog, [name]))
        return tuple(name for name in variants if known[name])

    return unfitted


# --- judging


@dataclass
class _Look:
    """What is known of a cell before any correction."""

    cell: CellStatistics
    findings: list[Finding]
    missing: tuple[str, ...]
    not_looked_at: tuple[str, ...]

    @property
    def p_fine(self) -> float:
        return max((finding.p_fine for finding in self.findings), default=1.0)


Cache = dict[tuple[int, str, float, bool], tuple[float, float]]


@dataclass
class Bench:
    """What several judgements of the same games share: measurements and p-values are computed once."""

    statistics: Statistics
    unfitted: Unfitted | None = None
    measured: dict[int, list[Measurement]] = field(default_factory=dict)
    p_values: Cache = field(default_factory=dict)

    def of(self, cell: CellStatistics) -> list[Measurement]:
        """Return the metrics of a cell."""
        if cell.id not in self.measured:
            tuned = None
            if self.unfitted is not None and cell.variants:
                tuned = () if self.unfitted(cell.variants) else self.statistics.facts.adapting
            self.measured[cell.id] = measure(self.statistics, cell, tuned)
        return self.measured[cell.id]

    def without(self, finding: Finding) -> Measurement | None:
        """Return what a finding is about, measured without variants; None if that was not played."""
        base = self.statistics.baseline(finding.cell)
        if base is None:
            return None
        return next((m for m in self.of(base) if m.name == finding.measured.name), None)

    def look(self, cell: CellStatistics, thresholds: Thresholds) -> _Look:
        """Hold a cell against the thresholds."""
        findings: list[Finding] = []
        looked: set[str] = set()
        for measured in self.of(cell):
            threshold = thresholds.of(measured)
            if threshold is None or not measured.comparable:
                continue
            looked.add(measured.metric.name)
            for upper, bound in ((False, threshold.low), (True, threshold.high)):
                if bound is not None:
                    p = self.p_values_of(cell, measured, bound, upper)
                    findings.append(Finding(cell, measured, threshold, upper, *p))
        wanted = dict.fromkeys(threshold.metric.name for threshold in thresholds.entries)
        absent = [name for name in wanted if name not in looked]
        needs_base = [name for name in absent if name.endswith("_ratio") and cell.variants]
        missing = needs_base if self.statistics.baseline(cell) is None else []
        rest = [name for name in absent if name not in missing]
        return _Look(cell, findings, tuple(missing), tuple(rest))

    def p_values_of(
        self, cell: CellStatistics, measured: Measurement, bound: float, upper: bool
    ) -> tuple[float, float]:
        """Return the p-values against "within the range at this end" and against "outside"."""
        key = (cell.id, measured.name, bound, upper)
        if key not in self.p_values:
            estimate = measured.estimate
            if upper:
                self.p_values[key] = estimate.p_above(bound), estimate.p_at_most(bound)
            else:
                self.p_values[key] = estimate.p_below(bound), estimate.p_at_least(bound)
        return self.p_values[key]


def judge(
    statistics: Statistics,
    thresholds: Thresholds,
    *,
    cells: Iterable[int] | None = None,
    unfitted: Unfitted | None = None,
    alpha: float = ALPHA,
    look: Look | None = None,
    settled: Mapping[Key, Judgement] | None = None,
    bench: Bench | None = None,
) -> Judgements:
    """Judge cells (by default all), those of the same players and variants together.

    For repeated looks at growing data, `look` says which one this is and `settled` holds what earlier ones
    have decided: those verdicts stay, and go on counting in the family.
    """
    bench = bench or Bench(statistics, unfitted)
    kept = dict(settled or {})
    wanted = statistics.cells if cells is None else {number: statistics.cells[number] for number in cells}
    looks = [
        bench.look(cell, thresholds)
        for cell in wanted.values()
        if cell.games and (cell.players, cell.variants) not in kept
    ]
    rate = alpha * (1.0 if look is None else look.part)
    family = _correct(looks, kept.values(), rate)
    fine = _fine(looks, kept.values())
    by_key: dict[Key, list[tuple[_Look, float]]] = {}
    for seen, p in zip(looks, fine, strict=True):
        by_key.setdefault((seen.cell.players, seen.cell.variants), []).append((seen, p))
    found = [
        _judgement(key, group, bench, family, 1 if look is None else look.number)
        for key, group in by_key.items()
    ]
    return Judgements(tuple(sorted([*kept.values(), *found], key=lambda j: j.key)), family)


def _correct(looks: Sequence[_Look], kept: Iterable[Judgement], rate: float) -> Family:
    """Correct all tests for *broken* together; settled ones count, but can be found no second time."""
    earlier = list(kept)
    findings = [finding for seen in looks for finding in seen.findings]
    counted = sum(judgement.tests for judgement in earlier)
    for finding, p in zip(findings, _adjusted([f.p_broken for f in findings], counted), strict=True):
        finding.adjusted = p
        finding.broken = p <= rate
    tests = len(findings) + counted
    cells = len(looks) + sum(len(judgement.cells) for judgement in earlier)
    names = {finding.measured.metric.name for finding in findings}
    rejected = sum(finding.broken for finding in findings)
    fine = sum(p <= rate for p in _fine(looks, earlier))
    return Family(
        tests,
        cells,
        len(names),
        rate,
        rate * min(rejected + 1, max(tests, 1)) / (max(tests, 1) * harmonic(max(tests, 1))),
        rate * min(fine + 1, max(cells, 1)) / (max(cells, 1) * harmonic(max(cells, 1))),
    )


def _adjusted(p_values: Sequence[float], counted: int) -> list[float]:
    return benjamini_yekutieli([*p_values, *[1.0] * counted])[: len(p_values)]


def _fine(looks: Sequence[_Look], kept: Iterable[Judgement]) -> list[float]:
    """Return the corrected p-values of "fine", one per cell."""
    counted = sum(len(judgement.cells) for judgement in kept)
    return _adjusted([seen.p_fine for seen in looks], counted)


def _judgement(
    key: Key, group: Sequence[tuple[_Look, float]], bench: Bench, family: Family, look: int
) -> Judgement:
    facts = bench.statistics.facts
    strengths = {seen.cell.lineup: strength_of(facts, seen.cell.lineup) for seen, _ in group}
    unfitted = bench.unfitted(key[1]) if bench.unfitted else ()
    if not all(strength.learned for strength in strengths.values()):
        unfitted = ()  # somebody has thought everything out
    cells = tuple(_cell(seen, p, strengths[seen.cell.lineup].name, family) for seen, p in group)
    verdict = combined(cell.verdict for cell in cells)
    if verdict is Verdict.FINE and unfitted:
        verdict = Verdict.UNDECIDED
    return Judgement(*key, verdict, cells, unfitted, look)


def _cell(seen: _Look, p_fine: float, strength: str, family: Family) -> CellVerdict:
    if any(finding.broken for finding in seen.findings):
        verdict = Verdict.BROKEN
    elif seen.findings and not seen.missing and p_fine <= family.alpha:
        verdict = Verdict.FINE
    else:
        verdict = Verdict.UNDECIDED
    further, holding = (0.0, None) if verdict is not Verdict.UNDECIDED else _further(seen, family)
    return CellVerdict(
        seen.cell,
        strength,
        verdict,
        tuple(seen.findings),
        p_fine,
        seen.missing,
        seen.not_looked_at,
        further,
        holding,
    )


def _further(seen: _Look, family: Family) -> tuple[float, Finding | None]:
    """Return how many further games would settle a cell, were everything as estimated, and what needs them.

    One metric outside its range is enough for *broken*; for *fine* the one that needs most decides.
    """
    outside = [(_games(f, family.level_broken), f) for f in seen.findings if f.outside]
    if outside:
        return min(outside, key=lambda pair: pair[0])
    inside = [(_games(f, family.level_fine), f) for f in seen.findings if f.p_fine > family.level_fine]
    return max(inside, key=lambda pair: pair[0], default=(math.inf, None))


def _games(finding: Finding, level: float) -> float:
    estimate = finding.measured.estimate
    if not estimate.n:
        return math.inf
    needed = finding.cell.games * fewest_units(estimate, finding.bound, level) / estimate.n
    return max(1.0, math.ceil(needed - finding.cell.games)) if math.isfinite(needed) else math.inf


# --- how much the thresholds matter


@dataclass(frozen=True, slots=True)
class Moved:
    """How many combinations are broken if one threshold accepts less, the same, or more."""

    threshold: Threshold
    tighter: int
    as_is: int
    looser: int


def sensitivity(
    statistics: Statistics,
    thresholds: Thresholds,
    *,
    cells: Iterable[int] | None = None,
    unfitted: Unfitted | None = None,
    by: float = 0.2,
    bench: Bench | None = None,
    size: int | None = None,
) -> list[Moved]:
    """Return how the number of broken combinations moves when each threshold moves by 20%.

    With `size` only combinations of so many variants are counted; all are corrected for.
    The same as judging anew for each, without what only a verdict needs: dozens of times everything is
    looked at, and only the tests of one threshold differ.
    """
    import numpy as np

    bench = bench or Bench(statistics, unfitted)
    wanted = statistics.cells if cells is None else {number: statistics.cells[number] for number in cells}
    looks = (bench.look(cell, thresholds) for cell in wanted.values() if cell.games)
    findings = [finding for seen in looks for finding in seen.findings]
    now = np.array([finding.p_broken for finding in findings])
    combinations = {key: k for k, key in enumerate(dict.fromkeys(f.cell.variants for f in findings))}
    of = np.array([combinations[finding.cell.variants] for finding in findings], np.int64)
    counted = np.array([size in (None, len(finding.cell.variants)) for finding in findings], np.bool_)
    by_entry: dict[str, list[int]] = {}
    for place, finding in enumerate(findings):
        by_entry.setdefault(finding.threshold.id, []).append(place)

    def broken(p_values: npt.NDArray[np.float64]) -> int:
        return len(np.unique(of[counted & (p_values <= largest_found(p_values, ALPHA))]))

    def moved(entry: Threshold, factor: float) -> int:
        elsewhere = entry.moved(factor)
        p_values = now.copy()
        for place in by_entry.get(entry.id, ()):
            finding = findings[place]
            bound = elsewhere.high if finding.upper else elsewhere.low
            assert bound is not None
            estimate = finding.measured.estimate
            p_values[place] = estimate.p_above(bound) if finding.upper else estimate.p_below(bound)
        return broken(p_values)

    as_is = broken(now)
    return [Moved(entry, moved(entry, 1 - by), as_is, moved(entry, 1 + by)) for entry in thresholds.entries]
