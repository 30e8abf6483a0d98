"""Which SQL may run over a run: one statement that only reads.

DuckDB's own parser decides, never a pattern over the text. This is one of two walls: the other is the
connection itself (`balance.dataset.connection`), which cannot reach any file but those of the runs. It has to
be strict, because DuckDB may write the files that it may read, and a SELECT can hold a COPY in its WITH.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import duckdb

from balance.errors import UsageError

__all__ = ["Statement", "check_statement", "ends_of_statements"]

_NODES: Final = {"SELECT_NODE", "SET_OPERATION_NODE", "RECURSIVE_CTE_NODE", "CTE_NODE"}
"""The kinds of queries that only read; others, such as COPY_QUERY_NODE, can be inside of a SELECT."""

_TABLE_FUNCTIONS: Final = {
    *("generate_series", "range", "repeat", "repeat_row", "unnest", "json_each", "json_tree"),
    *("histogram", "histogram_values", "query_table", "summary", "icu_calendar_names", "pg_timezone_names"),
    # These read files; the connection knows which.
    *("glob", "parquet_scan", "read_parquet", "parquet_schema", "parquet_metadata", "parquet_file_metadata"),
    *("parquet_kv_metadata", "parquet_full_metadata", "parquet_bloom_probe", "sniff_csv"),
    *("read_blob", "read_csv", "read_csv_auto", "read_text"),
    *("read_json", "read_json_auto", "read_json_objects", "read_json_objects_auto"),
    *("read_ndjson", "read_ndjson_auto", "read_ndjson_objects", "read_ndjson_objects_auto"),
    *("duckdb_columns", "duckdb_functions", "duckdb_keywords", "duckdb_schemas", "duckdb_settings"),
    *("duckdb_tables", "duckdb_types", "duckdb_views", "duckdb_memory", "duckdb_temporary_files"),
    *("pragma_collations", "pragma_platform", "pragma_show", "pragma_table_info", "pragma_version"),
}
"""Table functions that only read. Others switch logging or profiling on, or run SQL from a text."""

_FUNCTIONS: Final = {"nextval", "pg_sleep", "setval", "sleep_ms", "write_log"}
"""Functions of a value that change something, or wait where no time limit reaches them."""

_WRITING: Final = {
    *("alter", "attach", "call", "copy", "create", "delete", "detach", "drop", "execute", "export", "import"),
    *("insert", "install", "load", "merge", "pragma", "prepare", "truncate", "update"),
}
_ONLY: Final = (
    "balance sql only reads: "
    "SELECT, WITH, FROM, VALUES, PIVOT, DESCRIBE, SHOW, SUMMARIZE, and EXPLAIN of those"
)


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement that was found to only read."""

    text: str
    """Without the semicolon, or what follows it."""
    parameters: frozenset[str]
    """The names after `$`; numbers where they have none."""


def check_statement(con: duckdb.DuckDBPyConnection, text: str) -> Statement:
    """Return the one statement of a text; UsageError if there is not one, or if it does more than read."""
    if "\0" in text:
        raise UsageError("the query holds a NUL character")
    found = _parsed(con, text)
    if not found:
        raise UsageError("the query is empty")
    if len(found) > 1:
        raise UsageError(f"one statement at a time; there are {len(found)}")
    kind, parameters = _kind(found[0]), frozenset(found[0].named_parameters)
    if kind == "EXPLAIN":
        check_statement(con, _explained(con, text))
        return Statement(_without_end(text), parameters)
    if kind == "MULTI":
        _check_words(con, text)
        return Statement(_without_end(text), parameters)
    if kind != "SELECT":
        raise UsageError(f"{_named(kind)} is refused; {_ONLY}")
    _check_tree(con, text)
    return Statement(_without_end(text), parameters)


def _parsed(con: duckdb.DuckDBPyConnection, text: str) -> list[Any]:
    try:
        return list(con.extract_statements(text))
    except duckdb.Error as error:
        raise UsageError(str(error)) from None
    except (ValueError, UnicodeError) as error:  # a kind of statement that the Python side has no word for
        raise UsageError(f"this statement is refused ({error}); {_ONLY}") from None


def _kind(statement: Any) -> str:
    try:
        return str(statement.type.name)
    except ValueError:  # the same, found later
        return "UNKNOWN"


