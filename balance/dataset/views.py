"""The views of runs: every table as SQL sees it, with names beside ids and the facts of the cell in each row.

Derived from the facts of the game, in its own words; the one place that unpacks bit masks. The views stand on
the Parquet files and copy nothing: a query reads the columns that it asks for, and what it says about players
or variants passes over the row groups of all other cells.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from balance.dataset import sql_quote
from balance.dataset.item_views import item_views
from balance.dataset.metric_views import CountedDeals, metric_views
from balance.dataset.pooled_views import pooled_views
from balance.dataset.run import Run
from balance.dataset.schema import (
    StoredColumn,
    StoredTable,
    combination_columns,
    stored_table,
    variant_columns,
)
from balance.errors import UsageError
from balance.games.contract import Game, Holdings

if TYPE_CHECKING:
    import duckdb


_BITS: Final = 64
_FIXED: Final = ("edition", "players", "combination", "lineup")
"""The roles of what a cell fixes for its games."""


def create_views(
    con: duckdb.DuckDBPyConnection,
    runs: Sequence[Run],
    cells: Sequence[int] | None = None,
    within: Mapping[int, tuple[int, int]] | None = None,
    *,
    metrics: bool | None = True,
    tables: Collection[str] = (),
) -> None:
    """Make the views of a run, or of several that `open_runs` took together, in a connection.

    With `cells` or `within` the views of deals and sums count only some cells, or only some deals of cells:
    from an index up to the one before another. Without `metrics` that view and those of figures are left out,
    which take longer to make than all others; None makes only these, where the others are there. What is in
    `tables` is read once and becomes a table.
    """
    actions = ", ".join(map(sql_quote.text, runs[0].game.facts.actions))
    listed = f"list_filter([{actions}], lambda one, k: mask & (1 << (k - 1)) <> 0)"
    con.execute(
        sql_quote.MACROS.read_text(encoding="utf-8")
        + f"create or replace macro actions_of(mask) as {listed};"
    )
    played = {cell.id for run in runs for cell in run.plan.cells if cell.games}
    counted = CountedDeals(None if cells is None or played <= set(cells) else cells, within or {})
    for name, query in view_queries(runs, counted).items():
        if metrics or (name in _LARGE) is (metrics is None):
            kind = "table" if name in tables else "view"
            con.execute(f"create or replace {kind} {sql_quote.name(name)} as\n{query}")


_LARGE: Final = ("lineup_figures", "variant_figures", "metrics")


SUMMED: Final = ("metric_sums", "metric_pairs", "lengths", "luck")
_OF_ITEMS: Final = ("item_openings", "item_deals", "item_versus")
_KEPT: Final = (*SUMMED, "lineup_deals", "metrics", *_OF_ITEMS)


def keep_views(con: duckdb.DuckDBPyConnection, sql: str, lineup: str = "") -> None:
    """Make temporary tables of the views that a query reads, at first or second hand, for further queries.

    The views on items are kept for one lineup: it is the only one that a report looks at.
    """
    stored = dict(con.execute("select view_name, sql from duckdb_views() where not internal").fetchall())
    there = con.execute("select table_name from duckdb_tables() where temporary").fetchall()
    for (table,) in there:
        stored.pop(table, None)

    def keep(text: str) -> None:
        for view in stored.keys() & set(re.findall(r"\w+", text)):
            if view in stored:  # another view may have been the first to read it
                keep(stored.pop(view))
                if view in _KEPT:
                    only = sql_quote.text(lineup) if lineup and view in _OF_ITEMS else "null"
                    con.execute(f"set variable lineup = {only}")
                    con.execute(f"create temp table {view} as select * from {view}")

    keep(sql)


def games_by_cell(con: duckdb.DuckDBPyConnection) -> dict[int, int]:
    """Return how many games each cell of the views has."""
    return dict(con.execute("select cell_id, sum(games)::bigint from lengths group by 1").fetchall())


def view_queries(runs: Sequence[Run], counted: CountedDeals = CountedDeals()) -> dict[str, str]:  # noqa: B008 - it is frozen
    """Return the query behind each view, in an order in which they can be made."""
    if not runs:
        raise UsageError("no run is given")
    game = runs[0].game
    kinds = [kind.plural for kind in game.kinds]
    views = {kind: _small(runs[0], kind) for kind in kinds}  # runs read together have the same catalog
    views["policies"] = "\nunion\n".join(_small(run, "policies") for run in runs)
    views["run"] = _together(runs, [_small(run, "run") for run in runs])
    views["cells"] = _cells(game, runs)
    views |= {table.name: _big(game, table, runs) for table in runs[0].tables}
    if game.facts.holdings:
        views[game.facts.holdings.name] = _held(game, game.facts.holdings, several=len(runs) > 1)
    return views | metric_views(runs, counted) | item_views(runs, counted) | pooled_views(runs, counted)


def run_labels(paths: Sequence[Path]) -> list[str]:
    """Return a short name for each folder: its own, and as many parents as it takes to tell them apart.

    >>> run_labels([Path("a/first"), Path("b/first"), Path("b/more")])
    ['a/first', 'b/first', 'more']
    """
    parts = [path.resolve().parts for path in paths]
    labels = [""] * len(paths)
    for length in range(1, max(map(len, parts), default=0) + 1):
        tails = ["/".join(part[-length:]) for part in parts]
        count = Counter(tails)
        labels = [old or (tail if count[tail] == 1 else "") for old, tail in zip(labels, tails, strict=True)]
    return [label or str(path) for label, path in zip(labels, paths, strict=True)]


# --- pieces of SQL


def _together(runs: Sequence[Run], queries: Sequence[str]) -> str:
    if len(runs) == 1:
        return queries[0]
    labels = run_labels([run.path for run in runs])
    rows = [
        f"select {sql_quote.text(label)} as run, * from ({query})"
        for label, query in zip(labels, queries, strict=True)
    ]
    return "\nunion all\n".join(rows)


def _stored(runs: Sequence[Run], table: str) -> str:
    return _together(runs, [f"select * from {sql_quote.parquet(run.files(table))}" for run in runs])


def _small(run: Run, table: str) -> str:
    return f"select * from {sql_quote.parquet([run.path / f'{table}.parquet'])}"


def _has_names(game: Game[Any, Any], kind: str) -> bool:
    return any(known.name == kind and {"id", "name"} <= set(known.columns) for known in game.kinds)


class _View:
    """A query that grows column by column; what is added never takes the place of a column of the game."""

    def __init__(self, rows: str, own: Sequence[str]) -> None:
        self.own = own
        self.selected: list[str] = []
        self.sources = [f"from ({rows}) x"]

    def take(self, name: str) -> None:
        self.selected.append(sql_quote.name("x", name))

    def add(self, expression: str, name: str) -> None:
        if name not in self.own:
            self.selected.append(f"{expression} as {sql_quote.name(name)}")

    def join(self, source: str) -> None:
        self.sources.append(source)

    def query(self) -> str:
        return "select\n  " + ",\n  ".join(self.selected) + "\n" + "\n".join(self.sources)


# --- the tables


def _cells(game: Game[Any, Any], runs: Sequence[Run]) -> str:
    """Return a query for one row per cell, however many of the runs have played it."""
    facts = game.facts
    sorted_, played = combination_columns(facts), variant_columns(facts)
    fixed = ["cell_id", "edition", "players", *sorted_, *played, "lineup"]
    # qualified: a macro with a parameter of the same name would take a bare name for its own
    keys = ", ".join(sql_quote.name("e", name) for name in fixed)
    every = "\nunion all\n".join(_small(run, "cells") for run in runs)
    # A run that did not play a cell has no deals there, and an index that says nothing.
    rows = f"""select {keys}, sum(e.deals)::bigint as deals, max(e.replicates) as replicates,
  coalesce(min(e.first_index) filter (e.deals > 0), min(e.first_index)) as first_index
