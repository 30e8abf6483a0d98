"""A connection to DuckDB that sees the tables of runs and nothing else.

It lives in memory, reads the files of the runs and no others, writes nothing but a private temporary folder
that is removed with it, loads no extension, and cannot be told otherwise: its configuration is locked.
Memory, disk and time have limits. Every query goes through `balance.dataset.statements` first.
"""

from __future__ import annotations

import contextlib
import glob
import json
import re
import shutil
import tempfile
import time
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, TypeVar

import duckdb

from balance import machine
from balance.dataset import sqltext
from balance.dataset.questions import Question, bind
from balance.dataset.statements import Statement, check_statement
from balance.dataset.verify import damages
from balance.dataset.views import create_views
from balance.errors import BalanceError, DataError, Failed, UsageError
from balance.games.contract import Game

if TYPE_CHECKING:
    import polars as pl

    from balance.dataset.run import Run

__all__ = ["Column", "Connection", "Limits", "Result", "connect", "unique_names"]

T = TypeVar("T")

_DISK: Final = "10GB"
_CHUNK: Final = 2048
"""DuckDB's own measure; more at once is not faster."""

_AS_TEXT: Final = re.compile(r"DATE|TIME|INTERVAL|UUID|\bBIT\b|BIGNUM|UNION|VARIANT|GEOMETRY")
"""Types of which DuckDB's text is exact and the Python value is not, or needs a library that is not there."""
_HUGE: Final = ("HUGEINT", "UHUGEINT")
_NOT_ARROW: Final = re.compile(
    r"^U?HUGEINT$|INTERVAL|TIME WITH TIME ZONE|\bBIT\b|BIGNUM|UNION|VARIANT|GEOMETRY"
)
"""Types that polars does not know, or would get changed."""

_MISTAKES: Final = (
    *(duckdb.ParserException, duckdb.BinderException, duckdb.CatalogException, duckdb.PermissionException),
    *(duckdb.ConversionException, duckdb.OutOfRangeException, duckdb.TypeMismatchException),
)
"""What only a query can cause; other errors may also come from a file that is not as it was written."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What a query may take."""

    memory: str = "2GB"
    """As DuckDB writes it: `500MB`, `2GB`."""
    seconds: float = 300.0
    """For one query; 0 is no limit."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a result."""

    name: str
    type: str
    """As DuckDB writes it: `BIGINT`, `STRUCT(a INTEGER)[]`."""


def connect(runs: Sequence[Run], limits: Limits = Limits()) -> Connection:  # noqa: B008 - it is frozen
    """Open a connection to the tables of one or several runs, to be used in a `with`."""
    return Connection(runs, limits)


