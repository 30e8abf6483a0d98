"""A DuckDB file that shows runs to other programs: the views, the ready queries as table macros, comments.

The views read the Parquet files where they are; `verdicts` and `findings`, which no other program can make,
are tables. Other programs open the file without the gate, the limits and the checksums of `balance sql`.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import balance
from balance.dataset import derived, sql_quote
from balance.dataset.manifest import refuse_target
from balance.dataset.meanings import comment, meanings
from balance.dataset.saved_queries import Parameter, Question, questions
from balance.dataset.sql_errors import explained
from balance.dataset.views import create_views
from balance.userfiles import temporary_prefix, write_file

if TYPE_CHECKING:
    from balance.dataset.run import Run

_STORAGE: Final = "v1.0.0"
"""What current and older clients open."""
_MEMORY: Final = "2GB"


def write_database(runs: Sequence[Run], target: Path, *, force: bool = False) -> None:
    """Write a DuckDB file for runs; UsageError if it exists without `force`, or is in a run."""
    import duckdb

    refuse_target("database", target, force)
    with tempfile.TemporaryDirectory(prefix=temporary_prefix("sql")) as folder:
        file = Path(folder) / "runs.duckdb"
        try:
            _fill(runs, file)
        except (duckdb.Error, UnicodeDecodeError) as error:
            raise explained(error, runs, asked=False) from None
        write_file(target, iter([file.read_bytes()]), replace=force)


def _fill(runs: Sequence[Run], file: Path) -> None:
    import duckdb

    with duckdb.connect(config={"memory_limit": _MEMORY}) as con:
        con.execute(
            f"attach {sql_quote.text(str(file))} as runs (storage_version {sql_quote.text(_STORAGE)})"
        )
        con.execute("use runs")
        create_views(con, runs)
        for table in balance.DERIVED:
            rows = derived.view_of(table, derived.maker(table).files(runs)[table])
            con.execute(f"create table {sql_quote.name(table)} as\n{rows}")
        comment(con, meanings(runs))
        for question in questions(game=runs[0].game.name).values():
            con.execute(_macro(question))
        con.execute("use memory")
        con.execute("detach runs")


def _macro(question: Question) -> str:
    """Return SQL that makes a table macro of a ready query: `from length_by_twist(players := 4)`.

    A parameter may be called like a column, which a macro would replace, too. So the query is a text in which
    values are written, and the function `query` runs it.
    """
    name = sql_quote.name(question.name.replace("-", "_"))
    body = sql_quote.text(question.sql.rstrip().rstrip(";"))
    for parameter in question.parameters:
        body = re.sub(rf"\${parameter.name}\b", f"' || {_literal(parameter)} || '", body)
    taken = ", ".join(f"{p.name} := {_default(p)}" for p in question.parameters)
    return f"""create macro {name}({taken}) as table from query({body});
comment on macro table {name} is {sql_quote.text(question.question)}"""


def _literal(parameter: Parameter) -> str:
    kind = {"integer": "bigint", "number": "double", "boolean": "boolean"}.get(parameter.type)
    value = f"{parameter.name}::{kind}::varchar"
    if kind is None:
        value = f"'''' || replace({parameter.name}::varchar, '''', '''''') || ''''"
    return f"coalesce({value}, 'null')"


def _default(parameter: Parameter) -> str:
    if parameter.default is None:
        return "null"
    number = parameter.type in ("integer", "number", "boolean")
    return parameter.default if number else sql_quote.text(parameter.default)