from ({every}) e group by {keys}"""
    view = _View(rows, fixed)
    named = _has_names(game, facts.variant)
    for name in fixed:
        view.take(name)
        if named and name in sorted_:
            _add_name(view, facts.variants, name)
        elif named and name in played:
            view.add(
                _played_name(name, {c: sql_quote.name(f"of_{c}", "name") for c in sorted_}), f"{name}_name"
            )
    for name in ("first_index", "deals", "replicates"):
        view.take(name)
    return view.query()


def _add_name(view: _View, table: str, column: str) -> None:
    entry = f"of_{column}"
    view.add(sql_quote.name(entry, "name"), f"{column}_name")
    same = f"{sql_quote.name(entry, 'id')} = {sql_quote.name('x', column)}"
    view.join(f"left join {sql_quote.name(table)} {sql_quote.name(entry)} on {same}")


def _played_name(column: str, names: Mapping[str, str]) -> str:
    whens = " ".join(f"when {sql_quote.name('x', known)} then {name}" for known, name in names.items())
    return f"case {sql_quote.name('x', column)} {whens} end"


def _big(game: Game[Any, Any], table: StoredTable, runs: Sequence[Run]) -> str:
    """Return the query of a big table: its own columns, those that its cell fixes, and names."""
    view = _View(_stored(runs, table.name), [column.name for column in table.columns])
    view.join("join cells c on c.cell_id = x.cell_id")
    if len(runs) > 1:
        view.take("run")
    for column in table.columns:
        view.take(column.name)
        if column.role == "cell" and table.name != "games":
            for name in _fixed_columns(game):  # so that most questions need no join
                view.add(sql_quote.name("c", name), name)
        elif column.role == "won" and table.name == "seats":
            _add_outcome(game, view, column, runs)
        elif column.role == "item" and _has_names(game, game.facts.item):
            _add_name(view, game.facts.items, column.name)
        elif column.role == "combination" and _has_names(game, game.facts.variant):
            view.add(sql_quote.name("c", f"{column.name}_name"), f"{column.name}_name")
        elif column.role == "variant" and _has_names(game, game.facts.variant):
            names = {c: sql_quote.name("c", f"{c}_name") for c in combination_columns(game.facts)}
            view.add(_played_name(column.name, names), f"{column.name}_name")
    return view.query()


def _fixed_columns(game: Game[Any, Any]) -> list[str]:
    found: list[str] = []
    for column in stored_table(game.facts, "games").columns:
        if column.role in _FIXED:
            found.append(column.name)
            if column.role == "combination" and _has_names(game, game.facts.variant):
                found.append(f"{column.name}_name")
    return found


def _add_outcome(game: Game[Any, Any], view: _View, won: StoredColumn, runs: Sequence[Run]) -> None:
    """Add whether the game stalled, and the win points of the seat.

    Few games stall: to look them up among those is much quicker than to join all seats with all games.
    """
    stalled = game.facts.table("games").column("stalled").name
    view.join(
        f"left join (select game_id from ({_stored(runs, 'games')}) where {sql_quote.name(stalled)}) z\n"
        "  on z.game_id = x.game_id"
    )
    view.add("z.game_id is not null", stalled)
    name = sql_quote.name("x", won.name)
    points = f"case when z.game_id is not null then 1 when {name} then c.players else 0 end"
    view.add(f"({points})::tinyint", "win_points")


def _held(game: Game[Any, Any], holdings: Holdings, *, several: bool) -> str:
    seats, item = game.facts.table("seats"), game.facts.item
    kept = [*(["run"] if several else []), "game_id", "cell_id", *_fixed_columns(game)]
    kept += [seats.column(role).name for role in ("seat", "policy", "won")]
    kept += [game.facts.table("games").column("stalled").name, "win_points"]
    selected = ", ".join(sql_quote.name("s", name) for name in kept)
    types = [c.type for table in game.facts.tables for c in table.columns if c.role == "item"]
    # the type that it has in tables, so that they join without a cast
    selected += f", i.id::{types[0] if types else 'int64'} as {sql_quote.name(item)}"
    if _has_names(game, item):
        selected += f", i.name as {sql_quote.name(f'{item}_name')}"
    # Items are few and come with their bit: a seat costs one `&` for each item that a query asks for. The bit
    # is in a list: DuckDB 2.0 breaks off with an internal error ("dict-surviving cache") where a join on a
    # condition like this follows one with a small table; what holds a list is not cached, and so is safe.
    ways: list[str] = []
    for place, (how, columns) in enumerate(holdings.ways):
        for word, column in enumerate(columns):
            earlier = [
                f"(s.{sql_quote.name(masks[word])} & i.bit[1]) <> 0" for _, masks in holdings.ways[:place]
            ]
            ways.append(
                f"select {selected}, {sql_quote.text(how)} as how,\n"
                f"  not ({' or '.join(earlier) or 'false'}) as first_time\n"
                f"from seats s join items i on (s.{sql_quote.name(column)} & i.bit[1]) <> 0"
                f" and i.word = {word}"
            )
    items = f"""with items as (
  select *, [1::ubigint << (place % {_BITS})::ubigint] as bit, place // {_BITS} as word
  from (select *, row_number() over (order by id) - 1 as place from {sql_quote.name(game.facts.items)})
)
"""
    return items + "\nunion all\n".join(ways)
