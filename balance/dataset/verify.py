"""Is a run what it was when it was written? Every file against its digest."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Final, NamedTuple

from balance.dataset.state import LOG, STATE, FileRecord, State, read_state
from balance.errors import DataError

__all__ = ["Damage", "damages", "require_intact", "strangers"]

_BLOCK: Final = 1 << 20


class Damage(NamedTuple):
    """One file that is not as it was written."""

    file: str
    problem: str
    """`missing`, `truncated`, `too long`, `changed` or `unreadable`, with the figures."""


def damages(
    folder: Path, state: State, advance: Callable[[int], object] = lambda _: None
) -> Iterator[Damage]:
    """Read every finished file and yield those that are not what they were; `advance` counts bytes."""
    for name, record in sorted(state.files().items()):
        problem = _problem(folder / name, record)
        advance(record.size)
        if problem:
            yield Damage(name, problem)


def require_intact(folders: Iterable[Path]) -> None:
    """Refuse runs with a damaged file: wrong bytes may read as wrong numbers."""
    for folder in folders:
        for damage in damages(folder, read_state(folder)):
            raise DataError(
                f"{folder / damage.file}: {damage.problem}; balance doctor tells everything that is damaged, "
                f"balance simulate --repair plays it again"
            )


def strangers(folder: Path, state: State) -> list[str]:
    """Return the files that lie in the run's folder and do not belong to it."""
    known = {*state.files(), STATE, LOG}
    every = (path for path in folder.rglob("*") if not path.is_dir())
    return sorted(
        name for name in (path.relative_to(folder).as_posix() for path in every) if name not in known
    )


def _problem(path: Path, record: FileRecord) -> str:
    try:
        size = path.stat().st_size
        if size != record.size:
            kind = "truncated" if size < record.size else "too long"
            return f"{kind}: {size} bytes instead of {record.size}"
        digest = hashlib.sha256()
        with path.open("rb") as file:
            while block := file.read(_BLOCK):
                digest.update(block)
    except FileNotFoundError:
        return "missing"
    except OSError as error:
        return f"unreadable: {error.strerror or error}"
    return "" if digest.hexdigest() == record.sha256 else "changed: the content is not what was written"
