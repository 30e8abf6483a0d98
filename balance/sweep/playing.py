"""Playing a shard: every deal of its cells into the columns of the stored tables.

What comes out depends on the plan alone: not on how many games are played at once, nor on who else plays.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
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
from balance.dataset.shards import Shard
from balance.games.facts import Facts
from balance.games.lineup import parse_lineup, replicated
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
        self._threads = threads
        self._pool = ThreadPoolExecutor(threads) if threads > 1 else None
        # where threads share a piece, games may be slow: the first calls find out
        self._at_once = 100 if threads == 1 else 1

    def batches(
        self, cell: PlannedCell
    ) -> Iterator[tuple[Combination, Array, Array, dict[str, dict[str, Array]]]]:
        """Yield order of variants, ids of games, indices of games, and columns, batch by batch."""
        plan, lineup = self._plan, parse_lineup(cell.lineup, cell.players, self._game)
        indices = np.array(cell.indices, np.int64)
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
        fitting = int(games * _CALL_SECONDS / max(seconds, 1e-9))
        self._at_once = max(1, min(_AT_ONCE, fitting, self._at_once * 4))

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


def _frame(
    game: Game[Any, Any],
    plan: Plan,
    stored: StoredTable,
    cell: PlannedCell,
    variants: Combination,
    ids: Array,
    columns: Mapping[str, Array],
) -> pl.DataFrame:
    """Return the rows of a batch in a table; `columns` are what the game has written."""
    import polars as pl

    given = {column.name: column for column in game.facts.table(stored.name).columns}
    keys = [ids[values] for name, values in columns.items() if given[name].role == "game"]
    made: list[pl.Series] = []
    for column in stored.columns:
        if column.role == "game":
            made.append(pl.Series(column.name, keys[0] if keys else ids))
        elif column.role == "policy":
            numbers, places = np.unique(columns[column.name], return_inverse=True)
            names = pl.Series(column.name, [game.policy_name(int(number)) for number in numbers], pl.String)
            made.append(names.gather(places.astype(np.uint32)))
        elif column.name in columns:
            series, null = pl.Series(column.name, columns[column.name]), given[column.name].null
            made.append(series if null is None else series.set(pl.Series(columns[column.name] == null), None))
        else:
            value, size = fixed_value(column, plan, game.facts, cell, variants), len(made[0])
            if column.type == STRING:
                made.append(pl.repeat(value, size, dtype=pl.String, eager=True).alias(column.name))
            else:
                made.append(pl.Series(column.name, np.full(size, value, column.type)))
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
    import polars as pl

    tables = stored_tables(game.facts)
    frames: dict[str, list[pl.DataFrame]] = {table.name: [] for table in tables}
    for cell in shard.pieces:
        for variants, ids, indices, batch in player.batches(cell):
            for table in tables:
                rows = _frame(game, plan, table, cell, variants, ids, batch[table.name])
                frames[table.name].append(rows)
            if not played(cell, indices.size):
                raise StopPlaying
    for table in tables:
        yield table.name, pl.concat(frames.pop(table.name), rechunk=True)
