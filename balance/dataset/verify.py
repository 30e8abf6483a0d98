"""Is a run what it was when it was written? Every file against its digest.

A run that somebody mails is hostile input: only regular files below its folder are opened, never links, pipes
or devices.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import os
import re
import stat
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from balance import games, machine, resources
from balance.dataset import parquet, sql_quote
from balance.dataset.deals import DEALS
from balance.dataset.manifest import LOG, STATE, FileRecord, State
from balance.dataset.plan import Plan
from balance.errors import BalanceError, DataError
from balance.files import open_regular, write_whole
from balance.text_columns import escape
from balance.userfiles import quoted

if TYPE_CHECKING:
    import duckdb
    import polars as pl

_HOUR: Final = 3600.0
_MOST_A_ROUND: Final = 8
"""Rows that one seat can have in a table for each round."""
MOST_ENTRIES: Final = 10_000
"""Rows of a small table, and one for each cell."""
_LONGEST: Final = 10_000
"""Bytes of a text, entries of a list."""
_KINDS: Final = re.compile(r"U?(TINY|SMALL|BIG)?INT(EGER)?|BOOLEAN|VARCHAR|STRUCT\((\w+ BIGINT(, )?)+\)\[\]")
_MOST_STAMPED: Final = 64 * 2**20
_NEVER: Final = (0.0, None)

_Stamp = list[int | str]
"""Inode, size, times of the last change, and the digest that the content had then."""
_Known = tuple[float, _Stamp]
_verified: dict[str, _Known] = {}


class _Trust:
    given = False


def trust() -> None:
    """Read every run of this process without comparing its files with their checksums."""
    _Trust.given = True


class Damage(NamedTuple):
    """One file that is not as it was written."""

    file: str
    problem: str


def damages(
    folder: Path, state: State, advance: Callable[[int], object] = lambda _: None
) -> Iterator[Damage]:
    """Read every finished file and yield those that are not what they were; `advance` counts bytes."""
    files = sorted(state.files().items())
    with ThreadPoolExecutor(machine.cores().amount) as pool:  # hashing runs without Python's lock
        problems = pool.map(lambda item: _problem(folder, *item), files)
        for (name, record), problem in zip(files, problems, strict=True):
            advance(record.size)
            if problem:
                yield Damage(name, problem)


def require_verified(folder: Path, plan: Plan, state: State) -> bool:
    """Refuse a run with a damaged file, wrong numbers of rows or wrong names; False if nothing is verified.

    Wrong bytes may read as wrong numbers, and a small file as more rows than there is memory. A file is not
    read if this process, or a stamp in the user's cache, knows that it was read within the last hour and has
    not been touched since.
    """
    if _Trust.given:
        return False
    try:
        place = resources.cache_dir() / "verified" / f"{_hash(str(folder.resolve()))}.json"
    except BalanceError:  # no home
        place = None
    stamped = _read_stamps(place) if place is not None else {}
    now = time.time()
    known: dict[str, _Known] = {}
    todo = State()
    for name, record in state.files().items():
        stamp = _stamp(folder / name, record)
        times = [
            then
            for then, earlier in (_verified.get(str(folder / name), _NEVER), stamped.get(name, _NEVER))
            if earlier == stamp and 0 <= now - then < _HOUR
        ]
        known[name] = max(times, default=now), stamp  # of before it is read: it may change meanwhile
        if not times:
            todo.head[name] = record
    rows = (wrong_counts(folder, plan, state), wrong_names(folder, plan, state)) if todo.head else ()
    for damage in chain(damages(folder, todo), *rows):
        raise DataError(
            f"{folder / damage.file}: {damage.problem}; 'balance doctor {quoted(folder)}' shows everything "
            f"that is damaged, 'balance simulate --repair {quoted(folder)}' plays it again"
        )
    if todo.head:
        _verified.update({str(folder / name): stamp for name, stamp in known.items()})
        if place is not None:
            _write_stamps(place, known)
    return True


def wrong_counts(folder: Path, plan: Plan, state: State) -> Iterator[Damage]:
    """Yield the tables with other numbers of rows than the plan allows, by the footers of their files."""
    facts = games.get(plan.game).facts
    files: dict[str, list[str]] = {}
    for name in (name for parts in state.shards.values() for name in parts):
        files.setdefault(name.partition("/")[0], []).append(name)
    exact = {"games": plan.games, "seats": plan.seats, DEALS: sum(cell.deals for cell in plan.cells)}
    for table, names in files.items():
        try:
            rows = count_rows([folder / name for name in names])
            require_count(table, rows, exact, plan.seats * facts.round_limit)
        except DataError as problem:
            yield Damage(table, str(problem))


def wrong_names(folder: Path, plan: Plan, state: State) -> Iterator[Damage]:
    """Yield the small tables with too many rows, or with characters that cannot be shown."""
    most = len(plan.cells) + MOST_ENTRIES
    for name in (name for name in state.head if name.endswith(".parquet")):
        file = folder / name
        try:
            rows = count_rows([file])
            if rows > most:
                yield Damage(name, f"more than {most:,} rows")
            elif file.stem == "run" and rows != 1:
                yield Damage(name, f"{rows} rows instead of 1")
            else:
                texts = f"select x::varchar as text from {sql_quote.parquet([file])} x"  # noqa: S608 - quoted
                unusual = _fetched(f"from ({texts}) where not regexp_full_match(text, '[ -~]*')")
                if not all(text.isprintable() for (text,) in unusual):
                    yield Damage(name, "a text with control characters")
        except DataError as problem:
            yield Damage(name, str(problem))


def require_count(table: str, rows: int, exact: Mapping[str, int], rounds: int) -> None:
    """Refuse a number of rows that is not the `exact` one or, of other tables, too large for the rounds."""
    most = exact.get(table, rounds * _MOST_A_ROUND)
    if rows > most or rows < exact.get(table, 0):
        raise DataError(f"{rows:,} rows instead of {most:,}{'' if table in exact else ' at most'}")


def count_rows(files: Sequence[Path]) -> int:
    """Return how many rows Parquet files have by their footers; DataError if one cannot be read."""
    ((rows,),) = _fetched(f"select count(*) from {sql_quote.parquet(files)}")  # noqa: S608 - quoted
    return int(rows)


def read_rows(file: Path, where: str = "") -> pl.DataFrame:
    """Return the rows of a Parquet file; DataError if it cannot be read, or holds what no run has.

    DuckDB reads it, which keeps to a limit of memory: a page of a kilobyte can unpack to gigabytes.
    """
    table = sql_quote.parquet([file])
    kinds = {name: kind for name, kind, *_ in _fetched(f"describe from {table}")}
    if not all(_KINDS.fullmatch(kind) for kind in kinds.values()):
        raise DataError("unreadable: it has columns of a type that no run has")
    sizes = [
        f"max({'len' if kind.endswith('[]') else 'strlen'}({sql_quote.name(name)}))"
        for name, kind in kinds.items()
        if kind == "VARCHAR" or kind.endswith("[]")
    ]
    longest = _fetched(f"select {', '.join(sizes)} from {table}")[0] if sizes else ()  # noqa: S608 - quoted
    if any((length or 0) > _LONGEST for length in longest):
        raise DataError(f"unreadable: it has a text of more than {_LONGEST:,} bytes, or as long a list")
    with _unreadable(), _reader().cursor() as con:
        return parquet.frame(con.sql(f"from {table} {where}"))


@functools.cache
def _reader() -> duckdb.DuckDBPyConnection:
    """Return a connection that is kept: to open one takes longer than to read the footers of a table."""
    import duckdb

    return duckdb.connect(config={"threads": "1", "memory_limit": "1GB"})


def _fetched(query: str) -> list[tuple[Any, ...]]:
    with _unreadable(), _reader().cursor() as con:
        return con.execute(query).fetchall()


@contextlib.contextmanager
def _unreadable() -> Iterator[None]:
    import duckdb

    try:
        yield
    except duckdb.Error as error:
        raise DataError(f"unreadable: {str(error).splitlines()[0]:.300}") from None


def strangers(folder: Path, state: State) -> list[str]:
    """Return the files in the run's folder that do not belong to it, control characters written out."""
    known = {*state.files(), STATE, LOG}
    every = (path for path in folder.rglob("*") if path.is_symlink() or not path.is_dir())
    return sorted(
        escape(name) for name in (path.relative_to(folder).as_posix() for path in every) if name not in known
    )


