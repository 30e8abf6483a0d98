"""What the games of cells add up to: the sums behind `metrics`, read from the views of `balance.dataset`.

Nothing is aggregated here: the views do that, in integers. Must stay free of thresholds and verdicts.
"""

from __future__ import annotations

import secrets
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from balance.dataset.measures import declared
from balance.dataset.metric_views import COMMON, QUANTILES, SUMS
from balance.dataset.plan import PlannedCell
from balance.dataset.run import Run
from balance.dataset.views import SUMMED, create_views, games_by_cell
from balance.errors import UsageError
from balance.games.contract import Facts
from balance.measure.metrics import Array, Block, Figures
from balance.stats.ratio import Common, Multiple, Normal, Quantiles, Ratio
from balance.userfiles import temporary_prefix

if TYPE_CHECKING:
    import duckdb

_MEMORY: Final = "1500MB"
_LEAST: Final = 450
"""MB for runs of up to three million games; larger ones may take more, in proportion."""
_NAME: Final = """case when "of" = '' then measure else measure || ':' || "of" end as name"""


@dataclass(frozen=True)
class Statistics:
    """The cells of one or several runs that are read together, and their metrics."""

    facts: Facts
    cells: Mapping[int, PlannedCell]
    figures: Figures
    pools: Statistics | None = None
    """What is judged over everything: all cells of the default player with the same number of players, deal
    by deal, as if they were one cell. Its id is twice the players, one more where the deck runs dry in most
    games."""

    def find(self, players: int, variants: Sequence[str], lineup: str) -> PlannedCell | None:
        """Return the cell with these variants, if it was played."""
        return self._by_key.get((players, tuple(variants), lineup))

    @cached_property
    def _by_key(self) -> dict[tuple[int, tuple[str, ...], str], PlannedCell]:
        return {cell.key: cell for cell in self.cells.values()}

    def baseline(self, cell: PlannedCell) -> PlannedCell | None:
        """Return the cell without variants of the same players and lineup; None if there is none."""
        return self.find(cell.players, (), cell.lineup)


def connect() -> duckdb.DuckDBPyConnection:
    """Return a connection of its own, within the memory that an analysis may take."""
    import duckdb

    spill = Path(tempfile.gettempdir(), f"{temporary_prefix('spill')}{secrets.token_hex(4)}")
    con = duckdb.connect(
        ":memory:",
        config={
            "memory_limit": _MEMORY,
            "autoinstall_known_extensions": "false",
            "temp_directory": str(spill),  # else the current folder; DuckDB makes and removes it
        },
    )
    con.execute("set preserve_insertion_order = false")
    con.execute("set enable_progress_bar = false")  # it would be drawn into the output
    return con


def connect_to(
    runs: Sequence[Run],
    cells: Iterable[int] | None = None,
    *,
    metrics: bool = False,
) -> duckdb.DuckDBPyConnection:
    """Return a connection with the views of runs, of all cells or of some; `metrics` only if asked for."""
    con = connect()
    _limit(con, runs)
    create_views(con, runs, None if cells is None else sorted(cells), metrics=metrics)
    return con


