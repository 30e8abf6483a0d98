"""Playing a shard: every deal of its cells into the columns of the stored tables.

What comes out depends on the plan alone: not on how many games are played at once, nor on who else plays.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import permutations
from typing import TYPE_CHECKING, Any, Final, TypeVar

import numpy as np
import numpy.typing as npt

from balance.dataset.plan import Plan, PlannedCell
from balance.dataset.schema import (
    STRING,
    StoredColumn,
    StoredTable,
    combination_columns,
    game_id,
    stored_tables,
    variant_columns,
)
from balance.dataset.shards import Piece, Shard
from balance.games.facts import Column, Facts
from balance.games.lineup import Lineup, parse_lineup, replicated
from balance.games.randomness import FOR_VARIANTS, hashed, pick

if TYPE_CHECKING:
    import polars as pl

    from balance.games.contract import Catalog, Game

_AT_ONCE: Final = 2_000
"""Games of one call at most: their rows stay small, and others get a word in."""
_CALL_SECONDS: Final = 0.2
"""A call is meant to last no longer, so that Ctrl-C is heard also while slow policies think."""

Array = npt.NDArray[Any]
Combination = tuple[str, ...]
T = TypeVar("T")


class StopPlaying(Exception):  # noqa: N818 - nothing went wrong
    """The shard is given up; it will be played another time."""


# --- the order of variants


def orders(facts: Facts, cell: PlannedCell) -> list[Combination]:
    """Return the orders in which the variants of a cell are in force, the sorted one first."""
    return list(permutations(cell.variants)) if facts.variants_ordered else [cell.variants]


def variant_order(plan: Plan, cell: PlannedCell, indices: Array, count: int) -> Array:
    """Return the number of each deal's order: drawn per deal, the same in all cells of as many variants."""
    return pick(hashed(plan.seed, cell.players, indices, FOR_VARIANTS), count)


# --- playing


