"""A connection to DuckDB that sees the tables of runs and nothing else.

It lives in memory, reads the files of the runs and no others, writes nothing but a private temporary folder
that is removed with it, loads no extension, and its configuration is locked. Every query passes the gate of
`balance.dataset.sql_guard`; everything that DuckDB does happens in one thread behind the wall of
`balance.dataset.wall`, and in threads that DuckDB starts from there. Memory, disk and time have limits.
"""

from __future__ import annotations

import contextlib
import functools
import glob
import math
import os
import queue
import shutil
import tempfile
import threading
import time
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, wait
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, TypeVar

import duckdb

import balance
from balance import machine
from balance.dataset import derived, exact, parquet, sql_quote
from balance.dataset.deals import deals_files
from balance.dataset.exact import Column
from balance.dataset.limits import Limits, resident
from balance.dataset.meanings import comment, meanings
from balance.dataset.saved_queries import Question, bind
from balance.dataset.sql_errors import explained
from balance.dataset.sql_guard import Statement, check_statement, split_statements
from balance.dataset.views import create_views
from balance.dataset.wall import raise_wall
from balance.errors import BalanceError, Failed, UsageError
from balance.games.contract import Game
from balance.userfiles import temporary_prefix

if TYPE_CHECKING:
    import polars as pl

    from balance.dataset.run import Run

T = TypeVar("T")

THREAD: Final = "balance-sql"
_DISK: Final = 10 * 10**9
"""Bytes that a query may write: what it spills, and its result."""
_CHUNK: Final = 2048
"""DuckDB's own measure; more at once is not faster."""
_POLL: Final = 0.02
"""Seconds between two looks at clock and memory: one call can take a gigabyte in a second."""
_PATIENCE: Final = 0.6
"""Seconds that DuckDB has to stop; one call of a function cannot be interrupted."""
_UNTRACKED: Final = 256 * 2**20
"""Bytes beyond its own limit that DuckDB may use without counting them."""


def connect(runs: Sequence[Run], limits: Limits = Limits()) -> Connection:  # noqa: B008 - it is frozen
    """Open a connection to the tables of one or several runs, to be used in a `with`."""
    return Connection(runs, limits)