class Connection:
    """The tables of runs, closed in."""

    def __init__(self, runs: Sequence[Run], limits: Limits) -> None:
        self.runs, self.limits = tuple(runs), limits
        if limits.seconds < 0:
            raise UsageError(f"a time limit of {limits.seconds} s makes no sense; 0 is no limit")
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="balance-sql")
        self._folder = tempfile.mkdtemp(prefix="balance-sql-")
        self._remove = weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)
        try:
            self._con = _closed_in(self.runs, limits, self._folder)
        except BaseException:
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
        self._worker.shutdown(wait=False)
        self._con.close()
        self._remove()

    def check(self, query: str) -> Statement:
        """Return the one statement of a text; UsageError if it is refused."""
        return check_statement(self._con, query)

    @property
    def game(self) -> Game[Any, Any]:
        """The game of the runs."""
        return self.runs[0].game

    def bind(self, question: Question, given: Mapping[str, object]) -> dict[str, object]:
        """Return a value for every parameter of a ready query; UsageError for a wrong or missing one."""
        return bind(self._con, question, given)

    def query(self, query: str, parameters: Mapping[str, object] | None = None) -> Result:
        """Run a query; its rows come as they are asked for, every value exact.

        UsageError for what is refused or wrong, Failed if it takes more than the limits allow.
        """
        statement = self.check(query)
        bound = _bound(statement, parameters or {})
        return Result(self._con, self._clock(), statement, bound)

    def frame(self, query: str, parameters: Mapping[str, object] | None = None) -> pl.DataFrame:
        """Run a query and return all of its rows; errors as in `query`.

        A whole number of more than 64 bits, such as a sum, is Int64 if all values fit, Int128 otherwise.
        """
        statement = self.check(query)
        bound = _bound(statement, parameters or {})
        return self._clock().run(lambda: _frame(self._con, statement, bound))

    def _clock(self) -> _Clock:
        return _Clock(self._con, self._worker, self.runs, self.limits)

    def tables(self) -> dict[str, list[Column]]:
        """Return every table with its columns."""
        rows = self._con.execute(
            "select table_name, column_name, data_type from duckdb_columns() "
            "where schema_name = 'main' and not internal order by table_name, column_index"
        ).fetchall()
        found: dict[str, list[Column]] = {}
        for table, name, type_ in rows:
            found.setdefault(table, []).append(Column(name, type_))
        return found

    def keywords(self) -> list[str]:
        """Return the words of the language, for completion."""
        return [
            word for (word,) in self._con.execute("select keyword_name from duckdb_keywords()").fetchall()
        ]

    def functions(self) -> list[str]:
        """Return the names of functions, for completion."""
        rows = self._con.execute(
            "select distinct function_name from duckdb_functions() "
            "where function_type in ('scalar', 'aggregate', 'macro') "
            "and regexp_full_match(function_name, '[a-z][a-z0-9_]*') order by all"
        ).fetchall()
        return [word for (word,) in rows]


class Result:
    """The rows of a query, on their way."""

    def __init__(
        self,
        con: duckdb.DuckDBPyConnection,
        clock: _Clock,
        statement: Statement,
        bound: dict[str, object] | None,
    ) -> None:
        self._con, self._clock = con, clock
        columns, self._answer = clock.run(lambda: _executed(con, statement, bound))
        self._as_json = [_is_nested(column.type) and bool(_AS_TEXT.search(column.type)) for column in columns]
        described = [Column(name, str(kind)) for name, kind, *_ in self._answer.description or []]
        self.columns: list[Column] = columns or described

    @property
    def seconds(self) -> float:
        """How long DuckDB has worked on it so far."""
        return self._clock.spent

    def chunks(self) -> Iterator[list[tuple[Any, ...]]]:
        """Yield the rows, some at a time."""
        while True:
            rows = self._clock.run(lambda: self._answer.fetchmany(_CHUNK))
            if not rows:
                return
            if any(self._as_json):
                rows = [tuple(map(_read, row, self._as_json)) for row in rows]
            yield rows

    def close(self) -> None:
        """Stop a query of which nobody wants more rows."""
        with contextlib.suppress(duckdb.Error):
            self._con.abort()


# --- closing in


def _closed_in(runs: Sequence[Run], limits: Limits, folder: str) -> duckdb.DuckDBPyConnection:
    con = _connected(limits, folder)
    try:
        con.execute("set allowed_paths = $files", {"files": _files(runs)})
        con.execute("set enable_external_access = false")
        con.execute("set enable_progress_bar = false")  # it would be drawn into the output
        create_views(con, runs)
        con.execute("set lock_configuration = true")
    except duckdb.Error as error:
        con.close()
        raise _told(error, runs) from None
    except BaseException:
        con.close()
        raise
    return con


def _connected(limits: Limits, folder: str) -> duckdb.DuckDBPyConnection:
    config: dict[str, Any] = {
        "temp_directory": folder,
        "max_temp_directory_size": _DISK,
        "memory_limit": limits.memory,
        "threads": str(machine.cores().amount),
        "python_enable_replacements": "false",  # or a query could read our variables
        "autoinstall_known_extensions": "false",
        "autoload_known_extensions": "false",
        "allow_community_extensions": "false",
        "allow_persistent_secrets": "false",
    }
    try:
        return duckdb.connect(":memory:", config=config)
    except duckdb.Error as error:
        raise UsageError(
            f"memory limit {limits.memory}: {_plain(error)}; write it like 500MB or 2GB"
        ) from None


