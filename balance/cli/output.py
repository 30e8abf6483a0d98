"""The only owner of stdout: data, in the format asked for, to the pipe or to a file.

A command hands over rows (or a text) and the user's `OutputOptions`; what it looks like is decided here,
and a file gets the same bytes as a pipe. Messages belong to `balance.cli.diagnostics`.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated, Any, Final

import typer

from balance import text_columns
from balance.cli import formats, terminal
from balance.cli.formats import Row
from balance.errors import Failed, UsageError
from balance.userfiles import write_file

if TYPE_CHECKING:
    from balance.report.model import Answer, Section


_FOLDED = 12
"""Rows of a long table that a text shows; CSV has all."""


class Format(StrEnum):
    """The ways in which rows can be written."""

    table = "table"
    csv = "csv"
    json = "json"
    jsonl = "jsonl"
    parquet = "parquet"
    markdown = "markdown"
    html = "html"
    pdf = "pdf"


PAGES: Final = (Format.html, Format.pdf)
"""Formats of commands whose answer can be a page."""


def _format_option(last: str) -> Any:
    known = f"table (default), csv, json, jsonl, {last}."
    return typer.Option("--format", metavar="FORMAT", help=known, case_sensitive=False)


FormatOption = Annotated[Format | None, _format_option("parquet or markdown")]
_PageFormatOption = Annotated[Format | None, _format_option("parquet, markdown, html or pdf")]
JsonOption = Annotated[bool, typer.Option("--json", help="Short for --format json.")]
OutOption = Annotated[
    str | None,
    typer.Option("--out", "-o", metavar="FILE", help="Write to FILE instead of the standard output."),
]
ForceOption = Annotated[bool, typer.Option("--force", help="Replace a file that exists.")]


@dataclass(frozen=True, slots=True)
class OutputOptions:
    """Where rows go and what they look like; `out` None is the standard output."""

    format: Format = Format.table
    out: Path | None = None
    force: bool = False


def options(
    format_: Format | None = None,
    as_json: bool = False,
    out: str | None = None,
    force: bool = False,
    named: str = "--out",
    *,
    pages: bool = False,
) -> OutputOptions:
    """Combine a command's four output options, refusing at once what could not be written later.

    >>> options(as_json=True).format.value
    'json'
    """
    if as_json and format_ not in (None, Format.json):
        raise UsageError(f"--json and --format {format_.value} contradict each other; give one of them")
    chosen = Format.json if as_json else format_ or Format.table
    target = None if out in (None, "-") else Path(out)
    if chosen in PAGES and not pages:
        raise UsageError(f"--format {chosen.value}: these are rows, and have no page; markdown has a table")
    if target is None and chosen in (Format.parquet, *PAGES) and terminal.is_terminal(sys.stdout):
        raise UsageError(f"{chosen.value} is not for a terminal; name a file with --out, or pipe it")
    if target is not None:
        from balance.dataset.manifest import refuse_target

        refuse_target(named.removeprefix("--"), target, force)
    return OutputOptions(chosen, target, force)


def takes_options(*, pages: bool = False) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the options of its output; it gets them as `options`, refused if they cannot be met."""

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        def run(format_: Format | None, as_json: bool, out: str | None, force: bool, **given: object) -> None:
            command(options=options(format_, as_json, out, force, pages=pages), **given)

        kind = inspect.Parameter.KEYWORD_ONLY
        own = inspect.signature(command, eval_str=True).parameters.values()
        parameters = [one.replace(kind=kind) for one in own if one.name != "options"]
        parameters += [
            inspect.Parameter(name, kind, default=default, annotation=annotation)
            for name, default, annotation in (
                ("format_", None, _PageFormatOption if pages else FormatOption),
                ("as_json", False, JsonOption),
                ("out", None, OutOption),
                ("force", False, ForceOption),
            )
        ]
        made: Any = functools.update_wrapper(run, command)
        made.__signature__ = inspect.Signature(parameters)
        return run

    return decorate


def rows(rows: Sequence[Row], columns: Sequence[str], options: OutputOptions | None = None) -> None:
    """Write `rows` with these columns, in this order; a missing or None value is an empty one."""
    wanted = options or OutputOptions()
    given = [{name: row.get(name) for name in columns} for row in rows]
    match wanted.format:
        case Format.csv:
            content = formats.csv_text(given, columns)
            _write(content if screen(wanted) is None else text_columns.escape(content, keep="\n"), wanted)
        case Format.json:
            lines = ",\n".join(map(formats.json_text, given))
            _write(f"[\n{lines}\n]\n" if rows else "[]\n", wanted)
        case Format.jsonl:
            json_lines(given, wanted)
        case Format.parquet:
            _write(formats.parquet_bytes(given, columns), wanted)
        case _:
            cells = [list(map(formats.plain, row.values())) for row in given]
            right = [formats.are_numbers([row[name] for row in given]) for name in columns]
            grid(columns, cells, right, wanted)


