"""Is the content of a run what its plan says? Rows, keys, seats, winners, items, and a sample of games again.

Checksums notice rot, not a forger, who can change them too. This looks at the rows.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from balance.dataset.deals import DEALS, DealMaker
from balance.dataset.measures import DECLARED, digest
from balance.dataset.parquet import encode
from balance.dataset.run import Run
from balance.dataset.schema import STRING, StoredTable, game_id, stored_table
from balance.dataset.shards import Piece, Shard, cut
from balance.dataset.verify import Damage
from balance.errors import BalanceError
from balance.sweep.playing import fixed_value
from balance.sweep.replaying import find_game, replay_game

if TYPE_CHECKING:
    import polars as pl

_Frames = dict[str, "pl.DataFrame"]


def wrong_content(run: Run, advance: Callable[[int], object] = lambda _: None) -> Iterator[Damage]:
    """Yield what the rows of each shard have wrong; `advance` counts shards."""
    shards = cut(run.plan.cells)
    if len(shards) != run.plan.shards:
        yield Damage("run.json", f"plan of {run.plan.shards} shards, but its cells make {len(shards)}")
        return
    for shard in shards:
        yield from _wrong_shard(run, shard)
        advance(1)


def wrong_games(run: Run, number: int, advance: Callable[[int], object] = lambda _: None) -> Iterator[Damage]:
    """Play some games again, spread over the run, and yield those whose rows differ."""
    cells = [cell for cell in run.plan.cells if cell.games]
    rng = random.SystemRandom()  # nobody can know which
    for _ in range(min(number, run.plan.games)):
        cell = rng.choice(cells)
        deal = run.plan.indices(cell.players, cell.first, cell.deals)[rng.randrange(cell.deals)]
        one = int(game_id(cell.id, deal, rng.randrange(cell.replicates)))
        try:
            replay_game(find_game(run, one))
        except BalanceError as problem:
            yield Damage(f"game {one}", str(problem))
        advance(1)


def _wrong_shard(run: Run, shard: Shard) -> Iterator[Damage]:
    """Yield what is wrong with the tables of one shard."""
    import polars as pl

    frames: _Frames = {}
    expected = {shard.file(table.name) for table in run.tables}
    for name in sorted(expected - run.state.shards.get(shard.number, {}).keys()):
        yield Damage(name, "missing: the run has no record of this file")
        return
    for table in run.tables:
        name = shard.file(table.name)
        try:
            frame = pl.read_parquet(run.path / name, glob=False, hive_partitioning=False)
        except (pl.exceptions.PolarsError, OSError) as error:
            yield Damage(name, f"unreadable: {str(error).splitlines()[0]}")
            return
        if dict(frame.schema) != _schema(table):
            yield Damage(name, "columns or types are not those of the table")
            return
        frames[table.name] = frame
    found = list(_wrong_rows(run, shard, frames))
    yield from (Damage(shard.file(name), problem) for name, problem in found)
    if not found and run.plan.versions.get(DECLARED) == digest(run.game.facts):
        made = DealMaker(run.game, run.plan.cells).make(
            {table.name: [run.path / shard.file(table.name)] for table in run.tables}
        )
        name = shard.file(DEALS)
        if name not in run.state.shards[shard.number] or (run.path / name).read_bytes() != encode(made):
            yield Damage(name, "not what follows from the other tables")


def _schema(table: StoredTable) -> dict[str, Any]:
    import polars as pl

    other = {"bool": pl.Boolean, STRING: pl.String}
    return {
        column.name: other.get(column.type)
        or getattr(pl, column.type.replace("int", "Int").replace("uI", "UI"))
        for column in table.columns
    }


def _wrong_rows(run: Run, shard: Shard, frames: _Frames) -> Iterator[tuple[str, str]]:
    """Yield table and problem; what follows from an earlier one is left out."""
    import polars as pl

    games, players = frames["games"], shard.players
    ids = np.sort(np.concatenate([_ids(run, piece) for piece in shard.pieces]))
    if not np.array_equal(np.sort(games["game_id"].to_numpy()), ids):
        yield "games", f"not the {ids.size} games that the plan says, each once"
        return
    if not games.equals(_as_planned(run, shard, games)):
        yield "games", "cell, players, variants, lineup, seed or index are not those of the plan"
    facts = run.game.facts
    stalled, winner = (facts.table("games").column(role).name for role in ("stalled", "outcome"))
    seat, won = (facts.table("seats").column(role).name for role in ("seat", "won"))
    if games.filter(
        (pl.col(winner).is_null() != pl.col(stalled)) | ~pl.col(winner).is_between(0, players - 1)
    ).height:
        yield "games", "a game without one winner that has not stalled"
    seats = frames["seats"].sort("game_id", seat)
    each = np.repeat(ids, players), np.tile(np.arange(players), ids.size)
    if not all(map(np.array_equal, (seats["game_id"].to_numpy(), seats[seat].to_numpy()), each)):
        yield "seats", "not every seat of every game, each once"
        return
    winners = seats.filter(pl.col(won)).select("game_id", seat)
    named = games.filter(pl.col(winner).is_not_null()).select("game_id", pl.col(winner).alias(seat))
    if not winners.equals(named.sort("game_id")):
        yield "seats", "the winners are not those of the table games"
    for table in run.tables:
        yield from _wrong_other(run, table, frames[table.name], ids, players)


def _wrong_other(
    run: Run, table: StoredTable, frame: pl.DataFrame, ids: Any, players: int
) -> Iterator[tuple[str, str]]:
    """Yield rows that belong to no game, seat or item."""
    if not np.isin(frame["game_id"].to_numpy(), ids).all():
        yield table.name, "rows of games that the shard does not have"
    if not (frame["cell_id"] == frame["game_id"] // game_id(1, 0, 0)).all():
        yield table.name, "a cell that is not that of the game"
    for column in table.columns:
        values = frame[column.name].drop_nulls()
        if column.role == "seat" and not values.is_between(0, players - 1).all():
            yield table.name, f"{column.name} is not a seat of the game"
        if column.role == "item" and not set(values.unique()) <= set(run.small(run.game.facts.items)["id"]):
            yield table.name, f"{column.name} is not in the catalog"


def _ids(run: Run, piece: Piece) -> Any:
    cell = piece.cell
    deals = np.array(run.plan.indices(cell.players, piece.first, piece.deals), np.int64)
    return (game_id(cell.id, deals[:, None], np.arange(cell.replicates))).ravel()


def _as_planned(run: Run, shard: Shard, games: pl.DataFrame) -> pl.DataFrame:
    """Return the games with the columns that the plan decides as it does."""
    import polars as pl

    facts, plan = run.game.facts, run.plan
    table = stored_table(facts, "games")
    cells = {piece.cell.id: piece.cell for piece in shard.pieces}
    numbers = games["game_id"].to_numpy()
    cell = pl.Series(numbers // game_id(1, 0, 0))
    made: list[pl.Series] = [cell.cast(pl.Int32).alias("cell_id")]
    for column in table.columns:
        dtype = games.schema[column.name]
        if column.role == "index":
            made.append(pl.Series(column.name, numbers % game_id(1, 0, 0) // game_id(0, 1, 0)).cast(dtype))
        elif column.role == "replicate":
            made.append(pl.Series(column.name, numbers % game_id(0, 1, 0)).cast(dtype))
        elif column.role in ("edition", "players", "combination", "lineup", "seed"):
            by_cell = {
                number: fixed_value(column, plan, facts, known, known.variants)
                for number, known in cells.items()
            }
            made.append(cell.replace_strict(by_cell, return_dtype=dtype).alias(column.name))
    return games.with_columns(made)