def _named(kind: str) -> str:
    if kind == "LOAD":
        return "INSTALL or LOAD"
    return "this statement" if kind in ("UNKNOWN", "INVALID", "LOGICAL_PLAN") else kind.replace("_", " ")


# --- a SELECT, by its tree


def _check_tree(con: duckdb.DuckDBPyConnection, text: str) -> None:
    answer = con.execute("select json_serialize_sql($text::varchar)", {"text": text}).fetchall()
    tree = json.loads(answer[0][0])
    if tree["error"]:
        _check_words(con, text)
        return
    for node in _nodes(tree):
        kind = str(node.get("type", ""))
        if kind.endswith("_NODE") and kind not in _NODES:
            raise UsageError(f"{kind.split('_', maxsplit=1)[0]} is refused, also inside of a query; {_ONLY}")
        if kind == "TABLE_FUNCTION":
            _refuse_function(node["function"], lambda name: name in _TABLE_FUNCTIONS)
        elif kind == "FUNCTION":
            _refuse_function(node, lambda name: name not in _FUNCTIONS)


def _refuse_function(node: dict[str, Any], allowed: Any) -> None:
    name = str(node.get("function_name", "")).lower()
    if not allowed(name):
        raise UsageError(f"the function {name} is refused: it does more than read")


def _nodes(tree: Any) -> Iterator[dict[str, Any]]:
    """Yield every object of a JSON document."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, dict):
            yield node
            waiting.extend(node.values())
        elif isinstance(node, list):
            waiting.extend(node)


# --- what the parser gives no tree of, by its words


def _check_words(con: duckdb.DuckDBPyConnection, text: str) -> None:
    """Refuse what DuckDB runs as several statements, unless it is a PIVOT of something that only reads.

    There is no tree of it, so a word that could write is refused wherever it stands outside of texts.
    """
    words = [word for _, kind, word in _tokens(text) if kind in ("keyword", "identifier")]
    if not {"pivot", "pivot_wider"} & set(words):
        raise UsageError(f"this statement is refused; {_ONLY}")
    known = con.execute(
        "select distinct function_name from duckdb_functions() "
        "where function_type in ('table', 'table_macro', 'pragma')"
    ).fetchall()
    refused = ({name for (name,) in known} - _TABLE_FUNCTIONS) | _FUNCTIONS | _WRITING
    for word in words:
        if word in refused:
            raise UsageError(
                f"the word {word} is refused in a PIVOT that has to look which values there are; "
                "list them (ON column IN (1, 2)), or give the column another name"
            )


def _explained(con: duckdb.DuckDBPyConnection, text: str) -> str:
    """Return what an EXPLAIN explains."""
    tokens = [token for token in _tokens(text) if token[1] != "comment"]
    place = 1
    while place < len(tokens) and tokens[place][2] in ("analyze", "analyse", "verbose"):
        place += 1
    if (
        place < len(tokens)
        and tokens[place][2].startswith("(")
        and not _parses(con, _rest(text, tokens[place][0]))
    ):
        depth = 0
        for number, (_, _, word) in enumerate(tokens[place:], place):
            depth += word.count("(") - word.count(")")
            if depth == 0:
                place = number + 1
                break
    if place >= len(tokens):
        raise UsageError(f"this statement is refused; {_ONLY}")
    return _rest(text, tokens[place][0])


def ends_of_statements(text: str) -> list[int]:
    """Return the byte offsets after every semicolon that ends a statement: none in a text or a comment."""
    return [offset + 1 for offset, kind, word in _tokens(text) if kind == "operator" and word.startswith(";")]


def _without_end(text: str) -> str:
    ends = ends_of_statements(text)
    return text.encode()[: ends[0] - 1].decode() if ends else text


def _rest(text: str, offset: int) -> str:
    return text.encode()[offset:].decode()


def _parses(con: duckdb.DuckDBPyConnection, text: str) -> bool:
    try:
        return bool(con.extract_statements(text))
    except (duckdb.Error, ValueError):
        return False


def _tokens(text: str) -> list[tuple[int, str, str]]:
    """Return the tokens of a text: byte offset, kind, and the word in lower case without its quotes."""
    content = text.encode()
    starts = [(offset, kind.name) for offset, kind in duckdb.tokenize(text)]
    ends = [offset for offset, _ in starts[1:]] + [len(content)]
    return [
        (offset, kind, content[offset:end].decode().strip().strip('"').lower())
        for (offset, kind), end in zip(starts, ends, strict=True)
    ]