def grid(
    heads: Sequence[str], cells: Sequence[Sequence[str]], right: Sequence[bool], options: OutputOptions
) -> None:
    """Write texts as a table or as Markdown; `right` says which columns stand flush right."""
    if options.format is Format.markdown:
        rule = f"| {' | '.join('---:' if flush_right else '---' for flush_right in right)} |\n"
        head, *body = map(formats.markdown_line, [heads, *cells])
        _write("".join([head, rule, *body]), options)
        return
    shown_on = screen(options)
    paint = terminal.painter(shown_on)
    width = terminal.line_width(shown_on)
    bold: text_columns.Paint = lambda row, line: paint(line, "title") if row is None else line  # noqa: E731
    _write(text_columns.table(heads, cells, right, width, bold), options)


def screen(options: OutputOptions) -> IO[str] | None:
    """Return the terminal that will show what is written with these options, if it is one.

    A file and a pipe are for programs, or for a terminal not known now: 80 columns, no bold.
    """
    return sys.stdout if options.out is None and terminal.is_terminal(sys.stdout) else None


def stream(pieces: Iterator[bytes], options: OutputOptions) -> None:
    """Write what comes in pieces, a file whole or not at all."""
    if options.out is not None:
        write_file(options.out, pieces, replace=options.force)
        return
    for content in pieces:
        _to_stdout(content)


def text(text: str, options: OutputOptions | None = None) -> None:
    """Write a text for people as it is, control characters written out."""
    _write(text_columns.escape(text.rstrip("\n"), keep="\n") + "\n", options or OutputOptions())


def document(text_: str, data: object, options: OutputOptions) -> None:
    """Write one thing that is not a list of rows: `text_` for people, `data` for programs."""
    match options.format:
        case Format.table | Format.markdown:
            text(text_, options)
        case Format.json:
            _write(formats.json_text(data, indent=2) + "\n", options)
        case Format.jsonl:
            _write(formats.json_text(data) + "\n", options)
        case other:
            raise UsageError(f"this is not a list of rows; --format {other.value} cannot show it, json can")


def answer(answer: Answer, options: OutputOptions) -> None:
    """Write an answer: its findings as rows, its records as JSON, all of it as text or as a page."""
    from balance.report.build import rendering
    from balance.report.render.text import markdown as as_markdown
    from balance.report.render.text import text as as_text

    kind = options.format
    listed = kind in (Format.csv, Format.jsonl, Format.parquet)
    if listed or (kind is Format.json and answer.only_rows):
        columns = dict.fromkeys(name for finding in answer.findings for name in finding)
        rows(answer.findings, tuple(columns), options)
    elif kind is Format.json:
        _write(formats.json_text(answer.json(), indent=2) + "\n", options)
    elif kind is Format.table:
        shown_on = screen(options)
        width, paint = terminal.line_width(shown_on), terminal.painter(shown_on)
        _write(as_text(answer, width, paint, _FOLDED), options)
    elif kind is Format.markdown:
        _write(as_markdown(answer, _FOLDED), options)
    else:
        _write(rendering(answer, kind.value), options)


def later(section: Section) -> None:
    """Show a chapter that was computed after the answer was shown on the terminal."""
    from balance.report.render.text import section_text

    shown_on = screen(OutputOptions())
    width, paint = terminal.line_width(shown_on), terminal.painter(shown_on)
    content = section_text(section, width, paint, _FOLDED)
    _write(f"\n{content}" if content else "", OutputOptions())


def json_lines(objects: Iterable[Row], options: OutputOptions | None = None) -> None:
    """Write one JSON object per line, each with its own keys in its own order."""
    _write("".join(f"{formats.json_text(item)}\n" for item in objects), options or OutputOptions())


# --- writing


def _write(content: str | bytes, options: OutputOptions) -> None:
    if isinstance(content, str):
        content = content.encode("utf-8", errors="backslashreplace")
    stream(iter([content]), options)


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


def discard_stdout() -> None:
    """Send what is still buffered nowhere, so that Python does not complain about it at exit."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
