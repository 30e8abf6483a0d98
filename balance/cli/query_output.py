"""The result of a query in each format. DuckDB writes the values; here they become a table, or are passed on.

Other commands print a handful of rows that they have made (`output.rows`); here rows come from a database,
by the million if the user asks for them. Makes bytes and writes none; `balance.cli.output` owns stdout.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

from balance.cli import output
from balance.cli.output import Format
from balance.errors import Failed
from balance.text_columns import escape

if TYPE_CHECKING:
    from balance.dataset.connection import Connection

MOST_IN_A_TABLE: Final = 100_000
"""Rows of a table, whose columns are as wide as the widest value of all rows."""
_MOST_CHARACTERS: Final = 5_000_000
"""Of a table: each is looked at to find out how wide it is."""
_BLOCK: Final = 1 << 20


def write_result(
    con: Connection, query: str, parameters: Mapping[str, object], options: output.OutputOptions
) -> None:
    """Run a query and write its rows."""
    match options.format:
        case Format.table | Format.markdown:
            _table(con, query, parameters, options)
        case Format.json:
            output.stream(_array(_blocks(con.file(query, parameters, "jsonl"), options)), options)
        case kind:
            output.stream(_blocks(con.file(query, parameters, kind.value), options), options)


def _table(
    con: Connection, query: str, parameters: Mapping[str, object], options: output.OutputOptions
) -> None:
    result = con.texts(query, parameters)
    cells: list[list[str]] = []
    size = 0
    try:
        for chunk in result.chunks():
            size += sum(len(value) for row in chunk for value in row if value is not None)
            if len(cells) + len(chunk) > MOST_IN_A_TABLE or size > _MOST_CHARACTERS:
                raise Failed(
                    f"more than {MOST_IN_A_TABLE:,} rows or {_MOST_CHARACTERS:,} characters are too many "
                    "for a table; add a LIMIT, or choose --format csv, jsonl or parquet"
                )
            cells += [["NULL" if value is None else str(value) for value in row] for row in chunk]
    finally:
        result.close()
    heads = [column.name for column in result.columns]
    right = [column.is_number for column in result.columns]
    if options.format is Format.table and output.screen(options) is not None:
        cells = [[rounded(x) if number else x for x, number in zip(row, right, strict=True)] for row in cells]
        heads, cells, right = _with_intervals(heads, cells, right)
    output.grid(heads, cells, right, options)


def _with_intervals(
    heads: list[str], cells: list[list[str]], right: list[bool]
) -> tuple[list[str], list[list[str]], list[bool]]:
    """Put the ends of an interval behind its value, as a person reads it: `12.66 (12.58 to 12.73)`."""
    from balance.dataset.saved_queries import interval_of

    ends = {name: found for name in heads if (found := interval_of(heads, name))}
    if len(set(heads)) < len(heads) or not ends:
        return heads, cells, right
    hidden = {end for pair in ends.values() for end in pair}
    shown = [k for k, name in enumerate(heads) if name not in hidden]

    def cell(row: list[str], name: str) -> str:
        value, *limits = (row[heads.index(one)] for one in (name, *ends.get(name, ())))
        return f"{value} ({' to '.join(limits)})" if limits else value

    table = [[cell(row, heads[k]) for k in shown] for row in cells]
    return [heads[k] for k in shown], table, [right[k] for k in shown]


def rounded(text: str) -> str:
    """Return a number as a person reads it: about four digits. Files and pipes get all of them.

    >>> [rounded(x) for x in ("15.733333333333333", "0.0166666", "1019", "0.25", "48123.4567891", "NULL")]
    ['15.73', '0.0167', '1019', '0.25', '48123', 'NULL']
    >>> [rounded(x) for x in ("1.7020320458977177e-18", "6.02214076e+23", "inf")]
    ['0', '6.022e+23', 'inf']
    """
    whole, _, rest = text.removeprefix("-").partition(".")
    if whole[:1].isdigit() and "e" in text:
        return f"{float(text):.4g}" if abs(float(text)) > 1e-12 else "0"
    if len(rest) <= 4 or not rest.isdigit():
        return text
    return f"{float(text):.{max(0, 4 - len(whole.lstrip('0')))}f}"


def _blocks(file: Path, options: output.OutputOptions) -> Iterator[bytes]:
    """Yield the content of a file; on a terminal without what could steer it."""
    on_screen = output.screen(options) is not None
    with file.open("rb") as content:
        while block := b"".join(content.readlines(_BLOCK)):
            yield escape(block.decode(errors="replace"), keep="\n").encode() if on_screen else block


def _array(lines: Iterator[bytes]) -> Iterator[bytes]:
    """Yield blocks of whole JSON lines as one JSON array."""
    before = b"[\n"
    for block in lines:
        yield before + block.removesuffix(b"\n").replace(b"\n", b",\n")
        before = b",\n"
    yield b"[]\n" if before == b"[\n" else b"\n]\n"
