"""Cutting a plan into shards: what one worker plays and writes in one go.

A shard holds neighbouring cells of one player count, so that whole files can be passed over. The cut depends
on the plan alone, never on threads or memory of the machine at hand.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Final

from balance.dataset.plan import MOST_SEATS, PlannedCell

WANTED: Final = 90
"""Shards of a long run: times five tables, and a little more, they stay below 500 files."""
FEWEST_SEATS: Final = 60_000
"""Seats of a shard, if there are as many: smaller files are not worth opening."""
_PARTS: Final = 8
"""A cell with more than this part of a shard may be cut between two of its deals."""


@dataclass(frozen=True, slots=True)
class Shard:
    """What is played and written in one go."""

    number: int
    players: int
    pieces: tuple[PlannedCell, ...]
    """Its cells, each with those of its deals that are played here."""

    @property
    def games(self) -> int:
        """How many games it has."""
        return sum(piece.games for piece in self.pieces)

    def file(self, table: str) -> str:
        """Return the path of its part of a table, below the run's folder."""
        return part_name(table, self.players, self.number)


def part_name(table: str, players: int, shard: int) -> str:
    """Return the path of a shard's part of a table, below the run's folder."""
    return f"{table}/{players}-players/{shard:04}.parquet"


def cut(cells: Sequence[PlannedCell]) -> list[Shard]:
    """Return the shards of a plan's cells, in order."""
    total = sum(cell.games * cell.players for cell in cells)
    seats = min(max(-(-total // WANTED), FEWEST_SEATS), MOST_SEATS)
    found: list[Shard] = []
    for players, group in groupby(cells, key=lambda cell: cell.players):
        for pieces in _filled(list(group), players, seats):
            found.append(Shard(len(found), players, pieces))
    return found


def _filled(cells: Sequence[PlannedCell], players: int, seats: int) -> Iterator[tuple[PlannedCell, ...]]:
    games = sum(cell.games for cell in cells)
    if not games:
        return
    number = -(-games * players // seats)
    size = -(-games // number)
    pieces: list[PlannedCell] = []
    held = 0
    for piece in (piece for cell in cells for piece in _pieces(cell, max(1, size // _PARTS))):
        pieces.append(piece)
        held += piece.games
        if held >= size:
            yield tuple(pieces)
            pieces, held = [], 0
    if pieces:
        yield tuple(pieces)


def _pieces(cell: PlannedCell, games: int) -> Iterator[PlannedCell]:
    size = max(1, cell.deals if cell.games <= games * 2 else games // cell.replicates)
    for first in cell.indices[::size]:
        yield replace(cell, first=first, deals=min(size, cell.indices.stop - first))
