"""What rests on facts that are in doubt: which verdicts and values change if a card or twist reads otherwise.

Where another reading is known it is played. Where only one source speaks, nobody knows another reading; then
the entry is left out, or its numbers are moved by one, and that is called a sensitivity: not what may be
true, only how much hangs on it. Everything is played on the seeds of the catalog as it is; a verdict that
crosses its threshold there is played again on fresh ones. All values that were compared are one family.

The result is plain data, for the command and for reports alike.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

from balance import games, machine
from balance.analysis.blocks import Moments, p_not_zero
from balance.analysis.cells import statistics
from balance.analysis.corrections import benjamini_yekutieli
from balance.analysis.dealing import Deals, adjustable, dealt, items_in
from balance.analysis.intervals import Interval
from balance.analysis.itemcounts import Item
from balance.analysis.ranking import fresh_seed
from balance.analysis.samples import sample
from balance.analysis.strength import stamp
from balance.analysis.thresholds import Thresholds, load_thresholds
from balance.analysis.verdict import Bench, Finding, Judgement, Verdict, judge, unfitted_variants
from balance.errors import CatalogError, UsageError
from balance.games.contract import Catalog, Doubt, Doubtful, Game, Number
from balance.games.lineup import parse_lineup

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Numbers = npt.NDArray[np.int64]

__all__ = ["COMBINATIONS", "GAMES", "Contested", "Doubted", "Moved", "Variation", "Worth", "contested"]

GAMES: Final = 400
"""Deals of each cell that is judged."""
VALUED: Final = 20
"""So many times as many deals measure the values of items, over all combinations together."""
COMBINATIONS: Final = 12
"""Combinations that are judged with each variant, and those that are judged for each item."""
LEVEL: Final = 0.05
"""The false discovery rate at which values of items are said to change, over all that were compared."""

Combination = tuple[str, ...]
Advance = Callable[[int, str], object]


@dataclass(frozen=True, slots=True)
class Moved:
    """A verdict that comes out otherwise."""

    variants: Combination
    before: str
    after: str
    crosses: bool
    """Whether it is surely broken on one side, and what breaks it is measured within its range on the other.

    Else it only is no longer sure. This is no test of the change.
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
    verdicts: tuple[Moved, ...]
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
    """Of each cell that was judged."""
    valued: int
    """For the values of items, shared out among the combinations."""
    games: int
    combinations: int
    """Judged for each entry, at most."""
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


def contested(
    names: Sequence[str] = (),
    *,
    game: str = games.DEFAULT,
    players: int = 4,
    edition: str | None = None,
    deals: int = GAMES,
    combinations: int = COMBINATIONS,
    seed: int = 0,
    catalog: Iterable[str | Path] = (),
    thresholds: Iterable[str | Path] = (),
    jobs: int | None = None,
    advance: Advance = lambda _, __: None,
) -> Contested:
    """Play what is in doubt (or those entries that are named) as it may read, and compare.

    >>> contested(deals=1)
    Traceback (most recent call last):
    balance.errors.UsageError: 1 games of each cell: at least 20 are needed to judge anything
    """
    if deals < 20:
        raise UsageError(f"{deals} games of each cell: at least 20 are needed to judge anything")
    if combinations < 1:
        raise UsageError(f"{combinations} combinations: at least 1 is needed")
    found = games.get(game)
    loaded = found.load_catalog(catalog)
    printed = edition or found.facts.default_edition
    found.compile(loaded, printed, players)  # says what is wrong before anybody waits
    chosen = doubts_of(found, loaded, printed, names)
    facts = found.facts
    with TemporaryDirectory(prefix="balance-") as place:
        table = _Table(
            found,
            loaded,
            printed,
            players,
            deals,
            combinations,
            seed,
            load_thresholds(found, thresholds),
            Path(place),
            jobs or machine.cores().amount,
            advance,
        )
        entries, tests = _corrected([table.doubted(doubt) for doubt in chosen])
    return Contested(
        found.name,
        printed,
        players,
        table.lineups,
        seed,
        deals,
        deals * VALUED,
        table.games,
        combinations,
        tests,
        facts.item,
        facts.items,
        facts.variants,
        stamp(found, loaded),
        entries,
    )


