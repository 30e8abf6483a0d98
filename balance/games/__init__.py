"""The games that the toolkit knows, found by name.

A built-in game is imported when it is asked for. Other packages offer a game through the entry point group
`balance.games`; tests and notebooks call `register` or `registered`. Nothing here imports a game before that.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module, metadata
from typing import Any, Final

from balance.errors import DataError, UsageError
from balance.games.contract import Game
from balance.nearest import unknown

DEFAULT: Final = "nefarious"
_GROUP: Final = "balance.games"
_BUILT_IN: Final = {"nefarious": "balance.games.nefarious.game"}
_registered: dict[str, Game[Any, Any]] = {}


def register(game: Game[Any, Any]) -> None:
    """Make a game known under its name; the latest of a name counts."""
    _registered[game.name] = game


@contextmanager
def registered(game: Game[Any, Any]) -> Iterator[Game[Any, Any]]:
    """Make a game known for a while; afterwards its name means what it meant before."""
    before = _registered.get(game.name)
    register(game)
    try:
        yield game
    finally:
        _registered.pop(game.name, None)
        if before is not None:
            register(before)


def names() -> list[str]:
    """Return the names of all games that are known.

    >>> "nefarious" in names()
    True
    """
    return sorted({*_registered, *_BUILT_IN, *(point.name for point in metadata.entry_points(group=_GROUP))})


def get(name: str = DEFAULT) -> Game[Any, Any]:
    """Return the game of a name; UsageError with the nearest names if there is none.

    >>> get("nefarious").name
    'nefarious'
    """
    if name not in _registered:
        register(_load(name))
    return _registered[name]


def _load(name: str) -> Game[Any, Any]:
    if name in _BUILT_IN:
        return _checked(name, import_module(_BUILT_IN[name]).GAME)
    for point in metadata.entry_points(group=_GROUP, name=name):
        try:
            game = point.load()
        except Exception as error:
            # another package's mistake is data that is damaged, not a bug of ours
            raise DataError(f"the game '{name}' cannot be loaded from {point.value}: {error}") from error
        return _checked(name, game)
    raise UsageError(unknown("game", name, names()))


def _checked(name: str, game: Any) -> Game[Any, Any]:
    if getattr(game, "name", None) != name:
        raise DataError(f"the entry point of the game '{name}' does not give a game of that name")
    found: Game[Any, Any] = game
    return found
