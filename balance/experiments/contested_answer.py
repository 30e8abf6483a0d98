"""The answer of `balance contested`: records, and the sentences that they become."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from balance.games.variants import Combination
from balance.stats.intervals import Interval

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
    """The value of an item before and after; None where it is not in the deck."""

    id: int
    name: str
    before: float
    after: float | None
    change: Interval | None
    rank_before: int
    """1 is the best item."""
    rank_after: int | None
    p: float = 1.0
    """Against "the same value"."""
    adjusted: float = 1.0
    """Corrected over all values that were compared."""

    @property
    def told(self) -> bool:
        """Whether the value changes beyond noise, after the correction."""
        return self.change is not None and self.adjusted <= LEVEL


@dataclass(frozen=True, slots=True)
class Variation:
    """One way in which an entry may read, and what changes then."""

    text: str
    sensitivity: bool
    """Whether nobody has read it so: a number moved by one, or the entry left out."""
    judged: int
    """Combinations of variants whose verdicts were compared."""
    verdicts: tuple[MovedVerdict, ...]
    gone: tuple[tuple[str, int], ...]
    """Where a variant is left out: how many combinations with it had which verdict."""
    own: Worth | None
    """The item itself, whether its value changes or not; None for a variant."""
    others: tuple[Worth, ...]
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
            named = ", ".join(f"{one.name} {_signed(one)}" for one in self.others[:3])
            more = f" and {len(self.others) - 3} more" if len(self.others) > 3 else ""
            whose = items if self.own is None else f"of the other {items}"
            parts.append(f"the value of {len(self.others)} {whose} changes: {named}{more}")
        return f"{self.text}: {'; '.join(parts)}."


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


@dataclass(frozen=True, slots=True)
class Contested:
    """Everything that is in doubt, and what was played to see what hangs on it."""

    game: str
    edition: str
    players: int
    lineups: tuple[str, ...]
    seed: int
    deals: int
    """Deals of each cell that was judged."""
    valued: int
    """Deals for the values of items, shared out among the combinations."""
    games: int
    combinations: int
    """The most combinations that are judged for an entry."""
    tests: int
    """Values that were compared, over all readings: the family of the correction."""
    item: str
    items: str
    variants: str
    stamp: Mapping[str, str]
    """Digests of what was played, as those of a measured ladder."""
    entries: tuple[Doubted, ...]

    def sentences(self) -> list[str]:
        """Say how much hangs on what is in doubt."""
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
                    f"the values of {self.items} change beyond noise in {worth}."
                )
        return [*found, self._looked_at()] if found else ["Nothing in this catalog is in doubt."]

    def _looked_at(self) -> str:
        """Say how much was compared: verdicts, and values that "beyond noise" was corrected for."""
        judged = sorted({v.judged for entry in self.entries for v in entry.variations})
        each = f"{judged[0]} to {judged[-1]}" if len(judged) > 1 else f"{judged[0]}"
        said = (
            f"Verdicts are those of {each} {'combination' if judged[-1] == 1 else 'combinations'} of "
            f"{self.variants} for each entry at {self.players} players"
        )
        if not self.tests:
            return f"{said}; no values were compared."
        return (
            f"{said}; beyond noise is after correcting for all {self.tests:,} values that were compared "
            f"(Benjamini and Yekutieli, {LEVEL:.0%})."
        )


def _verdict_words(variation: Variation) -> str:
    if variation.gone:
        listed = ", ".join(f"{count} {verdict}" for verdict, count in variation.gone)
        return f"{sum(count for _, count in variation.gone)} combinations go ({listed})"
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
    if own.after is None or own.change is None:
        return f"it was worth {own.before:+.2f} win points (rank {own.rank_before})"
    change = f"{own.change.value:+.2f} ({own.change.low:+.2f} to {own.change.high:+.2f})"
    if not own.told:
        return f"its value does not change beyond noise, {change} win points"
    return (
        f"its value goes from {own.before:+.2f} (rank {own.rank_before}) to {own.after:+.2f} "
        f"(rank {own.rank_after}), {change}"
    )


def _signed(worth: Worth) -> str:
    return "gone" if worth.change is None else f"{worth.change.value:+.2f}"
