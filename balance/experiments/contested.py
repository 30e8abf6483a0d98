"""What rests on facts in doubt: which verdicts and values change if a card or twist has another reading.

Where another reading is known it is played. Where only one source speaks, nobody knows another reading; then
the entry is left out, or its numbers are moved by one, and that is called a sensitivity: not what may be
true, only how much depends on it. Everything is played on the seeds of the catalog as it is; a verdict that
crosses its threshold there is played again on fresh ones. All values that were compared are one family.

The result is plain data, for the command and for reports alike.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from balance import games, machine
from balance.dataset.stamp import stamp
from balance.errors import CatalogError, UsageError
from balance.experiments.contested_answer import Contested, Doubted, MovedVerdict, Variation, Worth
from balance.experiments.dealing import Deals, DealtScores, adjustable, items_in
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

GAMES: Final = 400
"""Deals of each cell that is judged."""
VALUED: Final = 20
"""How many times as many deals measure the values of items, over all combinations together."""
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
    with TemporaryDirectory(prefix="balance-") as place:
        trials = Trials(found, printed, (), Path(place), jobs or machine.cores().amount)
        judged_by = load_thresholds(found, thresholds)
        table = _Readings(trials, loaded, players, deals, combinations, seed, judged_by, advance)
        entries, tests = _corrected([table.doubted(doubt) for doubt in chosen])
    return Contested(
        game=found.name,
        edition=printed,
        players=players,
        lineups=found.facts.default_sweep_lineups or (found.facts.default_lineup,),
        seed=seed,
        deals=deals,
        deals_for_values=deals * VALUED,
        games=trials.games,
        combinations=combinations,
        tests=tests,
        stamp=stamp(found, loaded),
        entries=entries,
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

    reading: str
    sensitivity: bool
    catalog: Catalog
    gone: bool = False


@dataclass(frozen=True)
class _Measured:
    """Some combinations with one catalog: their verdicts, and the values of all items over them."""

    judgements: Mapping[Combination, Judgement]
    items: Sequence[Item] = ()
    """Those that have values: none if nothing is dealt."""
    dealt: DealtScores | None = None

    def ranked(self) -> dict[int, tuple[float, int]]:
        """Return the value and the rank of every item that was dealt, by its place among the items."""
        if self.dealt is None:
            return {}
        score, seats = (column.sum(axis=0, dtype=int) for column in (self.dealt.score, self.dealt.seats))
        values = {place: int(score[place]) / int(seats[place]) - 1 for place in seats.nonzero()[0].tolist()}
        order = sorted(values, key=lambda place: (-values[place], place))
        return {place: (round(values[place], 6), rank) for rank, place in enumerate(order, 1)}


@dataclass
class _Readings:
    """Plays the ways in which entries may read, on common seeds."""

    trials: Trials
    catalog: Catalog
    players: int
    deals: int
    combinations: int
    seed: int
    thresholds: Thresholds
    advance: Advance
    known: dict[tuple[Combination, ...], _Measured] = field(default_factory=dict)

    @property
    def game(self) -> Game[Any, Any]:
        """The game whose catalog is in doubt."""
        return self.trials.game

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
                variations.append(_gone(other.reading, before))
                continue
            after = self.measured(other.catalog, of, f"{entry.name}: {other.reading}")
            found = _compared(other, before, after, entry.id, entry.kind == self.game.facts.item)
            variations.append(replace(found, verdicts=self.again(other.catalog, found.verdicts)))
        known = (doubt.confidence, doubt.meaning, doubt.note)
        return Doubted(entry.kind, entry.id, entry.name, *known, tuple(variations))

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
        every = sample(self.game, self.catalog, self.trials.edition, 1_000_000)
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
        """Judge combinations with a catalog; measure the values of all items over them if any is dealt."""
        judged = self.judged(catalog, of, self.seed)
        items, dealt = items_in(self.game, catalog), None
        if self.game.facts.mask("opening"):
            lineup = parse_lineup(self.game.facts.default_lineup, self.players, self.game)
            count, jobs = self.deals * VALUED, self.trials.jobs or 1
            deals = Deals(self.game, self.trials.edition, lineup, of, self.seed, count, jobs)
            self.trials.games += deals.games
            dealt = deals.dealt(catalog, range(len(items)))
        self.advance(1, note)
        return _Measured(judged, items, dealt)

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


# --- what differs


def _gone(reading: str, before: _Measured) -> Variation:
    verdicts = [judgement.verdict.value for judgement in before.judgements.values()]
    counted: dict[str, int] = {v.value: verdicts.count(v.value) for v in Verdict if v.value in verdicts}
    return Variation(reading, True, len(verdicts), gone=counted)


def _compared(other: _Other, before: _Measured, after: _Measured, id_: str, item: bool) -> Variation:
    moved = []
    for variants, was in sorted(before.judgements.items()):
        now = after.judgements.get(variants)
        if now is not None and was.verdict is not now.verdict:
            crosses = _crossed(was, now) or _crossed(now, was)
            moved.append(MovedVerdict(variants, was.verdict.value, now.verdict.value, crosses))
    worths = list(_worths(before, after))
    own = next((w for w in worths if item and str(w.id) == id_), None)
    others = tuple(w for w in worths if w is not own and w.change is not None)
    judged = len(before.judgements)
    return Variation(other.reading, other.sensitivity, judged, tuple(moved), own=own, others=others)


def _corrected(entries: Sequence[Doubted]) -> tuple[tuple[Doubted, ...], int]:
    """Correct all values that were compared as one family, and keep of the others those that change.

    Also returns how many were compared.
    """
    compared = [
        worth.p
        for entry in entries
        for variation in entry.variations
        for worth in (variation.own, *variation.others)
        if worth is not None and worth.p is not None
    ]
    adjusted = iter(benjamini_yekutieli(compared))

    def corrected(worth: Worth) -> Worth:
        return worth if worth.p is None else replace(worth, adjusted=next(adjusted))

    def told(variation: Variation) -> Variation:
        own = None if variation.own is None else corrected(variation.own)  # in the order of the family
        others = [worth for worth in map(corrected, variation.others) if worth.told]
        others.sort(key=lambda w: (-abs(w.change or 0.0), w.id))
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


def _worths(before: _Measured, after: _Measured) -> Iterator[Worth]:
    """Compare the value of every item, deal by deal."""
    was, now = before.ranked(), after.ranked()
    places = {item.id: place for place, item in enumerate(after.items)}
    for place, item in enumerate(before.items):
        then = places.get(item.id)
        if place not in was or before.dealt is None:
            continue
        if then not in now or after.dealt is None:
            yield Worth(item.id, item.name, *was[place])
            continue
        change = Difference.of(*after.dealt.column(then), *before.dealt.column(place))
        ends = Interval(*(round(end, 6) + 0.0 for end in change.interval))
        yield Worth(item.id, item.name, *was[place], *now[then], *ends, float(change.p), 1.0)
