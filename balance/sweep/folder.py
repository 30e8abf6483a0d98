"""The folder of a run while it is made: begun, gone on with, repaired; never overwritten.

One process at a time holds a folder. Whatever is refused is refused before anything is touched.
"""

from __future__ import annotations

import functools
import os
import platform
import re
import shlex
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from balance.dataset import manifest as states
from balance.dataset.housekeeping import MADE_BY, UNFINISHED
from balance.dataset.manifest import FileRecord, State
from balance.dataset.plan import Plan, differences
from balance.dataset.run import Run, open_run, read_plan
from balance.dataset.shards import Shard, cut
from balance.dataset.verify import damages
from balance.errors import Failed, Interrupted, UsageError
from balance.files import make_folder, write_whole
from balance.games.contract import Catalog, Game
from balance.sweep.smalltables import head_files
from balance.sweep.workers import Finished, Played, work
from balance.userfiles import temporary_prefix

Watch = Callable[[Played | Finished], object]


@dataclass(frozen=True, slots=True)
class SweepSummary:
    """What one call did."""

    run: Run
    games: int
    shards: int
    seconds: float
    mended: tuple[str, ...] = ()


@functools.cache
def _scratch() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix=temporary_prefix("runs"))


def scratch() -> Path:
    """Return the folder of runs that nobody asked to keep; it is removed when the process ends."""
    return Path(_scratch().name)


def is_scratch(folder: Path) -> bool:
    """Return whether a run is removed when the process ends."""
    return bool(_scratch.cache_info().currsize) and folder.is_relative_to(scratch())


def refuse_other(folder: Path, plan: Plan) -> None:
    """Refuse a folder that holds something else than this plan, saying what differs."""
    if (folder / states.RUN).exists():
        found = differences(read_plan(folder), plan)
        if found:
            raise UsageError(
                f"out {folder}: holds another run ({'; '.join(found)}); name another folder", parameter="out"
            )
    elif folder.exists() and not (  # empty, or left over from the first moment of a run
        folder.is_dir() and ((folder / states.STATE).exists() or not any(folder.iterdir()))
    ):
        raise UsageError(f"out {folder}: exists but is not a run; name another folder", parameter="out")


def finished_run(folder: Path, plan: Plan) -> Run | None:
    """Return the run if it is finished and nothing of it is missing at first sight."""
    if not (folder / states.RUN).exists():
        return None
    state = states.read_state(folder, plan)
    if not state.head or _todo(folder, plan, state):
        return None
    return open_run(folder)


def remaining(folder: Path, plan: Plan, again: Sequence[int] = ()) -> list[Shard]:
    """Return the shards that have still to be played, or again."""
    return _todo(folder, plan, states.read_state(folder, plan), again)


def _todo(folder: Path, plan: Plan, state: State, again: Sequence[int] = ()) -> list[Shard]:
    whole = {
        number
        for number, files in state.shards.items()
        if all(states.file_size(folder, name) == record.size for name, record in files.items())
    }
    return [shard for shard in cut(plan.cells) if shard.number not in whole or shard.number in again]


def carry_out(
    game: Game[Any, Any],
    catalog: Catalog,
    plan: Plan,
    folder: Path,
    jobs: int,
    watch: Watch = lambda _: None,
    again: Sequence[int] = (),
) -> SweepSummary:
    """Play what is missing of a plan, and the shards `again`, into its folder, begun before or not."""
    begun = time.monotonic()
    games = shards = 0
    mended: tuple[str, ...] = ()

    def hear(message: Played | Finished) -> None:
        nonlocal games, shards
        if isinstance(message, Finished):
            states.note(handle, message.shard.number, message.files)
            games += message.shard.games
            shards += 1
        watch(message)

    try:
        make_folder(folder)
        with states.lock(folder) as handle:
            refuse_other(folder, plan)  # somebody may have been faster
            for path in folder.rglob(UNFINISHED):  # of a killed process; links are not followed
                if path.is_symlink() or not path.is_dir():  # a folder is not ours
                    path.unlink(missing_ok=True)
            state = states.read_state(folder, plan)
            mended = _write_head(folder, handle, state, head_files(game, catalog, plan))
            todo = _todo(folder, plan, state, again)
            _log(folder, f"{MADE_BY}{_command()}")
            _log(folder, f"{len(todo)} of {plan.shards} shards to play, {jobs} jobs")
            work(game, catalog, plan, todo, folder, jobs, hear)
            seconds = time.monotonic() - begun
            _log(folder, f"finished: {games} games in {seconds:.1f} s")
    except KeyboardInterrupt:
        if is_scratch(folder):
            raise Interrupted("interrupted; nothing is kept") from None
        raise Interrupted(
            f"interrupted; {_kept(folder, plan)} in {folder}, and the same command resumes"
        ) from None
    except OSError as error:
        where = error.filename if error.filename is not None else folder
        raise Failed(
            f"{where}: {error.strerror or error}; {_kept(folder, plan)}; fix this, then run the same command "
            "again to resume"
        ) from error
    # what an earlier call played may have rotted since
    run = (
        replace(open_run(folder, verify=False), verified=True) if shards == plan.shards else open_run(folder)
    )
    return SweepSummary(run, games, shards, time.monotonic() - begun, mended)


def _kept(folder: Path, plan: Plan) -> str:
    done = 0
    with suppress(OSError):
        done = len(states.read_state(folder, plan).shards)
    return f"{done} of {plan.shards} shards are kept"


def _write_head(
    folder: Path, handle: int, state: State, files: dict[str, bytes | memoryview]
) -> tuple[str, ...]:
    records = {name: FileRecord.of(content) for name, content in files.items()}
    changed = {damage.file for damage in damages(folder, State(records))}
    wrong = [name for name in files if state.head.get(name) != records[name] or name in changed]
    for name in wrong:
        write_whole(folder / name, files[name])
    if state.head != records:
        states.note(handle, None, records)
    return tuple(wrong)


def _command() -> str:
    program, *arguments = sys.argv or [""]
    if not re.search(r"(^|/)(game-)?balance(/__main__\.py)?$", program):
        return "Python"
    return " ".join(shlex.join(["balance", *arguments]).split())


def _log(folder: Path, message: str) -> None:
    """Add a line to the log, which no promise covers: it says when and where."""
    stamp = datetime.now(UTC).isoformat(timespec="seconds")
    line = f"{stamp} {platform.node()} Python {platform.python_version()}: {message}\n"
    with suppress(OSError):
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK
        handle = os.open(folder / states.LOG, flags, 0o666)
        with os.fdopen(handle, "a", encoding="utf-8") as file:
            if states.is_own(handle):
                file.write(line)
