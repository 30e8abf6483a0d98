"""Verdicts: a combination of variants is broken, bent or fine, or that is still undecided.

Every end of an accepted range has a class, *breaks* or *bends*. A metric is *outside* if a one-sided test at
the threshold rejects that it is inside, and *inside* if the opposite test rejects that it is outside.
Broken: a metric is outside an end that breaks the game. Bent: all are inside the ends that break it, and one
is outside an end that bends it. Fine: all are inside all ends (all tests must succeed, so none needs a
correction of its own). Undecided is the rest, with the number of further games that would settle it. Claims
of each kind are corrected over everything that was looked at, by Benjamini and Yekutieli, since cells share
their seeds. docs/methods.md gives the reasons.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from balance.judge.bench import Bench, CellLook
from balance.judge.findings import Finding, worst_first
from balance.judge.strengths import strength_of
from balance.judge.thresholds import Class, Thresholds
from balance.measure.cells import CellStatistics, Statistics
from balance.stats.arithmetic import separation
from balance.stats.corrections import Look, benjamini_yekutieli, harmonic

ALPHA: Final = 0.05
"""The rate of false claims among claims of one kind: outside an end of each class, not broken, fine."""
TOO_MANY: Final = 1_000_000
"""Games beyond which a verdict is called too close to call."""

Key = tuple[int, tuple[str, ...]]
"""What a verdict is about: players and variants."""


class Verdict(StrEnum):
    """What can be said of a combination of variants."""

    BROKEN = "broken"
    UNDECIDED = "undecided"
    BENT = "bent"
    FINE = "fine"


def combined(verdicts: Iterable[Verdict]) -> Verdict:
    """Return the first of broken, undecided, bent and fine that is among some verdicts.

    >>> combined([Verdict.FINE, Verdict.BENT]), combined([Verdict.BENT, Verdict.UNDECIDED])
    (<Verdict.BENT: 'bent'>, <Verdict.UNDECIDED: 'undecided'>)
    """
    every = set(verdicts)
    return next((verdict for verdict in Verdict if verdict in every), Verdict.UNDECIDED)


@dataclass(frozen=True, slots=True)
class CellVerdict:
    """The verdict at one strength of play."""

    cell: CellStatistics
    strength: str
    """For whom: `casual play`."""
    verdict: Verdict
    findings: tuple[Finding, ...]
    p_unbroken: float
    """Against "some metric is outside an end that breaks the game", corrected over all cells."""
    p_fine: float
    """Against "some metric is outside an end of its range", corrected over all cells."""
    not_broken: bool = False
    """Whether every metric is inside the ends that break the game, beyond doubt."""
    missing: tuple[str, ...] = ()
    """Metrics with a threshold that could not be measured although they should: fine cannot be said."""
    not_looked_at: tuple[str, ...] = ()
    """Metrics with a threshold that these games say nothing about."""
    further: float = 0.0
    """Games of this cell that would settle it, were everything as estimated; infinite if none would."""
    holding: Finding | None = None
    """What needs most of them."""

    @property
    def judged(self) -> bool:
        """Whether a verdict may rest on it: not if it shows weaker play alone."""
        return not self.findings or any(not finding.weaker for finding in self.findings)

    @property
    def broken(self) -> list[Finding]:
        """What breaks it, the worst first."""
        return sorted((f for f in self.findings if f.broken), key=worst_first)

    @property
    def bent(self) -> list[Finding]:
        """What bends it, the farthest outside first."""
        return sorted((f for f in self.findings if f.bent), key=worst_first)

    @property
    def accepted(self) -> list[Finding]:
        """What would break or bend it, had it not been accepted."""
        return sorted((f for f in self.findings if f.outside and f.accepted), key=worst_first)

    @property
    def weaker(self) -> list[Finding]:
        """What is outside its range in weaker play alone."""
        return sorted((f for f in self.findings if f.outside and f.weaker), key=worst_first)


@dataclass(frozen=True, slots=True)
class Judgement:
    """The verdict on some variants at one number of players, over all strengths of play."""

    players: int
    variants: tuple[str, ...]
    verdict: Verdict
    cells: tuple[CellVerdict, ...]
    look: int = 1

    @property
    def key(self) -> Key:
        """What it is about."""
        return self.players, self.variants

    @property
    def tests(self) -> int:
        """How many ends of ranges were tested."""
        return sum(len(cell.findings) for cell in self.cells)

    @property
    def broken(self) -> list[Finding]:
        """What breaks it, the worst first."""
        return sorted((finding for cell in self.cells for finding in cell.broken), key=worst_first)

    @property
    def bent(self) -> list[Finding]:
        """What bends it, the farthest outside first."""
        return sorted((finding for cell in self.cells for finding in cell.bent), key=worst_first)

    @property
    def accepted(self) -> list[Finding]:
        """What would break or bend it, had it not been accepted."""
        return sorted((finding for cell in self.cells for finding in cell.accepted), key=worst_first)

    @property
    def reasons(self) -> list[Finding]:
        """The findings that the verdict rests on: what breaks it, or what bends it."""
        return (
            self.broken
            if self.verdict is Verdict.BROKEN
            else self.bent
            if self.verdict is Verdict.BENT
            else []
        )

    @property
    def not_broken(self) -> bool:
        """Whether every metric is inside the ends that break the game, beyond doubt."""
        judged = [cell for cell in self.cells if cell.judged]
        return bool(judged) and all(cell.not_broken for cell in judged)

    @property
    def severity(self) -> float:
        """How much is wrong: the severities of all metrics that it rests on, each at its worst, summed."""
        worst: dict[str, float] = {}
        for finding in self.reasons:
            name = finding.measured.metric.name
            worst[name] = max(worst.get(name, 0.0), finding.severity)
        return math.fsum(worst.values())

    @property
    def broken_for(self) -> list[str]:
        """For whom it is broken."""
        return [cell.strength for cell in self.cells if cell.verdict is Verdict.BROKEN]

    @property
    def bent_for(self) -> list[str]:
        """For whom it is bent."""
        return [cell.strength for cell in self.cells if cell.bent]

    @property
    def blocked(self) -> bool:
        """Whether *fine* is out of reach however many such games are played."""
        return any(cell.missing for cell in self.cells)

    @property
    def further(self) -> float:
        """Games that would settle it, in all its cells; infinite if it is too close to call."""
        open_ = [cell.further for cell in self.cells if cell.judged and cell.verdict is Verdict.UNDECIDED]
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


@dataclass(frozen=True)
class Family:
    """Everything that was looked at together, and so is corrected for."""

    tests: int
    """One-sided tests: cells times metrics times ends of ranges."""
    breaking: int
    """Those of them at ends that break the game; the others are corrected together, apart from these."""
    cells: int
    """Cells, each one claim of *not broken* and one of *fine*."""
    metrics: int
    alpha: float
    """The rate of false claims, of this look."""
    level_broken: float
    """A p-value that would be enough for one more metric outside an end that breaks the game."""
    level_bent: float
    """The same for ends that bend it."""
    level_unbroken: float
    """A p-value that would be enough for one more cell that is not broken."""
    level_fine: float

    def __str__(self) -> str:
        return (
            f"{self.tests} tests of {self.metrics} metrics in {self.cells} cells, {self.breaking} of what "
            f"breaks the game and {self.tests - self.breaking} of what bends it, each corrected together "
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
        """Metrics with a threshold that could be measured in no cell: the verdicts say nothing of them."""
        cells = [cell.not_looked_at for judgement in self.judgements for cell in judgement.cells]
        common = set(cells[0]).intersection(*cells) if cells else set()
        return tuple(name for name in (cells[0] if cells else ()) if name in common)


# --- judging


def judge(
    statistics: Statistics,
    thresholds: Thresholds,
    *,
    cells: Iterable[int] | None = None,
    alpha: float = ALPHA,
    look: Look | None = None,
    settled: Mapping[Key, Judgement] | None = None,
    bench: Bench | None = None,
) -> Judgements:
    """Judge cells (by default all), those of the same players and variants together.

    For repeated looks at growing data, `look` says which one this is and `settled` holds what earlier ones
    have decided: those verdicts stay, and go on counting in the family.
    """
    bench = bench or Bench(statistics)
    kept = dict(settled or {})
    wanted = statistics.cells if cells is None else {number: statistics.cells[number] for number in cells}
    looked = [c for c in wanted.values() if c.games and (c.players, c.variants) not in kept]
    looks = bench.looks(looked, thresholds)
    rate = alpha * (1.0 if look is None else look.part)
    family = _correct(looks, kept.values(), rate)
    unbroken, fine = _inside(looks, kept.values())
    by_key: dict[Key, list[tuple[CellLook, float, float]]] = {}
    for one in zip(looks, unbroken, fine, strict=True):
        by_key.setdefault((one[0].cell.players, one[0].cell.variants), []).append(one)
    found = [
        _judgement(key, group, bench, family, 1 if look is None else look.number)
        for key, group in by_key.items()
    ]
    return Judgements(tuple(sorted([*kept.values(), *found], key=lambda j: j.key)), family)


def _correct(looks: Sequence[CellLook], kept: Iterable[Judgement], rate: float) -> Family:
    """Correct all tests of a class together; settled ones count, but can be found no second time."""
    earlier = list(kept)
    findings = [finding for seen in looks for finding in seen.findings]
    before = [finding for judgement in earlier for cell in judgement.cells for finding in cell.findings]
    tests, levels = {}, {}
    for kind in Class:
        own = [finding for finding in findings if finding.kind is kind]
        counted = sum(finding.kind is kind for finding in before)
        for finding, p in zip(own, _adjusted([f.p_broken for f in own], counted), strict=True):
            finding.adjusted = p
            finding.outside = p <= rate
        tests[kind] = len(own) + counted
        levels[kind] = _level(rate, sum(finding.outside for finding in own), tests[kind])
    cells = len(looks) + sum(len(judgement.cells) for judgement in earlier)
    claimed = [sum(p <= rate for p in claims) for claims in _inside(looks, earlier)]
    return Family(
        sum(tests.values()),
        tests[Class.BREAKS],
        cells,
        len({finding.measured.metric.name for finding in findings}),
        rate,
        levels[Class.BREAKS],
        levels[Class.BENDS],
        _level(rate, claimed[0], cells),
        _level(rate, claimed[1], cells),
    )


def _level(rate: float, claimed: int, tests: int) -> float:
    """Return a p-value that would be enough for one more claim."""
    tests = max(tests, 1)
    return rate * min(claimed + 1, tests) / (tests * harmonic(tests))


def _adjusted(p_values: Sequence[float], counted: int) -> list[float]:
    return benjamini_yekutieli([*p_values, *[1.0] * counted])[: len(p_values)]


def _inside(looks: Sequence[CellLook], kept: Iterable[Judgement]) -> tuple[list[float], list[float]]:
    """Return the corrected p-values of "not broken" and of "fine", one of each per cell."""
    counted = sum(len(judgement.cells) for judgement in kept)
    return (
        _adjusted([seen.p_unbroken for seen in looks], counted),
        _adjusted([seen.p_fine for seen in looks], counted),
    )


def _judgement(
    key: Key, group: Sequence[tuple[CellLook, float, float]], bench: Bench, family: Family, look: int
) -> Judgement:
    facts = bench.statistics.facts
    cells = tuple(
        _cell(seen, unbroken, fine, strength_of(facts, seen.cell.lineup).name, family)
        for seen, unbroken, fine in group
    )
    judged = [cell.verdict for (seen, *_), cell in zip(group, cells, strict=True) if not seen.left_out]
    return Judgement(*key, combined(judged), cells, look)


def _cell(seen: CellLook, p_unbroken: float, p_fine: float, strength: str, family: Family) -> CellVerdict:
    not_broken = p_unbroken <= family.alpha
    if any(finding.broken for finding in seen.findings):
        verdict = Verdict.BROKEN
    elif not not_broken:
        verdict = Verdict.UNDECIDED
    elif any(finding.bent for finding in seen.findings):
        verdict = Verdict.BENT
    elif seen.missing or p_fine > family.alpha:
        verdict = Verdict.UNDECIDED
    else:
        verdict = Verdict.FINE
    further, holding = 0.0, None
    if verdict is Verdict.UNDECIDED:
        further, holding = _further(seen, family, not_broken=not_broken)
    return CellVerdict(
        seen.cell,
        strength,
        verdict,
        tuple(seen.findings),
        p_unbroken,
        p_fine,
        not_broken and verdict is not Verdict.BROKEN,
        seen.missing,
        seen.not_looked_at,
        further,
        holding,
    )


def _further(seen: CellLook, family: Family, *, not_broken: bool) -> tuple[float, Finding | None]:
    """Return how many further games would settle a cell, were everything as estimated, and what needs them.

    First whether it is broken must be settled, then whether it is bent. One metric outside its range is
    enough for that; for all to be inside, the one that needs most decides.
    """
    held = [finding for finding in seen.findings if finding.holds]
    kind = Class.BENDS if not_broken else Class.BREAKS
    own = [finding for finding in held if finding.kind is kind]
    beyond, within = (
        (family.level_bent, family.level_fine) if not_broken else (family.level_broken, family.level_unbroken)
    )
    outside = [(_games(f, beyond), f) for f in own if f.seems_outside]
    if outside:
        return min(outside, key=lambda pair: pair[0])
    # *fine* is a claim about both classes, at a level of its own
    inside = [(_games(f, within), f) for f in (held if not_broken else own) if f.p_fine > within]
    return max(inside, key=lambda pair: pair[0], default=(math.inf, None))


def _games(finding: Finding, level: float) -> float:
    """Return how many further games would be enough for a test at this level."""
    away = abs(finding.z)
    if not away or math.isnan(away):
        return math.inf
    games = finding.cell.games * (separation(level) / away) ** 2
    return max(1.0, math.ceil(games - finding.cell.games))
