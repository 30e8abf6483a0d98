"""The tables that Nefarious writes: every column with its type, role and meaning. The kernel's rows follow.

Only whole numbers and booleans; names are joined at query time. Must stay free of how games are played.
"""

from typing import Final

from balance.games.compiled.layout import Layout, Several
from balance.games.facts import Column
from balance.games.nefarious.vocabulary import ACTIONS, MOST_PLAYERS, ROUND_LIMIT

_GAME: Final = Column("game", "int32", "game", meaning="row of the game in this batch")
_SEAT: Final = Column("seat", "int8", "seat", meaning=f"seat, 0..{MOST_PLAYERS - 1}")


def _per_action(name: str, type_: str, meaning: str) -> Several:
    columns = [
        Column(f"{name}_{a}", type_, "measure", meaning=meaning.format(a.capitalize())) for a in ACTIONS
    ]
    return Several(name, tuple(columns))


def _mask(name: str, meaning: str) -> Several:
    """Return a set of cards as a bit mask of two numbers."""
    first = Column(
        f"{name}_0", "uint64", "measure", meaning=f"{meaning} as a bit mask, cards 1 to 64 of the deck"
    )
    return Several(
        name,
        (first, Column(f"{name}_1", "uint64", "measure", meaning="the same, cards 65 to 128 of the deck")),
    )


GAMES: Final = Layout(
    "games",
    meaning="one row per game",
    fields=(
        Column("game_index", "int64", "index", meaning="number of the game, 0..2^32-1"),
        Column("replicate", "int64", "replicate", meaning="number of the repetition of the deal"),
        Column("rounds", "int16", "length", meaning=f"rounds played, 1..{ROUND_LIMIT}"),
        Column("winner_seat", "int8", "outcome", meaning="seat that won; none if stalled", null=-1),
        Column("stalled", "bool", "stalled", meaning=f"nobody had won when round {ROUND_LIMIT} was scored"),
        Column(
            "rounds_after_goal",
            "int16",
            "measure",
            meaning="rounds played after somebody first reached the goal",
        ),
        Column(
            "lead_changes",
            "int16",
            "measure",
            meaning="how often the sole leader after a round was another than the last",
        ),
        Column(
            "deck_exhausted",
            "bool",
            "measure",
            meaning="the deck ran out at least once: emptied by a draw, or too small for one",
        ),
    ),
)
SEATS: Final = Layout(
    "seats",
    meaning="one row per seat of a game",
    fields=(
        _GAME,
        _SEAT,
        Column("policy", "int32", "policy", meaning="number of the seat's policy"),
        Column("won", "bool", "won", meaning="whether the seat won"),
        Column("vp", "int32", "score", meaning="final score, bonuses included"),
        Column("money", "int32", "measure", meaning="money at the end"),
        Column("hand", "int16", "measure", meaning="cards in hand at the end"),
        _per_action("minions", "int8", meaning="minions on {} at the end"),
        _per_action("chose", "int16", meaning="times {} was chosen"),
        Column(
            "first_action",
            "int8",
            "measure",
            meaning="actions of round 1 as a mask: Speculate 1, Invent 2, Research 4, Work 8",
        ),
        Column("income", "int32", "measure", meaning="income earned in the whole game"),
        Column("built", "int16", "measure", meaning="inventions built"),
        Column(
            "vp_half",
            "int32",
            "measure",
            meaning="score after the half-way round, half the rounds rounded up",
        ),
        _mask("opening", meaning="cards of the opening hand"),
        _mask("drawn", meaning="cards drawn later"),
    ),
)
BUILDS: Final = Layout(
    "builds",
    meaning="one row per invention built",
    fields=(
        _GAME,
        _SEAT,
        Column("nth", "int16", "measure", meaning="1 for the seat's first invention, 2 for its second"),
        Column("round", "int16", "round", meaning="round in which it was built"),
        Column("invention", "int32", "item", meaning="id of the invention"),
        Column("paid", "int16", "measure", meaning="what was paid"),
    ),
)
ROUNDS: Final = Layout(
    "rounds",
    meaning="one row per seat and round, for every tenth game index",
    fields=(
        _GAME,
        Column("round", "int16", "round", meaning="round, from 1"),
        _SEAT,
        Column("actions", "int8", "measure", meaning="actions revealed, as a mask"),
        Column("money", "int32", "measure", meaning="money after the round"),
        Column("vp", "int32", "score", meaning="score after the round"),
        Column("hand", "int16", "measure", meaning="cards in hand after the round"),
        _per_action("minions", "int8", meaning="minions on {} after the round"),
    ),
)
LAYOUTS: Final = (GAMES, SEATS, BUILDS, ROUNDS)
TABLES: Final = tuple(layout.table for layout in LAYOUTS)
