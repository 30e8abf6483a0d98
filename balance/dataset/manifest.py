"""How far a run has come: the file `shards.jsonl`, one line per finished shard with the digests of its files.

Lines are only ever appended, each on the disk before the next shard counts; a line cut off by a crash does
not count. Their order depends on the moment, so this file is not among those that two correct runs share.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import re
import stat
from collections.abc import Callable, Iterator, Mapping, Set
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any, Final

from balance import games
from balance.dataset.deals import DEALS
from balance.dataset.measures import DECLARED
from balance.dataset.plan import Plan
from balance.dataset.shards import part_name
from balance.errors import DataError, Failed, UsageError
from balance.files import open_regular, refuse_links, sync_folder
from balance.userfiles import is_stream, quoted

RUN: Final = "run.json"
CATALOG: Final = "catalog.toml"
POLICIES: Final = "policies.toml"
NETWORK: Final = "learned.npz"
STATE: Final = "shards.jsonl"
LOG: Final = "run.log"
"""When, where and with how many threads; for people."""

_LONGEST_LINE: Final = 2**16
_MOST_LINES: Final = (1000, 16)
"""Lines of the ledger: at least as many, and for each shard, which every repair plays again at most once."""


@dataclass(frozen=True, slots=True)
class FileRecord:
    """What a finished file was when it was written."""

    size: int
    sha256: str

    @classmethod
    def of(cls, content: bytes | memoryview) -> FileRecord:
        """Return the record of a file with this content."""
        return cls(len(content), hashlib.sha256(content).hexdigest())


Files = dict[str, FileRecord]


@dataclass
class State:
    """What is finished."""

    head: Files = field(default_factory=dict)
    shards: dict[int, Files] = field(default_factory=dict)

    def files(self) -> Files:
        """Return every finished file."""
        return dict(self.head) | {
            name: file for files in self.shards.values() for name, file in files.items()
        }


def read_state(folder: Path, plan: Plan) -> State:
    """Read what is finished; a line that makes no sense, or is not of the plan, was never finished."""
    state = State()
    known = _known_names(plan)
    for line in _lines(folder, plan.shards):
        try:
            entry = json.loads(line)
            shard, files = entry["shard"], entry["files"]
            if type(shard) not in (int, type(None)) or not known(shard, set(files)):
                continue
            files = {name: _record(**record) for name, record in files.items()}
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            continue
        if shard is None:
            state.head = files
        else:
            state.shards[shard] = files
    return state


def _lines(folder: Path, shards: int) -> Iterator[bytes]:
    most = _MOST_LINES[0] + _MOST_LINES[1] * shards
    try:
        with open_regular(folder, STATE) as file:
            for number in count():
                line = file.readline(_LONGEST_LINE)
                if not line.endswith(b"\n"):  # the end, or half a line
                    if len(line) < _LONGEST_LINE:
                        return
                    raise DataError(f"{folder / STATE} is damaged: line {number + 1} is too long")
                if number == most:
                    raise DataError(f"{folder / STATE} is damaged: it has more than {most:,} lines")
                yield line
    except FileNotFoundError:
        return
    except OSError as error:
        raise DataError(f"{folder / STATE}: {error.strerror or error}") from None


def _known_names(plan: Plan) -> Callable[[int | None, Set[str]], bool]:
    """Return a function that says whether a line of the ledger names the files of a shard, or the head."""
    game = games.get(plan.game)
    head = {CATALOG, RUN, *(f"{name}.parquet" for name in ("cells", "policies", "run"))}
    head |= {f"{kind.plural}.parquet" for kind in game.kinds}
    tables = {table.name for table in game.facts.tables} | ({DEALS} if DECLARED in plan.versions else set())
    players = {cell.players for cell in plan.cells}

    def known(shard: int | None, names: Set[str]) -> bool:
        if shard is None:
            return head <= names <= head | {POLICIES, NETWORK}
        return 0 <= shard < plan.shards and any(
            names == {part_name(table, number, shard) for table in tables} for number in players
        )

    return known


def _record(size: int, sha256: str) -> FileRecord:
    if type(size) is not int or not 0 <= size < 2**63 or not re.fullmatch("[0-9a-f]{64}", sha256):
        raise ValueError(size, sha256)
    return FileRecord(size, sha256)


def note(handle: int, shard: int | None, files: Mapping[str, FileRecord]) -> None:
    """Append that a shard (None: what comes before all) is finished, and wait until the disk has it."""
    entry: dict[str, Any] = {
        "shard": shard,
        "files": {name: {"size": file.size, "sha256": file.sha256} for name, file in files.items()},
    }
    line = json.dumps(entry, ensure_ascii=False).encode() + b"\n"
    if os.write(handle, line) != len(line):
        raise Failed(f"{STATE}: the line could not be written whole; is the disk full?")
    os.fsync(handle)


@contextmanager
def lock(folder: Path) -> Iterator[int]:
    """Hold the state for this process alone, and yield the handle to append to; Failed if another has it."""
    handle = os.open(
        folder / STATE, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK, 0o666
    )
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Failed(f"another process is at work in {folder}; nothing was changed") from None
        if not is_own(handle):
            raise Failed(
                f"{folder / STATE} is not a regular file, or is one with hard links, where lines would be "
                "added too; copy the run, and work in the copy"
            )
        size = os.fstat(handle).st_size
        if size and os.pread(handle, 1, size - 1) != b"\n":  # a crash has cut the last line off
            os.write(handle, b"\n")
        sync_folder(folder)
        yield handle
    finally:
        os.close(handle)


def is_own(handle: int) -> bool:
    """Return whether a file may be appended to: it is a regular one, and has no second name elsewhere."""
    found = os.fstat(handle)
    return stat.S_ISREG(found.st_mode) and found.st_nlink <= 1


def refuse_target(parameter: str, target: Path, force: bool, *, made: bool = False) -> None:
    """Refuse a file that must not or cannot be written; `made`: its folder is created if it is missing."""
    if target.is_dir():
        raise UsageError(f"{parameter} {target}: is a folder; name a file in it", parameter=parameter)
    if not made and not target.parent.is_dir():
        raise UsageError(f"{parameter} {target}: there is no folder {target.parent}", parameter=parameter)
    if os.path.lexists(target) and not is_stream(target):
        if target.exists() and not target.is_file():
            raise UsageError(f"{parameter} {target}: is not a regular file", parameter=parameter)
        if not force:
            raise UsageError(
                f"{parameter} {target}: exists already; force replaces it", parameter=(parameter, "force")
            )
    refuse_inside(target, parameter)


def refuse_inside(target: Path, parameter: str = "") -> None:
    """Refuse to write a file into a run, also by a link."""
    place = Path(os.path.realpath(target))
    for folder in place.parents:
        if (folder / RUN).exists():
            raise UsageError(
                f"{parameter} {target}: {folder} is a run, which never changes; name another place".lstrip(),
                parameter=parameter or (),
            )


def require_finished(folder: Path, state: State, shards: int) -> None:
    """Refuse to read a run that is not finished, or lacks a file."""
    missing = shards - len(state.shards)
    if not state.head or missing:
        what = f"{missing} of {shards} shards are" if missing else "the record of its first files is"
        raise DataError(
            f"{folder} is unfinished: {what} missing; the command that began it "
            f"resumes it, and so does 'balance simulate --repair {quoted(folder)}'"
        )
    for name, record in state.files().items():
        size = file_size(folder, name)
        if size != record.size:
            what = (
                f"has {size} of {record.size} bytes" if size >= 0 else "is missing, or not a file of its own"
            )
            raise DataError(
                f"{folder} is damaged: {name} {what}; 'balance doctor {quoted(folder)}' shows everything"
            )


def file_size(folder: Path, name: str) -> int:
    """Return how many bytes a file of a run has; -1 if it is missing, or not a regular file."""
    try:
        refuse_links(folder, name)
        found = (folder / name).lstat()
    except OSError:
        return -1
    return found.st_size if stat.S_ISREG(found.st_mode) else -1
