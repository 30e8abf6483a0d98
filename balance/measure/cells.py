"""What the games of a cell add up to: the sums behind `metrics`, read from the views of `balance.dataset`.

Nothing is aggregated here: the views do that, in integers. Must stay free of thresholds and verdicts.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from balance.dataset.plan import PlannedCell
from balance.dataset.run import Run
from balance.dataset.views import SUMMED, create_views, keep_views
from balance.errors import UsageError
from balance.games.contract import Facts
from balance.stats.ratio import Common, Normal, Ratio

if TYPE_CHECKING:
    import duckdb

_MEMORY = "1500MB"
_IN_MEMORY = ("deals", "lengths")
_SUMS = "deals, num::bigint, den::bigint, num2::bigint, den2::bigint, numden::bigint, most"
_COMMON = ", ".join(f"{name}::bigint" for name in ("deals", "x", "y", "u", "v", "xu", "xv", "yu", "yv"))


@dataclass(frozen=True)
class CellStatistics:
    """One cell: what its games add up to."""

    id: int
    players: int
    variants: tuple[str, ...]
    lineup: str
    replicates: int
    """Games of each deal."""
    deals: int = 0
    lengths: Mapping[int, int] = field(default_factory=dict)
    """How many games lasted how many rounds."""
    sums: Mapping[str, Ratio] = field(default_factory=dict)
    """By measure, `stalls`, or measure and thing, `action:work`; `select * from measures` shows all."""
    common: Mapping[str, Common] = field(default_factory=dict)
    """With the cell without variants of the same players and lineup, if that is at hand; by measure."""
    design: float = 1.0
    """How many times fewer independent games would say as much about length; 1 without replicates."""
    luck: Normal | None = None
    """The part of winning that the deal decides; only where deals were replayed as they were."""

    @property
    def games(self) -> int:
        """How many games."""
        return self.deals * self.replicates

    def __str__(self) -> str:
        return f"{self.players} players, {' + '.join(self.variants) or 'plain'}, {self.lineup}"


@dataclass(frozen=True)
class Statistics:
    """The cells of one or several runs that are read together."""

    facts: Facts
    cells: Mapping[int, CellStatistics]
    pools: Mapping[tuple[int, bool], Mapping[str, Ratio]] = field(default_factory=dict)
    """By number of players, and whether the deck runs dry in most games: what all cells of the default player
    add up to, deal by deal, as far as it is judged over everything; by measure and thing, `seat:0`."""

    def find(self, players: int, variants: Sequence[str], lineup: str) -> CellStatistics | None:
        """Return the cell with these variants, if it was played."""
        return self._by_key.get((players, tuple(variants), lineup))

    @cached_property
    def _by_key(self) -> dict[tuple[int, tuple[str, ...], str], CellStatistics]:
        return {(c.players, c.variants, c.lineup): c for c in self.cells.values()}

    def baseline(self, cell: CellStatistics) -> CellStatistics | None:
        """Return the cell without variants of the same players and lineup; None if there is none."""
        return self.find(cell.players, (), cell.lineup)


def connect() -> duckdb.DuckDBPyConnection:
    """Return a connection of its own, within the memory that an analysis may take."""
    import duckdb

    con = duckdb.connect(
        ":memory:", config={"memory_limit": _MEMORY, "autoinstall_known_extensions": "false"}
    )
    con.execute("set preserve_insertion_order = false")
    con.execute("set enable_progress_bar = false")  # it would be drawn into the output
    return con


def connect_to(
    runs: Sequence[Run],
    cells: Iterable[int] | None = None,
    within: Mapping[int, tuple[int, int]] | None = None,
    *,
    metrics: bool = False,
) -> duckdb.DuckDBPyConnection:
    """Return a connection with the views of runs, of all cells or of some; `metrics` only if asked for.

    With `within` only some deals of some cells count: from an index up to the one before another, by cell.
    """
    con = connect()
    create_views(con, runs, None if cells is None else sorted(cells), within, metrics=metrics)
    return con


def statistics(
    runs: Sequence[Run],
    cells: Iterable[int] | None = None,
    *,
    within: Mapping[int, tuple[int, int]] | None = None,
    into: duckdb.DuckDBPyConnection | None = None,
) -> Statistics:
    """Return what the games of every cell (or of some, and their baselines) add up to.

    `into` is a connection for the views, for further questions: with the deals of these cells in memory but
    without the view `metrics`, or, of all cells, with their sums.
    """
    if not runs:
        raise UsageError("no run is given")
    refuse_chosen(runs)
    planned = planned_cells(runs, None if cells is None else set(cells))
    facts = runs[0].game.facts
    counted = None if cells is None else sorted(planned)
    few = into is not None and cells is not None
    with connect() if into is None else nullcontext(into) as con:
        kept = into is not None and not few
        create_views(con, runs, counted, within, metrics=kept, tables=_IN_MEMORY if few else ())
        if kept:
            keep_views(con, " ".join(SUMMED))
        sums = _ratios(con, "metric_sums")
        if facts.mask("opening"):
            for number, own in _ratios(con, "metric_items").items():
                sums.setdefault(number, {}).update(own)
        lengths: dict[int, dict[int, int]] = {}
        for number, length, games in con.execute("from lengths order by all").fetchall():
            lengths.setdefault(number, {})[length] = games
        common: dict[int, dict[str, Common]] = {}
        rows = con.execute(f"select cell_id, measure, {_COMMON} from metric_pairs").fetchall()
        for number, measure, *shared in rows:
            common.setdefault(number, {})[measure] = Common(*shared)
        rows = con.execute("select cell_id, value, error, deals from luck").fetchall()
        luck = {number: Normal(*fitted) for number, *fitted in rows}
        designs = dict(con.execute("select cell_id, effect from designs").fetchall())
        pools: dict[tuple[int, bool], dict[str, Ratio]] = {}
        rows = con.execute(
            f"""select players, dry, measure || ':' || "of", {_SUMS} from metric_pools order by all"""
        ).fetchall()
        for players, dry, name, *parts in rows:
            pools.setdefault((players, dry), {})[name] = read_ratio(*parts)
    return Statistics(
        facts,
        {
            number: CellStatistics(
                number,
                cell.players,
                cell.variants,
                cell.lineup,
                cell.replicates,
                sum(lengths.get(number, {}).values()) // cell.replicates,
                lengths.get(number, {}),
                sums.get(number, {}),
                common.get(number, {}),
                designs.get(number, 1.0),
                luck.get(number),
            )
            for number, cell in sorted(planned.items())
        },
        pools,
    )


def read_ratio(
    deals: int, num: int, den: int, num2: int, den2: int, numden: int, most: float | None = None
) -> Ratio:
    """Return the estimate that sums of a view stand for; without `most` it is an amount."""
    return Ratio(deals, num, den, num2, den2, numden, math.inf if most is None else most)


def _ratios(con: duckdb.DuckDBPyConnection, view: str) -> dict[int, dict[str, Ratio]]:
    """Return the sums of each figure, by cell and name."""
    found: dict[int, dict[str, Ratio]] = {}
    rows = con.execute(f'select cell_id, measure, "of", {_SUMS} from {view} order by all').fetchall()
    for number, measure, of, *sums in rows:
        found.setdefault(number, {})[f"{measure}:{of}" if of else measure] = read_ratio(*sums)
    return found


def telling_game(con: duckdb.DuckDBPyConnection, cell: int) -> tuple[int, int, int | None]:
    """Return the first game of middle length of a cell, that length, and the first that nobody wins."""
    wanted = "select typical, middle, stalled from telling_games where cell_id = ?"
    typical, middle, stalled = con.execute(wanted, [cell]).fetchall()[0]
    return typical, middle, stalled


def refuse_chosen(runs: Sequence[Run]) -> None:
    """Refuse runs whose deals were chosen: they do not represent games in general."""
    for run in runs:
        if run.plan.chosen:
            raise UsageError(f"{run.path} does not represent games in general: its deals were chosen")


def planned_cells(runs: Sequence[Run], wanted: set[int] | None = None) -> dict[int, PlannedCell]:
    """Return the cells that were played and are asked for, with their baselines, by id."""
    found: dict[int, PlannedCell] = {}
    for cell in (cell for run in runs for cell in run.plan.cells if cell.games):
        found.setdefault(cell.id, cell)
    if wanted is None:
        return found
    unknown = sorted(wanted - set(found))
    if unknown:
        raise UsageError(f"there is no cell {unknown[0]} with games in these runs")
    plain = {(cell.players, cell.lineup): cell.id for cell in found.values() if not cell.variants}
    bases = {plain.get((found[k].players, found[k].lineup), k) for k in wanted}
    return {number: found[number] for number in sorted(wanted | bases)}
