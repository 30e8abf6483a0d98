"""`balance sql`: questions to runs in SQL, from the command line, a file, a pipe or a prompt."""

from __future__ import annotations

import contextlib
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from balance.cli import diagnostics, gameoptions, output, query_output, sql_arguments, terminal
from balance.cli.help_text import examples
from balance.errors import BalanceError, UsageError
from balance.userfiles import temporary_prefix

if TYPE_CHECKING:
    from balance.cli.sql_arguments import Asked
    from balance.dataset.connection import Connection
    from balance.dataset.limits import Limits
    from balance.dataset.run import Runs

EPILOG = examples(
    "balance sql data/runs/first @length-by-pair players=4",
    'balance sql data/runs/first "select avg(rounds) from games"',
    "balance sql data/runs/first -f mine.sql -o mine.csv --format csv",
    "balance sql data/runs/first --describe games",
    "balance sql data/runs/first --database first.duckdb",
)
_CLIENTS = (["harlequin", "--read-only"], ["duckdb", "-readonly"])
"""Programs that show a DuckDB file on a terminal, the nicest first."""


def _complete_word(incomplete: str) -> list[str]:
    """Return the runs, or after `@` the ready queries, that begin with what was typed."""
    if not incomplete.startswith("@"):
        return gameoptions.complete_run(incomplete)
    names = [f"@{row['name']}" for row in sql_arguments.ready_rows(None)]
    return [name for name in names if name.startswith(incomplete)]


@output.takes_options()
def sql(
    options: output.OutputOptions,
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="RUN... [QUERY|@NAME [KEY=VALUE...]]",
            autocompletion=_complete_word,
            help="Folders of runs, then SQL in quotes or the name of a ready query; a prompt without either.",
        ),
    ] = None,
    file: Annotated[
        str | None, typer.Option("--file", "-f", metavar="FILE", help="Take the query from a file.")
    ] = None,
    queries: Annotated[bool, typer.Option("--queries", help="List the ready queries.")] = False,
    describe: Annotated[
        bool, typer.Option("--describe", help="List the views; with the name of one, its columns.")
    ] = False,
    database: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="Write a DuckDB file of views and ready queries, for other programs."
        ),
    ] = None,
    timeout: Annotated[
        float, typer.Option(metavar="SECONDS", help="Stop a query that takes longer; 0: never.")
    ] = 300,
    memory: Annotated[
        str, typer.Option(metavar="SIZE", help="Memory that a query may use: 500MB, 2GB.")
    ] = "2GB",
) -> None:
    """Ask one or several runs in SQL; they can only be read.

    The first argument that names no file and contains a space or a bracket is the query; those before it are
    runs, and KEY=VALUE after it gives a value to its parameter $KEY. Tables of several runs have a column
    `run`. Without a query: on a terminal harlequin or duckdb if one is installed, or a plain prompt; in a
    pipe the statements of the standard input.
    """
    if describe:
        _describe(words or [], options)
        return
    folders, query, parameters = sql_arguments.read_words(words or [], from_file=file is not None)
    listing = queries or query == "@"
    if listing and not folders:
        _list_queries(None, options)
        return
    if not folders:
        raise UsageError('no run is named; try: balance sql RUN "select count(*) from games"')
    from balance.dataset.connection import connect
    from balance.dataset.database import write_database
    from balance.dataset.limits import Limits
    from balance.dataset.run import open_runs

    limits = Limits(memory, timeout, watch_memory=True)
    limits.check()
    runs = open_runs(folders)
    if database is not None:
        write_database(runs, Path(database), force=options.force)
        output.text(database)
        return
    if file is None and query is None and not listing and terminal.is_terminal(sys.stdin):
        if options.out is not None or options.format is output.Format.parquet:
            raise UsageError("--out and --format parquet need a query: balance sql RUN QUERY --out FILE")
        _converse(runs, limits, options)
        return
    with connect(runs, limits) as con:
        if listing:
            _list_queries(con.game.name, options)
        elif file is not None:
            asked = sql_arguments.file_query(con, file, parameters)
            query_output.write_result(con, *asked, options)
        elif query is None:
            _script(con, options)
        elif query.startswith("@"):
            query_output.write_result(con, *sql_arguments.ready_query(con, query[1:], parameters), options)
        else:
            query_output.write_result(con, *sql_arguments.plain_query(query, parameters), options)


def _list_queries(game: str | None, options: output.OutputOptions) -> None:
    output.rows(sql_arguments.ready_rows(game), ["name", "question", "parameters"], options)


