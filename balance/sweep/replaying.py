"""Replaying one game: by everything that decides it, or by its id in a run, compared with the run's rows."""

from __future__ import annotations

import html
import shlex
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from balance import games
from balance.dataset.plan import PlannedCell
from balance.dataset.run import Run, open_run
from balance.dataset.schema import split_game_id
from balance.dataset.shards import cut
from balance.dataset.stamp import policies_hash
from balance.dataset.verify import read_rows
from balance.errors import DataError, UsageError
from balance.games.contract import Adjustable, Catalog, Event, Game, Notated, Table
from balance.games.keys import check_keys
from balance.games.lineup import parse_lineup
from balance.games.variants import variant_names
from balance.sweep.playing import orders, variant_order
from balance.sweep.simulation import require_same_engine
from balance.userfiles import quoted


@dataclass(frozen=True, repr=False)
class Replay:
    """One game, by everything that decides it; `print` shows it round by round."""

    game: Game[Any, Any]
    cell: Any
    seed: int
    index: int
    replicate: int
    policies: tuple[str, ...]
    run: Run | None = None
    id: int = 0

    def play(self) -> list[Event]:
        """Play it again and return what happens, in order."""
        return self.game.replay(self.cell, self.seed, self.index, self.policies, self.replicate)

    @cached_property
    def events(self) -> list[Event]:
        """What happened, in order; DataError if the rows of a run say something else."""
        events = self.play()
        if self.run is None:
            return events
        played = self.game.rows_of(self.cell, events)
        for table in self.game.facts.tables:
            if _stored_rows(self.run, self.id, table) != played[table.name]:
                raise DataError(
                    f"game {self.id} of {self.run.path} comes out differently from its rows in {table.name}; "
                    f"'balance doctor {quoted(self.run.path)}' checks the files"
                )
        return events

    def transcript(self) -> str:
        """Return the game in words."""
        return self.game.transcript(self.cell, self.events)

    def state(self, after: int) -> str:
        """Return the state after a round as a text (0: as dealt); UsageError if the game has no notation."""
        if not isinstance(self.game, Notated):
            raise UsageError(f"the game {self.game.name} has no text notation of a state")
        text: str = self.game.state_after(
            self.cell, self.seed, self.index, self.policies, after, self.replicate
        )
        return text

    def __repr__(self) -> str:
        players = len(self.policies)
        return f"<Replay {self.game.name}: {players} players, seed {self.seed}, game {self.index}>"

    def __str__(self) -> str:
        return self.transcript()

    def _repr_html_(self) -> str:
        short, whole = html.escape(repr(self)), html.escape(str(self))
        return f"<details><summary>{short}</summary><pre>{whole}</pre></details>"


def replay(
    run: Run | str | Path | None = None,
    game_id: int | None = None,
    *,
    players: int | None = None,
    variants: str | Iterable[str] = (),
    edition: str | None = None,
    seed: int = 0,
    game_index: int = 0,
    replicate: int = 0,
    lineup: str | None = None,
    catalog: Iterable[str | Path] = (),
    game: str = games.DEFAULT,
) -> Replay:
    """Play one game again: a game of a run, or one that the other arguments name.

    The arguments are those of `balance replay`; the same arguments give the same game.

    >>> replay(players=2, lineup="mirror:random", seed=7)
    <Replay nefarious: 2 players, seed 7, game 0>
    """
    if run is not None:
        if game_id is None:
            raise UsageError(f"which game of {run}? Name its game_id: balance replay RUN GAME_ID")
        opened = run if isinstance(run, Run) else open_run(run)
        return find_game(opened, game_id)
    if players is None:
        raise UsageError(
            "players is missing (or name a run and one of its games: RUN GAME_ID)", parameter="players"
        )
    chosen = games.get(game)
    loaded = chosen.load_catalog(catalog)
    check_keys(seed, game_index, replicate)
    named = variant_names(chosen, loaded, [variants] if isinstance(variants, str) else variants)
    rules = edition or chosen.facts.default_edition
    cell = chosen.compile(loaded, rules, players, named)
    seats = parse_lineup(lineup or chosen.facts.default_lineup, players, chosen)
    policies = seats.names(seed, game_index, replicate)
    return Replay(chosen, cell, seed, game_index, replicate, policies)