def _files(runs: Sequence[Run]) -> list[str]:
    """Return the files of runs; DataError if one is a link that leads out of its folder."""
    found: list[str] = []
    for run in runs:
        home = run.path.resolve()
        for name in run.state.files():
            file = Path(home, name).resolve()
            if not file.is_relative_to(home):
                raise DataError(f"{run.path / name} is a link to {file}, out of the run's folder")
            # A view writes a `[` in a path as the pattern `[[]`, which is looked up as it is written.
            found += {str(file), glob.escape(str(file))}
    return found


# --- limits and errors


class _Clock:
    """Lets DuckDB work on one query, counts the time, and stops it at the limit or at Ctrl-C.

    The work is done in a thread of its own: a query can keep the thread that called it for minutes without
    coming back to Python, which then would not learn of the signal.
    """

    def __init__(
        self, con: duckdb.DuckDBPyConnection, worker: Executor, runs: Sequence[Run], limits: Limits
    ) -> None:
        self._con, self._worker, self._runs, self._limits = con, worker, runs, limits
        self.spent = 0.0

    def run(self, work: Callable[[], T]) -> T:
        """Return what the work returns, errors in the words of the toolkit."""
        begun = time.monotonic()
        limit = self._limits.seconds
        future = self._worker.submit(work)
        try:
            return future.result(timeout=max(limit - self.spent, 0.001) if limit else None)
        except TimeoutError:
            self._stop(future)
            raise Failed(
                f"the query was stopped: it took longer than the time limit of {limit:g} s"
            ) from None
        except (KeyboardInterrupt, SystemExit):
            self._stop(future)
            raise
        except duckdb.OutOfMemoryException:
            raise Failed(
                f"the query needs more than the memory limit of {self._limits.memory}; "
                "raise the limit, or ask for less at once"
            ) from None
        except duckdb.Error as error:
            raise _told(error, self._runs) from None
        finally:
            self.spent += time.monotonic() - begun

    def _stop(self, future: Future[T]) -> None:
        while not future.done():  # between two statements of one piece of work nobody hears it
            self._con.interrupt()
            wait([future], timeout=0.1)


def _told(error: duckdb.Error, runs: Sequence[Run]) -> BalanceError:
    """Return what an error of DuckDB means: a mistake of the user, a damaged run, or other trouble."""
    if not isinstance(error, _MISTAKES):
        for run in runs:
            for damage in damages(run.path, run.state):
                return _damaged(run, f"{damage.file}: {damage.problem}")
    if isinstance(error, (duckdb.IOException, duckdb.InternalException, duckdb.FatalException)):
        return Failed(_plain(error))
    if isinstance(error, duckdb.PermissionException):
        return UsageError(
            _plain(error).replace(
                "file system operations are disabled by configuration",
                "only the files of the runs can be read, and nothing can be written",
            )
        )
    return UsageError(_plain(error))


def _damaged(run: Run, what: str) -> DataError:
    return DataError(f"{run.path} is damaged: {what}; 'balance doctor {run.path}' shows everything")


def _plain(error: BaseException) -> str:
    """Return DuckDB's message and the place, without its advice on settings that nobody can change."""
    message = str(error)
    for noise in ("\n\nPossible solutions", "\n\nSee also", "\n\nIf the database file"):
        message = message.split(noise, maxsplit=1)[0]
    return message.strip()


# --- values


def _bound(statement: Statement, parameters: Mapping[str, object]) -> dict[str, object] | None:
    """Return the parameters as DuckDB takes them; UsageError if one is missing or too much."""
    missing = sorted(statement.parameters - parameters.keys())
    if missing:
        named = ", ".join(f"${name}" for name in missing)
        raise UsageError(f"the query needs a value for {named}: name=value after the query")
    surplus = sorted(parameters.keys() - statement.parameters)
    if surplus:
        raise UsageError(f"the query has no parameter ${surplus[0]}")
    return dict(parameters) or None


