"""Values as texts and bytes: for a person, in CSV, JSON, Markdown, Parquet. Writes nothing.

Where they go is decided by `balance.cli.output`.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence

from balance.report.render.json import plain_value
from balance.text_columns import escape

Row = Mapping[str, object]


def csv_text(rows: Sequence[Row], columns: Sequence[str]) -> str:
    """Return RFC 4180 text, with a line feed as newline."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(columns)
    for row in rows:
        values = map(plain_value, row.values())
        writer.writerow(str(v).lower() if isinstance(v, bool) else plain(v) for v in values)
    return file.getvalue()


def markdown_line(values: Sequence[str]) -> str:
    """Return one row of a Markdown table, with nothing in it that Markdown would read as its own."""
    cells = []
    for value in values:
        escaped = escape(value, keep="\n").replace("\\", "\\\\").replace("|", "\\|")
        cells.append(escaped.replace("<", "&lt;").replace("\n", "<br>"))
    return f"| {' | '.join(cells)} |\n"


def parquet_bytes(rows: Sequence[Row], columns: Sequence[str]) -> bytes:
    """Return rows as a Parquet file."""
    import polars as pl

    file = io.BytesIO()
    data = {name: [plain_value(row[name]) for row in rows] for name in columns}
    pl.DataFrame(data, strict=False).write_parquet(file)
    return file.getvalue()


# --- values


def json_text(value: object, indent: int | None = None) -> str:
    """Return a value as JSON, numbers with all of their digits; what is not a number is null."""
    # Letters stay letters; what could steer a terminal is written as \\uXXXX, which is JSON as well.
    encoded = json.dumps(plain_value(value), ensure_ascii=False, allow_nan=False, indent=indent)
    if encoded.isprintable():
        return encoded
    return "".join(
        char if char == "\n" or escape(char) == char else json.dumps(char)[1:-1] for char in encoded
    )


def plain(value: object) -> str:
    """Write one value for a person."""
    match plain_value(value):
        case None:
            return ""
        case bool() as flag:
            return "yes" if flag else "no"
        case list() as items:
            return "; ".join(plain(item) for item in items)
        case dict() as mapping:
            return json_text(mapping)
        case other:
            return str(other)


def are_numbers(values: Sequence[object]) -> bool:
    """Return whether a column holds numbers only, and so stands flush right."""
    known = [plain_value(value) for value in values if value is not None]
    return bool(known) and all(isinstance(v, int | float) and not isinstance(v, bool) for v in known)
