"""The result of a query in each format: every value exact, and no more rows in memory than needed.

Other commands print a handful of rows that they have made (`output.rows`); here rows come from a database, by
the million if the user asks for them, with types of their own: NULL is not an empty text, lists are lists.
Makes bytes and writes none; `balance.cli.output` owns the standard output.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final

from balance.cli import output, terminal
from balance.cli.output import Format
from balance.errors import Failed

if TYPE_CHECKING:
    import polars as pl

    from balance.dataset.connection import Column, Connection

__all__ = ["write_result"]

MOST_IN_A_TABLE: Final = 100_000
"""Rows of a table, whose columns are as wide as the widest value of all rows."""

_NUMBER: Final = re.compile(r"U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?$|FLOAT|DOUBLE|DECIMAL\(|BIGNUM")
_PLAIN: Final = re.compile(r"[^\s\",][^\"\r\n,]*[^\s\",]|[^\s\",]")

Rows = Sequence[tuple[Any, ...]]


def write_result(
    con: Connection,
    query: str,
    parameters: Mapping[str, object],
    options: output.OutputOptions,
    *,
    paged: bool = False,
) -> tuple[int, float]:
    """Run a query and write its rows; return how many, and for how many seconds the database worked."""
    if options.format is Format.parquet:
        frame = con.frame(query, parameters)
        output.stream(iter([_parquet(frame)]), options)
        return frame.height, 0.0
    result = con.query(query, parameters)
    counted = _Counted(result.chunks())
    try:
        output.stream(_pieces(result.columns, counted, options), options, paged=paged)
    finally:
        result.close()
    return counted.rows, result.seconds


class _Counted:
    """Chunks of rows, counted as they pass."""

    def __init__(self, chunks: Iterable[Rows]) -> None:
        self._chunks, self.rows = chunks, 0

    def __iter__(self) -> Iterator[Rows]:
        for chunk in self._chunks:
            self.rows += len(chunk)
            yield chunk


def _pieces(
    columns: Sequence[Column], chunks: Iterable[Rows], options: output.OutputOptions
) -> Iterator[bytes]:
    make: dict[Format, Callable[[Sequence[Column], Iterable[Rows]], Iterator[str]]] = {
        Format.csv: _csv,
        Format.json: _json,
        Format.jsonl: _jsonl,
        Format.markdown: _markdown,
    }
    if options.format is Format.table:
        pieces = _table(columns, chunks, options)
    else:
        pieces = make[options.format](columns, chunks)
    on_screen = output.screen(options) is not None and options.format is Format.csv
    for piece in pieces:
        shown = terminal.escape(piece, keep="\n") if on_screen else piece
        yield shown.encode("utf-8", errors="backslashreplace")


# --- formats


def _table(columns: Sequence[Column], chunks: Iterable[Rows], options: output.OutputOptions) -> Iterator[str]:
    cells: list[list[str]] = []
    for chunk in chunks:
        if len(cells) + len(chunk) > MOST_IN_A_TABLE:
            raise Failed(
                f"more than {MOST_IN_A_TABLE:,} rows are too many for a table; add a LIMIT, or choose "
                "--format csv, jsonl or parquet"
            )
        cells += [[_shown(value) for value in row] for row in chunk]
    heads = [column.name for column in columns]
    yield output.table(heads, cells, [_is_number(column) for column in columns], output.screen(options))


def _markdown(columns: Sequence[Column], chunks: Iterable[Rows]) -> Iterator[str]:
    yield output.markdown_line([column.name for column in columns])
    yield output.markdown_rule([_is_number(column) for column in columns])
    for chunk in chunks:
        yield "".join(output.markdown_line([_shown(value) for value in row]) for row in chunk)


def _csv(columns: Sequence[Column], chunks: Iterable[Rows]) -> Iterator[str]:
    yield ",".join(_csv_field(column.name) for column in columns) + "\n"
    for chunk in chunks:
        # A line of one NULL would be an empty line, which readers skip.
        lines = (",".join(map(_csv_value, row)) or '""' for row in chunk)
        yield "".join(f"{line}\n" for line in lines)


def _json(columns: Sequence[Column], chunks: Iterable[Rows]) -> Iterator[str]:
    begun = False
    for line in _lines(columns, chunks):
        yield ",\n" if begun else "[\n"
        yield line
        begun = True
    yield "\n]\n" if begun else "[]\n"


def _jsonl(columns: Sequence[Column], chunks: Iterable[Rows]) -> Iterator[str]:
    for line in _lines(columns, chunks):
        yield f"{line}\n"


def _lines(columns: Sequence[Column], chunks: Iterable[Rows]) -> Iterator[str]:
    from balance.dataset.connection import unique_names

    names = unique_names([column.name for column in columns])
    for chunk in chunks:
        for row in chunk:
            yield output.json_text(dict(zip(names, row, strict=True)))


def _parquet(frame: pl.DataFrame) -> bytes:
    import polars as pl

    # Parquet has no whole numbers of 128 bits; what polars writes instead, others read as bytes.
    wide = [name for name, kind in frame.schema.items() if kind in (pl.Int128, pl.UInt128)]
    for name in wide:
        short = all(abs(value) < 10**38 for value in frame[name].drop_nulls())
        frame = frame.with_columns(frame[name].cast(pl.Decimal(38, 0) if short else pl.String))
    file = io.BytesIO()
    frame.write_parquet(file)
    return file.getvalue()


# --- values


def _is_number(column: Column) -> bool:
    return bool(_NUMBER.match(column.type)) and not column.type.endswith("]")


def _shown(value: Any) -> str:
    """Write a value for a person: NULL as NULL, nested values as JSON."""
    match value:
        case None:
            return "NULL"
        case str():
            return value
        case bool():
            return "true" if value else "false"
        case Decimal():
            return format(value, "f")
        case bytes():
            return output.bytes_text(value)
        case list() | tuple() | dict():
            return output.json_text(value)
    return str(value)


def _csv_value(value: Any) -> str:
    """Write a value; NULL is nothing at all, an empty text is a pair of quotes."""
    match value:
        case None:
            return ""
        case str():
            return _csv_field(value)
        case int() | float() | Decimal():
            return _shown(value)
    return _csv_field(_shown(value))


def _csv_field(text: str) -> str:
    return text if _PLAIN.fullmatch(text) else '"' + text.replace('"', '""') + '"'