def doubts_of(game: Game[Any, Any], catalog: Catalog, edition: str, names: Sequence[str] = ()) -> list[Doubt]:
    """Return the entries in doubt, or those of them that a user named."""
    if not isinstance(game, Doubtful):
        raise UsageError(f"the catalog of {game.facts.title} does not say how well its facts are known")
    every = list(game.doubts(catalog, edition))
    if not names:
        return every
    by_key = {(doubt.entry.kind, doubt.entry.id): doubt for doubt in every}
    chosen: dict[tuple[str, str], Doubt] = {}
    for name in names:
        entries = game.find(catalog, name)
        own = [by_key[entry.kind, entry.id] for entry in entries if (entry.kind, entry.id) in by_key]
        if not own:
            known = ", ".join(doubt.entry.name for doubt in every)
            raise UsageError(f"{entries[0].name} is not in doubt in {edition}; what is: {known}")
        chosen |= {(doubt.entry.kind, doubt.entry.id): doubt for doubt in own}
    return [doubt for key, doubt in by_key.items() if key in chosen]


@dataclass(frozen=True, slots=True)
class _Other:
    """A way to read an entry, to be played."""

    text: str
    sensitivity: bool
    catalog: Catalog
    gone: bool = False


@dataclass(frozen=True)
class _Measured:
    """Some combinations with one catalog: their verdicts, and the values of all items over them."""

    judgements: Mapping[Combination, Judgement]
    items: Mapping[int, Item]
    values: Mapping[int, tuple[Numbers, Numbers]]
    """By item: score and seats by block of deals."""


