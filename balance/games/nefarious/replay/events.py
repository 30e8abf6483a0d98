"""The event log: the kernel's words read back as events, complete and in order of execution.

The format is fixed in docs/events.md. From it and the catalog anybody can recompute every state.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from balance.games.contract import Event
from balance.games.nefarious import vocabulary as v
from balance.games.nefarious.kernel import codes as c
from balance.games.nefarious.rules import Cell
from balance.games.nefarious.session import Session, actions_of, policy_codes


def setup_event(
    session: Session, seed: int, game_index: int, replicate: int, policies: Sequence[str]
) -> Event:
    """Return the first event: what the game started from."""
    cell = session.cell
    r = cell.rules[0]
    event: Event = {
        "event": "setup",
        "game": "nefarious",
        "edition": cell.edition.id,
        "players": cell.players,
        "twists": [twist.id for twist in cell.twists],
        "seed": seed,
        "game_index": game_index,
        "policies": list(policies),
        "money": [int(m) for m in r["start_money"][: cell.players]],
        "cards": [int(n) for n in r["opening_cards"][: cell.players]],
        "deck": session.opening_deck,
    }
    if replicate:
        event["replicate"] = replicate
    return event


def read_events(cell: Cell, words: npt.NDArray[np.int32]) -> Iterator[Event]:
    """Read the kernel's log."""
    at, plain = 0, words.tolist()  # a list is read several times as fast as an array, word by word
    while at < len(plain):
        code, count = plain[at : at + 2]
        yield _READERS[code](cell, plain[at + 2 : at + 2 + count])
        at += 2 + count


def cause_word(cell: Cell, cause: int) -> str:
    """Return the cause as the log writes it."""
    if cause >= c.CAUSE_CARD:
        return f"invention:{cause - c.CAUSE_CARD}"
    if cause >= c.CAUSE_TWIST:
        return f"twist:{cell.twists[cause - c.CAUSE_TWIST].id}"
    return {c.CAUSE_SPECULATE: "speculate", c.CAUSE_RESEARCH: "research", c.CAUSE_WORK: "work"}[cause]


def _state(cell: Cell, b: list[int]) -> Event:
    seats = []
    at = 2
    for _ in range(cell.players):
        money, committed, vp = b[at : at + 3]
        minions = dict(zip(v.ACTIONS, b[at + 3 : at + 7], strict=True))
        at += 7
        hand = b[at + 1 : at + 1 + b[at]]
        at += 1 + len(hand)
        built = b[at + 1 : at + 1 + b[at]]
        at += 1 + len(built)
        seats.append(
            {
                "money": money,
                "hand": hand,
                "built": built,
                "minions": minions,
                "committed": committed or None,
                "vp": vp,
            }
        )
    return {"event": "state", "seats": seats, "deck": b[0], "discard": b[1]}


_READERS: Final[dict[int, Callable[[Cell, list[int]], Event]]] = {
    c.E_DEAL: lambda _, b: {"event": "deal", "seat": b[0], "cards": b[2:]},
    c.E_ROUND: lambda _, b: {"event": "round", "round": b[0]},
    c.E_COMMIT: lambda _, b: {"event": "commit", "seat": b[0], "card": b[1]},
    c.E_CHOOSE: lambda _, b: {"event": "choose", "seat": b[0], "actions": list(actions_of(b[1]))},
    c.E_INCOME: lambda _, b: {"event": "income", "seat": b[0], "amount": b[1]},
    c.E_PLACE: lambda cell, b: {
        "event": "place", "seat": b[0], "zone": v.ACTIONS[b[1]], "paid": b[2],
        "cause": cause_word(cell, b[3]),
    },
    c.E_REMOVE: lambda cell, b: {
        "event": "remove", "seat": b[0], "zone": v.ACTIONS[b[1]], "cause": cause_word(cell, b[2]),
    },
    c.E_REVEAL: lambda _, b: {
        "event": "reveal", "seat": b[0], "card": b[1], "outcome": c.OUTCOMES[b[2]], "paid": b[3],
    },
    c.E_DRAW: lambda cell, b: {
        "event": "draw", "seat": b[0], "cards": b[2:], "cause": cause_word(cell, b[1]),
    },
    c.E_DISCARD: lambda cell, b: {
        "event": "discard", "seat": b[0], "cards": b[2:], "cause": cause_word(cell, b[1]),
    },
    c.E_MONEY: lambda cell, b: {
        "event": "money", "seat": b[0], "amount": b[1], "cause": cause_word(cell, b[2]),
    },
    c.E_SHUFFLE: lambda _, b: {"event": "shuffle", "cards": b[2:], "under": bool(b[0])},
    c.E_NO_MORE_DRAWS: lambda _, __: {"event": "no_more_draws"},
    c.E_STATE: _state,
    c.E_END: lambda _, b: {
        "event": "end", "winner": b[0] if b[0] >= 0 else None, "rounds": b[1], "stalled": bool(b[2]),
    },
}  # fmt: skip
"""By the code of an event: what makes it of the words that follow."""


def replay(
    cell: Cell, seed: int, game_index: int, policies: Sequence[str], replicate: int = 0
) -> list[Event]:
    """Play one game with its log on."""
    session = Session(cell, seed, game_index, replicate, log=True)
    session.play_on(policy_codes(policies))
    return [
        setup_event(session, seed, game_index, replicate, policies),
        *read_events(cell, session.words()),
    ]
