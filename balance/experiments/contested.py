"""What rests on facts in doubt: every other reading of a card or variant, compared with the printed one.

A reading is compared like any changed catalog (`balance.experiments.compare`), on the deals of the printed
one. What counts as changed is corrected over all readings that are played.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

from balance import games, machine
from balance.errors import UsageError
from balance.experiments.compare.comparison import Comparison, Side
from balance.experiments.compare.measured import Measured
from balance.experiments.compare.sides import OFFICIAL, Sides
from balance.experiments.samples import sample
from balance.experiments.side_by_side import play_prepared
from balance.games.contract import Catalog, Doubt, Doubtful, Game
from balance.games.variants import Combination
from balance.judge.thresholds import load_thresholds
from balance.sweep.planning import make_plan

if TYPE_CHECKING:
    from balance.dataset.run import Run
    from balance.sweep.simulation import Prepared

GAMES: Final = 2000
COMBINATIONS: Final = 12
"""Combinations with each variant, and those for each item."""

Advance = Callable[[int, str], object]


@dataclass(frozen=True)
class Contested:
    """Facts in doubt, and what changes if they read differently."""

    game: Game[Any, Any]
    catalog: Catalog
    edition: str
    players: int
    seed: int
    deals: int
    combinations: int
    games: int
    entries: tuple[tuple[Doubt, tuple[Comparison, ...]], ...]

    def sentences(self) -> Iterator[str]:
        """Yield how much depends on the facts in doubt, in words."""
        if not self.entries:
            yield "Nothing in this catalog is in doubt."
            return
        played = [found for _, readings in self.entries for found in readings]
        if not played:
            yield f"Of {len(self.entries)} entries in doubt no other reading is known: nothing was played."
            return
        broken = sum(bool(found.newly_broken) for found in played)
        changed = sum(bool(found.changed) for found in played)
        yield (
            f"Of {len(played)} other readings that are known, {broken or 'none'} would break a combination "
            f"that is not broken, on fresh deals too; {changed or 'none'} would clearly change some figure."
        )
        known = sum(bool(readings) for _, readings in self.entries)
        tests = sum(found.family.tests for found in played)
        yield (
            f"{known} of {len(self.entries)} entries in doubt have another reading that is known. Clearly is "
            f"after correcting for all {tests:,} figures that were compared."
        )


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
    """Compare what is in doubt (or those entries that are named) with its other readings.

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
    accepted = load_thresholds(found, thresholds)
    runs: dict[str, Run] = {}
    entries = []
    with TemporaryDirectory(prefix="balance-") as place:

        def play(prepared: Prepared) -> Run:
            """Play into a temporary folder; the printed catalog, once for all entries that share it."""
            own = prepared.plan.id
            if own not in runs:
                folder = Path(place) / own
                runs[own] = play_prepared(replace(prepared, folder=folder), machine.threads(jobs))
            return runs[own]

        for doubt in doubts_of(found, loaded, printed, names):
            plan = make_plan(
                found,
                loaded,
                edition=printed,
                deals={players: deals},
                combinations=_combinations(found, loaded, printed, doubt, combinations),
                lineups=[found.facts.default_lineup],
                seed=seed,
            )
            readings = []
            for reading in doubt.readings:
                advance(1, f"{doubt.entry.name}: {reading.text}")
                base = Side("as printed", OFFICIAL, printed, loaded)
                other = Side(reading.text.rstrip("."), "overlay", printed, reading.catalog)
                differences = tuple(found.diff(loaded, reading.catalog))
                sides = Sides(found, base, other, differences, same_policies=True)
                table = Measured(sides, plan.cells, seed, play)
                readings.append(table.again(table.compared(accepted, ()), accepted))
            entries.append((doubt, readings))
    tried = sum(len(readings) for _, readings in entries)
    return Contested(
        found, loaded, printed, players, seed, deals, combinations,
        sum(run.plan.games for run in runs.values()),
        tuple((doubt, tuple(_corrected(one, tried) for one in readings)) for doubt, readings in entries),
    )  # fmt: skip


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


def _combinations(
    game: Game[Any, Any], catalog: Catalog, edition: str, doubt: Doubt, most: int
) -> list[Combination]:
    facts = game.facts
    every = sample(game, catalog, edition, 1_000_000) if facts.variants_at_once else []
    if doubt.entry.kind == facts.variant:
        every = [names for names in every if doubt.entry.id in names]
    return sorted({(), *(tuple(sorted(names)) for names in every[:most])})


def _corrected(found: Comparison, readings: int) -> Comparison:
    """Return a comparison whose p-values are corrected for having played several readings."""
    changes = tuple(
        one if one.adjusted is None else replace(one, adjusted=min(1.0, readings * one.adjusted))
        for one in found.changes
    )
    return replace(found, changes=changes)
