"""Where the package finds its data and keeps its cache.

The catalog is read from the same files in a checkout and in an installed wheel. Nothing here may write,
create directories, or look at the current directory: the tool works from anywhere, also read-only.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

from balance.errors import DataError

_PACKAGE = Path(__file__).resolve().parent


class Setting(NamedTuple):
    """A value and where it came from, for `balance doctor`."""

    value: str
    source: str


def data_dir(game: str) -> Path:
    """Return the folder with the official catalog of `game`.

    An installed wheel carries it as `balance/_data/<game>`; a checkout (also installed with `pip -e`)
    has it as `data/<game>` beside the package.
    """
    if game not in ("", "..") and Path(game).name == game:
        for folder in (_PACKAGE / "_data" / game, _PACKAGE.parent / "data" / game):
            if folder.is_dir():
                return folder
    raise DataError(f"no data for the game {game!r} in this installation ({_PACKAGE})")


def shipped(game: str, name: str) -> Path | None:
    """Return the path of measured results beside the catalog; None if a game has no data here."""
    try:
        return data_dir(game) / name
    except DataError:
        return None


def cache_setting() -> Setting:
    """Return the cache directory and the name of the setting that decided it."""
    try:
        for variable, below in (("BALANCE_CACHE_DIR", ""), ("XDG_CACHE_HOME", "balance")):
            value = os.environ.get(variable, "")
            # The XDG specification says to ignore a relative path; ours is taken as the user wrote it.
            if value and (variable == "BALANCE_CACHE_DIR" or Path(value).is_absolute()):
                return Setting(str((Path(value).expanduser() / below).absolute()), variable)
        home = Path.home()
    except RuntimeError as error:
        raise DataError("no home directory is known; set BALANCE_CACHE_DIR to a folder") from error
    return Setting(str(home / ".cache" / "balance"), "default")


def cache_dir() -> Path:
    """Return the folder for what can be made again; it may not exist yet."""
    return Path(cache_setting().value)
