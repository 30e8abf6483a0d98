"""What a comparison of two catalogs, runs or editions has found: plain values, and how they are told.

Words and order only; counting is done in `balance.analysis.paired`, playing in `balance.analysis.comparing`.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from typing import Any, Final

from balance.analysis.blocks import Figure, Moments, mean_of, p_not_zero, quantile_of
from balance.analysis.corrections import benjamini_yekutieli
from balance.analysis.intervals import Interval
from balance.analysis.items import FEWEST
from balance.analysis.metrics import METRICS
from balance.analysis.paired import Group
from balance.analysis.verdict import ALPHA, Finding, Judgement, Verdict
from balance.analysis.verdict import Family as VerdictFamily
from balance.dataset.run import Run
from balance.games.contract import Catalog, Difference, Facts, Game

__all__ = [
    "ALL",
    "COMBINATION",
    "ITEM",
    "LEVELS",
    "VARIANT",
    "Again",
    "Change",
    "Comparison",
    "Family",
    "Looked",
    "Power",
    "Side",
    "Uncompared",
    "VerdictChange",
    "causes_of",
    "change_of",
    "corrected",
    "nine_of_ten",
    "over_players",
    "scaled",
]

ALL, ITEM, VARIANT, COMBINATION = LEVELS = ("all", "item", "variant", "combination")
"""What a change is about: all combinations together, an item in all of them, a variant, one combination."""
_LEVEL_WORDS: Final = {
    ALL: "over all combinations",
    ITEM: "of single items",
    VARIANT: "of variants",
    COMBINATION: "of combinations",
}
POWER: Final = 0.8416212335729143
"""The normal quantile of 80%."""
_METRICS: Final = {
    "length": "mean_length",
    "stalled": "stalls",
    "extended": "tie_extensions",
    "exhausted": "exhaustion",
    "policy": "win_points",
    "beside": "neighbour",
}
"""What metrics call the parts that differ in name."""
_TITLES: Final[Mapping[str, str]] = {metric.name: metric.title for metric in METRICS} | {
    "mean_length": "mean length in rounds",
    "dealt": "win points of a seat that was dealt it",
    "built": "times it is built per seat that held it",
}
_SHARES: Final = (
    "stalls", "tie_extensions", "no_lead_change", "half_leader", "comeback", "action", "exhaustion", "built",
)  # fmt: skip
_LENGTHS: Final = ("length", "length_short", "length_long", "length_ratio")


@dataclass(frozen=True)
class Side:
    """One of the two things that are compared."""

    label: str
    """As the user named it."""
    kind: str
    """`run`, `official`, `edition` or `overlay`."""
    edition: str
    catalog: Catalog
    runs: tuple[Run, ...] = ()


Looked = tuple[str, int | None, str, tuple[str, ...], int | None, str]
"""Level, players, lineup, variants, item and metric of a change."""


@dataclass(frozen=True, slots=True)
class Change:
    """One figure on both sides, and the difference, deal by deal."""

    level: str
    players: int | None
    """None: over all numbers of players, each counting alike."""
    lineup: str
    variants: tuple[str, ...]
    item: int | None
    metric: str
    of: str
    base: float
    candidate: float
    difference: float
    low: float | None
    """The ends of the 95% interval; None if there is no spread to judge by."""
    high: float | None
    deals: int
    p: float | None
    """Two-sided, against "no difference"; None if there are too few deals to test."""
    size: float
    """The difference in units of what the base differs from deal to deal: to sort by, whatever the unit."""
    detectable: float | None
    """The difference that a single test at 5% would find with a chance of 80%; None if no deal differed."""
    adjusted: float | None = None
    """`p`, corrected over everything that was looked at."""

    @property
    def sure(self) -> bool:
        """Whether it changed beyond doubt."""
        return self.adjusted is not None and self.adjusted <= ALPHA

    @property
    def looked(self) -> Looked:
        """What was looked at, the same on other deals."""
        return self.level, self.players, self.lineup, self.variants, self.item, self.name

    @property
    def name(self) -> str:
        """The metric, and what it is of."""
        return f"{self.metric}:{self.of}" if self.of else self.metric

    @property
    def title(self) -> str:
        """The metric in words."""
        said = _TITLES.get(self.metric, self.metric)
        return f"{said} ({self.of})" if self.of else said

    @property
    def _digits(self) -> int:
        """Digits behind the point: two that the interval lets one tell."""
        wide = (self.high - self.low) / 2 if self.low is not None and self.high is not None else 0.0
        wide = (wide or abs(self.difference)) * (100 if self.metric in _SHARES else 1)
        return min(4, max(1, 1 - math.floor(math.log10(wide)))) if wide else 2

    def figure(self, value: float) -> str:
        """Return a number of this metric as it is told."""
        if self.metric in _SHARES:
            return f"{100 * value:.{self._digits}f}%"
        return f"{value:.{self._digits}f}"

    def told(self) -> str:
        """Return the difference with its interval; of shares in percentage points."""
        scale, unit = (100, " pp") if self.metric in _SHARES else (1, "")
        said = f"{scale * self.difference:+.{self._digits}f}"
        if self.low is None or self.high is None:
            return f"{said}{unit}"
        low, high = (f"{scale * end:+.{self._digits}f}" for end in (self.low, self.high))
        return f"{said}{unit} ({low} to {high})"


def change_of(
    level: str,
    group: Group,
    part: str,
    moments: Moments,
    *,
    item: int | None = None,
    scale: float = 1.0,
    deals: int | None = None,
) -> Change | None:
    """Return what moments of candidate and base say of a part; None if one side has nothing of it.

    `deals` is how many there are, if a block of the moments is not one of them.
    """
    figure, base, candidate = moments.difference((0, 1), (2, 3)), moments.ratio(2, 3), moments.ratio(0, 1)
    if figure is None or base is None or candidate is None:
        return None
    kind, _, of = part.partition(":")
    deals = moments.blocks if deals is None else deals
    spread = math.sqrt(base.variance * deals)
    return _change(
        level, group, _METRICS.get(kind, kind), of, item, deals, scaled(figure, scale),
        base.value * scale, candidate.value * scale, spread * scale, blocks=moments.blocks,
    )  # fmt: skip


def scaled(figure: Figure, scale: float) -> Figure:
    """Return a figure in another unit."""
    return Figure(figure.value * scale, figure.variance * scale**2, figure.freedom)


def _change(
    level: str, group: Group, metric: str, of: str, item: int | None, deals: int,
    figure: Figure, base: float, candidate: float, spread: float, players: int | None = -1,
    blocks: int | None = None,
) -> Change:  # fmt: skip
    blocks = deals if blocks is None else blocks
    tested = blocks >= FEWEST
    interval = figure.interval or Interval(figure.value, figure.value, figure.value)
    reach = quantile_of(figure.freedom) + POWER
    return Change(
        level=level,
        players=group.players if players == -1 else players,
        lineup=group.lineup,
        variants=group.variants or (),
        item=item,
        metric=metric,
        of=of,
        base=base,
        candidate=candidate,
        difference=figure.value,
        low=interval.low if tested else None,
        high=interval.high if tested else None,
        deals=deals,
        p=_p_value(figure, blocks) if tested else None,
        size=abs(figure.value) / spread if spread else math.inf if figure.value else 0.0,
        detectable=reach * math.sqrt(figure.variance) if figure.variance and tested else None,
    )


def _p_value(figure: Figure, blocks: int) -> float:
    """Return the two-sided p-value; where all differ by the same there is no spread, but their sign."""
    if figure.value and not figure.variance:
        return float(0.5 ** (blocks - 1))
    return p_not_zero(figure)


def over_players(level: str, each: Sequence[tuple[Group, Change, Figure]]) -> Change:
    """Return the mean of the same figure at several numbers of players, each counting alike."""
    changes = [change for _, change, _ in each]
    figures = [figure for _, _, figure in each]
    known = [figure for figure in figures if figure.variance > 0]
    # where all deals differ alike, or none does, there is no spread: these count as known
    spread = mean_of(known) if known else Figure(0.0, 0.0, math.inf)
    part = len(known) / len(figures)
    mean = Figure(_mean(figure.value for figure in figures), spread.variance * part**2, spread.freedom)
    first, group = changes[0], each[0][0]
    return _change(
        level, group, first.metric, first.of, first.item, min(change.deals for change in changes),
        mean, _mean(c.base for c in changes), _mean(c.candidate for c in changes),
        _mean(abs(c.difference) / c.size if c.size else 0.0 for c in changes), players=None,
    )  # fmt: skip


def nine_of_ten(values: Sequence[float]) -> float:
    """Return the value that nine of ten do not exceed.

    >>> nine_of_ten([3, 1, 2]), nine_of_ten(range(1, 101))
    (3, 90)
    """
    return sorted(values)[math.ceil(0.9 * len(values)) - 1]


def _mean(values: Iterable[float]) -> float:
    known = list(values)
    return sum(known) / len(known)


# --- many looks


@dataclass(frozen=True, slots=True)
class Family:
    """Everything that was looked at together, and so is corrected for."""

    tests: int
    levels: tuple[tuple[str, int], ...]
    """How many of them at each level; each level has the same weight."""
    alpha: float = ALPHA

    def __str__(self) -> str:
        parts = ", ".join(f"{count:,} {_LEVEL_WORDS[level]}" for level, count in self.levels)
        return (
            f"{self.tests:,} tests ({parts}), each level with the same weight, corrected together "
            f"(Benjamini-Yekutieli, false claims at most {self.alpha:.2g} of all claims)"
        )


def corrected(changes: Sequence[Change]) -> tuple[list[Change], Family]:
    """Correct for having looked at all of them.

    A few figures over all combinations stand beside thousands of single ones. Benjamini and Yekutieli's
    procedure allows weights that were fixed beforehand and are 1 on average; each level has the same share
    of them, so that looking closely does not blur the whole.
    """
    levels = Counter(change.level for change in changes if change.p is not None)
    tests = sum(levels.values())
    weights = {level: tests / (len(levels) * count) for level, count in levels.items()}
    weighed = [min(1.0, c.p / weights[c.level]) for c in changes if c.p is not None]
    adjusted = iter(benjamini_yekutieli(weighed))
    done = [change if change.p is None else replace(change, adjusted=next(adjusted)) for change in changes]
    return done, Family(tests, tuple((level, levels[level]) for level in LEVELS if level in levels))


# --- verdicts


class Again(StrEnum):
    """What fresh deals say of a combination that seems to be broken now."""

    HELD = "confirmed on fresh deals"
    REFUTED = "not confirmed on fresh deals"
    LEFT_OUT = "not measured again, as only the worst are"
    NOT_PLAYED = "not confirmed on fresh deals, as nothing is played where both sides are runs"


@dataclass(frozen=True, slots=True)
class VerdictChange:
    """A combination that is judged otherwise than before."""

    players: int
    variants: tuple[str, ...]
    before: Verdict
    after: Verdict
    reasons: tuple[str, ...]
    """What breaks it now, or broke it before."""
    causes: tuple[Finding, ...] = ()
    """What breaks it now and has itself changed beyond doubt, outwards; all if it was fine before."""
    for_whom: str = ""
    """At which strengths of play it is broken now."""
    severity: float = 0.0
    again: Again | None = None
    """What fresh deals say, if it seems to be broken now by what was changed."""

    @property
    def suspect(self) -> bool:
        """Whether the deals that were looked at first say that it is broken now by what was changed."""
        return self.after is Verdict.BROKEN and self.before is not Verdict.BROKEN and bool(self.causes)

    @property
    def newly_broken(self) -> bool:
        """Whether it is broken now by what was changed, and fresh deals, if any were played, say so too."""
        return self.suspect and self.again in (Again.HELD, Again.NOT_PLAYED)

    @property
    def told_again(self) -> str:
        """What fresh deals say of it; nothing if they were not asked."""
        return f" ({self.again})" if self.again else ""

    def __str__(self) -> str:
        return f"{' + '.join(self.variants)}, {self.players} players: {self.before}, now {self.after}"


def causes_of(judgement: Judgement, sure: Sequence[Change], facts: Facts) -> Iterator[Finding]:
    """Yield what breaks a combination and has itself changed beyond doubt, outwards; the worst first."""
    usual = facts.default_lineup.rpartition("mirror:")[2]
    here = {
        (change.lineup, change.name if change.item is None else f"{change.name}:{change.item}"): change
        for change in sure
        if change.level == COMBINATION
        and (change.players, change.variants) == (judgement.players, judgement.variants)
    }
    for finding in judgement.broken:
        name = finding.measured.name
        if name == "skill":
            name = f"win_points:{usual}"
        if finding.measured.metric.name == "item":
            name = f"dealt:{finding.measured.of}"
        name = "mean_length" if name in _LENGTHS else name.removesuffix("_ratio")
        change = here.get((finding.cell.lineup, name))
        if change is not None and (change.difference > 0 if finding.upper else change.difference < 0):
            yield finding


# --- the whole


def _order(change: Change) -> tuple[object, ...]:
    """Return what to sort by: the whole first, then items, variants and combinations, each largest first."""
    where = (change.players or 0, change.lineup, change.variants, change.item or 0, change.name)
    return (LEVELS.index(change.level), -change.size, *where)


def _short(value: object) -> str:
    said = "nothing" if value is None else str(value)
    return said if len(said) <= 60 else f"{said[:57]}..."


@dataclass(frozen=True, slots=True)
class Power:
    """What could have been seen: of the seat that was dealt a changed item, in win points."""

    item: int
    name: str
    players: int
    lineup: str
    dealt: int
    """Deals of a combination in which it was dealt, the median."""
    whole: float | None
    """The difference that would be found in all combinations together, in 80% of cases at 5%, if several."""
    nine_of_ten: float
    """The difference that would be found so in nine of ten single combinations."""
    worst: float
    """In the one that varies most."""


@dataclass(frozen=True, slots=True)
class Uncompared:
    """Combinations or cells that are not compared, and why."""

    why: str
    count: int
    named: tuple[str, ...] = ()
    """The variants that they have in common, or a few of the cells."""
    unit: str = "combinations"

    def __str__(self) -> str:
        named = f": {'; '.join(self.named)}" if self.named else ""
        unit = self.unit.removesuffix("s") if self.count == 1 else self.unit
        return f"{self.count:,} {unit} {self.why}{named}"


@dataclass(frozen=True)
class Comparison:
    """A candidate against a base, on the same deals."""

    game: Game[Any, Any]
    base: Side
    candidate: Side
    seed: int
    differences: tuple[Difference, ...]
    """What the catalogs say otherwise."""
    changes: tuple[Change, ...]
    """Everything that was looked at, changed or not."""
    verdicts: tuple[VerdictChange, ...]
    counts: Mapping[int, tuple[Counter[Verdict], Counter[Verdict]]]
    """Verdicts by number of players, before and now."""
    family: Family
    uncompared: tuple[Uncompared, ...]
    power: tuple[Power, ...] = ()
    combinations: int = 0
    games: int = 0
    """Of both sides."""
    names: Mapping[str, str] = field(default_factory=dict)
    """Of variants, and of items by id as text."""
    same: str = ""
    """Why there was nothing to compare, if so."""
    verdict_families: tuple[VerdictFamily, ...] = ()
    """Everything that was looked at for the verdicts of the base, and of the candidate."""
    fresh: Mapping[Looked, Change] = field(default_factory=dict)
    """The largest changes of single combinations, measured again on deals that nobody had looked at."""

    @cached_property
    def changed(self) -> tuple[Change, ...]:
        """What changed beyond doubt: the whole first, then items, variants, combinations; largest first."""
        return tuple(sorted((change for change in self.changes if change.sure), key=_order))

    @property
    def newly_broken(self) -> list[VerdictChange]:
        """What is broken now by what was changed."""
        return [change for change in self.verdicts if change.newly_broken]

    @property
    def title(self) -> str:
        """What is compared."""
        one, two = self.base, self.candidate
        where = one.edition if one.edition == two.edition else f"{one.edition}, {two.edition}"
        return f"{one.label} -> {two.label} ({where})"

    @property
    def headline(self) -> str:
        """The answer in one line."""
        if self.same:
            return f"SAME: {self.title}"
        if self.newly_broken:
            return f"BROKEN NOW: {self.title}"
        if self.changed or self.verdicts:
            return f"CHANGED: {self.title}"
        return f"NO CHANGE BEYOND DOUBT: {self.title}"

    @property
    def answer(self) -> str:
        """The answer in a sentence."""
        if self.same:
            return f"{self.same[:1].upper()}{self.same[1:]}: nothing was played."
        broken = len(self.newly_broken)
        if broken:
            are = "combination is" if broken == 1 else "combinations are"
            return f"{broken:,} {are} broken now by what was changed, {self.newly_broken[0].again}."
        if any(change.suspect for change in self.verdicts):
            return (
                "Nothing is broken by what was changed that fresh deals confirm; "
                f"{len(self.changed):,} figures changed beyond doubt."
            )
        if self.changed or self.verdicts:
            return (
                f"Nothing is broken by what was changed; {len(self.changed):,} figures changed beyond doubt."
            )
        return f"Nothing changed beyond doubt, in {self.family.tests:,} comparisons."

    @property
    def told_families(self) -> str:
        """What the verdicts are corrected for."""
        texts = [str(family) for family in self.verdict_families]
        if len(set(texts)) == 1:
            return f"Verdicts of either side: {texts[0]}"
        return f"Verdicts: base {'; candidate '.join(texts)}"

    def told_differences(self, most: int = 40) -> Iterator[str]:
        """Yield what the two sides say otherwise."""
        for one in self.differences[:most]:
            named = f"{one.kind} {one.name or one.id}"
            if one.change == "changed":
                yield f"{named}: {one.field} {_short(one.new)} instead of {_short(one.old)}"
            else:
                yield f"{named}: {one.change}"
        if len(self.differences) > most:
            yield f"... and {len(self.differences) - most:,} more; balance catalog diff tells all"
        if self.base.edition != self.candidate.edition:
            yield f"edition {self.candidate.edition} instead of {self.base.edition}"

    def title_of(self, variants: Sequence[str]) -> str:
        """Return the names of a combination."""
        return " + ".join(self.names.get(v, v) for v in variants) or f"without {self.game.facts.variants}"

    def where(self, change: Change) -> str:
        """Return what a change is about, in names."""
        parts = [] if change.item is None else [self.names.get(str(change.item), str(change.item))]
        if change.variants or change.level == COMBINATION:
            parts.append(self.title_of(change.variants))
        parts.append(f"{change.players} players" if change.players else "all numbers of players")
        if len({c.lineup for c in self.changes}) > 1:
            parts.append(change.lineup)
        return ", ".join(parts)

    def sentence(self, change: Change) -> str:
        """Return a change in words."""
        now, before = change.figure(change.candidate), change.figure(change.base)
        said = f"{self.where(change)}: {change.title} {now} instead of {before}, {change.told()}"
        again = self.fresh.get(change.looked)
        return said if again is None else f"{said}; on fresh deals {again.told()}"

    def power_sentence(self, power: Power) -> str:
        """Return what could have been seen."""
        where = f"{power.name}, {power.players} players"
        if len({one.lineup for one in self.power}) > 1:
            where += f", {power.lineup}"
        change = "win points of the seat that was dealt it"
        deals = f"where it was dealt in {power.dealt:,} deals"
        if power.whole is None:
            return f"{where}: a change of {power.worst:.2f} {change}, {deals}"
        single = (
            f"{power.nine_of_ten:.2f} in nine of ten single combinations ({power.worst:.2f} in the worst)"
        )
        together = f"a change of {power.whole:.3f} {change}, over all combinations together"
        return f"{where}: {together}; of {single}, {deals}"
