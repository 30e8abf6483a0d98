"""Figures over many cells at once: all combinations, or all that a variant is part of.

The same deal comes back in every cell, so games are summed by deal first and the deal is the unit: cells that
share their shuffles are no independent games. Whole numbers throughout; `Sums` become estimates elsewhere.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from balance.analysis.cells import Layout, Part, Sums, connect, planned_cells, statistics
from balance.analysis.intervals import Interval, Z, quantile
from balance.dataset import sqltext
from balance.dataset.plan import PlannedCell
from balance.dataset.run import Run
from balance.dataset.schema import stored_table
from balance.games.lineup import parse_lineup

if TYPE_CHECKING:
    import duckdb

__all__ = ["Halved", "Pool", "Pooled", "Pooling", "halves", "length_quantiles", "pooled"]

Key = tuple[int, str]
"""Players and lineup."""
_POLICY: Final = "policy"


@dataclass(frozen=True)
class Pooled:
    """What the games of several cells add up to, deal by deal."""

    players: int
    lineup: str
    variant: str | None
    """None: all cells; otherwise those that it is part of."""
    games: int
    sums: Mapping[str, Sums]


@dataclass(frozen=True)
class Pool:
    """All cells of runs, put together by players and lineup, and by variant."""

    every: Mapping[Key, Pooled]
    by_variant: Mapping[tuple[int, str, str], Pooled]
    """Win points of policies only, where different ones meet."""


class Pooling:
    """Puts cells together while their sums are made: an observer of `balance.analysis.cells.statistics`."""

    def __init__(self, runs: Sequence[Run], cells: Iterable[int] | None = None) -> None:
        planned = planned_cells(runs)
        wanted = set(planned) if cells is None else set(cells)
        self._planned = {number: cell for number, cell in planned.items() if number in wanted}
        self._run = runs[0]
        self._con: duckdb.DuckDBPyConnection | None = None
        self._layouts: dict[str, Layout] = {}

    def __call__(self, con: duckdb.DuckDBPyConnection, layout: Layout) -> None:
        """Add the deals at hand."""
        if self._con is None:
            self._con = con
            _tell_cells(con, self._planned, self._run)
        kind = "mixed" if layout.policies else "alike"
        own = _policies(layout)
        for table, keys, join, parts in (
            (f"pool_{kind}", "c.players, c.lineup", "", layout.parts),
            (f"pool_by_{kind}", "c.players, c.lineup, v.variant", "join variants_of v using (cell_id)", own),
        ):
            if not parts:
                continue
            made = "insert into {}" if kind in self._layouts else "create or replace temp table {} as"
            con.execute(
                f"{made.format(table)} select {keys}, deal, sum(c.replicates)::bigint as games, "
                f"{', '.join(_summed_up(parts))} from deals join pooled_cells c using (cell_id) {join} "
                "group by all"
            )
        self._layouts[kind] = layout

    def result(self) -> Pool:
        """Return what was seen."""
        every: dict[Key, Pooled] = {}
        by_variant: dict[tuple[int, str, str], Pooled] = {}
        for kind, layout in self._layouts.items():
            assert self._con is not None
            for key, games, sums in _by_deal(self._con, f"pool_{kind}", ("players", "lineup"), layout.parts):
                every[key[0], key[1]] = Pooled(key[0], key[1], None, games, sums)
            keys, own = ("players", "lineup", "variant"), _policies(layout)
            for key, games, sums in _by_deal(self._con, f"pool_by_{kind}", keys, own):
                by_variant[key[0], key[1], key[2]] = Pooled(key[0], key[1], key[2], games, sums)
        return Pool(dict(sorted(every.items())), dict(sorted(by_variant.items())))


def pooled(runs: Sequence[Run], cells: Iterable[int] | None = None) -> Pool:
    """Put the games of all cells (or of some) together."""
    pooling = Pooling(runs, cells)
    statistics(runs, observe=pooling)
    return pooling.result()


def _policies(layout: Layout) -> list[Part]:
    return [part for part in layout.parts if part.name.partition(":")[0] == _POLICY]


def _tell_cells(con: duckdb.DuckDBPyConnection, planned: Mapping[int, PlannedCell], run: Run) -> None:
    """Tell the connection which cells count, and which variants each has."""
    con.execute(
        "create or replace temp table pooled_cells "
        "(cell_id int, players int, lineup varchar, replicates int, mixed bool)"
    )
    con.execute("create or replace temp table variants_of (cell_id int, variant varchar)")
    lineups = {(cell.players, cell.lineup) for cell in planned.values()}
    meet = {key: parse_lineup(key[1], key[0], run.game).mixed for key in lineups}
    rows = [
        f"({cell.id}, {cell.players}, {sqltext.text(cell.lineup)}, {cell.replicates}, "
        f"{meet[cell.players, cell.lineup]})"
        for cell in planned.values()
    ]
    con.execute(f"insert into pooled_cells values {', '.join(rows)}")
    pairs = [f"({cell.id}, {sqltext.text(name)})" for cell in planned.values() for name in cell.variants]
    if pairs:
        con.execute(f"insert into variants_of values {', '.join(pairs)}")


def _summed_up(parts: Sequence[Part]) -> list[str]:
    """Return SQL that sums the parts over the cells of a deal."""
    names: dict[str, None] = {}
    for part in parts:
        names[f"n:{part.name}"] = None
        if not part.constant:
            names[f"d:{part.den}"] = None
    return [f"sum({sqltext.name(name)})::bigint as {sqltext.name(name)}" for name in names]


def _by_deal(
    con: duckdb.DuckDBPyConnection, table: str, keys: Sequence[str], parts: Sequence[Part]
) -> Iterable[tuple[tuple[Any, ...], int, dict[str, Sums]]]:
    """Yield the sums over deals of every group."""
    if not parts:
        return
    group = ", ".join(keys)
    once = ", ".join(_summed_up(parts))
    wanted: list[str] = []
    for part in parts:
        num = sqltext.name(f"n:{part.name}")
        den = {"1": "games", "players": "games * players"}.get(part.den, sqltext.name(f"d:{part.den}"))
        wanted += [
            f"sum({num})",
            f"sum({den})",
            f"sum({num}::hugeint * {num})",
            f"sum({den}::hugeint * {den})",
        ]
        wanted.append(f"sum({num}::hugeint * {den})")
    rows = con.execute(
        f"select {group}, count(*), sum(games), {', '.join(wanted)} from "
        f"(select {group}, deal, sum(games)::bigint as games, {once} from {table} group by all) "
        f"group by {group} order by {group}"
    ).fetchall()
    for row in rows:
        key, (deals, games, *values) = row[: len(keys)], row[len(keys) :]
        found = {}
        for k, part in enumerate(parts):
            five = [int(value or 0) for value in values[5 * k : 5 * k + 5]]
            kind, _, of = part.name.partition(":")
            if five[1] and not (kind == "seat" and int(of) >= key[0]):
                found[part.name] = Sums(int(deals), *five)
        yield tuple(key), int(games), found


# --- length


def length_quantiles(
    runs: Sequence[Run],
    cells: Iterable[int],
    levels: Sequence[float] = (0.05, 0.5, 0.95),
    con: duckdb.DuckDBPyConnection | None = None,
) -> dict[Key, tuple[dict[int, int], list[Interval]]]:
    """Return how many games lasted how long by players and lineup, and quantiles of that.

    The interval of a quantile is Woodruff's: that of the share of games no longer than it, from the variance
    over deals, turned back into lengths.
    """
    table = stored_table(runs[0].game.facts, "games")
    length, index, players, lineup = (
        sqltext.name(table.column(role).name) for role in ("length", "index", "players", "lineup")
    )
    files = sqltext.parquet(f for run in runs for f in run.files("games"))
    chosen = ", ".join(map(str, sorted(cells))) or "-1"
    rows = (
        (con or connect())
        .execute(
            f"select {players}::int, {lineup}, {index}, {length}::int, count(*) from {files} "
            f"where cell_id in ({chosen}) group by all order by all"
        )
        .fetchall()
    )
    by_deal: dict[Key, dict[int, dict[int, int]]] = {}
    for count, name, deal, rounds, games in rows:
        by_deal.setdefault((count, name), {}).setdefault(deal, {})[rounds] = games
    return {key: _quantiles(deals, levels) for key, deals in by_deal.items()}


def _quantiles(
    deals: Mapping[int, Mapping[int, int]], levels: Sequence[float]
) -> tuple[dict[int, int], list[Interval]]:
    every: dict[int, int] = {}
    for own in deals.values():
        for rounds, games in own.items():
            every[rounds] = every.get(rounds, 0) + games
    found = []
    for level in levels:
        value = quantile(every, level).value
        sums = Sums.of(
            (sum(games for rounds, games in own.items() if rounds <= value) for own in deals.values()),
            (sum(own.values()) for own in deals.values()),
        )
        spread = sums.num2 * sums.den**2 - 2 * sums.num * sums.den * sums.cross + sums.num**2 * sums.den2
        error = math.sqrt(max(spread, 0)) / sums.den**2
        ends = [_at(every, level - Z * error), _at(every, level + Z * error)]
        found.append(Interval(value, min(value, ends[0]), max(value, ends[1])))
    return dict(sorted(every.items())), found


def _at(counts: Mapping[int, int], level: float) -> float:
    """Return the least number with so large a share at or below it."""
    needed = min(max(level, 0.0), 1.0) * sum(counts.values())
    passed = 0
    for number in sorted(counts):
        passed += counts[number]
        if passed >= needed:
            return float(number)
    return float(max(counts))


# --- choosing by one half of the deals, quoting the other


@dataclass(frozen=True, slots=True)
class Halved:
    """A cell by the deals of even and of odd index: one half chooses, the other is quoted."""

    cell: int
    length: tuple[Sums, Sums]
    stalled: tuple[Sums, Sums]


def halves(
    runs: Sequence[Run], cells: Iterable[int], con: duckdb.DuckDBPyConnection | None = None
) -> dict[int, Halved]:
    """Return length and stalls of cells by halves; cells that lack one half are left out."""
    table = stored_table(runs[0].game.facts, "games")
    length, index, stalled = (
        sqltext.name(table.column(role).name) for role in ("length", "index", "stalled")
    )
    files = sqltext.parquet(f for run in runs for f in run.files("games"))
    rows = (
        (con or connect())
        .execute(f"""
            select cell_id, half, count(*), sum(games), sum(games * games),
              sum(l), sum(l * l), sum(l * games), sum(s), sum(s * s), sum(s * games) from (
              select cell_id, {index} % 2 as half, {index} as deal, count(*) as games,
                sum({length})::bigint as l, count(*) filter ({stalled}) as s
              from {files} where cell_id in ({", ".join(map(str, sorted(cells))) or "-1"}) group by all
            ) group by all order by all""")
        .fetchall()
    )
    found: dict[int, dict[int, tuple[Sums, Sums]]] = {}
    for cell, half, deals, n, n2, l1, l2, lx, s1, s2, sx in rows:
        found.setdefault(cell, {})[half] = (
            Sums(deals, int(l1), int(n), int(l2), int(n2), int(lx)),
            Sums(deals, int(s1), int(n), int(s2), int(n2), int(sx)),
        )
    return {
        cell: Halved(cell, (own[0][0], own[1][0]), (own[0][1], own[1][1]))
        for cell, own in found.items()
        if len(own) == 2
    }
