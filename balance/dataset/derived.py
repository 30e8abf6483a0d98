"""Tables that a later stage computes from runs: SQL has them made when a query first names them.

`balance.DERIVED` names the module that makes each. They are kept in the user's cache, never in a run. The
module has `COLUMNS`, the type and meaning of every column by table, `MEANINGS` of the tables, `COMBINED`, the
tables with one row for several lineups, which have no use for the cell and the lineup, and `files(runs)`,
which returns the Parquet file of each table. To rows with a `cell_id` the view adds what the cell fixes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Final

import balance
from balance.dataset import sql_quote
from balance.dataset.parquet import Stream

if TYPE_CHECKING:
    import duckdb
    import polars as pl

_OF_CELLS: Final = ("first_index", "deals", "replicates")


def maker(table: str) -> ModuleType:
    """Return the module that makes a table."""
    return import_module(balance.DERIVED[table])


def named(query: str) -> list[str]:
    """Return the tables that a text may name.

    >>> named("select * from Verdicts where verdict = 'fine'"), named("select 1")
    (['verdicts'], [])
    """
    words = set(re.findall(r"\w+", query.lower()))
    return [table for table in balance.DERIVED if table in words]


def empty_view(table: str) -> str:
    """Return the query of a table that was not made: its columns, and an error if its rows are read."""
    made = maker(table)
    columns = ", ".join(
        f"null::{kind} as {sql_quote.name(name)}" for name, (kind, _) in made.COLUMNS[table].items()
    )
    unnamed = f"{table}: the query does not contain the name of this table; write it out"
    return _with_cells(made, table, f"(select {columns} where error({sql_quote.text(unnamed)})::bool)")


def view_of(table: str, file: Path) -> str:
    """Return the query of a table that was made."""
    return _with_cells(maker(table), table, sql_quote.parquet([file]))


def create_tables(con: duckdb.DuckDBPyConnection, made: Mapping[str, Path | pl.DataFrame]) -> None:
    """Show tables that were made, in files or in memory, in a connection with the views of their runs."""
    for table, rows in made.items():
        if isinstance(rows, Path):
            query = view_of(table, rows)
        else:
            con.register(f"{table}_made", Stream(rows))
            query = _with_cells(maker(table), table, f"{table}_made")
        con.execute(f"create or replace temp view {sql_quote.name(table)} as\n{query}")


def _with_cells(made: ModuleType, table: str, rows: str) -> str:
    if "cell_id" not in made.COLUMNS[table]:
        return f"select d.* from {rows} d"  # noqa: S608 - a file, quoted, or columns of ours
    left_out = [*_OF_CELLS, *(["cell_id", "lineup"] if table in made.COMBINED else [])]
    return (
        f"select c.* exclude ({', '.join(left_out)}), k.variants, k.size, d.* exclude (cell_id)\n"
        f"from {rows} d join cells c on c.cell_id = d.cell_id join combinations k on k.cell_id = d.cell_id"
    )