def _executed(
    con: duckdb.DuckDBPyConnection, statement: Statement, bound: dict[str, object] | None
) -> tuple[list[Column], duckdb.DuckDBPyConnection]:
    """Start a query whose rows will be read one by one."""
    columns = _columns(con, statement, bound) or []
    return columns, con.execute(_as_texts(statement.text, columns, _AS_TEXT) or statement.text, bound)


def _frame(
    con: duckdb.DuckDBPyConnection, statement: Statement, bound: dict[str, object] | None
) -> pl.DataFrame:
    import polars as pl

    columns = _columns(con, statement, bound) or []
    relation = con.sql(_as_texts(statement.text, columns, _NOT_ARROW) or statement.text, params=bound)
    columns = columns or list(map(Column, relation.columns, map(str, relation.types)))
    names = unique_names([column.name for column in columns])
    shown = ", ".join(f"#{k} as {sqltext.name(name)}" for k, name in enumerate(names, 1))
    frame = pl.DataFrame(_Stream(relation.project(shown)))
    kinds = [column.type for column in columns]
    return frame.with_columns(
        _whole(frame[name], kind) for name, kind in zip(names, kinds, strict=True) if kind in _HUGE
    )


class _Stream:
    """The rows of a relation, and nothing of DuckDB's.

    polars remembers the class of whatever it made a frame of; a class of DuckDB's that is remembered at the
    end of the process makes it print a page about leaks.
    """

    def __init__(self, relation: duckdb.DuckDBPyRelation) -> None:
        self._relation = relation

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._relation.__arrow_c_stream__(requested_schema)


def _columns(
    con: duckdb.DuckDBPyConnection, statement: Statement, bound: dict[str, object] | None
) -> list[Column] | None:
    """Return the columns of a result before it is computed; None of an EXPLAIN, and of what is wrong."""
    try:
        rows = con.execute(f"describe {statement.text}", bound).fetchall()
    except duckdb.InterruptException:
        raise
    except duckdb.Error:  # told later, with the words of the user
        return None
    return [Column(name, kind) for name, kind, *_ in rows]


def _as_texts(query: str, columns: Sequence[Column], awkward: re.Pattern[str]) -> str | None:
    """Return the query with its awkward columns as texts, nested ones as JSON; None if there are none."""
    if not any(awkward.search(column.type) for column in columns):
        return None
    names = [f"c{number}" for number in range(len(columns))]
    shown = []
    for name, column in zip(names, columns, strict=True):
        value = name
        if awkward.search(column.type):
            value = f"to_json({name})::varchar" if _is_nested(column.type) else f"{name}::varchar"
        shown.append(f"{value} as {sqltext.name(column.name)}")
    return f"select {', '.join(shown)} from (\n{query}\n) as t({', '.join(names)})"  # noqa: S608 - checked before


def _is_nested(kind: str) -> bool:
    return kind.endswith("]") or kind.startswith(("STRUCT(", "MAP(", "UNION("))


def _read(value: Any, as_json: bool) -> Any:
    return json.loads(value, parse_float=Decimal) if as_json and value is not None else value


def unique_names(names: Sequence[str]) -> list[str]:
    """Return names of which none is like another: `a`, `a_1`; frames know no others."""
    found: list[str] = []
    for name in names:
        other, number = name, 0
        while other in found:
            number += 1
            other = f"{name}_{number}"
        found.append(other)
    return found


def _whole(series: pl.Series, kind: str) -> pl.Series:
    import polars as pl

    wide = series.cast(pl.Int128 if kind == "HUGEINT" else pl.UInt128)
    fits = wide.is_between(-(2**63), 2**63 - 1) if kind == "HUGEINT" else wide <= 2**63 - 1
    return wide.cast(pl.Int64) if fits.all() else wide
