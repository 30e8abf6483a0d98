"""What hangs on facts in doubt, as measured before: kept as data, and whether it still holds.

`data/<game>/contested.json` is what `balance contested --json` printed. Reports quote it, because playing it
again would take them minutes; it is stale as soon as engine, policies or catalog are others than those that
were played.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from balance.errors import DataError
from balance.games.contract import Game
from balance.resources import shipped

__all__ = ["FILE", "Hanging", "Reading", "measured_doubts"]

FILE: Final = "contested.json"


@dataclass(frozen=True, slots=True)
class Reading:
    """One way in which an entry may read, or was moved, and what changes then, in words."""

    name: str
    confidence: str
    sensitivity: bool
    changes: bool
    sentence: str


@dataclass(frozen=True, slots=True)
class Hanging:
    """What was measured of everything in doubt."""

    edition: str
    players: int
    games: int
    deals: int
    """Of each cell that was judged."""
    combinations: int
    """Judged for each entry."""
    tests: int
    """Values that were compared, over all readings: what "beyond noise" was corrected for."""
    seed: int
    sentences: tuple[str, ...]
    readings: tuple[Reading, ...]
    stamp: dict[str, str]
    """Digests of engine, policies and catalog as they were."""

    def stale(self, now: dict[str, str]) -> tuple[str, ...]:
        """Return what has changed since: `engine`, `policies`, `catalog`; nothing: it holds."""
        return tuple(name for name in now if self.stamp.get(name) != now[name])

    @property
    def command(self) -> str:
        """What measures it again."""
        return (
            f"balance contested --edition {self.edition} --players {self.players} --games {self.deals} "
            f"--combinations {self.combinations} --seed {self.seed}"
        )


def measured_doubts(game: Game[Any, Any], path: Path | None = None) -> Hanging | None:
    """Return what ships with a game; None if nothing does."""
    file = path or shipped(game.name, FILE)
    if file is None or not file.is_file():
        return None
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
        if content["game"] != game.name:
            raise DataError(f"{file}: not of {game.name}")
        return Hanging(
            str(content["edition"]),
            int(content["players"]),
            int(content["games"]),
            int(content["deals"]),
            int(content["combinations"]),
            int(content["tests"]),
            int(content["seed"]),
            tuple(map(str, content["sentences"])),
            tuple(
                Reading(
                    str(entry["name"]),
                    str(entry["confidence"]),
                    bool(one["sensitivity"]),
                    bool(one["changes"]),
                    str(one["sentence"]),
                )
                for entry in content["entries"]
                for one in entry["variations"]
            ),
            dict(content["stamp"]),
        )
    except (ValueError, KeyError, TypeError) as error:
        raise DataError(f"{file}: not what `balance contested --json` prints: {error}") from error