def _limit(con: duckdb.DuckDBPyConnection, runs: Sequence[Run]) -> None:
    games = sum(run.plan.games for run in runs)
    con.execute(f"set memory_limit = '{max(_LEAST, games * _LEAST // 3_000_000)}MB'")


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
    planned = planned_cells(runs, None if cells is None else set(cells))
    facts = runs[0].game.facts
    counted = None if len(planned) == len(planned_cells(runs)) else sorted(planned)
    few = into is not None and cells is not None
    with connect() if into is None else nullcontext(into) as con:
        _limit(con, runs)
        tables = (*SUMMED, "deals") if few else SUMMED
        create_views(con, runs, counted, within, metrics=into is not None and not few, tables=tables)
        figures = Figures(facts, _blocks(con, facts))
        games = games_by_cell(con)
        pools = _pools(con, facts)
    played = {
        number: replace(cell, deals=games.get(number, 0) // cell.replicates)
        for number, cell in sorted(planned.items())
    }
    return Statistics(facts, played, figures, pools)


def _blocks(con: duckdb.DuckDBPyConnection, facts: Facts) -> Iterator[Block]:
    lengths = _columns(con, "from lengths order by all")
    if not lengths["cell_id"].size:
        return
    numbers, at = np.unique(lengths["cell_id"], return_inverse=True)
    counts = np.zeros((len(numbers), max(facts.round_limit, lengths["length"].max()) + 1), np.int64)
    counts[at, lengths["length"]] = lengths["games"]
    effects = dict(con.execute("select cell_id, effect from designs").fetchall())
    design = np.array([effects.get(number, 1.0) for number in numbers.tolist()])
    for name, level in QUANTILES.items():
        yield Block(numbers, [name] * len(numbers), Quantiles(counts, np.full(len(numbers), level), design))
    views = ["metric_sums s where most is null", "metric_sums s where most is not null"]
    views += ["metric_items s"] if facts.mask("opening") else []
    yield from (_sums(con, f"select cell_id, {_NAME}, {_ratio('s')} from {view}") for view in views)
    multiples = {one.name: one.multiple.name for one in declared(facts) if one.multiple}
    common = ", ".join(f"p.{name}::bigint as {name}" for name in COMMON)
    both = "{0}.cell_id = p.{1} and {0}.measure = p.measure"
    found = _columns(
        con,
        f"""select p.cell_id, p.measure as name, {_ratio("s", "own_")}, {_ratio("b", "base_")}, {common}
        from metric_pairs p join metric_sums s on {both.format("s", "cell_id")}
        join metric_sums b on {both.format("b", "base_id")} where b.num > 0""",
    )
    own, base = (read_ratios(found, side) for side in ("own_", "base_"))
    made = Multiple(own, base, Common(*(found[name] for name in COMMON)))
    yield Block(found["cell_id"], [multiples[name] for name in found["name"]], made)
    luck = _columns(con, "select cell_id, value, error, deals from luck")
    yield Block(
        luck["cell_id"], ["luck"] * len(luck["deals"]), Normal(luck["value"], luck["error"], luck["deals"])
    )


def _pools(con: duckdb.DuckDBPyConnection, facts: Facts) -> Statistics:
    block = _sums(
        con, f"select 2 * players + dry::int as cell_id, {_NAME}, {_ratio('s')} from metric_pools s"
    )
    cells = {
        number: PlannedCell(number, number // 2, (), facts.default_lineup, 0, 0, 1)
        for number in np.unique(block.cells).tolist()
    }
    return Statistics(facts, cells, Figures(facts, [block]))


def _ratio(table: str, prefix: str = "") -> str:
    sums = [f"{table}.{name}::bigint as {prefix}{name}" for name in SUMS]
    return ", ".join([*sums, f"coalesce({table}.most, 'infinity'::double) as {prefix}most"])


def read_interactions(con: duckdb.DuckDBPyConnection, atlas: bool) -> dict[str, Array]:
    """Return the columns of the view `interactions`; with `atlas` of what reports compare in every pair."""
    sums = ", ".join(f"{name}::bigint as {name}" for name in SUMS)
    return con.execute(
        f"""select cell_id, measure, "of", scale, value, error, {sums}
        from interactions where {"atlas" if atlas else "true"} order by all"""
    ).fetchnumpy()


def read_ratios(columns: Mapping[str, Array], prefix: str = "") -> Ratio:
    """Return the estimates that columns of sums stand for."""
    return Ratio(*(columns[prefix + name] for name in (*SUMS, "most")))


def _sums(con: duckdb.DuckDBPyConnection, query: str) -> Block:
    found = _columns(con, query)
    return Block(found["cell_id"], found["name"].tolist(), read_ratios(found))


def _columns(con: duckdb.DuckDBPyConnection, query: str) -> Mapping[str, Any]:
    return con.execute(query).fetchnumpy()


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
