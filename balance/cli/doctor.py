"""`balance doctor`: what this installation is made of, for a bug report or a puzzled user."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import balance
from balance import machine, resources
from balance.cli import output
from balance.cli.help import examples

__all__ = ["EPILOG", "doctor"]

EPILOG = examples("balance doctor", "balance doctor --json")

# Asked of the package metadata; importing them would take seconds and could itself be what is broken.
_DEPENDENCIES = ("numpy", "numba", "polars", "duckdb", "scipy", "matplotlib", "typer")
_VARIABLES = ("BALANCE_CACHE_DIR", "BALANCE_DEBUG", "NO_COLOR")

_Item = tuple[str, object, str]


def doctor(
    format_: output.FormatOption = None,
    as_json: output.JsonOption = False,
    out: output.OutOption = None,
    force: output.ForceOption = False,
) -> None:
    """Show versions, folders, cores and memory, and where each setting came from."""
    options = output.options(format_, as_json, out, force)
    items = [*_versions(), *_folders(), *_machine(), *_environment()]
    rows = [{"item": item, "value": value, "source": source} for item, value, source in items]
    output.rows(rows, ["item", "value", "source"], options)


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
