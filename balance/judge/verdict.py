"""Verdicts: a combination of variants is broken, bent or fine, or that is still undecided.

Every end of an accepted range has a class, *breaks* or *bends*. A metric is *outside* if a one-sided test at
the threshold rejects that it is inside, and *inside* if the opposite test rejects that it is outside.
Broken: a metric is outside an end that breaks the game. Bent: all are inside the ends that break it, and one
is outside an end that bends it. Fine: all are inside all ends (all tests must succeed, so none needs a
correction of its own). Undecided is the rest, with the number of further games that would settle it. Claims
of each kind are corrected over everything that was looked at. docs/methods.md gives the reasons.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from balance.judge.bench import Bench
from balance.judge.bench import CellVerdict as CellVerdict
from balance.judge.bench import Verdict as Verdict
from balance.judge.findings import Finding, Findings, worst_first
from balance.judge.pooled import judge_pools
from balance.judge.quality import Key as Key
from balance.judge.quality import Quality
from balance.judge.strengths import strength_of
from balance.judge.thresholds import Class, Thresholds
from balance.measure.cells import Statistics
from balance.measure.metrics import Array
from balance.stats.arithmetic import separation
from balance.stats.corrections import KEPT, ONE_LOOK, Look, benjamini_yekutieli, enough, one_sided

ALPHA: Final = 0.05
"""The rate of false claims among claims of one kind: outside an end of each class, not broken, fine."""
TOO_MANY: Final = 1_000_000
CORRECTION: Final = "Benjamini-Hochberg; Benjamini-Yekutieli for seats and opening items"


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
    not_looked_at: tuple[str, ...] = ()
    """Metrics with a threshold that these games do not show: the verdict is not fine."""
    quality: Quality | None = None

    @property
    def key(self) -> Key:
        """The players and variants that it is about."""
        return self.players, self.variants

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
    def weaker_alone(self) -> list[tuple[CellVerdict, list[Finding]]]:
        """Cells with findings of weaker play, without what the default player seems to show too."""
        known = {
            (finding.measured.name, finding.upper)
            for cell in self.cells
            for finding in cell.findings
            if finding.seems_outside and not finding.weaker
        }
        found = (
            (cell, [f for f in cell.weaker if (f.measured.name, f.upper) not in known]) for cell in self.cells
        )
        return [(cell, alone) for cell, alone in found if alone]

    @property
    def reasons(self) -> list[Finding]:
        """The findings that the verdict rests on: what breaks it, or what bends it."""
        if self.verdict is Verdict.BROKEN:
            return self.broken
        return self.bent if self.verdict is Verdict.BENT else []

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
    def limited_by_play(self) -> bool:
        """Whether it is undecided only because a best reply gains too much: no games settle it."""
        poor = self.quality is not None and self.quality.poor
        return poor and self.verdict is Verdict.UNDECIDED and not (self.open or self.not_looked_at)

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
    breaking: int
    """Those of them at ends that break the game; the others are corrected together, apart from these."""
    pooled: int
    """Those that can only charge a combination, of what is judged over everything: corrected apart."""
    weaker: int
    """Those of weaker play, which no verdict depends on: corrected apart."""
    cells: int
    metrics: int
    alpha: float
    levels: Mapping[str, float]
    """P-values that would be enough for one more claim: `broken`, `bent`, `unbroken`, `fine`."""

    @property
    def bending(self) -> int:
        """Tests at ends that bend the game."""
        return self.tests - self.breaking - self.pooled - self.weaker

    def __str__(self) -> str:
        return (
            f"{self.tests} tests of {self.metrics} metrics in {self.cells} cells, {self.breaking} of what "
            f"breaks the game, {self.bending} of what bends it, {self.pooled} of seats and opening items and "
            f"{self.weaker} of weaker play, each corrected together "
            f"({CORRECTION}, false claims at most {self.alpha:.2g} of all claims)"
        )


@dataclass(frozen=True)
class Judgements:
    """All verdicts of one command."""

    judgements: tuple[Judgement, ...]
    family: Family
    pools: tuple[CellVerdict, ...] = ()
    """Verdicts on what is judged over everything that was played: seats, opening items."""

    def find(self, players: int, variants: Sequence[str]) -> Judgement | None:
        """Return the verdict on some variants, if it was asked for."""
        return self._by_key.get((players, tuple(variants)))

    @cached_property
    def _by_key(self) -> dict[Key, Judgement]:
        return {found.key: found for found in self.judgements}

    @property
    def compared_with(self) -> set[str]:
        """The ids of the thresholds that some cell was compared with."""
        tables = {id(cell.table): cell.table for found in self.judgements for cell in found.cells}.values()
        ranges = (table.ranges[code] for table in tables for code in np.unique(table.code).tolist())
        return {threshold.id for threshold in ranges if threshold}

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
    look: Look = ONE_LOOK,
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
    table = bench.looks(looked, thresholds)
    looks = [
        CellVerdict(
            cell,
            strength_of(statistics.facts, cell.lineup).name,
            table,
            np.arange(table.starts[place], table.starts[place + 1]),
        )
        for place, cell in enumerate(looked)
    ]
    may_break = _note_missing(statistics, thresholds, looks)
    rate = ALPHA * look.part
    family = _correct(table, looks, may_break, list(kept.values()), rate)
    groups: dict[Key, list[int]] = {}
    for place, cell in enumerate(looked):
        groups.setdefault((cell.players, cell.variants), []).append(place)
    shown: dict[str, Array] = {}  # by metric the cells that show it, weaker play aside
    for code, name in enumerate(table.figures.names):
        at = table.at[(table.code == code) & ~table.weaker]
        shown.setdefault(name.metric.name, np.zeros(len(looked), np.bool_))[at] = True
    found = []
    for key, places in groups.items():
        own = [looks[place] for place in places]
        seen = {name for name, cells_with in shown.items() if cells_with[places].any()}
        seen |= {name for one in own for name in one.missing}
        unseen = tuple(name for name in thresholds.wanted(variants=bool(key[1])) if name not in seen)
        quality = bench.qualities.of(key)
        poor = quality is not None and quality.poor
        verdict = combined(cell.verdict for cell in own if cell.judged)
        if (verdict is Verdict.FINE and (unseen or poor)) or (verdict is Verdict.BENT and poor):
            verdict = Verdict.UNDECIDED
        found.append(Judgement(*key, verdict, tuple(own), unseen, quality))
    pools = judge_pools(bench, thresholds, rate, {cell.players for cell in wanted.values()})
    return Judgements(tuple(sorted([*kept.values(), *found], key=lambda j: j.key)), family, pools)


def _note_missing(statistics: Statistics, thresholds: Thresholds, looks: Sequence[CellVerdict]) -> Array:
    may_break = np.zeros(len(looks), np.bool_)
    for place, seen in enumerate(looks):
        if seen.cell.variants and statistics.baseline(seen.cell) is None:
            looked = {seen.table.figures.names[code].metric.name for code in seen.table.code[seen.rows]}
            missing = [one for one in thresholds.entries if one.of_base and one.metric not in looked]
            seen.missing = tuple(one.metric for one in missing)
            may_break[place] = any(Class.BREAKS in one.classes for one in missing)
    return may_break


def _correct(
    table: Findings,
    looks: Sequence[CellVerdict],
    may_break: Array,
    earlier: Sequence[Judgement],
    rate: float,
) -> Family:
    """Decide all tests, each kind corrected together, and with them the verdict on each cell.

    Settled ones count, but can be found no second time. Tests that only charge must not blur those that also
    hold, nor must tests of weaker play, which no verdict depends on.
    """
    tests, levels = {}, {}
    settled = [(cell.table, cell.rows) for judgement in earlier for cell in judgement.cells]
    kinds = _kinds(table, np.arange(len(table)))
    before = np.concatenate([kinds[:0], *(_kinds(one, rows) for one, rows in settled)])
    p_before = np.concatenate([table.p_broken[:0], *(one.p_broken[rows] for one, rows in settled)])
    for place, kind in enumerate(_KINDS):
        own, counted = kinds == place, p_before[before == place]
        tests[kind] = int(own.sum()) + len(counted)
        p_values = table.p_broken[own].tolist()
        if kind in _POOLED:
            table.adjusted[own] = benjamini_yekutieli(p_values + [1.0] * len(counted))[: len(p_values)]
        else:
            kept = int((counted <= KEPT).sum())
            table.adjusted[own] = one_sided(p_values, kept)
            levels[kind] = enough(rate, p_values, kept)
    table.outside = table.adjusted <= rate
    _override(table, rate)
    shows_play = _any(table, ~(table.weaker | table.search))
    unbroken = np.where(may_break, 1.0, _p_inside(table, shows_play, table.breaks))
    fine = _p_inside(table, shows_play, np.ones(len(table), np.bool_))
    for seen, p in zip(looks, fine.tolist(), strict=True):
        seen.p_fine = p
    inside = [enough(rate, _worst(looks, shows_play, p), len(earlier)) for p in (unbroken, fine)]
    family = Family(
        sum(tests.values()),
        tests["broken"],
        sum(tests[kind] for kind in _POOLED),
        tests["weaker"],
        len(looks) + len(settled),
        len({table.figures.names[code].metric.name for code in np.unique(table.code)}),
        rate,
        {"broken": levels["broken"], "bent": levels["bent"], "unbroken": inside[0], "fine": inside[1]},
    )
    _decide(table, looks, family, shows_play, unbroken <= inside[0], fine <= inside[1])
    return family


_POOLED: Final = ("pooled, broken", "pooled, bent")
"""Seats and items of different hands win against each other, so these are corrected for any dependence."""
_KINDS: Final = ("broken", "bent", *_POOLED, "weaker")


def _kinds(table: Findings, rows: Array) -> Array:
    """Return which findings are corrected together, by their place in `_KINDS`."""
    return np.where(table.weaker[rows], 4, 2 * table.pooled[rows] + ~table.breaks[rows])


def _worst(looks: Sequence[CellVerdict], shows_play: Array, p_values: Array) -> list[float]:
    """Return the largest p-value of each combination: its claim needs all tables that show its play."""
    worst: dict[Key, float] = {}
    for seen, shows, p in zip(looks, shows_play.tolist(), p_values.tolist(), strict=True):
        if shows:
            key = seen.cell.players, seen.cell.variants
            worst[key] = max(worst.get(key, 0.0), p)
    return list(worst.values())


def _any(table: Findings, which: Array) -> Array:
    return np.bincount(table.at[which], minlength=len(table.cells)) > 0


def _p_inside(table: Findings, shows_play: Array, which: Array) -> Array:
    """Return for each cell the p-value against "outside an end", among some of the ends."""
    found = np.zeros(len(table.cells))
    own = table.holds & which
    np.maximum.at(found, table.at[own], table.p_fine[own])
    return np.where(shows_play, found, 1.0)


def _override(table: Findings, rate: float) -> None:
    """Let players who search decide what their own games decide, against the default player."""
    search = np.flatnonzero(table.search & ~table.pooled)
    if not search.size:
        return
    inside = np.array(one_sided(table.p_fine[search].tolist())) <= rate
    table.inside[search] = inside & ~table.outside[search]
    deciding = [place for place in search.tolist() if table.inside[place] or table.outside[place]]
    decided: dict[tuple[object, ...], bool] = {}
    for place in deciding:
        about = _about(table, place)
        decided[about] = decided.get(about, False) or bool(table.outside[place])
    keys = {about[:2] for about in decided}
    cells = np.array([(cell.players, cell.variants) in keys for cell in table.cells], np.bool_)
    for place in np.flatnonzero(cells[table.at] & ~table.search & ~table.weaker).tolist():
        about = _about(table, place)
        if about in decided:
            table.overridden[place] = not (table.outside[place] and decided[about])


def _about(table: Findings, place: int) -> tuple[object, ...]:
    cell = table.cells[table.at[place]]
    return cell.players, cell.variants, int(table.code[place]), bool(table.upper[place])


def _decide(
    table: Findings,
    looks: Sequence[CellVerdict],
    family: Family,
    shows_play: Array,
    not_broken: Array,
    fine: Array,
) -> None:
    faults = table.outside & table.counts
    broken, bent = (_any(table, faults & which) for which in (table.breaks, ~table.breaks))
    searched, looked = _any(table, table.search), _any(table, np.ones(len(table), np.bool_))
    advises = ~shows_play & searched
    judged = ~looked | shows_play | broken | bent
    needed = _further(table, family, not_broken)
    for place, seen in enumerate(looks):
        if broken[place]:
            seen.verdict = Verdict.BROKEN
        elif not (not_broken[place] or advises[place]):
            seen.verdict = Verdict.UNDECIDED
        elif bent[place]:
            seen.verdict = Verdict.BENT
        elif seen.missing or not fine[place]:
            seen.verdict = Verdict.UNDECIDED
        else:
            seen.verdict = Verdict.FINE
        seen.judged = bool(judged[place])
        seen.not_broken = bool(not_broken[place]) and seen.verdict is not Verdict.BROKEN
        if seen.verdict is Verdict.UNDECIDED:
            seen.further, seen.held = needed.get(place, (math.inf, None))


def _further(table: Findings, family: Family, not_broken: Array) -> dict[int, tuple[float, int]]:
    """Return by cell how many further games would settle it, were all as estimated, and what needs them.

    First whether it is broken must be settled, then whether it is bent. One metric outside its range is
    enough for that; for all to be inside, the one that needs most decides.
    """
    held, settled = table.holds, not_broken[table.at]
    own = held & (table.breaks != settled)
    games = np.array([cell.games for cell in table.cells], np.float64)[table.at]

    def needed(first: float, then: float) -> Array:
        away = np.abs(table.z)
        apart = np.where(settled, separation(then), separation(first))
        with np.errstate(all="ignore"):
            more = np.maximum(1.0, np.ceil(games * (apart / away) ** 2 - games))
        return np.where((away > 0) & ~np.isnan(away), more, np.inf)

    outside = needed(family.levels["broken"], family.levels["bent"])
    # *fine* is a claim about both classes, at a level of its own
    within = np.where(settled, family.levels["fine"], family.levels["unbroken"])
    most = np.where(settled, held, own) & (table.p_fine > within)
    found = _first(table, most, -needed(family.levels["unbroken"], family.levels["fine"]))
    return {at: (-few, place) for at, (few, place) in found.items()} | _first(
        table, own & table.seems_outside, outside
    )


def _first(table: Findings, which: Array, value: Array) -> dict[int, tuple[float, int]]:
    """Return by cell the finding with the smallest value, among some; of equal ones the first."""
    places = np.flatnonzero(which)
    places = places[np.lexsort((places, value[places], table.at[places]))]
    cells, first = np.unique(table.at[places], return_index=True)
    best = places[first]
    return dict(zip(cells.tolist(), zip(value[best].tolist(), best.tolist(), strict=True), strict=True))
