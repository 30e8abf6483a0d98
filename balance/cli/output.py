"""The only owner of stdout: data, in the format asked for, to the pipe or to a file.

A command hands over rows (or a text) and the user's `OutputOptions`; what it looks like is decided here,
and a file gets the same bytes as a pipe. Talk belongs to `balance.cli.diagnostics`.
"""

from __future__ import annotations

import contextlib
import csv
import io
import json
import os
import shlex
import shutil
import signal
import stat
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum, StrEnum
from pathlib import Path
from typing import IO, Annotated, Any

import typer

from balance.cli import terminal
from balance.errors import Failed, UsageError
from balance.files import beside, write_new

__all__ = [
    "ForceOption",
    "Format",
    "FormatOption",
    "JsonOption",
    "OutOption",
    "OutputOptions",
    "bytes_text",
    "document",
    "json_lines",
    "json_text",
    "markdown",
    "markdown_line",
    "markdown_rule",
    "options",
    "rows",
    "screen",
    "sections",
    "stream",
    "table",
    "table_text",
    "text",
]

Row = Mapping[str, object]

# Below this a wrapped column is a ladder of letters; the table becomes one block per row instead.
_NARROWEST = 8
_GAP = "  "
_PIECE = 1 << 16


class Format(StrEnum):
    """The ways in which rows can be written."""

    table = "table"
    csv = "csv"
    json = "json"
    jsonl = "jsonl"
    parquet = "parquet"
    markdown = "markdown"