@dataclass
class _Table:
    """Plays catalogs on common seeds."""

    game: Game[Any, Any]
    catalog: Catalog
    edition: str
    players: int
    deals: int
    combinations: int
    seed: int
    thresholds: Thresholds
    place: Path
    jobs: int
    advance: Advance
    games: int = 0
    runs: int = 0
    known: dict[tuple[Combination, ...], _Measured] = field(default_factory=dict)

    @property
    def lineups(self) -> tuple[str, ...]:
        """Who plays: those of a sweep."""
        facts = self.game.facts
        return facts.default_sweep_lineups or (facts.default_lineup,)

    def doubted(self, doubt: Doubt) -> Doubted:
        """Play every way in which an entry may read."""
        entry = doubt.entry
        of = self.combinations_for(doubt)
        before = self.known.get(of)
        if before is None:
            before = self.known[of] = self.measured(self.catalog, of, "as printed")
        variations = []
        for other in self.others(doubt):
            if other.gone and entry.kind == self.game.facts.variant:
                variations.append(_gone(other.text, before))
                continue
            after = self.measured(other.catalog, of, f"{entry.name}: {other.text}")
            found = _compared(other, before, after, entry.id, entry.kind == self.game.facts.item)
            variations.append(replace(found, verdicts=self.again(other.catalog, found.verdicts)))
        return Doubted(
            entry.kind,
            entry.id,
            entry.name,
            doubt.confidence,
            doubt.meaning,
            doubt.note,
            tuple(variations),
        )

    def again(self, catalog: Catalog, verdicts: tuple[Moved, ...]) -> tuple[Moved, ...]:
        """Play the verdicts that cross their thresholds once more, both sides on fresh seeds."""
        of = tuple(moved.variants for moved in verdicts if moved.crosses)
        if not of:
            return verdicts
        seed = fresh_seed(self.seed)
        before, after = (self.judged(played, of, seed) for played in (self.catalog, catalog))
        return tuple(
            replace(moved, again=_crosses_again(moved, before[moved.variants], after[moved.variants]))
            if moved.crosses
            else moved
            for moved in verdicts
        )

    def combinations_for(self, doubt: Doubt) -> tuple[Combination, ...]:
        """Return what is judged: a sample for an item, a sample of those with a variant."""
        facts = self.game.facts
        if not facts.variants_at_once:
            return ((),)
        every = sample(self.game, self.catalog, self.edition, 1_000_000)
        if doubt.entry.kind == facts.variant:
            every = [names for names in every if doubt.entry.id in names]
        return tuple(every[: self.combinations])

    def others(self, doubt: Doubt) -> Iterator[_Other]:
        """Yield the readings that are known; if there is none, the entry left out and its numbers moved."""
        for reading in doubt.readings:
            yield _Other(reading.text.rstrip("."), False, reading.catalog)
        if doubt.readings:
            return
        game, entry = adjustable(self.game), doubt.entry
        with suppress(CatalogError):  # if the game cannot be played without it
            yield _Other("left out", True, game.without(self.catalog, entry.kind, entry.id), gone=True)
        for number in self.numbers(doubt):
            for value in (number.value - 1, number.value + 1):
                if not number.low <= value <= number.high:
                    continue
                try:
                    catalog = game.with_number(self.catalog, entry.kind, entry.id, number.path, value)
                except CatalogError:
                    continue  # the number does not go with the rest of the entry
                yield _Other(f"{number.path} {value} instead of {number.value}", True, catalog)

    def numbers(self, doubt: Doubt) -> list[Number]:
        """Return the numbers that are moved: cost and points of an item, all of a variant."""
        entry, named = doubt.entry, self.game.facts.item_columns
        found = adjustable(self.game).numbers(self.catalog, entry.kind, entry.id)
        if entry.kind == self.game.facts.item:
            return [number for number in found if number.path in (named.cost, named.score)]
        return list(found)

    def measured(self, catalog: Catalog, of: tuple[Combination, ...], note: str) -> _Measured:
        """Judge combinations with a catalog, and measure the values of all items over them."""
        judged = self.judged(catalog, of, self.seed)
        values, items = self.values(catalog, of)
        self.advance(1, note)
        return _Measured(judged, {item.id: item for item in items}, values)

    def judged(
        self, catalog: Catalog, of: tuple[Combination, ...], seed: int
    ) -> dict[Combination, Judgement]:
        """Judge combinations with a catalog, by the game without variants on the same seed."""
        from balance.sweep import simulation

        self.runs += 1
        prepared = simulation.prepare_catalog(
            self.game,
            catalog,
            edition=self.edition,
            deals={self.players: self.deals},
            combinations=sorted({(), *(tuple(sorted(names)) for names in of)}),
            lineups=self.lineups,
            seed=seed,
            out=self.place / str(self.runs),
        )
        run = simulation.run_prepared(prepared, self.jobs).run
        self.games += run.plan.games
        summed = statistics([run])
        # by what the players have learned of the printed variants, so that both are judged alike
        bench = Bench(summed, unfitted_variants(self.game, self.catalog))
        cells = [number for number, cell in sorted(summed.cells.items()) if cell.variants]
        found = judge(summed, self.thresholds, cells=cells, bench=bench)
        return {judgement.variants: judgement for judgement in found.judgements}

    def values(
        self, catalog: Catalog, of: tuple[Combination, ...]
    ) -> tuple[dict[int, tuple[Numbers, Numbers]], list[Item]]:
        """Return what becomes of seats that are dealt each item, by block of deals, if any is dealt."""
        items = items_in(self.game, catalog)
        if not self.game.facts.mask("opening"):
            return {}, items
        lineup = parse_lineup(self.lineups[0], self.players, self.game)
        deals = Deals(self.game, self.edition, lineup, of, self.seed, self.deals * VALUED)
        self.games += deals.count * lineup.rotations
        score, seats = dealt(deals, catalog, items, self.jobs).in_blocks()
        return {item.id: (score[:, k], seats[:, k]) for k, item in enumerate(items)}, items


# --- what differs


def _gone(text: str, before: _Measured) -> Variation:
    verdicts = [judgement.played.value for judgement in before.judgements.values()]
    counted = tuple((v.value, verdicts.count(v.value)) for v in Verdict if v.value in verdicts)
    return Variation(text, True, len(verdicts), (), counted, None, ())


