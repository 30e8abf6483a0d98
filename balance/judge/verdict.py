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
from typing import Final

from balance.judge.bench import Bench
from balance.judge.bench import CellVerdict as CellVerdict
from balance.judge.bench import Verdict as Verdict
from balance.judge.findings import Finding, worst_first
from balance.judge.pooled import judge_pools
from balance.judge.quality import Key as Key
from balance.judge.quality import Quality
from balance.judge.thresholds import Class, Thresholds
from balance.measure.cells import Statistics
from balance.stats.arithmetic import separation
from balance.stats.corrections import Look, benjamini_yekutieli, harmonic

ALPHA: Final = 0.05
"""The rate of false claims among claims of one kind: outside an end of each class, not broken, fine."""
TOO_MANY: Final = 1_000_000
"""Games beyond which a verdict is called too close to call."""


def combined(verdicts: Iterable[Verdict]) -> Verdict:
    """Return the first of broken, undecided, bent and fine that is among some verdicts.

    >>> combined([Verdict.FINE, Verdict.BENT]), combined([Verdict.BENT, Verdict.UNDECIDED])
    (<Verdict.BENT: 'bent'>, <Verdict.UNDECIDED: 'undecided'>)
    """
    every = set(verdicts)
    return next((verdict for verdict in Verdict if verdict in every), Verdict.UNDECIDED)


@dataclass(frozen=True, slots=True)
class Judgement:
    """The verdict on some variants at one number of players, over all strengths of play."""

    players: int
    variants: tuple[str, ...]
    verdict: Verdict
    cells: tuple[CellVerdict, ...]
    look: int = 1
    not_looked_at: tuple[str, ...] = ()
    """Metrics with a threshold that these games do not show: the verdict is not fine."""
    quality: Quality | None = None
    """How much a best reply gains; None if that is not known."""

    @property
    def key(self) -> Key:
        """The players and variants that it is about."""
        return self.players, self.variants

    @property
    def tests(self) -> int:
        """How many ends of ranges were tested."""
        return sum(len(cell.findings) for cell in self.cells)

    @property
    def broken(self) -> list[Finding]:
        """Findings that break it, the worst first."""
        return sorted((finding for cell in self.cells for finding in cell.broken), key=worst_first)

    @property
    def bent(self) -> list[Finding]:
        """Findings that bend it, the farthest outside first."""
        return sorted((finding for cell in self.cells for finding in cell.bent), key=worst_first)

    @property
    def accepted(self) -> list[Finding]:
        """Findings that would break or bend it, had they not been accepted."""
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
        """Whether every metric is clearly inside the ends that break the game."""
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
        """The strengths of play at which it is broken."""
        return [cell.strength for cell in self.cells if cell.verdict is Verdict.BROKEN]

    @property
    def bent_for(self) -> list[str]:
        """The strengths of play at which it is bent."""
        return [cell.strength for cell in self.cells if cell.bent]

    @property
    def blocked(self) -> bool:
        """Whether *fine* is out of reach however many such games are played."""
        poor = self.quality is not None and self.quality.poor
        return poor or bool(self.not_looked_at) or any(cell.missing for cell in self.cells)

    @property
    def open(self) -> list[CellVerdict]:
        """The cells that keep it undecided: more games of them could settle it."""
        if self.verdict is not Verdict.UNDECIDED:
            return []
        undecided = (cell for cell in self.cells if cell.judged and cell.verdict is Verdict.UNDECIDED)
        return [cell for cell in undecided if not cell.missing]

    @property
    def further(self) -> float:
        """Games that would settle it, in all its cells; infinite if none would."""
        if self.verdict is not Verdict.UNDECIDED:
            return 0.0
        return sum(cell.further for cell in self.open) or math.inf

    @property
    def too_close(self) -> bool:
        """Whether more games than anybody plays would be needed."""
        return self.verdict is Verdict.UNDECIDED and self.further > TOO_MANY

    @property
    def holding(self) -> Finding | None:
        """The finding that does most to keep it undecided."""
        held = [cell for cell in self.open if cell.holding]
        return max(held, key=lambda cell: cell.further).holding if held else None


@dataclass(frozen=True)
class Family:
    """Everything that was looked at together, and so is corrected for."""

    tests: int
    """One-sided tests: cells times metrics times ends of ranges."""
    breaking: int
    """Those of them at ends that break the game; the others are corrected together, apart from these."""
    pooled: int
    """Those that can only charge a combination, of what is judged over everything: corrected apart."""
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
            f"breaks the game, {self.tests - self.breaking - self.pooled} of what bends it and {self.pooled} "
            "of seats and opening items, each corrected together "
            f"(Benjamini-Yekutieli, false claims at most {self.alpha:.2g} of all claims)"
        )


@dataclass(frozen=True, slots=True)
class Judgements:
    """All verdicts of one command."""

    judgements: tuple[Judgement, ...]
    family: Family
    pools: tuple[CellVerdict, ...] = ()
    """Verdicts on what is judged over everything that was played: seats, opening items."""

    def find(self, players: int, variants: Sequence[str]) -> Judgement | None:
        """Return the verdict on some variants, if it was asked for."""
        key = (players, tuple(variants))
        return next((found for found in self.judgements if found.key == key), None)

    @property
    def not_looked_at(self) -> tuple[str, ...]:
        """Metrics with a threshold that some verdict could not judge."""
        return tuple(dict.fromkeys(name for found in self.judgements for name in found.not_looked_at))


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
    family = _correct(looks, list(kept.values()), rate)
    groups: dict[Key, list[CellVerdict]] = {}
    for seen in looks:
        groups.setdefault((seen.cell.players, seen.cell.variants), []).append(seen)
    number = 1 if look is None else look.number
    found = [
        _judgement(key, group, thresholds, number, bench.qualities.of(key)) for key, group in groups.items()
    ]
    pools = judge_pools(bench, thresholds, rate, {cell.players for cell in wanted.values()})
    return Judgements(tuple(sorted([*kept.values(), *found], key=lambda j: j.key)), family, pools)


