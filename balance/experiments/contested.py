"""What rests on facts in doubt: which verdicts and values change if a card or twist has another reading.

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
from balance.errors import CatalogError, UsageError
from balance.experiments.contested_answer import Contested, Doubted, MovedVerdict, Variation, Worth
from balance.experiments.dealing import Deals, adjustable, items_in
from balance.experiments.published import stamp
from balance.experiments.samples import sample
from balance.experiments.side_by_side import (
    Trials,
    finding_key,
    findings_of,
    fresh_seed,
    judge_runs,
)
from balance.games.contract import Catalog, Doubt, Doubtful, Game, Number
from balance.games.lineup import parse_lineup
from balance.games.variants import Combination
from balance.judge.thresholds import Thresholds, load_thresholds
from balance.judge.verdict import Judgement, Verdict
from balance.measure.items import Item
from balance.stats.corrections import benjamini_yekutieli
from balance.stats.intervals import Interval
from balance.stats.ratio import Difference

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Small = npt.NDArray[np.int16]

GAMES: Final = 400
"""Deals of each cell that is judged."""
VALUED: Final = 20
"""So many times as many deals measure the values of items, over all combinations together."""
COMBINATIONS: Final = 12
"""Combinations that are judged with each variant, and those that are judged for each item."""

Advance = Callable[[int, str], object]


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
    balance.errors.UsageError: deals 1: at least 20 of each cell are needed to judge anything
    """
    if deals < 20:
        raise UsageError(
            f"deals {deals}: at least 20 of each cell are needed to judge anything", parameter="deals"
        )
    if combinations < 1:
        raise UsageError(f"combinations {combinations}: at least 1 is needed", parameter="combinations")
    found = games.get(game)
    loaded = found.load_catalog(catalog)
    printed = edition or found.facts.default_edition
    found.compile(loaded, printed, players)  # says what is wrong before anybody waits
    chosen = doubts_of(found, loaded, printed, names)
    facts = found.facts
    threads = jobs or machine.cores().amount
    with TemporaryDirectory(prefix="balance-") as place:
        trials = Trials(found, printed, (), Path(place), threads)
        table = _Readings(
            found,
            loaded,
            printed,
            players,
            deals,
            combinations,
            seed,
            load_thresholds(found, thresholds),
            trials,
            threads,
            advance,
        )
        entries, tests = _corrected([table.doubted(doubt) for doubt in chosen])
    return Contested(
        found.name,
        printed,
        players,
        facts.default_sweep_lineups or (facts.default_lineup,),
        seed,
        deals,
        deals * VALUED,
        trials.games,
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
class _WithCatalog:
    """Some combinations with one catalog: their verdicts, and the values of all items over them."""

    judgements: Mapping[Combination, Judgement]
    items: Mapping[int, Item]
    values: Mapping[int, tuple[Small, Small]]
    """By item: score and seats by deal."""


@dataclass
class _Readings:
    """Plays the ways in which entries may read, on common seeds."""

    game: Game[Any, Any]
    catalog: Catalog
    edition: str
    players: int
    deals: int
    combinations: int
    seed: int
    thresholds: Thresholds
    trials: Trials
    jobs: int
    advance: Advance
    known: dict[tuple[Combination, ...], _WithCatalog] = field(default_factory=dict)

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

    def again(self, catalog: Catalog, verdicts: tuple[MovedVerdict, ...]) -> tuple[MovedVerdict, ...]:
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

    def measured(self, catalog: Catalog, of: tuple[Combination, ...], note: str) -> _WithCatalog:
        """Judge combinations with a catalog, and measure the values of all items over them."""
        judged = self.judged(catalog, of, self.seed)
        values, items = self.values(catalog, of)
        self.advance(1, note)
        return _WithCatalog(judged, {item.id: item for item in items}, values)

    def judged(
        self, catalog: Catalog, of: tuple[Combination, ...], seed: int
    ) -> dict[Combination, Judgement]:
        """Judge combinations with a catalog, by the game without variants on the same seed.

        By what the players have learned of the printed variants, so that both catalogs are judged alike.
        """
        every = sorted({(), *(tuple(sorted(names)) for names in of)})
        run = self.trials.play(catalog, every, {self.players: self.deals}, seed)
        found, _ = judge_runs([run], self.thresholds)
        return {judgement.variants: judgement for judgement in found.judgements}

    def values(
        self, catalog: Catalog, of: tuple[Combination, ...]
    ) -> tuple[dict[int, tuple[Small, Small]], list[Item]]:
        """Return what becomes of seats that are dealt each item, by deal, if any is dealt."""
        items = items_in(self.game, catalog)
        if not self.game.facts.mask("opening"):
            return {}, items
        lineup = parse_lineup(self.game.facts.default_lineup, self.players, self.game)
        deals = Deals(self.game, self.edition, lineup, of, self.seed, self.deals * VALUED, self.jobs)
        self.trials.games += deals.games
        played = deals.dealt(catalog, range(len(items)))
        return {item.id: (played.score[:, k], played.seats[:, k]) for k, item in enumerate(items)}, items


# --- what differs


def _gone(text: str, before: _WithCatalog) -> Variation:
    verdicts = [judgement.verdict.value for judgement in before.judgements.values()]
    counted = tuple((v.value, verdicts.count(v.value)) for v in Verdict if v.value in verdicts)
    return Variation(text, True, len(verdicts), (), counted, None, ())


def _compared(other: _Other, before: _WithCatalog, after: _WithCatalog, id_: str, item: bool) -> Variation:
    moved = []
    for variants, was in sorted(before.judgements.items()):
        now = after.judgements.get(variants)
        if now is not None and was.verdict is not now.verdict:
            crosses = _crossed(was, now) or _crossed(now, was)
            moved.append(MovedVerdict(variants, was.verdict.value, now.verdict.value, crosses))
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


def _crosses_again(moved: MovedVerdict, before: Judgement, after: Judgement) -> bool:
    """Return whether fresh games cross the threshold in the same direction."""
    broken, other = (before, after) if moved.before == Verdict.BROKEN.value else (after, before)
    return _crossed(broken, other)


def _crossed(broken: Judgement, other: Judgement) -> bool:
    """Return whether one is broken, and everything that breaks it is within its range in the other."""
    found = findings_of([other])
    same = [found.get(finding_key(finding)) for finding in broken.broken]
    return bool(same) and all(finding is None or not finding.seems_outside for finding in same)


def _worths(before: _WithCatalog, after: _WithCatalog) -> list[Worth]:
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
        change = Difference.of(*after.values[id_], score, seats)
        ends = _rounded(change.interval)
        found.append(Worth(id_, item.name, was[1], now[1], ends, was[0], now[0], float(change.p)))
    return found


def _ranks(measured: _WithCatalog) -> dict[int, tuple[int, float]]:
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
