"""The measured strength of a game's policies: a ladder kept as data, and whether it still holds.

`data/<game>/ladder.json` is written by scripts/measure_ladder.py. Reports quote it to say how strong the
players were; it is stale as soon as the engine, the policies or the catalog are others than those measured.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from balance.analysis.ladder import Figure
from balance.errors import DataError
from balance.games.contract import Catalog, Game, Tuned
from balance.resources import shipped

__all__ = ["FILE", "Standing", "Strength", "document", "measured_strength", "stamp"]

FILE: Final = "ladder.json"
_VERSION: Final = 1


@dataclass(frozen=True)
class Standing:
    """One ladder: at so many players, under these variants."""

    players: int
    variants: str
    """`none` or `sample`."""
    command: str
    """What measures it again."""
    figures: tuple[Figure, ...]


@dataclass(frozen=True)
class Strength:
    """All ladders of a game that ship with it."""

    seed: int
    games: int
    stamp: dict[str, str]
    """Digests of what was measured."""
    ladders: tuple[Standing, ...]
    stale: tuple[str, ...]
    """What has changed since: `engine`, `policies`, `catalog`; nothing: the figures hold."""

    def figure(self, players: int, variants: str, measure: str, policy: str, against: str = "") -> Figure:
        """Return one figure; KeyError if it was not measured."""
        for ladder in self.ladders:
            if (ladder.players, ladder.variants) == (players, variants):
                for figure in ladder.figures:
                    if (figure.measure, figure.policy, figure.against) == (measure, policy, against):
                        return figure
        raise KeyError((players, variants, measure, policy, against))


def stamp(game: Game[Any, Any], catalog: Catalog) -> dict[str, str]:
    """Return the digests of everything that decides how strong a policy is."""
    policies = game.policies_hash(catalog) if isinstance(game, Tuned) else ""
    return {"engine": game.engine_hash(), "policies": policies, "catalog": catalog.hash}


def document(
    game: Game[Any, Any], catalog: Catalog, seed: int, games: int, ladders: Sequence[Standing]
) -> str:
    """Return ladders as the text of a file."""
    content = {
        "version": _VERSION,
        "game": game.name,
        "seed": seed,
        "games": games,
        "stamp": stamp(game, catalog),
        "ladders": [asdict(ladder) for ladder in ladders],
    }
    return json.dumps(content, indent=1) + "\n"


def measured_strength(game: Game[Any, Any], path: Path | None = None) -> Strength | None:
    """Return the ladders that ship with a game, and what has changed since; None if there are none."""
    file = path or shipped(game.name, FILE)
    if file is None or not file.is_file():
        return None
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
        if (content["version"], content["game"]) != (_VERSION, game.name):
            raise DataError(f"{file}: not a ladder of {game.name} in version {_VERSION}")
        ladders = tuple(
            Standing(
                ladder["players"],
                ladder["variants"],
                ladder["command"],
                tuple(Figure(**figure) for figure in ladder["figures"]),
            )
            for ladder in content["ladders"]
        )
        then = dict(content["stamp"])
        seed, games = int(content["seed"]), int(content["games"])
    except (ValueError, KeyError, TypeError) as error:
        raise DataError(f"{file}: not a ladder: {error}") from error
    now = stamp(game, game.load_catalog())
    stale = tuple(name for name in now if then.get(name) != now[name])
    return Strength(seed, games, then, ladders, stale)