def _describe(words: list[str], options: output.OutputOptions) -> None:
    """List the views of runs with their meanings, or the columns of the view that the last word names."""
    from balance.dataset.connection import connect
    from balance.dataset.meanings import meanings
    from balance.dataset.run import open_runs
    from balance.nearest import unknown

    view = words[-1] if len(words) > 1 and not Path(words[-1]).exists() else None
    if not words:
        raise UsageError("no run is named; try: balance sql RUN --describe")
    runs = open_runs(words[:-1] if view else words)
    known = meanings(runs)
    with connect(runs) as con:
        tables = con.tables()
    if view is None:
        rows = [{"view": name, "meaning": known[name].view} for name in tables]
        output.rows(rows, ["view", "meaning"], options)
        return
    if view not in tables:
        raise UsageError(unknown("view", view, list(tables)))
    columns = [
        {"column": name, "type": kind, "meaning": known[view].columns[name]}
        for name, kind in tables[view].items()
    ]
    output.rows(columns, ["column", "type", "meaning"], options)


# --- without a query


def _script(con: Connection, options: output.OutputOptions) -> None:
    """Run the statements of the standard input until the first error; `@NAME ...` is a line of its own."""
    todo = list(_questions(con, sql_arguments.read_stdin()))
    if len(todo) > 1 and (options.out is not None or options.format is output.Format.parquet):
        raise UsageError(f"--out and --format parquet take one statement; there are {len(todo)}")
    for number, asked in enumerate(todo):
        if number and options.format in (output.Format.table, output.Format.markdown):
            output.text("")
        query_output.write_result(con, *asked, options)


def _questions(con: Connection, text: str) -> Iterator[Asked]:
    sql: list[str] = []
    for line in [*text.split("\n"), "@"]:
        before = "\n".join(sql).strip()
        inside = before and not before.endswith(";")  # a line of a statement, perhaps of a text in it
        if not line.startswith("@") or (inside and line != "@"):
            sql.append(line)
            continue
        for statement in con.statements("\n".join(sql)):
            yield sql_arguments.plain_query(statement, {})
        sql.clear()
        if line != "@":
            try:
                name, *words = shlex.split(line.rstrip("; "))
            except ValueError as error:
                raise UsageError(f"{line}: {error}") from None
            yield sql_arguments.ready_query(con, name[1:], sql_arguments.read_parameters(words))


def _converse(runs: Runs, limits: Limits, options: output.OutputOptions) -> None:
    """Start a program for DuckDB files on the runs, or ask for statements."""
    from balance.dataset.connection import connect
    from balance.dataset.database import write_database

    for client, *flags in _CLIENTS:
        program = shutil.which(client)
        if program is not None:
            with tempfile.TemporaryDirectory(prefix=temporary_prefix("sql")) as folder:
                target = Path(folder) / f"{runs[0].path.resolve().name}.duckdb"
                write_database(runs, target)
                subprocess.run([program, *flags, str(target)], check=False)  # noqa: S603 - installed by the user
            return
    with connect(runs, limits) as con:
        tables = ", ".join(con.tables())
        diagnostics.say(f"tables: {tables}\na statement ends with a semicolon, Ctrl-D ends the prompt")
        with contextlib.suppress(ImportError):
            import readline  # noqa: F401 - editing and history of this session
        while (text := _statement()) is not None:
            _answer(con, text, options)


def _statement() -> str | None:
    """Return the lines up to one that ends with a semicolon, or begins with `@`; None at the end."""
    lines: list[str] = []
    while not lines or not (lines[-1].rstrip().endswith(";") or lines[0].startswith("@")):
        try:
            lines.append(input("balance> " if not lines else "    ...> "))
        except KeyboardInterrupt:
            diagnostics.say("")
            lines.clear()
        except EOFError:
            return None
        if not any(map(str.strip, lines)):
            lines.clear()
    return "\n".join(lines)


def _answer(con: Connection, text: str, options: output.OutputOptions) -> None:
    """Answer what was typed; an error is printed, and the prompt comes again unless its query goes on."""
    try:
        for asked in _questions(con, text):
            query_output.write_result(con, *asked, options)
    except (KeyboardInterrupt, BalanceError) as problem:
        if con.stuck:  # only the end of the process stops the query, and gives its memory back
            diagnostics.say("the query cannot be stopped; the prompt ends with it")
            raise
        if isinstance(problem, BalanceError):
            diagnostics.error(str(problem))
        else:
            diagnostics.say("cancelled")
