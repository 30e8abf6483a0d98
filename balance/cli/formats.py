"""Rows as texts and bytes: tables, CSV, JSON, Markdown, Parquet. Writes nothing.

Where they go is decided by `balance.cli.output`.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from decimal import Decimal
from enum import Enum
from typing import IO, Any

from balance import layout
from balance.cli import terminal

Row = Mapping[str, object]


def table_of(rows: Sequence[Row], columns: Sequence[str], width: int, paint: layout.Paint) -> str:
    """Lay rows out in aligned columns of at most `width`, wrapping the widest rather than cutting."""
    cells = [[_plain(row.get(name)) for name in columns] for row in rows]
    right = [_is_number([row.get(name) for row in rows]) for name in columns]
    return layout.table(columns, cells, right, width, paint)


def bold_head(shown_on: IO[str] | None) -> layout.Paint:
    """Return what makes the head of a table bold on a terminal."""
    return lambda row, line: terminal.bold(line, shown_on) if row is None else line


def csv_text(rows: Sequence[Row], columns: Sequence[str]) -> str:
    """Write RFC 4180 with the newline of this world."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([_csv_value(row.get(name)) for name in columns] for row in rows)
    return file.getvalue()


def markdown_table(rows: Sequence[Row], columns: Sequence[str]) -> str:
    """Return rows as a Markdown table."""
    right = [_is_number([row.get(name) for row in rows]) for name in columns]
    body = (markdown_line([_plain(row.get(name)) for name in columns]) for row in rows)
    return markdown_line(columns) + markdown_rule(right) + "".join(body)


def markdown_line(values: Sequence[str]) -> str:
    """Return one row of a Markdown table, with nothing in it that Markdown would read as its own."""
    cells = []
    for value in values:
        escaped = layout.escape(value, keep="\n").replace("\\", "\\\\").replace("|", "\\|")
        cells.append(escaped.replace("<", "&lt;").replace("\n", "<br>"))
    return f"| {' | '.join(cells)} |\n"


def markdown_rule(right: Sequence[bool]) -> str:
    """Return the line between the head and the rows of a Markdown table."""
    return f"| {' | '.join('---:' if flush_right else '---' for flush_right in right)} |\n"


def parquet_bytes(rows: Sequence[Row], columns: Sequence[str]) -> bytes:
    """Return rows as a Parquet file."""
    import polars as pl

    file = io.BytesIO()
    data = {name: [_bare(row.get(name)) for row in rows] for name in columns}
    pl.DataFrame(data, strict=False).write_parquet(file)
    return file.getvalue()


# --- values


def _bare(value: object) -> Any:
    """Reduce a value to what JSON and Parquet know."""
    match value:
        case Enum():
            return _bare(value.value)
        case None | bool() | int() | float() | str():
            return value
        case Decimal():
            return float(value)
        case Mapping():
            return {str(_bare(key)): _bare(item) for key, item in value.items()}
        case list() | tuple():
            return [_bare(item) for item in value]
    if hasattr(value, "item"):  # a number of NumPy's
        return value.item()
    return str(value)


def json_text(value: object, indent: int | None = None) -> str:
    """Return a value as JSON, numbers with all of their digits; what is not a number is null."""
    # Letters stay letters; what could steer a terminal is written as \\uXXXX, which is JSON as well.
    try:
        encoded = json.dumps(_bare(value), ensure_ascii=False, allow_nan=False, indent=indent)
    except ValueError:
        encoded = json.dumps(_without_nan(_bare(value)), ensure_ascii=False, indent=indent)
    if encoded.isprintable():
        return encoded
    return "".join(
        char if char == "\n" or layout.escape(char) == char else json.dumps(char)[1:-1] for char in encoded
    )


def json_row(row: Row, columns: Sequence[str]) -> str:
    """Return some columns of a row as a JSON object on one line."""
    return json_text({name: row.get(name) for name in columns})


def _without_nan(value: Any) -> Any:
    """Replace what JSON has no word for (not a number, infinity) by null."""
    match value:
        case float():
            return value if value - value == 0 else None
        case dict():
            return {key: _without_nan(item) for key, item in value.items()}
        case list():
            return [_without_nan(item) for item in value]
    return value


def _csv_value(value: object) -> str:
    bare = _bare(value)
    return str(bare).lower() if isinstance(bare, bool) else _plain(bare)


def _plain(value: object) -> str:
    """Write one value for a person."""
    match _bare(value):
        case None:
            return ""
        case bool() as flag:
            return "yes" if flag else "no"
        case list() as items:
            return "; ".join(_plain(item) for item in items)
        case dict() as mapping:
            return json_text(mapping)
        case other:
            return str(other)


def _is_number(values: Sequence[object]) -> bool:
    """Return whether a column holds numbers only, and so stands flush right."""
    known = [_bare(value) for value in values if value is not None]
    return bool(known) and all(isinstance(v, int | float) and not isinstance(v, bool) for v in known)
