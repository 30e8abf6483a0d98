"""Pairs of variants beside each alone and none: the sums over the deals that all four cells have played.

Sums only: `balance.judge.interaction` says what they mean.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from balance.dataset import sql_quote
from balance.dataset.measures import declared, fractions, met_policies
from balance.dataset.run import Run
from balance.games.measures import Measure
from balance.measure.cells import CellStatistics, Statistics, connect_to, planned_cells

if TYPE_CHECKING:
    import duckdb
    import numpy as np
    import numpy.typing as npt

    Numbers = npt.NDArray[np.int64]

LOG: Final = "log"
POINTS: Final = "points"
SIGNS: Final = (1, -1, -1, 1)
"""Both variants, the first, the second, none."""
_QUARTETS_AT_ONCE: Final = 200


@dataclass(frozen=True, slots=True)
class Quartet:
    """A pair with its cells alone and without variants, by id."""

    pair: CellStatistics
    first: int
    second: int
    none: int

    @property
    def ids(self) -> tuple[int, int, int, int]:
        """In the order of the signs."""
        return self.pair.id, self.first, self.second, self.none


def quartets_of(statistics: Statistics, cells: Iterable[int] | None) -> Iterator[Quartet]:
    """Yield the pairs whose two variants were also played alone, and without any."""
    for number in statistics.cells if cells is None else cells:
        cell = statistics.cells[number]
        if len(cell.variants) != 2:
            continue
        alone = [statistics.find(cell.players, (name,), cell.lineup) for name in cell.variants]
        none = statistics.baseline(cell)
        if alone[0] and alone[1] and none:
            yield Quartet(cell, alone[0].id, alone[1].id, none.id)


Asked = tuple[str, str, str, str]
"""Name of a measure, scale, and the columns of its numerator and denominator."""


def sums_of_pairs(
    runs: Sequence[Run],
    quartets: Sequence[Quartet],
    measures: Collection[str] | None = None,
    own: duckdb.DuckDBPyConnection | None = None,
) -> tuple[list[Asked], dict[int, dict[str, int]]]:
    """Return what is summed up, and the sums by pair; `measures` are some names, by default all.

    `own` is a connection that has the deals.
    """
    if not quartets:
        return [], {}
    game, planned = runs[0].game, planned_cells(runs, {q.pair.id for q in quartets})
    every = _measures(declared(game.facts, met_policies(game, planned.values())))
    asked = [one for one in every if measures is None or one[0] in measures]
    cells = {number for q in quartets for number in q.ids}
    with connect_to(runs, cells) if own is None else nullcontext(own) as con:
        totals = _totals(con, asked, quartets)
    return asked, {q.pair.id: totals[q.pair.id] for q in quartets if q.pair.id in totals}


def _measures(measures: Iterable[Measure]) -> Iterator[Asked]:
    """Yield name, scale, and columns of numerator and denominator, of what can be compared deal by deal."""
    for one in fractions(measures):
        name = f"{one.measure.name}:{one.of}" if one.of else one.measure.name
        if one.measure.multiple:
            yield name, LOG, one.num, ""
        elif one.den_sql == "1":
            yield name, POINTS, one.num, ""
        elif one.measure.name == "win_points":  # who sits where is drawn from seeds: alike in all four cells
            yield name, POINTS, one.num, one.den


def _totals(
    con: duckdb.DuckDBPyConnection, asked: Sequence[Asked], quartets: Sequence[Quartet]
) -> dict[int, dict[str, int]]:
    """Return the sums over the deals that all four cells have played, by pair.

    One number of players at a time: every deal of every cell is read once, and lies in a table of cells and
    deals from which all pairs are made. A join for each pair would read most deals dozens of times.
    """
    found: dict[int, dict[str, int]] = {}
    for players in sorted({q.pair.players for q in quartets}):
        own = [q for q in quartets if q.pair.players == players]
        tables = _tables(con, asked, {number for q in own for number in q.ids})
        for at in range(0, len(own), _QUARTETS_AT_ONCE):
            part = own[at : at + _QUARTETS_AT_ONCE]
            sums = tables.sums(part, asked)
            for k, quartet in enumerate(part):
                found[quartet.pair.id] = {name: int(values[k]) for name, values in sums.items()}
    return {number: total for number, total in found.items() if total["deals"]}


@dataclass(frozen=True)
class _Tables:
    """Whole numbers by cell (row) and deal (column)."""

    rows: dict[int, int]
    """Of each cell."""
    played: npt.NDArray[np.bool_]
    columns: dict[str, Numbers]

    def sums(self, quartets: Sequence[Quartet], asked: Sequence[Asked]) -> dict[str, Numbers]:
        """Return what is needed of the deals that all four cells of each quartet have played."""
        import numpy as np

        rows = np.array([[self.rows[number] for number in q.ids] for q in quartets])
        common = self.played[rows].all(axis=1)
        made = {"deals": common.sum(axis=1)}
        for name, scale, num, den in asked:
            each = [self.columns[num][rows[:, k]] * common for k in range(4)]
            if scale == LOG:
                for k, one in enumerate(each):
                    made[f"{name}:{k}"] = one.sum(axis=1)
                    for m, two in enumerate(each[k:], k):
                        made[f"{name}:{k}{m}"] = (one * two).sum(axis=1)
                continue
            beyond = sum(sign * one for sign, one in zip(SIGNS, each, strict=True))
            made[f"{name}:n"], made[f"{name}:n2"] = beyond.sum(axis=1), (beyond * beyond).sum(axis=1)
            if den:
                held = self.columns[den][rows[:, 0]] * common
                made[f"{name}:d"], made[f"{name}:d2"] = held.sum(axis=1), (held * held).sum(axis=1)
                made[f"{name}:x"] = (beyond * held).sum(axis=1)
        return made


def _tables(con: duckdb.DuckDBPyConnection, asked: Sequence[Asked], cells: set[int]) -> _Tables:
    """Read what is needed of every deal of some cells of one number of players."""
    import numpy as np

    wanted = sorted({name for *_, num, den in asked for name in (num, den) if name})
    read = con.execute(
        f"select cell_id, deal, {', '.join(map(sql_quote.name, wanted))} "
        f"from deals where cell_id between {min(cells)} and {max(cells)}"
    ).fetchnumpy()
    used = np.isin(read["cell_id"], sorted(cells))
    numbers, row = np.unique(read["cell_id"][used], return_inverse=True)
    deals, column = np.unique(read["deal"][used], return_inverse=True)
    played = np.zeros((len(numbers) + 1, len(deals)), np.bool_)  # the last row is that of cells without deals
    played[row, column] = True
    columns = {}
    for name in wanted:
        columns[name] = np.zeros(played.shape, np.int64)
        columns[name][row, column] = read[name][used]
    rows = dict.fromkeys(cells, len(numbers)) | {int(number): k for k, number in enumerate(numbers)}
    return _Tables(rows, played, columns)