# --- one file


def _problem(folder: Path, name: str, record: FileRecord) -> str:
    try:
        with open_regular(folder, name) as file:
            size = os.fstat(file.fileno()).st_size
            if size != record.size:
                kind = "truncated" if size < record.size else "too long"
                return f"{kind}: {size} bytes instead of {record.size}"
            digest = hashlib.file_digest(file, "sha256")
    except FileNotFoundError:
        return "missing"
    except OSError as error:
        return f"unreadable: {error.strerror or error}"
    return "" if digest.hexdigest() == record.sha256 else "changed: the content is not what was written"


# --- stamps


def _stamp(file: Path, record: FileRecord) -> _Stamp:
    try:
        found = file.lstat()
    except OSError:
        return []
    if not stat.S_ISREG(found.st_mode):
        return []
    times = [found.st_mtime_ns, found.st_ctime_ns]
    return [found.st_dev, found.st_ino, found.st_size, *times, record.size, record.sha256]


def _read_stamps(place: Path) -> dict[str, _Known]:
    try:
        with open_regular(place.parent, place.name, _MOST_STAMPED) as file:
            return {name: (float(then), list(stamp)) for name, (then, stamp) in json.load(file).items()}
    except (OSError, ValueError, TypeError, AttributeError, OverflowError, RecursionError):
        return {}


def _write_stamps(place: Path, files: dict[str, _Known]) -> None:
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        write_whole(place, json.dumps(files).encode())
    except OSError:
        return  # the next process verifies again


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode(errors="surrogateescape")).hexdigest()[:32]
