"""What a sweep would take on this machine, from a few games of each player count and lineup.

Plays and compresses in memory; writes nothing.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from itertools import groupby
from math import factorial
from typing import Final, NamedTuple

from balance.dataset.parquet import encode
from balance.dataset.plan import Plan, PlannedCell
from balance.dataset.shards import Piece, Shard, cut
from balance.sweep.planning import half_width
from balance.sweep.playing import Player, play_shard
from balance.sweep.simulation import Prepared

_SECONDS: Final = 4.0
"""What the whole calibration may take, about."""
_SAMPLED: Final = 4
"""Cells that stand for all of a player count and lineup."""
_DEALS: Final = 500
"""Deals of each of them, if they are played fast."""
_FACTOR: Final = 5
"""How many times more deals than before."""


class Row(NamedTuple):
    """One thing that is known or estimated."""

    item: str
    value: int | float | str
    unit: str


class _Sample(NamedTuple):
    """What some games took."""

    games: int
    seconds: float
    bytes: int


def estimate(prepared: Prepared, jobs: int) -> list[Row]:
    """Return what a plan means: cells, games, time, bytes, and how sure the results will be."""
    plan = prepared.plan
    shards = cut(plan.cells)
    groups = _groups(plan)
    _sampled(prepared, next(iter(groups.values()))[:1], 0)  # what the first game of a process waits for
    compiling = _compiling(prepared)
    seconds = bytes_ = 0.0
    for cells in groups.values():
        sample = _sampled(prepared, cells, _SECONDS / len(groups))
        games = sum(cell.games for cell in cells)
        seconds += sample.seconds / sample.games * games
        bytes_ += sample.bytes / sample.games * games
    tables = len(prepared.game.facts.tables)
    return [
        Row("folder", str(prepared.folder), ""),
        Row("cells", sum(cell.deals > 0 for cell in plan.cells), ""),
        Row("games", plan.games, ""),
        Row("shards", len(shards), ""),
        Row("files", len(shards) * tables, ""),
        Row("jobs", jobs, ""),
        Row("time", round((seconds + compiling) / jobs, 1), "s"),
        Row("size", round(bytes_ / 1e6, 1), "MB"),
        *_certainty(prepared),
    ]


def _certainty(prepared: Prepared) -> Iterator[Row]:
    """Yield the half-widths of the 95% intervals within one cell."""
    most: dict[int, int] = {}
    for cell in prepared.plan.cells:
        most[cell.players] = max(cell.deals, most.get(cell.players, 0))
    for players, deals in sorted(most.items()):
        yield Row(f"deals per cell, {players} players", deals, "")
        width = half_width(deals, players) * 100
        yield Row(f"a seat's win share, {players} players", round(width, 2), "+- pp")


def _groups(plan: Plan) -> dict[tuple[int, str], list[PlannedCell]]:
    """Return the cells that take about the same time: by player count and lineup."""

    def key(cell: PlannedCell) -> tuple[int, str]:
        return cell.players, cell.lineup

    played = sorted((cell for cell in plan.cells if cell.deals), key=key)
    return {group: list(cells) for group, cells in groupby(played, key)}


def _compiling(prepared: Prepared) -> float:
    """Return the seconds that all cells take to be compiled; once for all lineups."""
    game, plan = prepared.game, prepared.plan
    kinds = {(cell.players, cell.variants) for cell in plan.cells if cell.deals}
    ordered = game.facts.variants_ordered
    number = sum(factorial(len(variants)) if ordered else 1 for _, variants in kinds)
    some = sorted(kinds)[:: max(1, len(kinds) // 8)][:8]
    begun = time.perf_counter()
    for players, variants in some:
        game.compile(prepared.catalog, plan.edition, players, variants)
    return (time.perf_counter() - begun) / len(some) * number


def _sampled(prepared: Prepared, cells: Sequence[PlannedCell], seconds: float) -> _Sample:
    """Play a few cells, for about `seconds`."""
    some = cells[:: max(1, len(cells) // _SAMPLED)][:_SAMPLED]
    samples = [_of_cell(prepared, cell, seconds / len(some)) for cell in some]
    return _Sample(*(sum(figures) for figures in zip(*samples, strict=True)))


def _of_cell(prepared: Prepared, cell: PlannedCell, seconds: float) -> _Sample:
    """Play ever more deals of a cell until that takes long enough to be measured; the last time counts."""
    player = Player(prepared.game, prepared.catalog, prepared.plan)
    deals = 1
    while True:
        sample = _whole(prepared, player, Piece(cell, cell.first, min(deals, cell.deals)))
        if deals >= min(_DEALS, cell.deals) or sample.seconds * _FACTOR > seconds:
            return sample
        deals *= _FACTOR


def _whole(prepared: Prepared, player: Player, piece: Piece) -> _Sample:
    """Play and compress a piece; the bytes are those beyond empty files."""
    shard = Shard(0, piece.cell.players, (piece,))
    begun = time.perf_counter()
    size = 0
    for _, frame in play_shard(prepared.game, player, prepared.plan, shard, lambda *_: True):
        size += len(encode(frame)) - len(encode(frame.clear()))
    return _Sample(shard.games, time.perf_counter() - begun, size)
