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
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from balance.dataset.schema import MOST_SHARDS
from balance.errors import DataError, Failed
from balance.files import open_regular, refuse_links, sync_folder

RUN: Final = "run.json"
CATALOG: Final = "catalog.toml"
POLICIES: Final = "policies.toml"
NETWORK: Final = "learned.npz"
STATE: Final = "shards.jsonl"
LOG: Final = "run.log"
"""When, where and with how many threads; for people."""

_MOST_BYTES: Final = 256 * 2**20
_FILE: Final = re.compile(r"(\w[\w-]*/\d{1,3}-players/\d{4,6}\.parquet)|(\w[\w-]*\.(parquet|toml|json|npz))")
"""A part of a big table, or a file of the head."""


@dataclass(frozen=True, slots=True)
class FileRecord:
    """What a finished file was when it was written."""

    size: int
    """The size in bytes."""
    sha256: str

    @classmethod
    def of(cls, content: bytes | memoryview) -> FileRecord:
        """Return the record of a file with this content."""
        return cls(len(content), hashlib.sha256(content).hexdigest())


Files = dict[str, FileRecord]
"""By path below the run's folder, with `/`."""


@dataclass
class State:
    """What is finished."""

    head: Files = field(default_factory=dict)
    """The files that are written before the first game is played."""
    shards: dict[int, Files] = field(default_factory=dict)

    def files(self) -> Files:
        """Return every finished file."""
        return dict(self.head) | {
            name: file for files in self.shards.values() for name, file in files.items()
        }


def read_state(folder: Path) -> State:
    """Read what is finished; a line that makes no sense was never finished."""
    state = State()
    try:
        with open_regular(folder, STATE, _MOST_BYTES) as file:
            lines = file.read().split(b"\n")
    except FileNotFoundError:
        return state
    except OSError as error:
        raise DataError(f"{folder / STATE}: {error.strerror or error}") from None
    for line in lines[:-1]:  # what follows the last newline is half a line
        try:
            entry = json.loads(line)
            files = {_name(name): _record(**record) for name, record in entry["files"].items()}
            shard = entry["shard"]
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            continue
        if not files:
            continue
        if shard is None:
            state.head = files
        elif type(shard) is int and 0 <= shard < MOST_SHARDS:
            state.shards[shard] = files
    return state


def _name(text: str) -> str:
    """Return the name of a file of a run; ValueError for anything that a run does not have."""
    if not _FILE.fullmatch(text):
        raise ValueError(text)
    return text


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
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise Failed(f"{folder / STATE} is not a regular file")
        _close_last_line(handle)
        sync_folder(folder)
        yield handle
    finally:
        os.close(handle)


def _close_last_line(handle: int) -> None:
    """Put an end to a line that a crash cut off, so that the next one is whole."""
    size = os.fstat(handle).st_size
    if size and os.pread(handle, 1, size - 1) != b"\n":
        os.write(handle, b"\n")


def require_finished(folder: Path, state: State, shards: int) -> None:
    """Refuse to read a run that is not finished, or lacks a file."""
    missing = shards - sum(0 <= number < shards for number in state.shards)
    if not state.head or missing:
        raise DataError(
            f"{folder} is unfinished: {missing} of {shards} shards are missing; the command that began it "
            f"resumes it, and so does 'balance simulate --repair {folder}'"
        )
    for name, record in state.files().items():
        size = _size(folder, name)
        if size != record.size:
            what = (
                f"has {size} of {record.size} bytes" if size >= 0 else "is missing, or not a file of its own"
            )
            raise DataError(f"{folder} is damaged: {name} {what}; 'balance doctor {folder}' shows everything")


def _size(folder: Path, name: str) -> int:
    """Return how many bytes a file of a run has; -1 if it is missing, or not a regular file."""
    try:
        refuse_links(folder, name)
        found = (folder / name).lstat()
    except OSError:
        return -1
    return found.st_size if stat.S_ISREG(found.st_mode) else -1
