"""Interaction: what two variants do together beyond what each does alone.

The difference in differences on common seeds: the same deal is looked at with both variants, with each alone
and with none. Length and money are compared as logarithms of means (twice as long and half as long cancel
out), shares and win points as they are. Integers are summed per deal; the unit is the deal.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from balance.analysis.cells import (
    PAIRED,
    CellStatistics,
    Layout,
    Statistics,
    Sums,
    connect,
    layout_of,
    planned_cells,
)
from balance.analysis.corrections import benjamini_yekutieli
from balance.analysis.estimates import Mean
from balance.analysis.intervals import Interval, Z, normal_tail
from balance.analysis.verdict import Judgements, Key, Verdict, strength_of
from balance.dataset import sqltext
from balance.dataset.run import Run

if TYPE_CHECKING:
    import duckdb
    import numpy as np
    import numpy.typing as npt

    Numbers = npt.NDArray[np.int64]

__all__ = ["LOG", "POINTS", "Interaction", "Together", "interactions", "together"]

LOG: Final = "log"
POINTS: Final = "points"
_SIGNS: Final = (1, -1, -1, 1)
"""Both variants, the first, the second, none."""
_QUARTETS_AT_ONCE: Final = 200


@dataclass(frozen=True, slots=True)
class Interaction:
    """What a pair does beyond its two variants in one measure."""

    cell: CellStatistics
    measure: str
    """As the sums are named: `length`, `stalled`, `policy:adaptive`."""
    scale: str
    """`log`: the logarithm of a factor; `points`: a difference of shares or win points."""
    interval: Interval
    p: float
    """Two-sided, against "nothing beyond"."""
    adjusted: float
    """Corrected over all interactions that were looked at."""

    def sentence(self) -> str:
        """Return it in words."""
        value, low, high = self.interval
        if self.scale == LOG:
            factor, least, most = (math.exp(end) for end in (value, low, high))
            return (
                f"{self.measure}: {factor:.2f} times what both alone would give ({least:.2f} to {most:.2f})"
            )
        return f"{self.measure}: {value:+.3f} beyond what both alone would give ({low:+.3f} to {high:+.3f})"


@dataclass(frozen=True, slots=True)
class _Quartet:
    """A pair with its cells alone and without variants, by id."""

    pair: CellStatistics
    first: int
    second: int
    none: int

    @property
    def ids(self) -> tuple[int, int, int, int]:
        """In the order of the signs."""
        return self.pair.id, self.first, self.second, self.none


def _quartets(statistics: Statistics, cells: Iterable[int] | None) -> Iterator[_Quartet]:
    """Yield the pairs whose two variants were also played alone, and without any."""
    for number in statistics.cells if cells is None else cells:
        cell = statistics.cells[number]
        if len(cell.variants) != 2:
            continue
        alone = [statistics.find(cell.players, (name,), cell.lineup) for name in cell.variants]
        none = statistics.baseline(cell)
        if alone[0] and alone[1] and none:
            yield _Quartet(cell, alone[0].id, alone[1].id, none.id)


def interactions(
    runs: Sequence[Run],
    statistics: Statistics,
    cells: Iterable[int] | None = None,
    con: duckdb.DuckDBPyConnection | None = None,
    *,
    measures: Collection[str] | None = None,
) -> list[Interaction]:
    """Return what the pairs among some cells (by default all) do beyond their variants alone.

    Pairs of which a variant was not played alone at the same players and lineup are left out. `measures` says
    what is looked at, as the sums are named; by default everything.
    """
    quartets = list(_quartets(statistics, cells))
    if not quartets:
        return []
    con = con or connect()
    planned = planned_cells(runs, {q.pair.id for q in quartets})
    layout = layout_of(runs[0], planned)
    if measures is not None and not any(name.startswith(("policy:", "beside:")) for name in measures):
        layout = replace(layout, policies=())
    asked = [one for one in _measures(layout) if measures is None or one[0] in measures]
    totals = _totals(con, layout, asked, runs, quartets)
    found = [
        made
        for quartet in quartets
        if quartet.pair.id in totals
        for made in _of_cell(quartet.pair, asked, totals[quartet.pair.id])
    ]
    corrected = benjamini_yekutieli([p for *_, p in found])
    return [
        Interaction(cell, name, scale, interval, p, adjusted)
        for (cell, name, scale, interval, p), adjusted in zip(found, corrected, strict=True)
    ]


Asked = tuple[str, str, str]


def _measures(layout: Layout) -> Iterator[Asked]:
    """Yield name, scale and denominator of what can be compared deal by deal."""
    for part in layout.parts:
        kind = part.name.partition(":")[0]
        if part.name in PAIRED:
            yield part.name, LOG, ""
        elif part.den == "1":
            yield part.name, POINTS, ""
        elif kind == "policy":  # who sits where is drawn from seeds, so the same in all four cells
            yield part.name, POINTS, part.den


def _totals(
    con: duckdb.DuckDBPyConnection,
    layout: Layout,
    asked: Sequence[Asked],
    runs: Sequence[Run],
    quartets: Sequence[_Quartet],
) -> dict[int, dict[str, int]]:
    """Return the sums over the deals that all four cells have played, by pair.

    One number of players at a time: every deal of every cell is read once, and lies in a table of cells and
    deals from which all pairs are made. A join for each pair would read most deals dozens of times.
    """
    found: dict[int, dict[str, int]] = {}
    for players in sorted({q.pair.players for q in quartets}):
        own = [q for q in quartets if q.pair.players == players]
        tables = _tables(con, layout, asked, runs, {number for q in own for number in q.ids})
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

    def sums(self, quartets: Sequence[_Quartet], asked: Sequence[Asked]) -> dict[str, Numbers]:
        """Return what is needed of the deals that all four cells of each quartet have played."""
        import numpy as np

        rows = np.array([[self.rows[number] for number in q.ids] for q in quartets])
        common = self.played[rows].all(axis=1)
        made = {"deals": common.sum(axis=1)}
        for name, scale, den in asked:
            each = [self.columns[f"n:{name}"][rows[:, k]] * common for k in range(4)]
            if scale == LOG:
                for k, one in enumerate(each):
                    made[f"{name}:{k}"] = one.sum(axis=1)
                    for m, two in enumerate(each[k:], k):
                        made[f"{name}:{k}{m}"] = (one * two).sum(axis=1)
                continue
            beyond = sum(sign * one for sign, one in zip(_SIGNS, each, strict=True))
            made[f"{name}:n"], made[f"{name}:n2"] = beyond.sum(axis=1), (beyond * beyond).sum(axis=1)
            if den:
                held = self.columns[f"d:{den}"][rows[:, 0]] * common
                made[f"{name}:d"], made[f"{name}:d2"] = held.sum(axis=1), (held * held).sum(axis=1)
                made[f"{name}:x"] = (beyond * held).sum(axis=1)
        return made


def _tables(
    con: duckdb.DuckDBPyConnection,
    layout: Layout,
    asked: Sequence[Asked],
    runs: Sequence[Run],
    cells: set[int],
) -> _Tables:
    """Read what is needed of every deal of some cells of one number of players."""
    import numpy as np

    wanted = sorted({f"n:{name}" for name, _, _ in asked} | {f"d:{den}" for _, _, den in asked if den})
    files, seats = (sqltext.parquet(f for run in runs for f in run.files(t)) for t in ("games", "seats"))
    low, high = min(cells), max(cells)
    read = con.execute(
        f"select cell_id, deal, {', '.join(map(sqltext.name, wanted))} "
        f"from ({layout.per_deal(files, seats, f'cell_id between {low} and {high}')})"
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


Found = tuple[CellStatistics, str, str, Interval, float]


def _of_cell(cell: CellStatistics, asked: Sequence[Asked], total: dict[str, int]) -> Iterator[Found]:
    deals = total["deals"]
    if deals < 2:
        return
    mixed = sum(name.startswith("policy:") for name in cell.sums) > 1
    for name, scale, den in asked:
        kind, _, of = name.partition(":")
        if (kind == "seat" and int(of) >= cell.players) or (kind == "policy" and not mixed):
            continue
        if scale == LOG:
            found = _log_difference(total, name, deals)
        else:
            each = cell.replicates
            sums = Sums(
                deals,
                total[f"{name}:n"],
                total[f"{name}:d"] if den else deals * each,
                total[f"{name}:n2"],
                total[f"{name}:d2"] if den else deals * each * each,
                total[f"{name}:x"] if den else total[f"{name}:n"] * each,
            )
            found = _difference(sums)
        if found is not None:
            yield cell, name, scale, *found


def _difference(sums: Sums) -> tuple[Interval, float] | None:
    """Return the difference in differences of a share, and its p-value."""
    if not sums.den:
        return None
    mean = Mean(sums)
    return mean.interval, min(1.0, 2 * min(mean.p_above(0.0), mean.p_below(0.0)))


def _log_difference(total: dict[str, int], name: str, deals: int) -> tuple[Interval, float] | None:
    """Return the difference in differences of log means, with the variance of its linearisation."""
    sums = [total[f"{name}:{k}"] for k in range(4)]
    if min(sums) <= 0:
        return None
    value = sum(sign * math.log(part) for sign, part in zip(_SIGNS, sums, strict=True))
    variance = 0.0
    for k in range(4):
        for m in range(4):
            low, high = min(k, m), max(k, m)
            covariance = (total[f"{name}:{low}{high}"] * deals - sums[k] * sums[m]) / (deals - 1)
            variance += _SIGNS[k] * _SIGNS[m] * covariance / (sums[k] * sums[m])
    error = math.sqrt(max(variance, 0.0))
    z = abs(value) / error if error else (math.inf if value else 0.0)
    return Interval(value, value - Z * error, value + Z * error), min(1.0, 2 * normal_tail(z))


# --- neither breaks it, together they do


@dataclass(frozen=True, slots=True)
class Together:
    """A pair that is broken although neither of its variants alone is, at one strength of play."""

    players: int
    variants: tuple[str, ...]
    lineup: str
    strength: str
    sure: bool
    """Both variants alone were found fine there; otherwise they were only not found broken: possibly."""

    @property
    def key(self) -> Key:
        """What the verdict is about."""
        return self.players, self.variants

    def sentence(self) -> str:
        """Return it in words."""
        both = " and ".join(self.variants)
        if self.sure:
            return f"neither breaks it, together they do: {both}, {self.players} players, {self.strength}"
        return f"possibly only together: {both}, {self.players} players, {self.strength}"


def together(judgements: Judgements, statistics: Statistics) -> list[Together]:
    """Return the pairs that only together are broken, the sure ones first."""
    found: list[Together] = []
    for judgement in judgements.judgements:
        if len(judgement.variants) != 2 or judgement.verdict is not Verdict.BROKEN:
            continue
        alone = [judgements.find(judgement.players, (name,)) for name in judgement.variants]
        for broken in (cell for cell in judgement.cells if cell.verdict is Verdict.BROKEN):
            lineup = broken.cell.lineup
            there = [
                next((c.verdict for c in single.cells if c.cell.lineup == lineup), Verdict.UNDECIDED)
                if single
                else Verdict.UNDECIDED
                for single in alone
            ]
            if Verdict.BROKEN not in there:
                sure = all(verdict is Verdict.FINE for verdict in there)
                name = strength_of(statistics.facts, lineup).name
                found.append(Together(*judgement.key, lineup, name, sure))
    return sorted(found, key=lambda t: (not t.sure, t.players, t.variants, t.lineup))
