"""Replaying a game of a run: from its id to the same events, held against the rows that the run keeps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from balance.dataset.plan import PlannedCell
from balance.dataset.run import Run
from balance.dataset.schema import GameKey, split_game_id
from balance.errors import DataError, UsageError
from balance.games.contract import Event, Table
from balance.games.lineup import parse_lineup
from balance.sweep.playing import orders, variant_order
from balance.sweep.shards import Shard, cut
from balance.sweep.simulation import require_same_engine

__all__ = ["Replayed", "find_game", "replay_game"]


@dataclass(frozen=True, slots=True)
class Replayed:
    """A game of a run: everything that `replay` of the game takes."""

    run: Run
    id: int
    key: GameKey
    planned: PlannedCell
    cell: Any
    """The compiled rules."""
    policies: tuple[str, ...]


def find_game(run: Run, number: int) -> Replayed:
    """Return the game of an id; UsageError if the run has none, DataError if it would come out otherwise."""
    key = split_game_id(number)
    planned = run.plan.cell(key.cell)
    if planned is None or not planned.deals:
        raise UsageError(f"{run.path} has no game {number}: it plays no cell {key.cell}")
    indices = run.plan.indices(planned.players, planned.first, planned.deals)
    if key.index not in indices or key.replicate >= planned.replicates:
        some = "some of the indices" if run.plan.chosen else "the indices"
        raise UsageError(
            f"{run.path} has no game {number}: cell {key.cell} has {some} {indices[0]}..{indices[-1]} "
            f"and {planned.replicates} replicates, not index {key.index}, replicate {key.replicate}"
        )
    require_same_engine(run.path, run.plan, run.game)
    possible = orders(run.game.facts, run.plan, planned)
    order = variant_order(run.plan, planned, np.array([key.index]), len(possible))[0]
    cell = run.game.compile(run.catalog, run.plan.edition, planned.players, possible[order])
    lineup = parse_lineup(planned.lineup, planned.players, run.game)
    policies = lineup.names(run.plan.seed, key.index, key.replicate)
    return Replayed(run, number, key, planned, cell, policies)


def replay_game(found: Replayed) -> list[Event]:
    """Play the game again; DataError if what happens is not what the rows of the run say."""
    run, game = found.run, found.run.game
    events = game.replay(found.cell, run.plan.seed, found.key.index, found.policies, found.key.replicate)
    told = game.rows_of(found.cell, events)
    for table in game.facts.tables:
        stored = _stored_rows(found, table)
        if stored != told[table.name]:
            raise DataError(
                f"game {found.id} of {run.path} comes out otherwise than its rows in {table.name} say; "
                f"'balance doctor {run.path}' checks the files"
            )
    return events


def _stored_rows(found: Replayed, table: Table) -> list[dict[str, int]]:
    """Return the rows of the game as the game itself would write them."""
    import polars as pl

    file = found.run.path / _shard(found).file(table.name)
    frame = pl.scan_parquet(file).filter(pl.col("game_id") == found.id).collect()
    return [_as_played(found, table.columns, row) for row in frame.iter_rows(named=True)]


def _shard(found: Replayed) -> Shard:
    """Return the shard that holds the game, so that no other file is opened."""
    return next(
        shard
        for shard in cut(found.run.plan.cells)
        for piece in shard.pieces
        if piece.cell.id == found.key.cell
        and found.key.index in found.run.plan.indices(piece.cell.players, piece.first, piece.deals)
    )


def _as_played(found: Replayed, columns: Sequence[Any], row: dict[str, Any]) -> dict[str, int]:
    values: dict[str, int] = {}
    for column in columns:
        if column.role == "game":
            values[column.name] = 0
        elif column.role == "policy":
            values[column.name] = found.run.game.policy_number(row[column.name])
        else:
            values[column.name] = column.null if row[column.name] is None else row[column.name]
    return values
