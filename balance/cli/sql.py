"""`balance sql`: questions to runs in SQL, from the command line, a file, a pipe or a shell."""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Iterator
from typing import Annotated, NoReturn

import typer

from balance.cli import asking, diagnostics, output, results, shell
from balance.cli.help import examples
from balance.errors import UsageError

__all__ = ["EPILOG", "sql"]

EPILOG = examples(
    'balance sql data/runs/first "select players, count(*) from games group by all order by all"',
    "balance sql data/runs/first @length-by-pair players=4 --format csv",
    "balance sql data/runs/first data/runs/more -f mine.sql -o mine.parquet --format parquet",
    "balance sql data/runs/first",
)


def sql(
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="RUN... [QUERY|@NAME [KEY=VALUE...]]",
            help="Folders of runs, then SQL in quotes or the name of a ready query; a shell without either.",
        ),
    ] = None,
    file: Annotated[
        str | None, typer.Option("--file", "-f", metavar="FILE", help="Take the query from a file.")
    ] = None,
    queries: Annotated[bool, typer.Option("--queries", help="List the ready queries.")] = False,
    timeout: Annotated[
        float, typer.Option(metavar="SECONDS", help="Stop a query that takes longer; 0: never.")
    ] = 300,
    memory: Annotated[
        str, typer.Option(metavar="SIZE", help="Memory that a query may use: 500MB, 2GB.")
    ] = "2GB",
    format_: output.FormatOption = None,
    as_json: output.JsonOption = False,
    out: output.OutOption = None,
    force: output.ForceOption = False,
) -> None:
    """Ask one or several runs in SQL; they can only be read.

    The first argument that names no file and holds a space or a bracket is the query; those before it are
    runs, and KEY=VALUE after it gives a value to its parameter $KEY. Tables of several runs have a column
    `run`. Without a query: a shell on a terminal, otherwise statements from the standard input.
    """
    options = output.options(format_, as_json, out, force)
    told = asking.read_words(words or [], from_file=file is not None)
    listing = queries or told.query == "@"
    if listing and not told.runs:
        shell.list_queries(None, options)
        return
    if not told.runs:
        raise UsageError('no run is named; try: balance sql RUN "select count(*) from games"')
    from balance.dataset.connection import Limits, connect
    from balance.dataset.run import open_runs

    with _ended_in_order(), connect(open_runs(told.runs), Limits(memory, timeout)) as con:
        if listing:
            shell.list_queries(con.game.name, options)
            return
        asked = asking.asked(con, told, file)
        if asked is None:
            shell.converse(con, options)
        else:
            diagnostics.detail(f"asking {len(con.runs)} runs")
            results.write_result(con, asked.sql, asked.parameters, options)


@contextlib.contextmanager
def _ended_in_order() -> Iterator[None]:
    """Clear up also when the process is told to end, or its terminal is closed."""

    def end(number: int, _: object) -> NoReturn:
        raise SystemExit(128 + number)

    before = {number: signal.signal(number, end) for number in (signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