class Player:
    """Plays pieces of cells; one per worker, because it keeps what it compiled last."""

    def __init__(self, game: Game[Any, Any], catalog: Catalog, plan: Plan, threads: int = 1) -> None:
        self._game, self._catalog, self._plan = game, catalog, plan
        self._compiled: dict[tuple[int, Combination], Any] = {}
        self._lineups: dict[tuple[int, str], Lineup] = {}
        self._threads = threads
        self._pool = ThreadPoolExecutor(threads) if threads > 1 else None
        # where threads share a piece, games may be slow: the first calls find out
        self._at_once = 100 if threads == 1 else 1

    def batches(
        self, piece: Piece
    ) -> Iterator[tuple[Combination, Array, Array, dict[str, dict[str, Array]]]]:
        """Yield order of variants, ids of games, indices of games, and columns, batch by batch."""
        plan, cell = self._plan, piece.cell
        lineup = self._lineup(cell)
        indices = np.array(piece.indices, np.int64)
        possible = orders(self._game.facts, cell)
        drawn = variant_order(plan, cell, indices, len(possible))
        for number, variants in enumerate(possible):
            deals, again = replicated(indices[drawn == number], cell.replicates)
            if not deals.size:
                continue
            compiled = self._cell(cell, possible, variants)

            def play(
                part: slice, compiled: Any = compiled, deals: Array = deals, again: Array = again
            ) -> tuple[slice, dict[str, dict[str, Array]]]:
                seated = lineup.seated(plan.seed, deals[part], again[part])
                begun = time.monotonic()
                batch = self._game.play(compiled, plan.seed, deals[part], seated, again[part])
                self._pace(seated.shape[0], time.monotonic() - begun)
                return part, batch

            for part, batch in self._in_order(play, deals.size):
                yield variants, game_id(cell.id, deals[part], again[part]), deals[part], batch

    def _in_order(self, play: Callable[[slice], T], count: int) -> Iterator[T]:
        """Yield what comes out of parts, in their order; as many are played at once as there are threads."""
        at = 0
        while at < count:
            size = min(self._at_once, -(-(count - at) // self._threads))
            end = min(at + size * self._threads, count)
            parts = [slice(first, first + size) for first in range(at, end, size)]
            yield from self._pool.map(play, parts) if self._pool else map(play, parts)
            at = end

    def _pace(self, games: int, seconds: float) -> None:
        """Set how many games are played at once, so that a call does not last long."""
        fitting = int(games * _CALL_SECONDS / max(seconds, 1e-9))
        self._at_once = max(1, min(_AT_ONCE, fitting, self._at_once * 4))

    def _lineup(self, cell: PlannedCell) -> Lineup:
        key = (cell.players, cell.lineup)
        if key not in self._lineups:
            self._lineups[key] = parse_lineup(cell.lineup, cell.players, self._game)
        return self._lineups[key]

    def _cell(self, cell: PlannedCell, possible: Sequence[Combination], variants: Combination) -> Any:
        """Compile, or take what the cell before had: cells of other lineups are neighbours."""
        key = (cell.players, variants)
        if key not in self._compiled:
            keep = {(cell.players, order) for order in possible}
            self._compiled = {k: v for k, v in self._compiled.items() if k in keep}
            self._compiled[key] = self._game.compile(
                self._catalog, self._plan.edition, cell.players, variants
            )
        return self._compiled[key]


# --- columns


class _Rows:
    """The columns of one table, as they grow."""

    def __init__(self, table: StoredTable, given: Sequence[Column]) -> None:
        self.table = table
        self.given = {column.name: column for column in given}
        self.parts: dict[str, list[Array]] = {}
        self.cells: list[tuple[PlannedCell, Combination, int]] = []
        """Cell, order of variants and number of rows of each batch."""

    def add(self, cell: PlannedCell, variants: Combination, ids: Array, columns: dict[str, Array]) -> None:
        for name, values in columns.items():
            column = self.given[name]
            if column.role == "game":
                self.parts.setdefault("game_id", []).append(ids[values])
            else:
                self.parts.setdefault(name, []).append(values)
        if self.table.name == "games":
            self.parts.setdefault("game_id", []).append(ids)
        self.cells.append((cell, variants, self.parts["game_id"][-1].size))

    def frame(self, plan: Plan, facts: Facts, policy_name: Callable[[int], str]) -> pl.DataFrame:
        """Return the table, and forget the parts."""
        import polars as pl

        counts = np.array([count for _, _, count in self.cells], np.int64)
        made: list[pl.Series] = []
        for column in self.table.columns:
            parts = self.parts.pop(column.name, None)
            if parts is None:
                values = [
                    fixed_value(column, plan, facts, cell, variants) for cell, variants, _ in self.cells
                ]
                made.append(_repeated(column, values, counts))
            else:
                made.append(_series(column, self.given.get(column.name), np.concatenate(parts), policy_name))
        return pl.DataFrame(made)


def fixed_value(
    column: StoredColumn, plan: Plan, facts: Facts, cell: PlannedCell, variants: Combination
) -> int | str | None:
    """Return what a column has in every row of a cell and an order of variants."""
    match column.role:
        case "cell":
            return cell.id
        case "edition":
            return plan.edition
        case "players":
            return cell.players
        case "combination":
            return _nth(sorted(variants), combination_columns(facts).index(column.name))
        case "variant":
            return _nth(variants, variant_columns(facts).index(column.name))
        case "lineup":
            return cell.lineup
        case "seed":
            return plan.seed
    raise KeyError(column.role)


def _nth(names: Sequence[str], place: int) -> str | None:
    return names[place] if place < len(names) else None


def _repeated(column: StoredColumn, values: Sequence[int | str | None], counts: Array) -> pl.Series:
    """Return each value as often as its rows are many."""
    import polars as pl

    if column.type != STRING:
        return pl.Series(column.name, np.repeat(np.array(values, column.type), counts))
    words = sorted({value for value in values if value is not None}, key=str)
    places = {word: place for place, word in enumerate([*words, None])}
    codes = np.repeat(np.array([places[value] for value in values], np.uint32), counts)
    return pl.Series(column.name, [*words, None], pl.String).gather(codes)


def _series(
    column: StoredColumn, given: Column | None, values: Array, policy_name: Callable[[int], str]
) -> pl.Series:
    import polars as pl

    if column.role == "policy":
        numbers = np.unique(values)
        names = pl.Series(column.name, [policy_name(int(number)) for number in numbers], pl.String)
        return names.gather(np.searchsorted(numbers, values).astype(np.uint32))
    series = pl.Series(column.name, values)
    if given is not None and given.null is not None:
        return series.set(pl.Series(values == given.null), None)
    return series


def play_shard(
    game: Game[Any, Any],
    player: Player,
    plan: Plan,
    shard: Shard,
    played: Callable[[PlannedCell, int], bool],
) -> Iterator[tuple[str, pl.DataFrame]]:
    """Play a shard, then yield its tables one by one, each built when it is asked for.

    `played` is called after every batch and returns whether to go on; StopPlaying if not.
    """
    facts = game.facts
    rows = [
        _Rows(stored, table.columns) for stored, table in zip(stored_tables(facts), facts.tables, strict=True)
    ]
    for piece in shard.pieces:
        for variants, ids, indices, batch in player.batches(piece):
            for table in rows:
                table.add(piece.cell, variants, ids, batch[table.table.name])
            if not played(piece.cell, indices.size):
                raise StopPlaying
    while rows:
        table = rows.pop(0)
        yield table.table.name, table.frame(plan, facts, game.policy_name)
