"""The answer of a comparison: changed verdicts, what was not compared, what could have been seen.

Nothing is counted or played here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import Any, Final

from balance.dataset.run import Run
from balance.experiments.compare.changes import (
    COMBINATION,
    LEVELS,
    Change,
    ChangeFamily,
    Looked,
)
from balance.games.contract import Catalog, Difference, Facts, Game
from balance.judge.findings import Finding
from balance.judge.verdict import Family, Judgement, Verdict

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


# --- verdicts


class Again(StrEnum):
    """What fresh deals say of a combination that seems to be broken now."""

    HELD = "confirmed on fresh deals"
    REFUTED = "not confirmed on fresh deals"
    LEFT_OUT = "not measured again, as only the worst are"
    NOT_PLAYED = "not confirmed on fresh deals, as nothing is played where both sides are runs"


@dataclass(frozen=True, slots=True)
class VerdictChange:
    """A combination whose verdict differs from before."""

    players: int
    variants: tuple[str, ...]
    before: Verdict
    after: Verdict
    reasons: tuple[str, ...]
    """What breaks it now, or broke it before."""
    causes: tuple[Finding, ...] = ()
    """What breaks it now and has itself changed beyond doubt, outwards; all if it was not broken before."""
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
    """The same in the combination that varies most."""


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
    """Where the catalogs differ."""
    changes: tuple[Change, ...]
    """Everything that was looked at, changed or not."""
    verdicts: tuple[VerdictChange, ...]
    counts: Mapping[int, tuple[Counter[Verdict], Counter[Verdict]]]
    """Verdicts by number of players, before and now."""
    family: ChangeFamily
    uncompared: tuple[Uncompared, ...]
    power: tuple[Power, ...] = ()
    combinations: int = 0
    games: int = 0
    """Games of both sides together."""
    names: Mapping[str, str] = field(default_factory=dict)
    """Names of variants, and of items by id as text."""
    same: str = ""
    """Why there was nothing to compare, if so."""
    verdict_families: tuple[Family, ...] = ()
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
        """Yield where the two sides differ."""
        for one in self.differences[:most]:
            named = f"{one.kind} {one.name or one.id}"
            if one.change == "changed":
                yield f"{named}: {one.field} {_short(one.new)} instead of {_short(one.old)}"
            else:
                yield f"{named}: {one.change}"
        if len(self.differences) > most:
            yield f"... and {len(self.differences) - most:,} more; balance catalog diff lists all"
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