def find_game(run: Run, number: int) -> Replay:
    """Return the game of an id; UsageError if the run has none."""
    key = split_game_id(number)
    planned = run.plan.cell(key.cell)
    if planned is None or key.index not in planned.indices or key.replicate >= planned.replicates:
        raise UsageError(
            f"{run.path} has no game {number}: it does not play cell {key.cell}, index {key.index}, "
            f"replicate {key.replicate}"
        )
    require_same_engine(run.path, run.plan, run.game)
    variants = variants_of(run, planned, key.index)
    cell = run.game.compile(run.catalog, run.plan.edition, planned.players, variants)
    lineup = parse_lineup(planned.lineup, planned.players, run.game)
    policies = lineup.names(run.plan.seed, key.index, key.replicate)
    return Replay(run.game, cell, run.plan.seed, key.index, key.replicate, policies, run, number)


def variants_of(run: Run, planned: PlannedCell, index: int) -> tuple[str, ...]:
    """Return the variants of a game in the order in which they were in force."""
    possible = orders(run.game.facts, planned)
    return tuple(possible[variant_order(run.plan, planned, np.array([index]), len(possible))[0]])


def own_rules(run: Run) -> str:
    """Return the overlay that makes a run's catalog of the official one; empty if none is needed or does."""
    if not isinstance(run.game, Adjustable) or _is_made_of(run, ()):
        return ""
    text: str = run.game.overlay_text(run.game.load_catalog(), run.catalog)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "own.toml"
        file.write_text(text, encoding="utf-8")
        return text if text and _is_made_of(run, [file]) else ""


def replay_commands(
    run: Run,
    numbers: Sequence[int],
    overlays: Sequence[str | Path] = (),
    *,
    named: str = "",
    catalog: Sequence[str] = (),
) -> list[str]:
    """Return the commands that play games of a run again on any computer.

    `overlays` are the files that the run's catalog was made of, if they are known. `catalog` are the options
    that give the reader of a report this catalog. Without either, a run of another catalog than the official
    one must be named (`named`, else its path): it holds the catalog.
    """
    if not catalog and not _is_made_of(run, overlays):
        return [f"balance replay {named or shlex.quote(str(run.path))} {number}" for number in numbers]
    cells = {cell.id: cell for cell in run.plan.cells}
    catalog = [*catalog, *(word for path in overlays for word in ("--catalog", str(path)))]
    return [shlex.join(["balance", "replay", *_options(run, cells, n), *catalog]) for n in numbers]


def _options(run: Run, cells: Mapping[int, PlannedCell], number: int) -> list[str]:
    plan, facts, key = run.plan, run.game.facts, split_game_id(number)
    cell = cells[key.cell]
    options = {
        "--of": plan.game if plan.game != games.DEFAULT else "",
        "--edition": plan.edition if plan.edition != facts.default_edition else "",
        "--players": str(cell.players),
        f"--{facts.variants}": ",".join(variants_of(run, cell, key.index)),
        "--lineup": cell.lineup if cell.lineup != facts.default_lineup else "",
        "--seed": str(plan.seed),
        "--replicate": str(key.replicate or ""),
        "--game": str(key.index),
    }
    return [word for name, value in options.items() if value for word in (name, value)]


def _is_made_of(run: Run, overlays: Sequence[str | Path]) -> bool:
    """Return whether a run was played with the official catalog, the overlays, and the players of today."""
    catalog: Catalog = run.game.load_catalog(overlays)
    known = catalog.hash, policies_hash(run.game, catalog)
    return known == (run.plan.catalog_hash, run.plan.policies_hash)


def _stored_rows(run: Run, number: int, table: Table) -> list[dict[str, int]]:
    key = split_game_id(number)
    shard = next(  # so that no other file is opened
        shard
        for shard in cut(run.plan.cells)
        for piece in shard.pieces
        if piece.id == key.cell and key.index in piece.indices
    )
    file = run.path / shard.file(table.name)
    keys = {"cell_id": key.cell, "game_index": key.index, "replicate": key.replicate}
    try:
        frame = read_rows(file, f"where game_id = {number}")
        stored = [_as_played(run.game, table.columns, row) for row in frame.iter_rows(named=True)]
        of_game = all((frame[name] == key).all() for name, key in keys.items() if name in frame.columns)
        return stored if of_game else []
    except (DataError, KeyError, UsageError) as error:
        raise DataError(
            f"{file} cannot be read: {error}; 'balance doctor {quoted(run.path)}' says more"
        ) from None


def _as_played(game: Game[Any, Any], columns: Sequence[Any], row: dict[str, Any]) -> dict[str, int]:
    values: dict[str, int] = {}
    for column in columns:
        if column.role == "game":
            values[column.name] = 0
        elif column.role == "policy":
            values[column.name] = game.policy_number(row[column.name])
        else:
            values[column.name] = column.null if row[column.name] is None else row[column.name]
    return values
