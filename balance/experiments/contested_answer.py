"""The answer of `balance contested`: records, which JSON holds as they are, and the sentences they become."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from balance import games
from balance.dataset.stamp import Stamped
from balance.games.variants import Combination

LEVEL: Final = 0.05
"""The false discovery rate at which values of items count as changed, over all that were compared."""


@dataclass(frozen=True, slots=True)
class MovedVerdict:
    """A verdict that differs."""

    variants: Combination
    before: str
    after: str
    crosses: bool
    """Whether it is surely broken on one side, and what breaks it is measured within its range on the other.

    Else it is only no longer certain. This is not a test of the change.
    """
    again: bool | None = None
    """Whether it crosses again in the same direction on fresh seeds; None: it does not cross at all."""


@dataclass(frozen=True, slots=True)
class Worth:
    """The value of an item as printed and then; None where it is not in the deck then."""

    id: int
    name: str
    value: float
    rank: int
    """1 is the best item."""
    value_then: float | None = None
    rank_then: int | None = None
    change: float | None = None
    change_low: float | None = None
    change_high: float | None = None
    p: float | None = None
    """Against "the same value"."""
    adjusted: float | None = None
    """Corrected over all values that were compared."""

    @property
    def told(self) -> bool:
        """Whether the value changes beyond noise, after the correction."""
        return self.adjusted is not None and self.adjusted <= LEVEL


@dataclass(frozen=True, slots=True)
class Variation:
    """One way in which an entry may read, and what changes then."""

    reading: str
    sensitivity: bool
    """Whether nobody has read it so: a number moved by one, or the entry left out."""
    judged: int
    """Combinations of variants whose verdicts were compared."""
    verdicts: tuple[MovedVerdict, ...] = ()
    gone: Mapping[str, int] = field(default_factory=dict)
    """Where a variant is left out: how many combinations with it had which verdict."""
    own: Worth | None = None
    """The item itself, whether its value changes or not; None for a variant."""
    others: tuple[Worth, ...] = ()
    """Other items whose values change beyond noise."""

    @property
    def changes(self) -> bool:
        """Whether a verdict crosses its threshold twice, or the value of an item changes beyond noise."""
        return self.revalues or any(moved.again for moved in self.verdicts)

    @property
    def revalues(self) -> bool:
        """Whether the value of any item changes beyond noise."""
        return bool(self.others) or (self.own is not None and self.own.told)

    def sentence(self, items: str = "items") -> str:
        """Say what changes."""
        parts = [_verdict_words(self)]
        if self.own is not None:
            parts.append(_own_words(self.own))
        if self.others:
            named = ", ".join(f"{one.name} {one.change:+.2f}" for one in self.others[:3])
            more = f" and {len(self.others) - 3} more" if len(self.others) > 3 else ""
            whose = "the" if self.own is None else "the other"
            parts.append(f"the value of {len(self.others)} of {whose} {items} changes: {named}{more}")
        return f"{self.reading}: {'; '.join(parts)}."


@dataclass(frozen=True, slots=True)
class Doubted:
    """An entry whose facts are in doubt."""

    kind: str
    id: str
    name: str
    confidence: str
    meaning: str
    note: str
    variations: tuple[Variation, ...]


@dataclass(frozen=True)
class Contested(Stamped):
    """All facts in doubt, and the games played to see what depends on them."""

    edition: str
    players: int
    lineups: tuple[str, ...]
    deals: int
    """Deals of each cell that was judged."""
    deals_for_values: int
    """Deals for the values of items, shared out among the combinations."""
    combinations: int
    """The most combinations that are judged for an entry."""
    tests: int
    """Values that were compared, over all readings: the family of the correction."""
    entries: tuple[Doubted, ...]

    @property
    def command(self) -> str:
        """The command that measures it again."""
        return (
            f"balance contested --edition {self.edition} --players {self.players} --games {self.deals} "
            f"--combinations {self.combinations} --seed {self.seed}"
        )

    def sentences(self) -> list[str]:
        """Return how much depends on the facts in doubt, in words."""
        facts = games.get(self.game).facts
        every = [(entry, v) for entry in self.entries for v in entry.variations]
        readings = [pair for pair in every if not pair[1].sensitivity]
        moved = [pair for pair in every if pair[1].sensitivity]
        found = []
        for told, name in ((readings, "another reading"), (moved, "a sensitivity")):
            if told:
                crosses = sum(any(m.crosses for m in v.verdicts) for _, v in told)
                again = sum(any(m.again for m in v.verdicts) for _, v in told)
                worth = sum(v.revalues for _, v in told)
                entries = len({(entry.kind, entry.id) for entry, _ in told})
                found.append(
                    f"{entries} {'entry' if entries == 1 else 'entries'} with {name}, {len(told)} played: "
                    f"a verdict crosses its threshold in {crosses} of them, again on fresh seeds in {again}; "
                    f"the values of {facts.items} change beyond noise in {worth}."
                )
        return (
            [*found, self._looked_at(facts.variants)] if found else ["Nothing in this catalog is in doubt."]
        )

    def _looked_at(self, variants: str) -> str:
        """Say how much was compared: verdicts, and values that "beyond noise" was corrected for."""
        judged = sorted({v.judged for entry in self.entries for v in entry.variations})
        each = f"{judged[0]} to {judged[-1]}" if len(judged) > 1 else f"{judged[0]}"
        said = (
            f"Verdicts are those of {each} {'combination' if judged[-1] == 1 else 'combinations'} of "
            f"{variants} for each entry at {self.players} players"
        )
        if not self.tests:
            return f"{said}; no values were compared."
        return (
            f"{said}; beyond noise is after correcting for all {self.tests:,} values that were compared "
            f"(Benjamini and Yekutieli, {LEVEL:.0%})."
        )


def _verdict_words(variation: Variation) -> str:
    if variation.gone:
        listed = ", ".join(f"{count} {verdict}" for verdict, count in variation.gone.items())
        return f"{sum(variation.gone.values())} combinations go ({listed})"
    if not variation.judged:
        return "no verdict was compared"
    crossing = [moved for moved in variation.verdicts if moved.crosses]
    near = len(variation.verdicts) - len(crossing)
    many = len(crossing) > 1
    said = (
        f"{len(crossing) or 'none'} of {variation.judged} verdicts "
        f"{'cross their thresholds' if many else 'crosses its threshold'}"
    )
    if crossing:
        named = ", ".join(f"{' + '.join(m.variants)} {m.before} to {m.after}" for m in crossing[:3])
        again = sum(bool(moved.again) for moved in crossing)
        said += f", {again or 'none'} of them again" if many else f", {'again' if again else 'not again'}"
        said += f" on fresh seeds ({named}{', ...' if len(crossing) > 3 else ''})"
    return said + (f", {near} more on the edge" if near else "")


def _own_words(own: Worth) -> str:
    if own.change is None:
        return f"it was worth {own.value:+.2f} win points (rank {own.rank})"
    change = f"{own.change:+.2f} ({own.change_low:+.2f} to {own.change_high:+.2f})"
    if not own.told:
        return f"its value does not change beyond noise, {change} win points"
    return (
        f"its value goes from {own.value:+.2f} (rank {own.rank}) to {own.value_then:+.2f} "
        f"(rank {own.rank_then}), {change}"
    )
