"""Playing every rotation of a lineup on some deals, straight into memory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from balance.games.contract import Facts, Game
from balance.games.lineup import Lineup, replicated

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Numbers = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Rotated:
    """The games of some deals: all rotations of the first deal, then those of the second, and so on."""

    seated: Numbers
    """By game and seat: the number of the policy."""
    tables: Mapping[str, Any]
    """What was played, by table and column."""


def play_rotations(game: Game[Any, Any], cell: Any, lineup: Lineup, seed: int, deals: Numbers) -> Rotated:
    """Play all rotations of a lineup on some deals."""
    indices, replicates = replicated(deals, lineup.rotations)
    seated = lineup.seated(seed, indices, replicates)
    return Rotated(seated, game.play(cell, seed, indices, seated, replicates))


def winners_of(facts: Facts, games: Mapping[str, Any]) -> Numbers:
    """Return the winning seat of each game, -1 where it stalled, from the columns of the table `games`."""
    import numpy as np

    table = facts.table("games")
    winners: Numbers = games[table.column("outcome").name].astype(np.int64)
    winners[games[table.column("stalled").name].astype(bool)] = -1
    return winners


def scores(winners: Numbers, players: int) -> Numbers:
    """Return the score of each seat of each game: `players` for the winner, 1 for all in a stalled game.

    `winners` holds the winning seats, -1 where there is none.
    """
    import numpy as np

    won = winners[:, None] == np.arange(players)
    return np.where(winners[:, None] < 0, 1, players * won)


def seat_scores(facts: Facts, games: Mapping[str, Any], players: int) -> Numbers:
    """Return the score of each seat of each game, from the columns of the table `games` as played."""
    return scores(winners_of(facts, games), players)
