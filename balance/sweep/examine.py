"""Is the content of a run what its plan says? Rows, keys, seats, winners, items, and a sample of games again.

Checksums notice rot, not a forger, who can change them too. This looks at the rows.
"""

from __future__ import annotations

import random
from bisect import bisect
from collections.abc import Callable, Iterator, Set
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from balance.dataset.deals import DEALS, DealMaker, digest
from balance.dataset.manifest import CATALOG, RUN, FileRecord
from balance.dataset.measures import DECLARED
from balance.dataset.parquet import encode
from balance.dataset.run import Run
from balance.dataset.schema import STRING, StoredTable, game_id, stored_table
from balance.dataset.shards import Shard, cut
from balance.dataset.verify import Damage, count_rows, read_rows, require_count
from balance.errors import BalanceError, DataError
from balance.sweep.planning import versions
from balance.sweep.playing import fixed_value, games_by_order
from balance.sweep.replaying import find_game
from balance.sweep.smalltables import head_files

if TYPE_CHECKING:
    import polars as pl

_Frames = dict[str, "pl.DataFrame"]
_PLANNED: Final = {
    *("game", "index", "replicate", "cell", "edition", "players", "combination", "variant", "lineup", "seed")
}
"""The roles of what the plan decides about a game."""


def wrong_head(run: Run) -> Iterator[Damage]:
    """Yield the files from before the first game that do not follow from plan and catalog."""
    try:
        files = head_files(run.game, run.catalog, run.plan)
    except BalanceError as problem:
        yield Damage(CATALOG, str(problem))
        return
    for name, content in files.items():
        if run.state.head.get(name) != FileRecord.of(content):
            yield Damage(name, "not what follows from the plan and the catalog")


def wrong_content(
    run: Run, advance: Callable[[int], object] = lambda _: None, leave: Set[int] = frozenset()
) -> Iterator[Damage]:
    """Yield what the rows of each shard but those to `leave` have wrong; `advance` counts shards."""
    shards = cut(run.plan.cells)
    if len(shards) != run.plan.shards:
        yield Damage(RUN, f"plan of {run.plan.shards} shards, but its cells make {len(shards)}")
        return
    for shard in shards:
        if shard.number not in leave:
            yield from _wrong_shard(run, shard)
        advance(1)


def wrong_games(run: Run, number: int, advance: Callable[[int], object] = lambda _: None) -> Iterator[Damage]:
    """Play some games again, drawn from the whole run, and yield those whose rows differ."""
    cells = [cell for cell in run.plan.cells if cell.games]
    ends = list(accumulate(cell.games for cell in cells))
    rng = random.SystemRandom()  # nobody can know which
    for place in rng.sample(range(run.plan.games), min(number, run.plan.games)):
        cell = cells[bisect(ends, place)]
        deal, replicate = divmod(ends[bisect(ends, place)] - 1 - place, cell.replicates)
        one = int(game_id(cell.id, cell.indices[deal], replicate))
        try:
            _ = find_game(run, one).events  # which are compared with the rows
        except BalanceError as problem:
            yield Damage(f"game {one}", str(problem))
        advance(1)


def checks_deals(run: Run) -> bool:
    """Return whether the sums beside the rows can be made again: measures may be declared differently now."""
    return run.plan.versions.get(DECLARED) == digest(run.game.facts)


def _wrong_shard(run: Run, shard: Shard) -> Iterator[Damage]:
    expected = {shard.file(table.name) for table in run.tables}
    for name in sorted(expected - run.state.shards.get(shard.number, {}).keys()):
        yield Damage(name, "missing: the run has no record of this file")
        return
    frames: _Frames = {}
    try:
        for table in run.tables:
            frames[table.name] = _frame(run, shard, table, frames.get("games"))
    except DataError as problem:
        yield Damage(shard.file(table.name), str(problem))
        return
    found = list(_wrong_rows(run, shard, frames))
    yield from (Damage(shard.file(name), problem) for name, problem in found)
    if found:
        return
    if checks_deals(run):
        frames[DEALS] = DealMaker(run.game, run.plan.cells, run.path).make(
            {table.name: [run.path / shard.file(table.name)] for table in run.tables}
        )
    same = run.plan.versions.get("polars") == versions(run.game.facts)["polars"]  # which writes the files
    for name, frame in frames.items():
        file = shard.file(name)
        if run.state.shards[shard.number].get(file) == FileRecord.of(encode(frame)):
            continue
        if name == DEALS and (same or not _same_rows(run.path / file, frame)):
            yield Damage(file, "not what follows from the other tables")
        elif same:
            yield Damage(file, "its statistics or counts are not those of its rows")


def _same_rows(file: Path, frame: pl.DataFrame) -> bool:
    """Return whether a file that other libraries may have written has these rows."""
    return count_rows([file]) == frame.height and read_rows(file).equals(frame)


