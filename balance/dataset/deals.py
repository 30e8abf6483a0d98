"""`deals`: one row per cell and deal with the numerators and denominators of every declared measure.

Made from the other tables by the declared SQL, integers throughout. A sweep leaves it beside the rows of each
shard; for runs whose declarations differ from those at hand it is made again into the user's cache. What
became of the items that were dealt is summed up over all cells of a lineup in a file: it is in the first row
of each deal.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from balance.dataset import kept, sql_quote
from balance.dataset.item_sums import DEALT, ItemRows, cell_tables, has_items, item_list
from balance.dataset.measures import DECLARED, declared, fractions, met_policies, mixed_cells
from balance.dataset.parquet import encode, frame
from balance.dataset.plan import PlannedCell
from balance.dataset.schema import stored_table
from balance.games.contract import Facts, Game
from balance.games.measures import From, Measure

if TYPE_CHECKING:
    import polars as pl

    from balance.dataset.run import Run

DEALS: Final = "deals"
_MIXED: Final = "mixed"
_AT_ONCE: Final = 4
"""Shards that are read together; a shard has at most 450,000 seats."""
_DEALS_AT_ONCE: Final = 16_384
"""Deals that one query counts: many deals in few cells, with a list of items each, would fill the memory."""


def deals_query(
    facts: Facts,
    measures: Sequence[Measure],
    tables: Mapping[str, str],
    *,
    replicated: bool = True,
    items: str = "",
) -> str:
    """Return SQL for `deals`, from tables given as SQL; a table `mixed` has the cells where policies differ.

    Where every deal is one game, nothing is grouped: that takes half the time. `items` is SQL for the sums of
    items, as `ItemRows.dealt` makes it.
    """
    index = sql_quote.name(stored_table(facts, "games").column("index").name)
    columns = _columns(measures)
    sources, joins = [], []
    for table, only_mixed in dict.fromkeys((c.table, c.mixed) for c in columns if c.table):
        name = f"{table}_mixed" if only_mixed else f"{table}_of"
        wanted = [
            f"{c.sql} as {sql_quote.name(c.name)}"
            for c in columns
            if (c.table, c.mixed) == (table, only_mixed)
        ]
        where = f"\n  where cell_id in (select cell_id from {_MIXED})" if only_mixed else ""
        sources.append(
            f"{sql_quote.name(name)} as (\n  select game_id, {', '.join(wanted)}\n"
            f"  from {tables[table]}{where} group by game_id\n)"
        )
        joins.append(f"left join {sql_quote.name(name)} using (game_id)")
    row = f"from {tables['games']} {' '.join(joins)}"
    for level in _levels([c for c in columns if not c.table]):
        made = ", ".join(f"{c.sql} as {sql_quote.name(c.name)}" for c in level)
        row = f"from (select *, {made}\n    {row})"
    sources.append(f"game as (\n  select *\n  {row}\n)")
    sums = {part.num: part.num_sql for part in fractions(measures)}
    sums |= {part.den: part.den_sql for part in fractions(measures) if part.den}
    form = "sum({})::bigint" if replicated else "{}"
    wanted = [
        f"{form.format(f'coalesce(({sql})::int, 0)')} as {sql_quote.name(name)}" for name, sql in sums.items()
    ]
    games = "count(*)::int" if replicated else "1::int"
    group = "group by cell_id, deal" if replicated else ""
    rows = ",\n  ".join([f"cell_id, {index}::bigint as deal, {games} as games", *wanted])
    sources.append(f"summed as (\n  select {rows}\n  from game {group}\n)")
    if items:
        each = ", ".join(f"'{name}': {name}" for name in ("item", *DEALT))
        sources.append(f"""listed as (
  select table_id, deal, list({{{each}}} order by item) as items from ({items}) group by table_id, deal
), placed as (
  select min(cell_id) as cell_id, table_id, deal from summed join cell_tables using (cell_id)
  group by table_id, deal
)""")
    more = "left join (from placed join listed using (table_id, deal)) using (cell_id, deal)" if items else ""
    shown = "summed.*, items" if items else "*"
    return "with " + ",\n".join(sources) + f"\nselect {shown}\nfrom summed {more}\norder by cell_id, deal"


def digest(facts: Facts) -> str:
    """Return what stamps a table of deals: equal for equal declarations."""
    every = [
        (one.num, one.den, one.num_sql, one.den_sql, one.measure.columns)
        for one in fractions(declared(facts, ("*",)))
    ]
    tables = {table.name: table.name for table in facts.tables}
    return hashlib.sha256(
        repr((every, facts.mask("opening") and ItemRows(facts, tables, 1, 1).dealt())).encode()
    ).hexdigest()[:16]


def _columns(measures: Iterable[Measure]) -> list[From]:
    found: dict[str, From] = {}
    for column in (column for measure in measures for column in measure.columns):
        if found.setdefault(column.name, column) != column:
            raise ValueError(f"two measures declare the column {column.name}, each with other SQL")
    return list(found.values())


def _levels(columns: Sequence[From]) -> list[list[From]]:
    """Return columns in steps, each using those of earlier steps only.

    DuckDB would also take them all at once, but copies an expression to wherever its name stands.
    """
    found: list[list[From]] = []
    level: dict[str, int] = {}
    for column in columns:
        used = [level[word] for word in re.findall(r"\w+", column.sql) if word in level]
        level[column.name] = max(used, default=-1) + 1
        found += [[]] * (level[column.name] + 1 - len(found))
        found[level[column.name]] = [*found[level[column.name]], column]
    return found


class DealMaker:
    """Makes `deals` of a run in a folder, some shards at a time; of use to one thread."""

    def __init__(self, game: Game[Any, Any], cells: Sequence[PlannedCell], folder: Path) -> None:
        import duckdb

        facts = self._facts = game.facts
        self._measures = declared(facts, met_policies(game, cells))
        self._most = max((cell.replicates for cell in cells), default=1)
        self._con = duckdb.connect(":memory:", config={"threads": "1", "memory_limit": "1GB"})
        self._con.execute("set enable_progress_bar = false")
        self._con.execute(sql_quote.MACROS.read_text(encoding="utf-8"))
        mixed = ", ".join(map(str, mixed_cells(game, cells)))
        self._con.execute(f"create table {_MIXED} as select unnest([{mixed}]::int[]) as cell_id")
        self._items = 0
        if has_items(game) and facts.mask("opening"):
            listed, tables = (
                sql_quote.parquet([folder / f"{name}.parquet"]) for name in (facts.items, "cells")
            )
            self._con.execute(f"create table cell_tables as {cell_tables(tables)}")
            self._con.execute(f"create table item_list as {item_list(facts, listed)}")
            ((self._items,),) = self._con.execute("select count(*) from item_list").fetchall()

    def make(self, files: Mapping[str, Sequence[Path]]) -> pl.DataFrame:
        """Return the rows for some files of every table."""
        import polars as pl

        tables = {table: sql_quote.parquet(paths) for table, paths in files.items()}
        ((first, last),) = self._con.execute(
            f"select coalesce(min(deal(game_id)), 0), coalesce(max(deal(game_id)), 0) from {tables['games']}"
        ).fetchall()
        if last - first < _DEALS_AT_ONCE:
            return self._query(tables)
        parts = [
            self._query(
                {table: _between(rows, start, start + _DEALS_AT_ONCE) for table, rows in tables.items()}
            )
            for start in range(first, last + 1, _DEALS_AT_ONCE)
        ]
        made = pl.concat(parts)
        return made if made["cell_id"].n_unique() == 1 else made.sort("cell_id", "deal")

    def _query(self, tables: Mapping[str, str]) -> pl.DataFrame:
        facts = self._facts
        items = ItemRows(facts, tables, self._items, self._most).dealt() if self._items else ""
        query = deals_query(facts, self._measures, tables, replicated=self._most > 1, items=items)
        return frame(self._con.sql(query))


def _between(rows: str, first: int, end: int) -> str:
    return f"(from {rows} where deal(game_id) >= {first} and deal(game_id) < {end})"


# --- the files of a run


def deals_files(runs: Sequence[Run]) -> list[Path]:
    """Return the files of `deals` of runs; where the declarations at hand differ, they are made first."""
    found: list[Path] = []
    for run in runs:
        if run.plan.versions.get(DECLARED) == digest(run.game.facts):
            found += run.files(DEALS)
        else:
            found += _cached(run)
    return found


def _cached(run: Run) -> list[Path]:
    content = repr((digest(run.game.facts), sorted(run.state.files().items())))
    folder = kept.folder_for([run], DEALS, content)
    paths = {table.name: run.files(table.name) for table in run.tables}
    starts = range(0, len(paths["games"]), _AT_ONCE)
    files = [folder / f"{start:04}.parquet" for start in starts]
    maker: DealMaker | None = None
    for start, file in zip(starts, files, strict=True):
        if kept.is_kept(file):
            continue
        maker = maker or DealMaker(run.game, run.plan.cells, run.path)
        made = maker.make({table: own[start : start + _AT_ONCE] for table, own in paths.items()})
        kept.keep(file, encode(made))
    return files
