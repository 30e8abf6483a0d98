"""The folder of a run while it is made: begun, gone on with, repaired; never overwritten.

One process at a time holds a folder. Whatever is refused is refused before anything is touched.
"""

from __future__ import annotations

import platform
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from balance.dataset import state as states
from balance.dataset.plan import Plan, differences
from balance.dataset.run import Run, open_run, read_plan
from balance.dataset.state import FileRecord, State
from balance.errors import Failed, Interrupted, UsageError
from balance.files import TEMPORARY, write_whole
from balance.games.contract import Catalog, Game
from balance.sweep.shards import Shard, cut
from balance.sweep.smalltables import head_files
from balance.sweep.workers import Finished, Played, work

__all__ = ["Summary", "Watch", "carry_out", "finished_run", "refuse_other", "remaining"]

Watch = Callable[[Played | Finished], object]
"""Told of every batch played and every shard finished."""


@dataclass(frozen=True, slots=True)
class Summary:
    """What one call did."""

    run: Run
    games: int
    """Played by this call."""
    shards: int
    seconds: float


def refuse_other(folder: Path, plan: Plan) -> None:
    """Refuse a folder that holds something else than this plan, saying what differs."""
    if (folder / states.RUN).exists():
        found = differences(read_plan(folder), plan)
        if found:
            raise UsageError(
                f"{folder} holds another run ({'; '.join(found)}); name another folder with --out"
            )
    elif folder.exists() and not _is_ours(folder):
        raise UsageError(f"{folder} exists and is no run; name another folder with --out")


def _is_ours(folder: Path) -> bool:
    """Return whether a folder without a plan is empty, or left over from the first moment of a run."""
    return folder.is_dir() and ((folder / states.STATE).exists() or not any(folder.iterdir()))


def finished_run(folder: Path, plan: Plan) -> Run | None:
    """Return the run if it is finished and nothing of it is missing at first sight."""
    if not (folder / states.RUN).exists():
        return None
    if _todo(folder, plan, states.read_state(folder)):
        return None
    return open_run(folder)


def remaining(folder: Path, plan: Plan, again: Sequence[int] = ()) -> list[Shard]:
    """Return the shards that have still to be played, or again."""
    return _todo(folder, plan, states.read_state(folder), again)


def _todo(folder: Path, plan: Plan, state: State, again: Sequence[int] = ()) -> list[Shard]:
    whole = {
        number
        for number, files in state.shards.items()
        if all(_there(folder, *file) for file in files.items())
    }
    return [shard for shard in cut(plan.cells) if shard.number not in whole or shard.number in again]


def _there(folder: Path, name: str, record: FileRecord) -> bool:
    try:
        return (folder / name).stat().st_size == record.size
    except OSError:
        return False


def carry_out(
    game: Game[Any, Any],
    catalog: Catalog,
    plan: Plan,
    folder: Path,
    jobs: int,
    watch: Watch = lambda _: None,
    again: Sequence[int] = (),
) -> Summary:
    """Play what is missing of a plan, and the shards `again`, into its folder, begun before or not."""
    begun = time.monotonic()
    games = shards = 0

    def hear(message: Played | Finished) -> None:
        nonlocal games, shards
        if isinstance(message, Finished):
            states.note(handle, message.shard.number, message.files)
            games += message.shard.games
            shards += 1
        watch(message)

    try:
        folder.mkdir(parents=True, exist_ok=True)
        with states.lock(folder) as handle:
            refuse_other(folder, plan)  # somebody may have been faster
            _sweep_away(folder)
            state = states.read_state(folder)
            _write_head(folder, handle, state, head_files(game, catalog, plan))
            todo = _todo(folder, plan, state, again)
            _log(folder, f"{len(todo)} of {plan.shards} shards to play, {jobs} jobs")
            work(game, catalog, plan, todo, folder, jobs, hear)
            seconds = time.monotonic() - begun
            _log(folder, f"finished: {games} games in {seconds:.1f} s")
    except KeyboardInterrupt:
        raise Interrupted(
            f"interrupted; {_kept(folder, plan)} in {folder}, and the same command goes on"
        ) from None
    except OSError as error:
        where = error.filename if error.filename is not None else folder
        raise Failed(
            f"{where}: {error.strerror or error}; {_kept(folder, plan)}, and the same command goes on when "
            "that is mended"
        ) from error
    return Summary(open_run(folder), games, shards, time.monotonic() - begun)


def _kept(folder: Path, plan: Plan) -> str:
    """Say how much of a run is safe on the disk."""
    done = 0
    with suppress(OSError):
        done = len(states.read_state(folder).shards)
    return f"{done} of {plan.shards} shards are kept"


def _sweep_away(folder: Path) -> None:
    """Remove what a killed process was writing; nobody else is at work here."""
    for path in folder.rglob(f".*{TEMPORARY}"):
        path.unlink(missing_ok=True)


def _write_head(folder: Path, handle: int, state: State, files: dict[str, bytes | memoryview]) -> None:
    """Write the files that come before the first game, unless they lie there as they should."""
    records = {name: FileRecord.of(content) for name, content in files.items()}
    for name, content in files.items():
        if state.head.get(name) != records[name] or not _unchanged(folder / name, content):
            write_whole(folder / name, content)
    if state.head != records:
        states.note(handle, None, records)


def _unchanged(path: Path, content: bytes | memoryview) -> bool:
    try:
        return path.read_bytes() == content
    except OSError:
        return False


def _log(folder: Path, message: str) -> None:
    """Add a line to the log, which no promise covers: it says when and where."""
    stamp = datetime.now(UTC).isoformat(timespec="seconds")
    line = f"{stamp} {platform.node()} Python {platform.python_version()}: {message}\n"
    with suppress(OSError), (folder / states.LOG).open("a", encoding="utf-8") as file:
        file.write(line)