def _frame(run: Run, shard: Shard, table: StoredTable, games: pl.DataFrame | None) -> pl.DataFrame:
    facts, file = run.game.facts, run.path / shard.file(table.name)
    seats = shard.games * shard.players
    rounds = seats * facts.round_limit
    if games is not None:
        length = games[facts.table("games").column("length").name]
        if not length.is_between(0, facts.round_limit).all():
            raise DataError("a game of more rounds than there can be")
        rounds = int(length.sum()) * shard.players
    require_count(table.name, count_rows([file]), {"games": shard.games, "seats": seats}, rounds)
    frame = read_rows(file)
    if dict(frame.schema) != _schema(table):
        raise DataError("columns or types are not those of the table")
    return frame


def _schema(table: StoredTable) -> dict[str, Any]:
    import polars as pl

    other = {"bool": pl.Boolean, STRING: pl.String}
    return {
        column.name: other.get(column.type)
        or getattr(pl, column.type.replace("int", "Int").replace("uI", "UI"))
        for column in table.columns
    }


def _wrong_rows(run: Run, shard: Shard, frames: _Frames) -> Iterator[tuple[str, str]]:
    import polars as pl

    games, players = frames["games"].sort("game_id"), shard.players
    planned = _planned(run, shard, games.schema)
    if not games["game_id"].equals(planned["game_id"]):
        yield "games", f"not the {planned.height} games that the plan says, each once"
        return
    if not games.select(planned.columns).equals(planned):
        yield "games", "cell, players, variants, lineup, seed or index are not those of the plan"
    ids = games["game_id"].to_numpy()
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
        yield from ((table.name, problem) for problem in _wrong_other(run, table, frames))


def _wrong_other(run: Run, table: StoredTable, frames: _Frames) -> Iterator[str]:
    """Yield what is wrong with the rows of any table: no game, seat, round or item, nothing, or twice."""
    import polars as pl

    frame, games = frames[table.name], frames["games"]
    length = run.game.facts.table("games").column("length").name
    of_game = frame.select("game_id").join(
        games.select("game_id", "players", pl.col(length).alias("length")), on="game_id", how="left"
    )
    if of_game["length"].null_count():
        yield "rows of games that the shard does not have"
        return
    if frame.is_duplicated().any():
        yield "a row twice"
    if not (frame["cell_id"] == frame["game_id"] // game_id(1, 0, 0)).all():
        yield "a cell that is not that of the game"
    for column in table.columns:
        values = frame[column.name]
        if not column.optional and values.null_count():
            yield f"a row without {column.name}"
        if column.role == "seat" and not ((values >= 0) & (values < of_game["players"])).all():
            yield f"{column.name} is not a seat of the game"
        if column.role == "round" and not ((values >= 1) & (values <= of_game["length"])).all():
            yield f"{column.name} is not a round of the game"
        if column.role == "item" and not set(values.drop_nulls()) <= set(
            run.small(run.game.facts.items)["id"]
        ):
            yield f"{column.name} is not in the catalog"
    if {"round", "seat", "score"} <= {column.role for column in table.columns}:
        yield from _wrong_course(run, table, frame, games.with_columns(length=length))


def _wrong_course(run: Run, table: StoredTable, frame: pl.DataFrame, games: pl.DataFrame) -> Iterator[str]:
    """Yield what is wrong with a table of scores: every round and seat once, for games of some indices."""
    import polars as pl

    keys = ["game_id", table.column("round").name, table.column("seat").name]
    if frame.select(keys).is_duplicated().any():
        yield "a round and seat of a game twice"
    index = stored_table(run.game.facts, "games").column("index").name
    counted = games.join(frame.group_by("game_id").agg(rows=pl.len()), on="game_id", how="left")
    kept = counted.filter(pl.col("rows").is_not_null())
    if not (kept["rows"] == kept["length"] * kept["players"].cast(pl.Int64)).all():
        yield "not every round and seat of a game"
    if counted.filter(pl.col("rows").is_null())[index].is_in(kept[index].unique().implode()).any():
        yield "rows of some games of a deal, and not of others"


def _planned(run: Run, shard: Shard, schema: pl.Schema) -> pl.DataFrame:
    """Return the columns of games that the plan decides, by game."""
    import polars as pl

    facts, plan = run.game.facts, run.plan
    columns = [c for c in stored_table(facts, "games").columns if c.role in _PLANNED]
    types: dict[Any, Any] = {column.name: schema[column.name] for column in columns}
    parts = []
    for cell in shard.pieces:
        for variants, deals, again in games_by_order(plan, facts, cell):
            known = {"game": game_id(cell.id, deals, again), "index": deals, "replicate": again}
            frame = pl.DataFrame({c.name: known[c.role] for c in columns if c.role in known})
            fixed = {
                c.name: pl.lit(fixed_value(c, plan, facts, cell, variants))
                for c in columns
                if c.role not in known
            }
            parts.append(frame.with_columns(**fixed).select(list(types)).cast(types))
    return pl.concat(parts).sort("game_id")
