"""The runs in a folder: which there are, what each is, and removing those that are no longer wanted.

Only what is certainly a run is removed: a real folder below data/runs, with a plan that can be read, files
that are as they were written and no other file. Links are neither followed nor removed.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Final

from balance import games
from balance.dataset import manifest as states
from balance.dataset.deals import DEALS
from balance.dataset.plan import Plan
from balance.dataset.run import read_plan
from balance.dataset.verify import damages, strangers
from balance.errors import BalanceError, DataError, Failed, UsageError
from balance.files import TEMPORARY, open_regular
from balance.nearest import unknown
from balance.text_columns import escape

RUNS: Final = Path("data") / "runs"
MADE_BY: Final = "made by: "
UNFINISHED: Final = f".*.{'[0-9a-f]' * 8}{TEMPORARY}"
"""A pattern for the names of files that a crash left half-written."""
_DEEPEST: Final = 3
"""Runs of one command may share a folder: `full-more/look-2-4`."""
_MOST_LOG: Final = 2**20


@dataclass(frozen=True)
class KeptRun:
    """One run of a folder, readable or not."""

    name: str
    path: Path
    size: int
    plan: Plan | None
    state: str
    command: str

    @property
    def named(self) -> bool:
        """Whether a user chose the name of the folder."""
        return self.plan is None or not Path(self.name).name.startswith(self.plan.name)


def kept_runs() -> list[KeptRun]:
    """Return the runs in the default folder by name; none if there is no such folder."""
    return list(map(_look, run_folders(RUNS)))


def run_folders(home: Path, deep: int = _DEEPEST) -> list[Path]:
    """Return the folders below `home` that hold a run, readable or not, by name; links are left out."""
    found: list[Path] = []
    with suppress(FileNotFoundError, NotADirectoryError, PermissionError), os.scandir(home) as entries:
        for entry in entries:
            path = home / entry.name
            if entry.is_dir(follow_symlinks=False):
                is_run = os.path.lexists(path / states.RUN)
                found += [path] if is_run else run_folders(path, deep - 1) if deep > 1 else []
    return sorted(found)


def _look(path: Path) -> KeptRun:
    known = escape(path.relative_to(RUNS).as_posix().replace("\\", "\\\\"))  # no two names look alike
    size = 0
    for place, _, names in os.walk(path):
        for name in names:
            with suppress(OSError):
                size += (Path(place) / name).lstat().st_size
    try:
        plan = read_plan(path)
        state = states.read_state(path, plan)
        word = "finished" if state.head and len(state.shards) == plan.shards else "unfinished"
    except BalanceError:
        return KeptRun(known, path, size, None, "unreadable", "")
    return KeptRun(known, path, size, plan, word, made_by(path))


def made_by(folder: Path) -> str:
    """Return the first command that the log of a run names; nothing that a shell would read as more."""
    with suppress(OSError), open_regular(folder, states.LOG, _MOST_LOG) as file:
        for line in file.read().decode(errors="replace").splitlines():
            _, found, command = line.partition(MADE_BY)
            if found:
                return command if _is_plain(command) else ""
    return ""


def _is_plain(command: str) -> bool:
    """Return whether a line is a command of ours that replaces nothing: people copy it into a shell."""
    try:
        words = shlex.split(command)
    except ValueError:
        return False
    ours = words[:1] in (["balance"], ["Python"]) and not {"--force", "--yes"} & {*words}
    return ours and shlex.join(words) == command and command.isprintable()


def choose(runs: Sequence[KeptRun], names: Sequence[str]) -> list[KeptRun]:
    """Return the runs with these names, in their order; UsageError for a name that there is not."""
    known = {run.name: run for run in runs}
    for name in names:
        if name not in known:
            raise UsageError(unknown("run", name, list(known)))
    return [known[name] for name in dict.fromkeys(names)]


def removable(
    chosen: Sequence[KeptRun], runs: Sequence[KeptRun]
) -> tuple[list[KeptRun], list[tuple[KeptRun, str]]]:
    """Return which of the chosen runs may be removed, and the others, each with the reason why it stays.

    `runs` are all runs of the folder: one that a remaining run extends must stay, and so must its own parent.
    """
    stays: list[tuple[KeptRun, str]] = []
    going = list(chosen)
    while True:
        paths = {run.path for run in going}
        kept = [run for run in runs if run.path not in paths]
        held = [(run, why) for run in going if (why := _why_kept(run, kept))]
        if not held:
            return going, stays
        stays += held
        going = [run for run in going if run not in [one for one, _ in held]]


def _why_kept(run: KeptRun, kept: Sequence[KeptRun]) -> str:
    if run.plan is None:
        return "it cannot be read as a run"
    number = run.plan.id
    for other in kept:
        if other.plan is not None and other.plan.parent == number:
            return f"{other.name} extends it"
    if link := next((str(path) for path in (run.path, *run.path.parents) if path.is_symlink()), ""):
        return f"{link} is a link"
    foreign = _foreign(run, run.plan)
    if foreign:
        return f"it holds {foreign}, which is not part of a run"
    damage = next(damages(run.path, states.read_state(run.path, run.plan)), None)
    return f"{damage.file} is not as it was written ({damage.problem})" if damage else ""


def _foreign(run: KeptRun, plan: Plan) -> str:
    """Return a file in the folder that is not part of the run, a link for example; or nothing."""
    links = [
        escape(path.relative_to(run.path).as_posix()) for path in run.path.rglob("*") if path.is_symlink()
    ]
    others = strangers(run.path, states.read_state(run.path, plan))
    if run.state == "unfinished":
        others = [name for name in others if name != states.RUN and not _left_over(name, plan)]
    return next(iter([*links, *others]), "")


def _left_over(name: str, plan: Plan) -> bool:
    """Return whether a run that was not finished may have left a file: a table of a shard, or half a file."""
    tables = "|".join([DEALS, *(table.name for table in games.get(plan.game).facts.tables)])
    whole = re.fullmatch(rf"({tables})/\d{{1,3}}-players/\d{{4,6}}\.parquet", name)
    return whole is not None or fnmatchcase(Path(name).name, UNFINISHED)


def remove(run: KeptRun) -> None:
    """Remove a run; Failed if a process is at work in it.

    Ask `removable` first. Folders are opened without following links, and one that is not empty stays.
    """
    if run.path.is_symlink() or run.plan is None or read_plan(run.path) != run.plan:
        raise DataError(f"{run.path} is not the run that it was; nothing was removed")
    try:
        with states.lock(run.path):
            if foreign := _foreign(run, run.plan):
                raise DataError(f"{run.path} holds {foreign} by now; nothing was removed")
            for _, folders, files, place in os.fwalk(run.path, topdown=False, follow_symlinks=False):
                for name in files:
                    os.unlink(name, dir_fd=place)
                for name in folders:
                    os.rmdir(name, dir_fd=place)
        run.path.rmdir()
    except OSError as error:
        raise Failed(f"{run.path}: {error.strerror or error}; it is only partly removed") from error


def rename(run: KeptRun, name: str) -> Path:
    """Give the folder of a run another name below the same folder, and return its path."""
    target = RUNS / checked_name(name)
    if os.path.lexists(target):
        raise UsageError(f"{target} exists already; choose another name")
    try:
        with states.lock(run.path):
            run.path.rename(target)
    except OSError as error:
        raise Failed(f"{run.path}: {error.strerror or error}; nothing was renamed") from error
    return target


def checked_name(name: str) -> str:
    """Return the name of a run; UsageError unless it is a plain name of a folder.

    >>> checked_name("first-try")
    'first-try'
    >>> checked_name("../elsewhere")
    Traceback (most recent call last):
    balance.errors.UsageError: name ../elsewhere: a name has letters, digits, '-', '_' and '.', no folders
    """
    plain = name.replace("-", "").replace("_", "").replace(".", "")
    if not plain.isalnum() or name.startswith((".", "-")):
        raise UsageError(
            f"name {name}: a name has letters, digits, '-', '_' and '.', no folders", parameter="name"
        )
    return name