class Connection:
    """The tables of runs, closed in."""

    def __init__(self, runs: Sequence[Run], limits: Limits) -> None:
        limits.check()
        self.runs, self.limits = tuple(runs), limits
        try:
            deals_files(self.runs)  # may have to be made first, which cannot be done behind the wall
        except duckdb.Error as error:
            raise explained(error, self.runs, asked=False) from None
        self._folder = Path(tempfile.mkdtemp(prefix=temporary_prefix("sql")))
        self._derived: set[str] = set()
        self._remove = weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)
        self._worker = _Worker(self._folder)
        try:
            self._con = self._worker.submit(lambda: _closed_in(self.runs, limits, self._folder)).result()
        except BaseException:
            self._worker.end()
            self._remove()
            raise

    def __enter__(self) -> Connection:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection and remove its temporary folder."""
        if not self._worker.stuck:
            self._worker.submit(self._con.close).result()
        self._worker.end()
        self._remove()

    @property
    def walled(self) -> bool:
        """Whether the wall behind the gate stands."""
        return self._worker.walled

    @property
    def stuck(self) -> bool:
        """Whether a query could not be stopped: it goes on until the process ends."""
        return self._worker.stuck

    @property
    def game(self) -> Game[Any, Any]:
        """The game of the runs."""
        return self.runs[0].game

    def bind(self, question: Question, given: Mapping[str, object]) -> dict[str, object]:
        """Return a value for every parameter of a ready query; UsageError for a wrong or missing one."""
        return self._clock().run(lambda: bind(self._con, question, given))

    def statements(self, text: str) -> list[str]:
        """Return the statements of a text, one by one."""
        return self._clock().run(lambda: split_statements(self._con, text))

    def texts(self, query: str, parameters: Mapping[str, object] | None = None) -> Result:
        """Run a query; its rows come as texts, as they are asked for, every value exact.

        UsageError for what is refused or wrong, Failed if it takes more than the limits allow.
        """
        self._derive(query)
        return Result(self._con, self._clock(), query, parameters or {})

    def frame(self, query: str, parameters: Mapping[str, object] | None = None) -> pl.DataFrame:
        """Run a query and return all of its rows; errors as in `texts`.

        A whole number of more than 64 bits, such as a sum, is Int64 if all values fit, and Int128 if not.
        """
        import polars as pl

        self._derive(query)
        pl.thread_pool_size()  # starts the threads of polars here; behind the wall they could never write
        return self._clock().run(lambda: _frame(self._con, query, parameters or {}))

    def file(self, query: str, parameters: Mapping[str, object] | None, kind: str) -> Path:
        """Run a query into a private file, `csv`, `jsonl` or `parquet`; errors as in `texts`."""
        self._derive(query)
        return self._clock().run(lambda: _copy(self._con, query, parameters or {}, kind, self._folder))

    def _derive(self, query: str) -> None:
        """Make the tables of later stages that a query names; their cache is outside the wall."""
        for table in derived.named(query):
            if table not in self._derived:
                file = derived.maker(table).files(self.runs)[table]
                target = (self._folder / f"{table}.parquet").resolve()
                shutil.copyfile(file, target)
                view = f"create or replace view {sql_quote.name(table)} as\n{derived.view_of(table, target)}"
                self._clock().run(functools.partial(self._con.execute, view))
                self._clock().run(functools.partial(comment, self._con, {table: meanings(self.runs)[table]}))
                self._derived.add(table)

    def _clock(self) -> _Clock:
        return _Clock(self._worker, self._con, self.runs, self.limits, self._folder)

    def tables(self) -> dict[str, dict[str, str]]:
        """Return the columns of every table with their types, the tables that matter most first."""
        rows = self._clock().run(
            lambda: self._con.execute(
                "select table_name, column_name, data_type from duckdb_columns() "
                "where schema_name = 'main' and not internal order by table_name, column_index"
            ).fetchall()
        )
        found: dict[str, dict[str, str]] = {table: {} for table in meanings(self.runs)}
        for table, column, kind in rows:
            found.setdefault(table, {})[column] = kind.lower()
        return {table: columns for table, columns in found.items() if columns}


class Result:
    """The rows of a query as texts, on their way."""

    def __init__(
        self, con: duckdb.DuckDBPyConnection, clock: _Clock, query: str, parameters: Mapping[str, object]
    ) -> None:
        self._con, self._clock = con, clock
        self.columns, self._answer = clock.run(lambda: _started(con, query, parameters))

    def chunks(self) -> Iterator[list[tuple[str | None, ...]]]:
        """Yield the rows, some at a time."""
        while rows := self._clock.run(lambda: self._answer.fetchmany(_CHUNK)):
            yield rows

    def close(self) -> None:
        """Stop a query whose further rows are not wanted."""
        with contextlib.suppress(duckdb.Error):
            self._con.abort()


# --- closing in


class _Worker:
    """One thread, behind the wall, that does everything with DuckDB.

    A thread of its own also because a query can keep the thread that called it for minutes without coming
    back to Python, which would not see Ctrl-C then. It is a daemon, so that it cannot keep the process alive.
    """

    def __init__(self, writable: Path) -> None:
        self.walled = self.stuck = False
        """Whether the wall stands; whether some work could not be stopped."""
        self._tasks: queue.SimpleQueue[tuple[Future[Any], Callable[[], Any]] | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, args=(writable,), name=THREAD, daemon=True)
        self._thread.start()

    def submit(self, work: Callable[[], T]) -> Future[T]:
        """Have some work done."""
        future: Future[T] = Future()
        self._tasks.put((future, work))
        return future

    def end(self) -> None:
        """Let the thread end; do not wait for one that cannot be stopped."""
        self._tasks.put(None)
        if not self.stuck and threading.current_thread() is not self._thread:
            self._thread.join()

    def _run(self, writable: Path) -> None:
        self.walled = raise_wall(writable)
        while task := self._tasks.get():
            future, work = task
            try:
                future.set_result(work())
            except BaseException as problem:  # noqa: BLE001 - it is raised where the result is wanted
                future.set_exception(problem)
            del task, future, work  # or a connection lives as long as the thread


def _closed_in(runs: Sequence[Run], limits: Limits, folder: Path) -> duckdb.DuckDBPyConnection:
    con = duckdb.connect(
        ":memory:",
        config={
            "temp_directory": str(folder),
            "memory_limit": str(limits.bytes) + "B",
            "threads": str(machine.cores().amount),
            "async_threads": "0",  # or an error late in a COPY can keep it waiting for ever
            "python_enable_replacements": "false",  # or a query could read our variables
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
            "allow_community_extensions": "false",
            "allow_persistent_secrets": "false",
            "secret_directory": str(folder),  # by default it shows the home folder
        },
    )
    try:
        con.execute(
            f"set max_temp_directory_size = '{_DISK}B'"
        )  # in `config` it would be shown, not enforced
        con.execute("set allowed_paths = $files", {"files": _readable(runs, folder)})
        con.execute("set enable_external_access = false")
        con.execute("set enable_progress_bar = false")  # it would be drawn into the output
        create_views(con, runs)
        for table in balance.DERIVED:
            con.execute(f"create view {sql_quote.name(table)} as\n{derived.empty_view(table)}")
        comment(con, meanings(runs))
        con.execute("set lock_configuration = true")
    except (duckdb.Error, UnicodeDecodeError) as error:  # the name of a column may be any bytes
        con.close()
        raise explained(error, runs, asked=False) from None
    except BaseException:
        con.close()
        raise
    return con


def _readable(runs: Sequence[Run], folder: Path) -> list[str]:
    """Return the files that DuckDB may read, as it looks them up: a view writes `[` as the pattern `[[]`."""
    files = [run.path.resolve() / name for run in runs for name in run.state.files()]  # none is a link
    files += [file.resolve() for file in deals_files(runs)]  # may be in the user's cache
    files += [(folder / f"{table}.parquet").resolve() for table in balance.DERIVED]
    return [name for file in files for name in {str(file), glob.escape(str(file))}]


# --- limits and errors


class _Clock:
    """Lets DuckDB work on one query, and stops it at a limit or at Ctrl-C."""

    def __init__(
        self,
        worker: _Worker,
        con: duckdb.DuckDBPyConnection,
        runs: Sequence[Run],
        limits: Limits,
        folder: Path,
    ) -> None:
        self._worker, self._con, self._runs, self._limits = worker, con, runs, limits
        self._folder = folder
        self._left = limits.seconds or math.inf
        self._most = resident() + limits.bytes * 1.25 + _UNTRACKED if limits.watch_memory else math.inf
        self._patience = _PATIENCE

    def run(self, work: Callable[[], T]) -> T:
        """Return what the work returns, errors in the words of the toolkit."""
        if self._worker.stuck:
            raise Failed("an earlier query of this connection could not be stopped; open a new one")
        begun = time.monotonic()
        future = self._worker.submit(work)
        try:
            while not wait([future], timeout=_POLL).done:
                self._check(time.monotonic() - begun)
            self._left -= time.monotonic() - begun
            return future.result()
        except BalanceError:
            raise
        except duckdb.OutOfMemoryException:
            raise self._too_much() from None
        except (duckdb.Error, UnicodeDecodeError) as error:
            raise explained(error, self._runs) from None
        except RecursionError:
            raise UsageError("the query is nested too deeply") from None
        finally:
            self._stop(future)

    def _check(self, spent: float) -> None:
        if spent > self._left:
            limit = f"{self._limits.seconds:g} s"
            raise Failed(f"the query was stopped: it took longer than the time limit of {limit}")
        if self._most < math.inf and resident() > self._most:
            self._patience = _POLL  # every further moment takes more memory
            raise self._too_much()
        if _written(self._folder) > _DISK:
            raise Failed(f"the query was stopped: it writes more than {_DISK / 1e9:g} GB")

    def _too_much(self) -> Failed:
        return Failed(
            f"the query needs more than the memory limit of {self._limits.memory}; "
            "raise the limit, or ask for less at once"
        )

    def _stop(self, future: Future[T]) -> None:
        """Interrupt work that nobody waits for any more; a single call of a function cannot be."""
        deadline = time.monotonic() + self._patience
        while not future.done():
            if time.monotonic() > deadline:
                self._worker.stuck = True
                return
            self._con.interrupt()
            wait([future], timeout=_POLL)


def _written(folder: Path) -> int:
    size = 0
    for file in os.scandir(folder):
        with contextlib.suppress(FileNotFoundError):
            size += file.stat().st_size
    return size


# --- what the worker does


def _checked(
    con: duckdb.DuckDBPyConnection, query: str, parameters: Mapping[str, object]
) -> tuple[Statement, dict[str, object] | None, list[Column]]:
    """Let a query pass the gate; return it with its parameters and, unless it explains, its columns."""
    statement = check_statement(con, query)
    missing = sorted(statement.parameters - parameters.keys())
    if missing:
        named = ", ".join(f"${name}" for name in missing)
        raise UsageError(f"the query needs a value for {named}: name=value after the query")
    surplus = sorted(parameters.keys() - statement.parameters)
    if surplus:
        raise UsageError(f"the query has no parameter ${surplus[0]}")
    bound = dict(parameters) or None
    if statement.prefix:
        return statement, bound, []
    con.execute(f"describe {statement.sql}", bound).fetchall()  # reports a mistake with its place
    relation = con.sql(statement.sql, params=bound)
    return statement, bound, list(map(Column, relation.columns, relation.types))


def _started(
    con: duckdb.DuckDBPyConnection, query: str, parameters: Mapping[str, object]
) -> tuple[list[Column], duckdb.DuckDBPyConnection]:
    statement, bound, columns = _checked(con, query, parameters)
    answer = con.execute(exact.texts(statement.sql, columns) if columns else statement.sql, bound)
    return columns or [Column(name, kind) for name, kind, *_ in answer.description or []], answer


def _copy(
    con: duckdb.DuckDBPyConnection, query: str, parameters: Mapping[str, object], kind: str, folder: Path
) -> Path:
    statement, bound, columns = _checked(con, query, parameters)
    if not columns:
        raise UsageError(f"EXPLAIN cannot be written as {kind}, only as a table")
    target = folder / f"result.{kind}"
    where = sql_quote.text(str(target))
    if kind == "csv":
        con.execute(f"copy ({exact.csv(statement.sql, columns)}) to {where} (format csv, header)", bound)
    elif kind == "jsonl":
        # One column of JSON has neither a line break nor a character 1 in it, so nothing is quoted.
        options = "format csv, header false, delimiter e'\\x01', quote '', escape ''"
        con.execute(f"copy ({exact.json_lines(statement.sql, columns)}) to {where} ({options})", bound)
    else:
        con.execute(f"create or replace temp table result as {statement.sql}", bound)
        try:
            rows = exact.parquet("from result", columns, con.execute(exact.ranges(columns)).fetchall()[0])
            con.execute(f"copy ({rows}) to {where} (format parquet)")
        finally:
            con.execute("drop table result")
    return target


def _frame(con: duckdb.DuckDBPyConnection, query: str, parameters: Mapping[str, object]) -> pl.DataFrame:
    import polars as pl

    statement, bound, columns = _checked(con, query, parameters)
    if not columns:
        answer = con.execute(statement.sql, bound)
        names = [name for name, *_ in answer.description or []]
        return pl.DataFrame(answer.fetchall(), schema=names, orient="row")
    frame = parquet.frame(con.sql(exact.arrow(statement.sql, columns), params=bound))
    return frame.with_columns(
        _whole(frame[column.name], str(column.type))
        for column in columns
        if str(column.type) in ("HUGEINT", "UHUGEINT")
    )


def _whole(series: pl.Series, kind: str) -> pl.Series:
    import polars as pl

    wide = series.cast(pl.Int128 if kind == "HUGEINT" else pl.UInt128)
    fits = wide.is_between(-(2**63), 2**63 - 1) if kind == "HUGEINT" else wide <= 2**63 - 1
    return wide.cast(pl.Int64) if fits.all() else wide
