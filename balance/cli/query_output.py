"""The result of a query in each format. DuckDB writes the values; here they become a table, or are passed on.

Other commands print a handful of rows that they have made (`output.rows`); here rows come from a database,
by the million if the user asks for them. Makes bytes and writes none; `balance.cli.output` owns stdout.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

from balance import layout
from balance.cli import formats, output, terminal
from balance.cli.output import Format
from balance.errors import Failed

if TYPE_CHECKING:
    from balance.dataset.connection import Connection

MOST_IN_A_TABLE: Final = 100_000
"""Rows of a table, whose columns are as wide as the widest value of all rows."""
_BLOCK: Final = 1 << 20


def write_result(
    con: Connection, query: str, parameters: Mapping[str, object], options: output.OutputOptions
) -> None:
    """Run a query and write its rows."""
    match options.format:
        case Format.table | Format.markdown:
            output.stream(iter([_table(con, query, parameters, options).encode(errors="replace")]), options)
        case Format.json:
            output.stream(_array(_blocks(con.file(query, parameters, "jsonl"), options)), options)
        case kind:
            output.stream(_blocks(con.file(query, parameters, kind.value), options), options)


def _table(
    con: Connection, query: str, parameters: Mapping[str, object], options: output.OutputOptions
) -> str:
    result = con.texts(query, parameters)
    cells: list[list[str]] = []
    try:
        for chunk in result.chunks():
            if len(cells) + len(chunk) > MOST_IN_A_TABLE:
                raise Failed(
                    f"more than {MOST_IN_A_TABLE:,} rows are too many for a table; add a LIMIT, or choose "
                    "--format csv, jsonl or parquet"
                )
            cells += [["NULL" if value is None else str(value) for value in row] for row in chunk]
    finally:
        result.close()
    heads = [column.name for column in result.columns]
    right = [column.is_number for column in result.columns]
    if options.format is Format.table:
        shown_on = output.screen(options)
        if shown_on is not None:
            cells = [
                [rounded(x) if number else x for x, number in zip(row, right, strict=True)] for row in cells
            ]
        width, bold = terminal.line_width(shown_on), formats.bold_head(shown_on)
        return layout.table(heads, cells, right, width, bold)
    return "".join(
        [formats.markdown_line(heads), formats.markdown_rule(right), *map(formats.markdown_line, cells)]
    )


def rounded(text: str) -> str:
    """Return a number as a person reads it: about four digits. Files and pipes get all of them.

    >>> [rounded(x) for x in ("15.733333333333333", "0.0166666", "1019", "0.25", "48123.4567891", "NULL")]
    ['15.73', '0.0167', '1019', '0.25', '48123', 'NULL']
    """
    whole, _, rest = text.removeprefix("-").partition(".")
    if len(rest) <= 4 or not rest.isdigit():
        return text
    return f"{float(text):.{max(0, 4 - len(whole.lstrip('0')))}f}"


def _blocks(file: Path, options: output.OutputOptions) -> Iterator[bytes]:
    """Yield the content of a file; on a terminal without what could steer it."""
    on_screen = output.screen(options) is not None
    with file.open("rb") as content:
        if on_screen:
            for line in content:
                yield layout.escape(line.decode(errors="replace"), keep="\n").encode()
            return
        while block := content.read(_BLOCK):
            yield block


def _array(lines: Iterator[bytes]) -> Iterator[bytes]:
    """Yield JSON lines as one JSON array."""
    before, held = b"[\n", b""
    for block in lines:  # which may end anywhere; a line break is always the end of a row
        whole = held + block
        held = b"\n" if whole.endswith(b"\n") else b""
        yield before + whole.removesuffix(b"\n").replace(b"\n", b",\n")
        before = b""
    yield b"[]\n" if before else b"\n]\n"
