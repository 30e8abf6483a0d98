"""A table in one line, and one round of it played by the kernel: `round_of(Seat("W", on="SSW"), Seat("S"))`.

The table is written in the text notation of a state and read back, so what a test sets up is what a bug
report could say.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from balance.games.nefarious.catalog.loading import load_catalog
from balance.games.nefarious.catalog.model import Catalog
from balance.games.nefarious.replay import notation
from balance.games.nefarious.replay.events import read_events
from balance.games.nefarious.rules import compile_cell
from balance.games.nefarious.session import Question, Session
from balance.games.nefarious.vocabulary import ACTIONS

ASCORA, MAGELLAN, MOSIGRA = EDITIONS = ("ascora-2011", "magellan-2014", "mosigra-2020")
CATALOG = load_catalog()
LETTERS = {action[0].upper(): action for action in ACTIONS}

Event = dict[str, Any]
Says = Mapping[int, Sequence[Any]]


def card(name: str) -> int:
    """The id of an invention."""
    return CATALOG.invention(name).id


@dataclass
class Seat:
    """What a seat has, and the actions it plays: `Seat("I", money=3, on="SSW", hand=["Nanobots"])`."""

    plays: str = "W"
    money: int = 10
    on: str = ""
    """One letter of Speculate, Invent, Research, Work per minion on a zone."""
    hand: Sequence[str | int] = ()
    built: Sequence[str | int] = ()
    committed: str | int | None = None
    before: str = ""
    """Letters of the actions of the last round."""


def _ids(cards: Sequence[str | int]) -> list[int]:
    return [card(c) if isinstance(c, str) else c for c in cards]


def _listed(values: Sequence[object]) -> str:
    return ",".join(map(str, values)) or "-"


def table(
    *seats: Seat,
    twists: Sequence[str] = (),
    edition: str = ASCORA,
    deck: Sequence[str | int] | None = None,
    pile: Sequence[str | int] = (),
    after: int = 0,
    catalog: Catalog | None = None,
) -> Session:
    """A game between two rounds.

    The deck holds all other cards in the order of their ids; if it is given, the game has no other cards than
    those named. `catalog` is the official one unless told.
    """
    catalog = CATALOG if catalog is None else catalog
    held = [c for seat in seats for c in (*_ids(seat.hand), *_ids(seat.built))] + _ids(pile)
    order = [c.id for c in catalog.inventions if c.id not in held] if deck is None else _ids(deck)
    named = tuple(c for c in catalog.inventions if c.id in {*held, *order})
    cell = compile_cell(replace(catalog, inventions=named), edition, len(seats), twists)
    lines = [
        f"nefarious 1 edition={edition} players={len(seats)} twists={_listed(twists)}",
        "game seed=1 index=0 replicate=0",
        f"after round={after} shuffles=1 exhausted=no closed=no outcome=open",
        f"deck {_listed(order)}",
        f"discard {_listed(_ids(pile))}",
        *(_seat_line(number, seat) for number, seat in enumerate(seats)),
    ]
    return notation.read(cell, "\n".join(lines), log=True)


def _seat_line(number: int, seat: Seat) -> str:
    committed = "-" if seat.committed is None else _ids([seat.committed])[0]
    last = "+".join(LETTERS[letter] for letter in seat.before) or "-"
    minions = _listed([seat.on.count(letter) for letter in LETTERS])
    return (
        f"seat {number} money={seat.money} income=0 vp=0 hand={_listed(_ids(seat.hand))} "
        f"committed={committed} built={_listed(_ids(seat.built))} minions={minions} "
        f"chose=0,0,0,0 last={last},-,- drawn=-"
    )


@dataclass
class Round:
    """What happened in a round."""

    session: Session
    events: list[Event]
    asked: list[Question] = field(default_factory=list)
    over: bool = False

    @property
    def state(self) -> Event:
        """The `state` event: how the round ended."""
        return next(event for event in self.events if event["event"] == "state")

    def of(self, name: str) -> list[Any]:
        """One thing of every seat at the end: `of("money")`, `of("vp")`, `of("hand")`."""
        return [seat[name] for seat in self.state["seats"]]

    @property
    def money(self) -> list[int]:
        """Everybody's money at the end of the round."""
        return self.of("money")

    def on(self, seat: int) -> str:
        """A seat's minions at the end, as letters in zone order: `SSW`."""
        minions = self.of("minions")[seat]
        return "".join(letter * minions[LETTERS[letter]] for letter in LETTERS)

    @property
    def income(self) -> list[int]:
        """What everybody's minions earned."""
        return self._sums("income", None)

    def moved(self, cause: str) -> list[int]:
        """The money that everybody gained (or lost) for a cause: `work`, `twist:grants`."""
        return self._sums("money", cause)

    def _sums(self, kind: str, cause: str | None) -> list[int]:
        return [
            sum(
                event["amount"]
                for event in self.events
                if event["event"] == kind and event["seat"] == seat and event.get("cause") == cause
            )
            for seat in range(self.session.cell.players)
        ]

    def told(self, seat: int | None = None, cause: str | None = None) -> list[str]:
        """The log in short, `+4`, `draw 2`, `place W`, `built`: of one seat or all, for one cause or any."""
        return [
            short(event)
            for event in self.events
            if short(event)
            and (seat is None or event.get("seat") == seat)
            and (cause is None or event.get("cause") == cause)
        ]


def short(event: Event) -> str:
    """An event in one or two words; empty for those that only frame a round."""
    match event["event"]:
        case "money" | "income":
            return f"{event['amount']:+d}"
        case "draw" | "discard":
            return f"{event['event']} {len(event['cards'])}"
        case "place" | "remove":
            return f"{event['event']} {event['zone'][0].upper()}"
        case "reveal":
            return str(event["outcome"])
        case "shuffle" | "no_more_draws" | "commit":
            return str(event["event"])
    return ""


def play_round(session: Session, plays: Sequence[str], says: Mapping[str, Says] | None = None) -> Round:
    """Play one round: `plays` has the letters of everybody's actions, `says` answers by kind and seat.

    What is not said is answered with the first option.
    """
    left = {(kind, seat): list(of) for kind, by in (says or {}).items() for seat, of in by.items()}
    asked: list[Question] = []
    begun = int(session.log[0]["at"])
    while (question := session.advance_round()) is not None:
        asked.append(question)
        session.answer(_answer(question, plays, left))
    assert not any(left.values()), f"said but never asked: {left}"
    events = list(read_events(session.cell, session.words()[begun:]))
    return Round(session, events, asked, session.over)


def _answer(question: Question, plays: Sequence[str], left: dict[tuple[str, int], list[Any]]) -> Any:
    if question.kind == "choose":
        return tuple(action for letter, action in LETTERS.items() if letter in plays[question.seat])
    said = left.get((question.kind, question.seat))
    if not said:
        return question.options[0]
    answer = said.pop(0)
    if question.kind in ("place", "remove"):
        return LETTERS[answer]
    return _ids([answer])[0]


def round_of(*seats: Seat, **given: Any) -> Round:
    """Set a table and play one round. Answers are given by kind and seat: `build={0: ["Nanobots"]}`."""
    says = {
        kind: given.pop(kind) for kind in ("place", "build", "discard", "remove", "commit") if kind in given
    }
    return play_round(table(*seats, **given), [seat.plays for seat in seats], says)
