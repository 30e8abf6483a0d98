"""How far a run has come: the file `shards.jsonl`, one line per finished shard with the digests of its files.

Lines are only ever appended, each on the disk before the next shard counts; a line cut off by a crash is no
line. Their order depends on the moment, so this file is not among those that two correct runs share.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from balance.errors import DataError, Failed

__all__ = ["CATALOG", "LOG", "POLICIES", "RUN", "STATE", "FileRecord", "State", "lock", "note", "read_state"]

RUN: Final = "run.json"
CATALOG: Final = "catalog.toml"
POLICIES: Final = "policies.toml"
STATE: Final = "shards.jsonl"
LOG: Final = "run.log"
"""When, where and with how many threads; for people."""


@dataclass(frozen=True, slots=True)
class FileRecord:
    """What a finished file was when it was written."""

    size: int
    """In bytes."""
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
        lines = (folder / STATE).read_bytes().split(b"\n")
    except FileNotFoundError:
        return state
    for line in lines[:-1]:  # what follows the last newline is half a line
        try:
            entry = json.loads(line)
            files = {str(name): FileRecord(**record) for name, record in entry["files"].items()}
            shard = entry["shard"]
        except (ValueError, KeyError, TypeError, AttributeError):
            continue
        if not files:
            continue
        if shard is None:
            state.head = files
        else:
            state.shards[int(shard)] = files
    return state


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
    handle = os.open(folder / STATE, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o666)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Failed(f"another process is at work in {folder}; nothing was changed") from None
        _close_last_line(handle)
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
    missing = shards - len(state.shards.keys() & set(range(shards)))
    if not state.head or missing:
        raise DataError(
            f"{folder} is unfinished: {missing} of {shards} shards are missing; the command that began it "
            f"goes on, and so does 'balance simulate --repair {folder}'"
        )
    for name, record in state.files().items():
        try:
            size = (folder / name).stat().st_size
        except OSError:
            size = -1
        if size != record.size:
            what = "is missing" if size < 0 else f"has {size} of {record.size} bytes"
            raise DataError(f"{folder} is damaged: {name} {what}; 'balance doctor {folder}' shows everything")
