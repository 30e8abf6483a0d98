"""The gate: which SQL may run over a run. One statement that only reads.

DuckDB classifies the statement; no pattern over the user's text decides. A SELECT that writes inside of a
WITH is refused by DuckDB itself, because nothing runs but `select * from (STATEMENT)`, where such a WITH may
not be. The wall behind the gate is `balance.dataset.wall`.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any, Final

import duckdb

from balance.errors import UsageError

_TABLE_FUNCTIONS: Final = {
    *("generate_series", "range", "repeat", "repeat_row", "unnest", "json_each", "json_tree"),
    *("histogram", "histogram_values", "query_table", "summary", "icu_calendar_names", "pg_timezone_names"),
    # These read files; the connection decides which.
    *("glob", "parquet_scan", "read_parquet", "parquet_schema", "parquet_metadata", "parquet_file_metadata"),
    *("parquet_kv_metadata", "parquet_full_metadata", "parquet_bloom_probe"),
    *("read_blob", "read_json", "read_text"),
    *("duckdb_columns", "duckdb_functions", "duckdb_keywords", "duckdb_schemas", "duckdb_settings"),
    *("duckdb_tables", "duckdb_types", "duckdb_views", "duckdb_memory", "duckdb_temporary_files"),
    *("pragma_collations", "pragma_platform", "pragma_show", "pragma_table_info", "pragma_version"),
}
"""DuckDB's table functions that only read. Others log, run SQL from a text, or make tables of bad lines."""

_FUNCTIONS: Final = {
    *("currval", "nextval", "pg_sleep", "setval", "setseed", "sleep_ms", "write_log"),
    "json_serialize_plan",
}
"""Functions that change something, wait where no time limit reaches them, or plan the SQL of a text."""

_CALLED: Final = re.compile(r'"function_name":"((?:[^"\\]|\\.)*)"')
"""A function in a serialized statement. No text of the user looks like it: its quotes are escaped."""

_MOST_LINES, _LONGEST_LINE = 4, 300
_ONLY: Final = (
    "only reading is possible: SELECT, WITH, FROM, VALUES, DESCRIBE, SHOW, SUMMARIZE, PIVOT with the values "
    "listed (ON column IN (1, 2)), and EXPLAIN or EXPLAIN ANALYZE of those"
)


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement that passed the gate."""

    text: str
    """What the user wrote, without a semicolon at the end."""
    parameters: frozenset[str]
    """The names after `$`; numbers where they have none."""
    prefix: str = ""

    @property
    def sql(self) -> str:
        """What may run, and nothing else may: the statement as a subquery."""
        return f"{self.prefix}select * from (\n{self.text}\n)"  # noqa: S608 - that is what it is for


def check_statement(con: duckdb.DuckDBPyConnection, text: str) -> Statement:
    """Return the one statement of a text; UsageError if there is not one, or if it does more than read."""
    found = _parsed(con, text)
    if not found:
        raise UsageError("the query is empty")
    if len(found) > 1:
        raise UsageError(f"one statement at a time; there are {len(found)}")
    content = _without_end(found[0].query)
    kind = _kind(found[0])
    if kind == "EXPLAIN":
        prefix, rest = _explained(content)
        inner = check_statement(con, rest)
        if inner.prefix:
            raise UsageError(f"EXPLAIN of an EXPLAIN is refused; {_ONLY}")
        return Statement(inner.text, inner.parameters, prefix)
    if kind != "SELECT":
        raise UsageError(f"{_named(kind)} is refused; {_ONLY}")
    statement = Statement(content, frozenset(found[0].named_parameters))
    if [_kind(part) for part in _parsed(con, statement.sql)] != ["SELECT"]:
        raise UsageError(f"this statement is refused; {_ONLY}")
    _check_functions(con, content)
    return statement


def shortened(message: str) -> str:
    """Return a message of DuckDB without advice on settings, cut short: it may quote a value of megabytes."""
    for noise in ("\n\nPossible solutions", "\n\nSee also", "\n\nIf the database file", ' Use "SET '):
        message = message.split(noise, maxsplit=1)[0]
    lines = [line for line in message.split("\n") if line.strip()][:_MOST_LINES]
    return "\n".join(line if len(line) <= _LONGEST_LINE else f"{line[:_LONGEST_LINE]}..." for line in lines)


def split_statements(con: duckdb.DuckDBPyConnection, text: str) -> list[str]:
    """Return the statements of a text, each without its semicolon."""
    return [_without_end(statement.query) for statement in _parsed(con, text)]


def _parsed(con: duckdb.DuckDBPyConnection, text: str) -> list[Any]:
    if "\0" in text:
        raise UsageError("the query contains a NUL character")
    try:
        text.encode()
        return list(con.extract_statements(text))
    except duckdb.Error as error:
        raise UsageError(shortened(str(error))) from None
    except UnicodeError:
        raise UsageError("the query is not valid Unicode text") from None
    except ValueError as error:  # a kind of statement that the Python side has no name for
        raise UsageError(f"this statement is refused ({error}); {_ONLY}") from None


def _kind(statement: Any) -> str:
    try:
        return str(statement.type.name)
    except ValueError:  # the same, found later
        return "UNKNOWN"


def _named(kind: str) -> str:
    names = {"LOAD": "INSTALL or LOAD", "MULTI": "a PIVOT that has to find out its values"}
    if kind in ("UNKNOWN", "INVALID", "LOGICAL_PLAN"):
        return "this statement"
    return names.get(kind, kind.replace("_", " "))


def _check_functions(con: duckdb.DuckDBPyConnection, text: str) -> None:
    (tree,) = con.execute("select json_serialize_sql($text::varchar)", {"text": text}).fetchall()[0]
    if not tree.startswith('{"error":false'):
        raise UsageError(f"this statement is refused; {_ONLY}")
    known = con.execute(
        "select distinct function_name from duckdb_functions() "
        "where function_type in ('table', 'table_macro') and internal"
    ).fetchall()
    refused = ({name for (name,) in known} - _TABLE_FUNCTIONS) | _FUNCTIONS
    for found in dict.fromkeys(_CALLED.findall(tree)):
        name = json.loads(f'"{found}"').lower()
        if name in refused:
            raise UsageError(f"the function {name} is refused: it does more than read")


def _explained(text: str) -> tuple[str, str]:
    """Return how a statement explains, and what; options in brackets count to that, and so are refused."""
    words = [(offset, word) for offset, kind, word in _tokens(text) if kind != "comment"]
    analyze = len(words) > 1 and words[1][1] in ("analyze", "analyse")
    place = 2 if analyze else 1
    if words[0][1] != "explain" or place >= len(words):
        raise UsageError(f"this statement is refused; {_ONLY}")
    rest = text.encode()[words[place][0] :].decode()
    return "explain analyze " if analyze else "explain ", rest


def _without_end(text: str) -> str:
    ends = [offset for offset, kind, word in _tokens(text) if kind == "operator" and word.startswith(";")]
    return text.encode()[: ends[0]].decode() if ends else text


def _tokens(text: str) -> list[tuple[int, str, str]]:
    """Return the tokens of a text: byte offset, kind, and the word in lower case."""
    content = text.encode()
    starts = [(offset, kind.name) for offset, kind in duckdb.tokenize(text)]
    ends = [offset for offset, _ in starts[1:]] + [len(content)]
    return [
        (offset, kind, content[offset:end].decode().strip().lower())
        for (offset, kind), end in zip(starts, ends, strict=True)
    ]