FormatOption = Annotated[
    Format | None,
    typer.Option(
        "--format",
        metavar="FORMAT",
        help="table (default), csv, json, jsonl, parquet or markdown.",
        case_sensitive=False,
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Short for --format json.")]
OutOption = Annotated[
    str | None,
    typer.Option("--out", "-o", metavar="FILE", help="Write to FILE instead of the standard output."),
]
ForceOption = Annotated[bool, typer.Option("--force", help="Let --out replace a file that exists.")]


@dataclass(frozen=True, slots=True)
class OutputOptions:
    """Where rows go and what they look like; `out` None is the standard output."""

    format: Format = Format.table
    out: Path | None = None
    force: bool = False
    named: str = "--out"
    """The option that names the file, for messages."""


def options(
    format_: Format | None = None,
    as_json: bool = False,
    out: str | None = None,
    force: bool = False,
    named: str = "--out",
) -> OutputOptions:
    """Combine a command's four output options, refusing at once what could not be written later.

    >>> options(as_json=True).format.value
    'json'
    """
    if as_json and format_ not in (None, Format.json):
        raise UsageError(f"--json and --format {format_.value} contradict each other; give one of them")
    chosen = Format.json if as_json else format_ or Format.table
    target = None if out in (None, "-") else Path(out)
    if target is None and chosen is Format.parquet and terminal.is_terminal(sys.stdout):
        raise UsageError("parquet is not for a terminal; name a file with --out, or pipe it")
    if target is not None:
        _refuse(target, force, named)
    return OutputOptions(chosen, target, force, named)


def rows(rows: Sequence[Row], columns: Sequence[str], options: OutputOptions | None = None) -> None:
    """Write `rows` with these columns, in this order; a missing or None value is an empty one.

    `rows([{"id": "unions", "goal": 20}], ["id", "goal"])` prints

        id      goal
        ------  ----
        unions    20
    """
    wanted = options or OutputOptions()
    shown_on = screen(wanted)
    match wanted.format:
        case Format.table:
            content = _table(rows, columns, terminal.line_width(shown_on), bold=shown_on is not None)
        case Format.csv:
            content = _csv(rows, columns)
            if shown_on is not None:
                content = terminal.escape(content, keep="\n")
        case Format.json:
            lines = ",\n".join(_json_row(row, columns) for row in rows)
            content = f"[\n{lines}\n]\n" if rows else "[]\n"
        case Format.jsonl:
            content = "".join(f"{_json_row(row, columns)}\n" for row in rows)
        case Format.markdown:
            content = _markdown(rows, columns)
        case Format.parquet:
            _write(_parquet(rows, columns), wanted)
            return
    _write(_encode(content), wanted)


def screen(options: OutputOptions) -> IO[str] | None:
    """Return the terminal that will show what is written with these options, if it is one.

    A file and a pipe are for programs, or for a terminal not known now: 80 columns, no bold.
    """
    return sys.stdout if options.out is None and terminal.is_terminal(sys.stdout) else None


def stream(pieces: Iterator[bytes], options: OutputOptions, *, paged: bool = False) -> None:
    """Write what comes in pieces, a file whole or not at all; `paged`: a long text goes to the pager."""
    if options.out is not None:
        _to_file(pieces, options.out, options.force)
        return
    if paged and screen(options) is not None:
        _to_pager(b"".join(pieces))
        return
    for content in _gathered(pieces):
        _to_stdout(content)


def _gathered(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """Yield the pieces joined to fewer."""
    waiting: list[bytes] = []
    size = 0
    for piece in pieces:
        waiting.append(piece)
        size += len(piece)
        if size >= _PIECE:
            yield b"".join(waiting)
            waiting, size = [], 0
    yield b"".join(waiting)


def sections(
    parts: Sequence[tuple[str, Sequence[Row], Sequence[str]]],
    rows_: Sequence[Row],
    columns: Sequence[str],
    options: OutputOptions,
) -> None:
    """Write the same figures for people as several tables under titles, for programs as one list of rows."""
    shown_on = screen(options)
    match options.format:
        case Format.table:
            width, bold = terminal.line_width(shown_on), shown_on is not None
            shown = [f"{title}\n\n{_table(part, names, width, bold=bold)}" for title, part, names in parts]
        case Format.markdown:
            shown = [f"**{title}**\n\n{_markdown(part, names)}" for title, part, names in parts]
        case _:
            rows(rows_, columns, options)
            return
    _write(_encode("\n".join(shown)), options)


def text(text: str, options: OutputOptions | None = None) -> None:
    """Write a text for people as it is, control characters written out."""
    _write(_encode(terminal.escape(text.rstrip("\n"), keep="\n") + "\n"), options or OutputOptions())


def table_text(rows: Sequence[Row], columns: Sequence[str]) -> str:
    """Return rows as a table for a part of a text, 80 columns wide."""
    return _table(rows, columns, terminal.line_width(None), bold=False)


def markdown(text_: str, options: OutputOptions) -> None:
    """Write a text that is Markdown already."""
    _write(_encode(terminal.escape(text_.rstrip("\n"), keep="\n") + "\n"), options)


def document(text_: str, data: object, options: OutputOptions) -> None:
    """Write one thing that is not a list of rows: `text_` for people, `data` for programs."""
    match options.format:
        case Format.table | Format.markdown:
            text(text_, options)
        case Format.json:
            _write(_encode(_json(data, indent=2) + "\n"), options)
        case Format.jsonl:
            _write(_encode(_json(data) + "\n"), options)
        case other:
            raise UsageError(f"this is not a list of rows; --format {other.value} cannot show it, json can")


def json_lines(objects: Iterable[Row], options: OutputOptions | None = None) -> None:
    """Write one JSON object per line, each with its own keys in its own order."""
    content = "".join(f"{_json(item)}\n" for item in objects)
    _write(_encode(content), options or OutputOptions())


# --- formats


def _table(rows: Sequence[Row], columns: Sequence[str], width: int, *, bold: bool) -> str:
    """Lay rows out in aligned columns of at most `width`, wrapping the widest rather than cutting."""
    cells = [[_plain(row.get(name)) for name in columns] for row in rows]
    right = [_is_number([row.get(name) for row in rows]) for name in columns]
    return _layout(columns, cells, right, width, bold=bold)


def table(
    heads: Sequence[str],
    cells: Sequence[Sequence[str]],
    right: Sequence[bool],
    shown_on: IO[str] | None,
    *,
    bold: bool = True,
) -> str:
    """Lay out values that are texts already; `right` says which columns stand flush right.

    A part of a text that `text` writes cannot be `bold`: control characters are written out there.
    """
    return _layout(heads, cells, right, terminal.line_width(shown_on), bold=bold and shown_on is not None)


def _layout(
    columns: Sequence[str], values: Sequence[Sequence[str]], right: Sequence[bool], width: int, *, bold: bool
) -> str:
    cells = [[terminal.escape(value, keep="\n") for value in row] for row in values]
    heads = [terminal.escape(name) for name in columns]
    natural = [
        max(terminal.text_width(line) for cell in column for line in cell.split("\n"))
        for column in zip(heads, *cells, strict=True)
    ]
    widths = _fit(natural, width - len(_GAP) * (len(columns) - 1))
    if widths is None:
        return _blocks(heads, cells, width)
    head = _table_row(heads, widths, right)
    if bold:
        head = [terminal.bold(line, sys.stdout) for line in head]
    rule = _GAP.join("-" * size for size in widths)
    body = [line for row in cells for line in _table_row(row, widths, right)]
    return "\n".join([*head, rule, *body]) + "\n"


def _table_row(cells: Sequence[str], widths: Sequence[int], right: Sequence[bool]) -> list[str]:
    """Return the lines of one row; a number stays whole, a text may take several lines."""
    wrapped = [terminal.wrap(cell, size) for cell, size in zip(cells, widths, strict=True)]
    lines = []
    for index in range(max((len(cell) for cell in wrapped), default=0)):
        parts = []
        for cell, size, flush_right in zip(wrapped, widths, right, strict=True):
            part = cell[index] if index < len(cell) else ""
            blank = " " * (size - terminal.text_width(part))
            parts.append(blank + part if flush_right else part + blank)
        lines.append(_GAP.join(parts).rstrip())
    return lines


def _fit(natural: Sequence[int], room: int) -> list[int] | None:
    """Shrink the widest columns until all fit into `room`; None if they cannot."""
    widths = list(natural)
    if sum(min(size, _NARROWEST) for size in widths) > room:
        return None
    while sum(widths) > room:
        widths[widths.index(max(widths))] -= 1
    return widths


def _blocks(heads: Sequence[str], cells: Sequence[Sequence[str]], width: int) -> str:
    """Lay out rows with too many columns for a line: one block per row, one line per column."""
    label = min(max(terminal.text_width(head) for head in heads), width // 3)
    sizes = [label, max(width - label - len(_GAP), _NARROWEST)]
    if not cells:
        return "\n".join(terminal.wrap(_GAP.join(heads), width)) + "\n"
    blocks = []
    for row in cells:
        pairs = zip(heads, row, strict=True)
        blocks.append("\n".join(line for pair in pairs for line in _table_row(pair, sizes, [False, False])))
    return "\n\n".join(blocks) + "\n"


def _csv(rows: Sequence[Row], columns: Sequence[str]) -> str:
    """Write RFC 4180 with the newline of this world."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([_csv_value(row.get(name)) for name in columns] for row in rows)
    return file.getvalue()


def _markdown(rows: Sequence[Row], columns: Sequence[str]) -> str:
    right = [_is_number([row.get(name) for row in rows]) for name in columns]
    body = (markdown_line([_plain(row.get(name)) for name in columns]) for row in rows)
    return markdown_line(columns) + markdown_rule(right) + "".join(body)


def markdown_line(values: Sequence[str]) -> str:
    """Return one row of a Markdown table, with nothing in it that Markdown would read as its own."""
    cells = []
    for value in values:
        escaped = terminal.escape(value, keep="\n").replace("\\", "\\\\").replace("|", "\\|")
        cells.append(escaped.replace("<", "&lt;").replace("\n", "<br>"))
    return f"| {' | '.join(cells)} |\n"


def markdown_rule(right: Sequence[bool]) -> str:
    """Return the line between the head and the rows of a Markdown table."""
    return f"| {' | '.join('---:' if flush_right else '---' for flush_right in right)} |\n"


def _parquet(rows: Sequence[Row], columns: Sequence[str]) -> bytes:
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
        case None | bool() | int() | float() | str() | Decimal():
            return value
        case bytes():
            return bytes_text(value)
        case Mapping():
            return {str(_bare(key)): _bare(item) for key, item in value.items()}
        case list() | tuple():
            return [_bare(item) for item in value]
        case set() | frozenset():
            return sorted(_bare(item) for item in value)
    if hasattr(value, "item"):  # a number of NumPy's
        return value.item()
    return str(value)


def bytes_text(value: bytes) -> str:
    r"""Return bytes as a text, written as DuckDB does.

    >>> bytes_text(b"a\\\x00")
    'a\\x5C\\x00'
    """
    return "".join(
        chr(byte) if 32 <= byte < 127 and chr(byte) not in "\\\"'" else f"\\x{byte:02X}" for byte in value
    )


def json_text(value: object) -> str:
    """Return a value as JSON on one line, numbers with all of their digits; what is no number is null."""
    return _json(value)


def _json(value: object, indent: int | None = None) -> str:
    # Letters stay letters; what could steer a terminal is written as \\uXXXX, which is JSON as well.
    try:
        encoded = json.dumps(_bare(value), ensure_ascii=False, allow_nan=False, indent=indent)
    except ValueError:
        encoded = json.dumps(_without_nan(_bare(value)), ensure_ascii=False, indent=indent)
    except TypeError:  # decimal numbers, of which the library knows nothing
        encoded = _json_exact(_without_nan(_bare(value)))
    if encoded.isprintable():
        return encoded
    return "".join(
        char if char == "\n" or terminal.escape(char) == char else json.dumps(char)[1:-1] for char in encoded
    )


def _json_exact(value: Any) -> str:
    match value:
        case Decimal():
            return format(value, "f") if value.is_finite() else "null"
        case dict():
            items = (f"{json.dumps(key, ensure_ascii=False)}: {_json_exact(v)}" for key, v in value.items())
            return f"{{{', '.join(items)}}}"
        case list():
            return f"[{', '.join(map(_json_exact, value))}]"
    return json.dumps(value, ensure_ascii=False)


def _json_row(row: Row, columns: Sequence[str]) -> str:
    return _json({name: row.get(name) for name in columns})


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
            return _json(mapping)
        case other:
            return str(other)


def _is_number(values: Sequence[object]) -> bool:
    """Return whether a column holds numbers only, and so stands flush right."""
    known = [_bare(value) for value in values if value is not None]
    return bool(known) and all(
        isinstance(v, int | float | Decimal) and not isinstance(v, bool) for v in known
    )


def _encode(content: str) -> bytes:
    return content.encode("utf-8", errors="backslashreplace")


# --- writing


def _refuse(target: Path, force: bool, named: str = "--out") -> None:
    """Raise for a file that must not or cannot be written."""
    if target.is_dir():
        raise UsageError(f"{named} {target}: is a folder; name a file in it")
    if not target.parent.is_dir():
        raise UsageError(f"{named} {target}: there is no folder {target.parent}")
    if os.path.lexists(target) and not force and not _is_device(target):
        raise UsageError(f"{named} {target}: exists already; --force replaces it")


def _is_device(target: Path) -> bool:
    """Return whether `target` is a pipe or a device such as /dev/null, which has nothing to lose."""
    try:
        mode = target.stat().st_mode
    except OSError:
        return False
    return stat.S_ISCHR(mode) or stat.S_ISFIFO(mode)


def _write(content: bytes, options: OutputOptions) -> None:
    if options.out is None:
        _to_stdout(content)
    else:
        _to_file(content, options.out, options.force)


def _to_file(content: bytes | Iterator[bytes], target: Path, force: bool) -> None:
    """Write the whole file or nothing: a temporary file beside it, then one rename."""
    _refuse(target, force)
    if _is_device(target):
        target.write_bytes(content if isinstance(content, bytes) else b"".join(content))
        return
    target = target.resolve()
    if force:
        with beside(target, content) as temporary:
            temporary.replace(target)
        return
    try:
        write_new(target, content)
    except FileExistsError:
        raise UsageError(f"{target}: exists already; --force replaces it") from None


def _to_stdout(content: bytes) -> None:
    """Write bytes to stdout; `diagnostics.run` decides what a closed pipe or a full disk means."""
    if sys.stdout is None:
        raise Failed("the standard output is closed")
    try:
        sys.stdout.flush()
        sys.stdout.buffer.write(content)
        sys.stdout.flush()
    except OSError:
        discard_stdout()
        raise


def _to_pager(content: bytes) -> None:
    """Show a text that is longer than the screen in the user's pager, where there is one."""
    command = shlex.split(os.environ.get("PAGER", "less"))
    longer = content.count(b"\n") >= shutil.get_terminal_size().lines
    if not longer or not command or os.environ.get("TERM") == "dumb" or shutil.which(command[0]) is None:
        _to_stdout(content)
        return
    sys.stdout.flush()
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the pager's as long as it runs
    try:
        environment = {"LESS": "FRX", **os.environ}
        # What runs is the user's own choice.
        subprocess.run(command, input=content, env=environment, check=False)  # noqa: S603
    finally:
        signal.signal(signal.SIGINT, before)


def discard_stdout() -> None:
    """Send what is still buffered nowhere, so that Python does not complain about it at exit."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
