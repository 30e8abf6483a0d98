"""Measurements that ship with a game, and whether they still hold.

`data/<game>/ladder.json` is written by scripts/measure_ladder.py, `data/<game>/contested.json` is the
output of `balance contested --json`. Reports quote both, because playing them again would take minutes
(`data/<game>/replies.json` is read by `balance.judge.quality`, where verdicts need it). A measurement is
stale as soon as play, the policies or the catalog differ from those that were measured. Play is known by the
digest of fixed games (`Facts.fixed_games`), which a refactoring leaves alone.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final, TypeVar

from balance.dataset.shipped import read_json as read_json
from balance.dataset.shipped import run_stamp as run_stamp
from balance.dataset.shipped import stamp as stamp
from balance.errors import DataError
from balance.experiments.ladder import Rung
from balance.games.contract import Catalog, Game
from balance.resources import shipped

LADDER_FILE: Final = "ladder.json"
CONTESTED_FILE: Final = "contested.json"
_LADDER_VERSION: Final = 2

T = TypeVar("T")


@dataclass(frozen=True)
class _Published:
    """What every published measurement carries."""

    game: str
    seed: int
    games: int
    stamp: dict[str, str]
    """Digests of play, policies and catalog as they were when measured."""

    def stale(self, now: dict[str, str]) -> tuple[str, ...]:
        """Return what has changed since (`play`, `policies`, `catalog`); empty if the figures hold."""
        return tuple(name for name in now if self.stamp.get(name) != now[name])

    def stale_today(self, game: Game[Any, Any]) -> tuple[str, ...]:
        """Return what of the installed game has changed since."""
        return self.stale(stamp(game, game.load_catalog()))


@dataclass(frozen=True)
class PublishedLadder:
    """One ladder, at one number of players."""

    players: int
    variants: str
    """`none` or `sample`."""
    command: str
    """The command that measures it again."""
    figures: tuple[Rung, ...]


@dataclass(frozen=True)
class PublishedLadders(_Published):
    """All ladders that ship with a game."""

    version: int
    ladders: tuple[PublishedLadder, ...]


@dataclass(frozen=True)
class PublishedReading:
    """One way in which a contested entry may read, and what changes then."""

    sensitivity: bool
    changes: bool
    sentence: str


@dataclass(frozen=True)
class PublishedEntry:
    """A contested entry of the catalog."""

    name: str
    confidence: str
    variations: tuple[PublishedReading, ...]


@dataclass(frozen=True)
class PublishedDoubts(_Published):
    """What `balance contested` measured for everything in doubt."""

    edition: str
    players: int
    deals: int
    """Deals of each cell that was judged."""
    combinations: int
    """Combinations judged for each entry."""
    tests: int
    """Values that were compared over all readings: the family of the correction."""
    sentences: tuple[str, ...]
    entries: tuple[PublishedEntry, ...]

    @property
    def command(self) -> str:
        """The command that measures it again."""
        return (
            f"balance contested --edition {self.edition} --players {self.players} --games {self.deals} "
            f"--combinations {self.combinations} --seed {self.seed}"
        )


def measured_ladders(game: Game[Any, Any], path: Path | None = None) -> PublishedLadders | None:
    """Return the ladders that ship with a game; None if there are none."""
    found = _read(game, path or shipped(game.name, LADDER_FILE), PublishedLadders, "a ladder")
    if found is not None and found.version != _LADDER_VERSION:
        raise DataError(f"{path or LADDER_FILE}: not a ladder in version {_LADDER_VERSION}")
    return found


def measured_doubts(game: Game[Any, Any], path: Path | None = None) -> PublishedDoubts | None:
    """Return the contested measurement that ships with a game; None if there is none."""
    file = path or shipped(game.name, CONTESTED_FILE)
    return _read(game, file, PublishedDoubts, "the output of `balance contested --json`")


def _read(game: Game[Any, Any], file: Path | None, kind: type[T], what: str) -> T | None:
    if file is None or not file.is_file():
        return None
    found = read_json(file, kind, what)
    if isinstance(found, _Published) and found.game != game.name:
        raise DataError(f"{file}: not {what} of {game.name}, but of {found.game}")
    return found


def ladder_document(
    game: Game[Any, Any], catalog: Catalog, seed: int, games: int, ladders: Sequence[PublishedLadder]
) -> str:
    """Return ladders as the text of a file."""
    found = PublishedLadders(game.name, seed, games, stamp(game, catalog), _LADDER_VERSION, tuple(ladders))
    return json.dumps(asdict(found), indent=1) + "\n"