def _correct(looks: Sequence[CellVerdict], earlier: Sequence[Judgement], rate: float) -> Family:
    """Decide all tests, each kind corrected together, and with them the verdict on each cell.

    Settled ones count, but can be found no second time.
    """
    findings = [finding for seen in looks for finding in seen.findings]
    before = [finding for judgement in earlier for cell in judgement.cells for finding in cell.findings]
    families = [(kind, pooled) for kind in Class for pooled in (False, True)]
    tests, levels = {}, {}
    for kind in families:
        own = [finding for finding in findings if _family(finding) == kind]
        counted = sum(_family(finding) == kind for finding in before)
        for finding, p in zip(own, _adjusted([f.p_broken for f in own], counted), strict=True):
            finding.adjusted = p
            finding.outside = p <= rate
        tests[kind] = len(own) + counted
        levels[kind] = _level(rate, sum(finding.outside for finding in own), tests[kind])
    _override(findings, rate)
    cells = len(looks) + sum(len(judgement.cells) for judgement in earlier)
    unbroken, fine = (
        _adjusted(p_values, cells - len(looks))
        for p_values in ([seen.p_unbroken for seen in looks], [seen.p_fine for seen in looks])
    )
    family = Family(
        sum(tests.values()),
        tests[Class.BREAKS, False],
        sum(tests[kind, True] for kind in Class),
        cells,
        len({finding.measured.metric.name for finding in findings}),
        rate,
        levels[Class.BREAKS, False],
        levels[Class.BENDS, False],
        _level(rate, sum(p <= rate for p in unbroken), cells),
        _level(rate, sum(p <= rate for p in fine), cells),
    )
    for seen, p_unbroken, p_fine in zip(looks, unbroken, fine, strict=True):
        _decide(seen, p_unbroken <= rate, p_fine <= rate, family)
    return family


def _family(finding: Finding) -> tuple[Class, bool]:
    """Return what a test is corrected with: tests that only charge must not blur those that also hold."""
    return finding.kind, finding.pooled


def _override(findings: Sequence[Finding], rate: float) -> None:
    """Let players who search decide what their own games decide, against the default player."""
    search = [finding for finding in findings if finding.search and not finding.pooled]
    for finding, p in zip(search, _adjusted([f.p_fine for f in search], 0), strict=True):
        finding.inside = p <= rate and not finding.outside
    deciding = sorted((f for f in search if f.inside or f.outside), key=lambda f: f.outside)
    decided = {_about(finding): finding.outside for finding in deciding}
    for finding in findings:
        if not finding.search and not finding.weaker and _about(finding) in decided:
            agrees = finding.outside and decided[_about(finding)]
            finding.overridden = not agrees


def _about(finding: Finding) -> tuple[object, ...]:
    return finding.cell.players, finding.cell.variants, finding.measured.name, finding.upper


def _level(rate: float, claimed: int, tests: int) -> float:
    """Return a p-value that would be enough for one more claim."""
    tests = max(tests, 1)
    return rate * min(claimed + 1, tests) / (tests * harmonic(tests))


def _adjusted(p_values: Sequence[float], counted: int) -> list[float]:
    return benjamini_yekutieli([*p_values, *[1.0] * counted])[: len(p_values)]


def _judgement(
    key: Key, cells: Sequence[CellVerdict], thresholds: Thresholds, look: int, quality: Quality | None
) -> Judgement:
    verdict = combined(cell.verdict for cell in cells if cell.judged)
    looked = {f.measured.metric.name for cell in cells for f in cell.findings if not f.weaker}
    looked |= {name for cell in cells for name in cell.missing}
    unseen = tuple(name for name in thresholds.wanted(variants=bool(key[1])) if name not in looked)
    poor = quality is not None and quality.poor
    if (verdict is Verdict.FINE and (unseen or poor)) or (verdict is Verdict.BENT and poor):
        verdict = Verdict.UNDECIDED
    return Judgement(*key, verdict, tuple(cells), look, unseen, quality)


def _decide(seen: CellVerdict, not_broken: bool, fine: bool, family: Family) -> None:
    """Put the verdict on a cell."""
    if any(finding.broken for finding in seen.findings):
        seen.verdict = Verdict.BROKEN
    elif not not_broken and not seen.advises:
        seen.verdict = Verdict.UNDECIDED
    elif any(finding.bent for finding in seen.findings):
        seen.verdict = Verdict.BENT
    elif seen.missing or not fine:
        seen.verdict = Verdict.UNDECIDED
    else:
        seen.verdict = Verdict.FINE
    seen.not_broken = not_broken and seen.verdict is not Verdict.BROKEN
    if seen.verdict is Verdict.UNDECIDED:
        seen.further, seen.holding = _further(seen, family, not_broken=not_broken)


def _further(seen: CellVerdict, family: Family, *, not_broken: bool) -> tuple[float, Finding | None]:
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
