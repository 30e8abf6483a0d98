"""Measurements that ship with a game, and whether they still hold.

Scripts write `data/<game>/ladder.json` (measure_ladder.py) and `agreement.json` (study_search.py);
`contested.json` and `prices.json` are the output of `balance contested --json` and `balance price --json`.
`make measure` makes all of them again.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final, Literal, TypeVar

from balance.dataset.stamp import Stamped, stamp
from balance.errors import DataError
from balance.experiments.ladder import Rung
from balance.games.contract import Catalog, Game
from balance.resources import shipped
from balance.userfiles import read_file

LADDER_FILE: Final = "ladder.json"
CONTESTED_FILE: Final = "contested.json"
PRICES_FILE: Final = "prices.json"
AGREEMENT_FILE: Final = "agreement.json"
_MOST_BYTES: Final = 2**26

Measured = TypeVar("Measured", bound=Stamped)


@dataclass(frozen=True)
class PublishedLadder:
    """One ladder, at one number of players."""

    players: int
    variants: str
    """`none` or `sample`."""
    command: str
    figures: tuple[Rung, ...]


@dataclass(frozen=True)
class PublishedLadders(Stamped):
    """All ladders that ship with a game."""

    version: Literal[2]
    ladders: tuple[PublishedLadder, ...]


@dataclass(frozen=True)
class PublishedPrice:
    """One item in one context, as `balance price` found it."""

    id: int
    name: str
    cost: int
    under: str
    price: float | None
    low: float | None
    high: float | None
    text: str
    """The price with its interval, in words."""
    proposed: int | None


@dataclass(frozen=True)
class PublishedPrices(Stamped):
    """All prices of one result, and how they were found."""

    edition: str
    players: int
    lineup: str
    deals: int
    sentences: tuple[str, ...]
    prices: tuple[PublishedPrice, ...]

    @property
    def command(self) -> str:
        """The command that finds them again."""
        return (
            f"balance price --players {self.players} --games {self.deals} --seed {self.seed} "
            f"--edition {self.edition} --lineup {self.lineup}"
        )


@dataclass(frozen=True)
class PublishedDoubts(Stamped):
    """What depends on facts in doubt, as `balance contested` found it."""

    edition: str
    players: int
    deals: int
    combinations: int
    sentences: tuple[str, ...]

    @property
    def command(self) -> str:
        """The command that finds it again."""
        return (
            f"balance contested --edition {self.edition} --players {self.players} --games {self.deals} "
            f"--combinations {self.combinations} --seed {self.seed}"
        )


@dataclass(frozen=True)
class Agreed:
    """The verdicts of one class that search was compared with."""

    drawn: int
    decided: int
    """Those that the games of search confirm or contradict."""
    agree: int


@dataclass(frozen=True)
class PublishedAgreement(Stamped):
    """How often the strongest search confirms verdicts, by class: what scripts/study_search.py measured."""

    search: str
    classes: dict[str, Agreed]

    def __str__(self) -> str:
        decided, agree = (
            sum(getattr(one, name) for one in self.classes.values()) for name in ("decided", "agree")
        )
        by_class = ", ".join(
            f"{one.agree} of {one.decided} {name}" for name, one in self.classes.items() if one.decided
        )
        return (
            f"Verdicts drawn by chance were played again by {self.search}, {self.games:,} games each: it "
            f"confirms {agree} of the {decided} that its games decide ({by_class})."
        )


def _read(
    kind: type[Measured], name: str, what: str, game: Game[Any, Any], path: Path | None = None
) -> Measured | None:
    """Read a JSON file as a dataclass; DataError with the first field that does not fit."""
    from pydantic import TypeAdapter, ValidationError

    file = path or shipped(game.name, name)
    if file is None or not file.exists():
        return None
    try:
        found = TypeAdapter(kind).validate_json(read_file(file, _MOST_BYTES))
    except OSError as error:
        raise DataError(f"{file}: cannot be read: {error.strerror}") from error
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise DataError(f"{file}: not {what}: {f'{where}: ' if where else ''}{first['msg']}") from error
    if found.game != game.name:
        raise DataError(f"{file}: not {what} of {game.name}, but of {found.game}")
    return found


measured_agreement = partial(
    _read, PublishedAgreement, AGREEMENT_FILE, "the output of scripts/study_search.py"
)
measured_ladders = partial(_read, PublishedLadders, LADDER_FILE, "a ladder")
measured_doubts = partial(_read, PublishedDoubts, CONTESTED_FILE, "the output of `balance contested --json`")
measured_prices = partial(_read, PublishedPrices, PRICES_FILE, "the output of `balance price --json`")
"""What ships with a game, or is in a file; None if there is nothing."""


def ladder_document(
    game: Game[Any, Any], catalog: Catalog, seed: int, games: int, ladders: Sequence[PublishedLadder]
) -> str:
    """Return ladders as the text of a file."""
    found = PublishedLadders(game.name, seed, games, stamp(game, catalog), 2, tuple(ladders))
    return json.dumps(asdict(found), indent=1) + "\n"
