"""`balance doctor`: what this installation is made of, or whether a run is still what was written."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from typing import Annotated

import typer

import balance
from balance import machine, resources
from balance.cli import diagnostics, output
from balance.cli.help import examples
from balance.errors import DataError

__all__ = ["EPILOG", "doctor"]

EPILOG = examples("balance doctor", "balance doctor --json", "balance doctor data/runs/first")

# Asked of the package metadata; importing them would take seconds and could itself be what is broken.
_DEPENDENCIES = ("numpy", "numba", "polars", "duckdb", "scipy", "matplotlib", "typer")
_VARIABLES = ("BALANCE_CACHE_DIR", "BALANCE_STATE_DIR", "BALANCE_DEBUG", "NO_COLOR")

_Item = tuple[str, object, str]


def doctor(
    run: Annotated[
        str | None, typer.Argument(metavar="RUN", help="The folder of a run: check every file of it.")
    ] = None,
    format_: output.FormatOption = None,
    as_json: output.JsonOption = False,
    out: output.OutOption = None,
    force: output.ForceOption = False,
) -> None:
    """Show versions, folders, cores and memory, and where each setting came from.

    With RUN, show what a run holds, and every file of it that is missing or not what was written.
    """
    options = output.options(format_, as_json, out, force)
    damaged: list[_Item] = []
    if run is None:
        items = [*_versions(), *_folders(), *_machine(), *_environment()]
    else:
        holds, damaged = _run(Path(run))
        items = [*holds, *damaged]
    rows = [{"item": item, "value": value, "source": source} for item, value, source in items]
    output.rows(rows, ["item", "value", "source"], options)
    if damaged:
        raise DataError(
            f"{len(damaged)} things are wrong with {run}; 'balance simulate --repair {run}' plays what is "
            "missing or damaged again"
        )


def _run(folder: Path) -> tuple[list[_Item], list[_Item]]:
    """Return what a run holds, and what is wrong with it."""
    from balance.dataset.run import read_plan
    from balance.dataset.state import RUN, STATE, read_state
    from balance.dataset.verify import damages, strangers

    plan, state = read_plan(folder), read_state(folder)
    files = state.files()
    size = sum(file.size for file in files.values())
    done = len(state.shards.keys() & set(range(plan.shards)))
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
    with diagnostics.progress("checking", size) as line:
        wrong: list[_Item] = [(d.file, d.problem, STATE) for d in damages(folder, state, line.advance)]
    if done < plan.shards or not state.head:
        wrong.append(("unfinished", f"{plan.shards - done} shards have still to be played", STATE))
    others = strangers(folder, state)
    if others:
        holds.append(("other_files", len(others), f"{others[0]}{', ...' if len(others) > 1 else ''}"))
    return holds, wrong


def _versions() -> Iterator[_Item]:
    yield "balance", balance.__version__, str(Path(balance.__file__).parent)
    yield "python", platform.python_version(), sys.executable
    for name in _DEPENDENCIES:
        try:
            yield name, metadata.version(name), "installed package"
        except metadata.PackageNotFoundError:
            yield name, None, "not installed"


def _folders() -> Iterator[_Item]:
    yield "catalog", str(resources.data_dir("nefarious")), "this installation"
    cache = resources.cache_setting()
    yield "cache", cache.value, cache.source
    yield "cache_writable", _is_writable(Path(cache.value)), "file permissions"
    state = resources.state_setting()
    yield "state", state.value, state.source


def _machine() -> Iterator[_Item]:
    cores = machine.cores()
    yield "cores", cores.amount, cores.source
    memory = machine.memory()
    yield "memory_mb", memory.amount // 2**20 or None, memory.source
    yield "system", f"{platform.system()} {platform.machine()}", "operating system"


def _environment() -> Iterator[_Item]:
    for name in _VARIABLES:
        value = os.environ.get(name)
        yield name, value, "not set" if value is None else "environment"


def _is_writable(folder: Path) -> bool:
    """Return whether `folder` can be written to, or made, without doing either."""
    existing = next((path for path in (folder, *folder.parents) if path.exists()), None)
    return existing is not None and existing.is_dir() and os.access(existing, os.W_OK | os.X_OK)
