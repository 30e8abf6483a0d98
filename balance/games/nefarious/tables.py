"""The tables that Nefarious writes: every column with its role and meaning, and the kernel's rows as columns.

Only whole numbers and booleans; names are joined at query time. Must stay free of how games are played.
"""

from collections.abc import Mapping
from typing import Final

import numpy as np
import numpy.typing as npt

from balance.games.contract import Column, Table
from balance.games.nefarious.vocabulary import ACTIONS, MOST_PLAYERS, ROUND_LIMIT

ROUNDS_EVERY: Final = 10
"""Every tenth game index keeps its rounds."""

_GAME: Final = Column("game", "int32", "game", "row of the game in this batch")
_SEAT: Final = Column("seat", "int8", "seat", f"seat, 0..{MOST_PLAYERS - 1}")


def _per_action(prefix: str, type_: str, meaning: str) -> tuple[Column, ...]:
    return tuple(Column(f"{prefix}_{a}", type_, "measure", meaning.format(a.capitalize())) for a in ACTIONS)


GAMES: Final = Table(
    "games",
    "one row per game",
    (
        Column("game_index", "int64", "index", "number of the game, 0..2^32-1"),
        Column("replicate", "int64", "replicate", "number of the repetition of the deal"),
        Column("rounds", "int16", "length", f"rounds played, 1..{ROUND_LIMIT}"),
        Column("winner_seat", "int8", "outcome", "seat that won; none if stalled", null=-1),
        Column("stalled", "bool", "stalled", f"nobody had won when round {ROUND_LIMIT} was scored"),
        Column(
            "rounds_after_goal", "int16", "measure", "rounds played after somebody first reached the goal"
        ),
        Column(
            "lead_changes",
            "int16",
            "measure",
            "how often the sole leader after a round was another than the last",
        ),
        Column(
            "deck_exhausted",
            "bool",
            "measure",
            "the deck ran out at least once: emptied by a draw, or too small for one",
        ),
    ),
)
SEATS: Final = Table(
    "seats",
    "one row per seat of a game",
    (
        _GAME,
        _SEAT,
        Column("policy", "int32", "policy", "number of the seat's policy"),
        Column("won", "bool", "won", "whether the seat won"),
        Column("vp", "int32", "score", "final score, bonuses included"),
        Column("money", "int32", "measure", "money at the end"),
        Column("hand", "int16", "measure", "cards in hand at the end"),
        *_per_action("minions", "int8", "minions on {} at the end"),
        *_per_action("chose", "int16", "times {} was chosen"),
        Column(
            "first_action",
            "int8",
            "measure",
            "actions of round 1 as a mask: Speculate 1, Invent 2, Research 4, Work 8",
        ),
        Column("income", "int32", "measure", "income earned in the whole game"),
        Column("built", "int16", "measure", "inventions built"),
        Column("vp_half", "int32", "measure", "score after the half-way round, half the rounds rounded up"),
        Column(
            "opening_0",
            "uint64",
            "measure",
            "cards of the opening hand as a bit mask, cards 1 to 64 of the deck",
        ),
        Column("opening_1", "uint64", "measure", "the same, cards 65 to 128 of the deck"),
        Column("drawn_0", "uint64", "measure", "cards drawn later as a bit mask, cards 1 to 64 of the deck"),
        Column("drawn_1", "uint64", "measure", "the same, cards 65 to 128 of the deck"),
    ),
)
BUILDS: Final = Table(
    "builds",
    "one row per invention built",
    (
        _GAME,
        _SEAT,
        Column("nth", "int16", "measure", "how manieth invention of the seat"),
        Column("round", "int16", "round", "round in which it was built"),
        Column("invention", "int32", "item", "id of the invention"),
        Column("paid", "int16", "measure", "what was paid"),
    ),
)
ROUNDS: Final = Table(
    "rounds",
    "one row per seat and round, for every tenth game index",
    (
        _GAME,
        Column("round", "int16", "round", "round, from 1"),
        _SEAT,
        Column("actions", "int8", "measure", "actions revealed, as a mask"),
        Column("money", "int32", "measure", "money after the round"),
        Column("vp", "int32", "score", "score after the round"),
        Column("hand", "int16", "measure", "cards in hand after the round"),
        *_per_action("minions", "int8", "minions on {} after the round"),
    ),
)
TABLES: Final = (GAMES, SEATS, BUILDS, ROUNDS)

Columns = dict[str, npt.NDArray[np.generic]]


def columns_of(table: Table, rows: npt.NDArray[np.void]) -> Columns:
    """Split the kernel's rows into the declared columns; several values in a field, several columns."""
    flat: Columns = {}
    for name in rows.dtype.names or ():
        values = rows[name]
        if values.ndim == 1:
            flat[name] = np.ascontiguousarray(values)
            continue
        suffixes = ACTIONS if values.shape[1] == len(ACTIONS) else range(values.shape[1])
        for k, suffix in enumerate(suffixes):
            flat[f"{name}_{suffix}"] = np.ascontiguousarray(values[:, k])
    return {column.name: flat[column.name] for column in table.columns}


def all_columns(rows: Mapping[str, npt.NDArray[np.void]]) -> dict[str, Columns]:
    """Return the columns of every table of a batch."""
    return {table.name: columns_of(table, rows[table.name]) for table in TABLES}