def _compared(other: _Other, before: _Measured, after: _Measured, id_: str, item: bool) -> Variation:
    moved = []
    for variants, was in sorted(before.judgements.items()):
        now = after.judgements.get(variants)
        if now is not None and was.played is not now.played:
            crosses = _crossed(was, now) or _crossed(now, was)
            moved.append(Moved(variants, was.played.value, now.played.value, crosses))
    worths = _worths(before, after)
    own = next((w for w in worths if item and str(w.id) == id_), None)
    others = tuple(w for w in worths if w is not own and w.change is not None)
    return Variation(other.text, other.sensitivity, len(before.judgements), tuple(moved), (), own, others)


def _corrected(entries: Sequence[Doubted]) -> tuple[tuple[Doubted, ...], int]:
    """Correct all values that were compared as one family, and keep of the others those that change.

    Also returns how many were compared.
    """
    compared = [
        worth
        for entry in entries
        for variation in entry.variations
        for worth in (variation.own, *variation.others)
        if worth is not None and worth.change is not None
    ]
    adjusted = iter(benjamini_yekutieli([worth.p for worth in compared]))

    def corrected(worth: Worth) -> Worth:
        return worth if worth.change is None else replace(worth, adjusted=next(adjusted))

    def told(variation: Variation) -> Variation:
        own = None if variation.own is None else corrected(variation.own)  # in the order of the family
        others = [worth for worth in map(corrected, variation.others) if worth.told]
        others.sort(key=lambda w: (-abs(w.change.value if w.change else 0.0), w.id))
        return replace(variation, own=own, others=tuple(others))

    found = tuple(replace(entry, variations=tuple(map(told, entry.variations))) for entry in entries)
    return found, len(compared)


def _crosses_again(moved: Moved, before: Judgement, after: Judgement) -> bool:
    """Return whether fresh games cross the threshold in the same direction."""
    broken, other = (before, after) if moved.before == Verdict.BROKEN.value else (after, before)
    return _crossed(broken, other)


def _crossed(broken: Judgement, other: Judgement) -> bool:
    """Return whether one is broken, and everything that breaks it lies within its range in the other."""
    found = {_key(finding): finding for cell in other.cells for finding in cell.findings}
    same = [found.get(_key(finding)) for finding in broken.broken]
    return bool(same) and all(finding is None or not finding.outside for finding in same)


def _key(finding: Finding) -> tuple[str, str, bool]:
    return finding.cell.lineup, finding.measured.name, finding.upper


def _worths(before: _Measured, after: _Measured) -> list[Worth]:
    """Compare the value of every item, deal by deal."""
    ranks = _ranks(before), _ranks(after)
    found = []
    for id_, (score, seats) in before.values.items():
        item = before.items[id_]
        if id_ not in ranks[0]:
            continue
        was = ranks[0][id_]
        if id_ not in after.values or id_ not in ranks[1]:
            found.append(Worth(id_, item.name, was[1], None, None, was[0], None))
            continue
        now = ranks[1][id_]
        change = Moments.of([*after.values[id_], score, seats]).difference((0, 1), (2, 3))
        assert change is not None
        ends = change.interval or Interval(change.value, change.value, change.value)
        p = p_not_zero(change)
        found.append(Worth(id_, item.name, was[1], now[1], _rounded(ends), was[0], now[0], p))
    return found


def _ranks(measured: _Measured) -> dict[int, tuple[int, float]]:
    """Return the rank and the value of every item that was dealt, the best first."""
    values = {
        id_: int(score.sum()) / int(seats.sum()) - 1
        for id_, (score, seats) in measured.values.items()
        if seats.sum()
    }
    order = sorted(values, key=lambda id_: (-values[id_], id_))
    return {id_: (rank, round(values[id_], 6)) for rank, id_ in enumerate(order, 1)}


def _rounded(ends: Interval) -> Interval:
    return Interval(*(round(end, 6) + 0.0 for end in ends))
