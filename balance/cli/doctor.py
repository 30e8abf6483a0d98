"""`balance doctor`: what this installation is made of, or whether a run is still what was written."""

from __future__ import annotations

import os
import platform
import re
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

import balance
from balance import games, machine, resources
from balance.cli import diagnostics, gameoptions, output
from balance.cli.help_text import examples
from balance.errors import DataError
from balance.userfiles import quoted

EPILOG = examples("balance doctor", "balance doctor --json", "balance doctor data/runs/first")

_DISTRIBUTION = "game-balance"
_VARIABLES = ("BALANCE_CACHE_DIR", "BALANCE_DEBUG", "NO_COLOR")

if TYPE_CHECKING:
    from balance.dataset.run import Run
    from balance.dataset.verify import Damage

_Item = tuple[str, object, str]


@output.takes_options()
def doctor(
    options: output.OutputOptions,
    run: Annotated[
        str | None,
        typer.Argument(
            metavar="RUN",
            autocompletion=gameoptions.complete_run,
            help="The folder of a run: check every file of it.",
        ),
    ] = None,
    replay: Annotated[
        int,
        typer.Option(metavar="N", min=0, help="With RUN: play N of its games again and compare the rows."),
    ] = 20,
) -> None:
    """Show versions, folders, cores and memory, and where each setting came from.

    With RUN, show what a run holds, every file of it that is missing or not what was written, rows that are
    not those of its plan, and games that come out differently when they are played again.
    """
    damaged: list[_Item] = []
    if run is None:
        items = [*_versions(), *_folders(), *_machine()]
    else:
        machine.require_address_space("doctor")
        holds, damaged = _run(Path(run), replay)
        items = [*holds, *damaged]
    rows = [{"item": item, "value": value, "source": source} for item, value, source in items]
    output.rows(rows, ["item", "value", "source"], options)
    if damaged:
        what = "thing is" if len(damaged) == 1 else "things are"
        raise DataError(
            f"{len(damaged)} {what} wrong with {run}; 'balance simulate --repair {quoted(run or '')}' plays "
            "what is missing or damaged again"
        )


def _run(folder: Path, replay: int) -> tuple[list[_Item], list[_Item]]:
    """Return what a run holds, and what is wrong with it."""
    from balance.dataset.manifest import RUN, STATE, read_state
    from balance.dataset.run import Run, read_plan
    from balance.dataset.verify import damages, strangers

    plan = read_plan(folder)
    state = read_state(folder, plan)
    files = state.files()
    size = sum(file.size for file in files.values())
    done = len(state.shards)
    holds: list[_Item] = [
        ("run", plan.id, RUN),
        ("game", plan.game, RUN),
        ("edition", plan.edition, RUN),
        ("seed", plan.seed, RUN),
        ("parent", plan.parent or None, RUN),
        ("cells", len(plan.cells), RUN),
        ("games", plan.games, RUN),
        ("shards", f"{done} of {plan.shards}", STATE),
        ("files", len(files), STATE),
        ("bytes", size, STATE),
    ]
    with diagnostics.progress("checking", size) as advance:
        wrong: list[_Item] = [(d.file, d.problem, STATE) for d in damages(folder, state, advance)]
    if done < plan.shards or not state.head:
        wrong.append(("unfinished", f"{plan.shards - done} shards have still to be played", STATE))
    if not wrong:
        wrong += [(d.file, d.problem, "rows") for d in _content(Run(folder, plan, state), replay, holds)]
    others = strangers(folder, state)
    if others:
        holds.append(("other_files", len(others), f"{others[0]}{', ...' if len(others) > 1 else ''}"))
    return holds, wrong


def _content(run: Run, replay: int, holds: list[_Item]) -> Iterator[Damage]:
    """Yield what is wrong with the rows, having added to `holds` what was looked at."""
    from balance.errors import BalanceError
    from balance.sweep.examine import checks_deals, wrong_content, wrong_games, wrong_head
    from balance.sweep.simulation import require_same_engine

    other = ""
    try:
        require_same_engine(run.path, run.plan, run.game)
    except BalanceError as problem:
        other = str(problem)
    found = [] if other else list(wrong_head(run))
    if not found:  # rows are compared with the small tables
        with diagnostics.progress("reading rows", run.plan.shards) as advance:
            found += wrong_content(run, advance)
    if not checks_deals(run):
        holds.append(("deals", "not compared", "the measures were declared differently"))
    yield from found
    if other:
        holds.append(("replayed", 0, f"small tables and bytes are not compared either: {other}"))
    if found or other or not replay:
        return
    gameoptions.announce_warm_up(run.game, replay=True)
    with diagnostics.progress("replaying", replay) as advance:
        yield from wrong_games(run, replay, advance)
    holds.append(("replayed", min(replay, run.plan.games), "games played again, compared with their rows"))


def _versions() -> Iterator[_Item]:
    yield "balance", balance.__version__, str(Path(balance.__file__).parent)
    yield "python", platform.python_version(), sys.executable
    # From the package metadata; importing them would take seconds and could itself be what is broken.
    try:
        lines = metadata.requires(_DISTRIBUTION) or []
    except metadata.PackageNotFoundError:  # a source tree that is not installed
        lines = []
    for name in (re.split(r"[^\w.-]", line, maxsplit=1)[0] for line in lines if "extra ==" not in line):
        try:
            yield name, metadata.version(name), "installed package"
        except metadata.PackageNotFoundError:
            yield name, None, "not installed"


def _folders() -> Iterator[_Item]:
    for name in games.names():
        data = resources.shipped(name, "")
        if data is not None:
            yield f"catalog of {name}", str(data), "this installation"
    cache = resources.cache_setting()
    yield "cache", cache.value, cache.source
    yield "wall", _wall(), "Landlock of this kernel, behind the gate of balance sql"
    yield "cache_writable", _is_writable(Path(cache.value)), "file permissions"


def _machine() -> Iterator[_Item]:
    cores = machine.cores()
    yield "cores", cores.amount, cores.source
    memory = machine.memory()
    yield "memory_mb", memory.amount // 2**20 or None, memory.source
    yield "system", f"{platform.system()} {platform.machine()}", "operating system"
    for name in _VARIABLES:
        value = os.environ.get(name)
        yield name, value, "not set" if value is None else "environment"


def _wall() -> str:
    """Return whether a thread of this process can give up its right to write; one tries."""
    from balance.dataset.wall import raise_wall

    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(1) as pool:
        stands = pool.submit(raise_wall, Path(folder)).result()
    return "stands" if stands else "missing: the gate alone keeps SQL from writing"


def _is_writable(folder: Path) -> bool:
    """Return whether `folder` can be written to, or made, without doing either."""
    existing = next((path for path in (folder, *folder.parents) if path.exists()), None)
    return existing is not None and existing.is_dir() and os.access(existing, os.W_OK | os.X_OK)
