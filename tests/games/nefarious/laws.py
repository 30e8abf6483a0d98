"""The laws of Nefarious: what a log of events may never show. Follows the log without playing."""

from collections.abc import Iterator, Sequence
from typing import Any

from balance.games.nefarious.replay.ledger import Ledger, Seat
from balance.games.nefarious.rules import Cell
from balance.games.nefarious.vocabulary import ACTIONS, ROUND_LIMIT

Event = dict[str, Any]


def broken_laws(cell: Cell, events: Sequence[Event]) -> list[str]:
    """Return what in a complete log contradicts the laws of the game; empty if nothing does."""
    watched = _Watched(cell, events[0])
    found = []
    for event in events[1:]:
        found += [f"round {watched.round}: {problem}" for problem in watched.before(event)]
        try:
            watched.follow(event)
        except ValueError:
            break  # a card that is not there: told by `before`
        found += [f"round {watched.round}: {problem}" for problem in watched.after(event)]
    if events[-1]["event"] != "end":
        found.append("the log has no end")
    return found


class _Watched(Ledger):
    """A ledger with a memory of what laws are about."""

    def __init__(self, cell: Cell, setup: Event) -> None:
        super().__init__(cell, setup)
        self._earlier: list[list[list[str]]] = [[] for _ in self.seats]
        self._closed = self._won = False

    def before(self, event: Event) -> Iterator[str]:
        """Yield what may not happen at the table as it is."""
        seat, cards = self.seats[event.get("seat", 0)], event.get("cards", [])
        match event["event"]:
            case "deal" | "draw":
                if self._closed:
                    yield f"a card is drawn after the deck was closed: {event}"
                if self.deck[: len(cards)] != cards:
                    yield f"not the top of the deck: {event}"
            case "round" if self._won:
                yield "the game goes on although a sole leader has reached the goal"
            case "commit" if event["card"] not in seat.hand or seat.committed is not None:
                yield f"cannot be committed: {event}"
            case "choose":
                yield from self._choice(event)
            case "reveal" if event["card"] not in seat.hand or seat.committed not in (None, event["card"]):
                yield f"cannot be revealed: {event}"
            case "discard" if not set(cards) <= set(seat.hand) - {seat.committed}:
                yield f"cannot be discarded: {event}"
            case "shuffle" if sorted(self.discard) != sorted(cards) or (self.deck and not event["under"]):
                yield f"not the discard pile, or a deck is left: {event}"
            case "no_more_draws":
                self._closed = True

    def _choice(self, event: Event) -> Iterator[str]:
        number, actions, rules = event["seat"], event["actions"], self.cell.rules[0]
        rest = int(rules["rest"])
        recent = {action for past in (self._earlier[number][-rest:] if rest else ()) for action in past}
        if any(action in recent or int(rules["barred"]) >> ACTIONS.index(action) & 1 for action in actions):
            yield f"a barred action is chosen: {event}"
        if len(actions) > int(rules["actions"]) or len(set(actions)) != len(actions):
            yield f"too many actions, or one twice: {event}"
        self._earlier[number].append(actions)

    def after(self, event: Event) -> Iterator[str]:
        """Yield what may not be at the table."""
        for number, seat in enumerate(self.seats):
            if seat.money < 0:
                yield f"seat {number} has {seat.money} money after {event}"
            if sum(seat.minions.values()) > int(self.cell.rules[0]["minions"]):
                yield f"more minions than the player owns: {event}"
            if min(seat.minions.values()) < 0:
                yield f"no minion is there: {event}"
        leader = self.sole_leader()
        if event["event"] == "state":
            self._won = leader is not None and self.seats[leader].vp >= int(self.cell.rules[0]["goal"])
            yield from self._state(event)
        if event["event"] == "end":
            if event["winner"] != (leader if self._won else None) or event["rounds"] != self.round:
                yield f"the scores {[seat.vp for seat in self.seats]} do not make this end: {event}"
            if event["stalled"] != (not self._won) or (event["stalled"] and self.round != ROUND_LIMIT):
                yield f"wrongly stalled, or not: {event}"

    def _state(self, event: Event) -> Iterator[str]:
        for number, (seat, logged) in enumerate(zip(self.seats, event["seats"], strict=True)):
            if _logged(seat) != {**logged, "hand": sorted(logged["hand"])}:
                yield f"seat {number} is logged with {logged}, but has {_logged(seat)}"
        counted = (len(self.deck), len(self.discard))
        if (event["deck"], event["discard"]) != counted:
            yield f"deck and discard pile have {counted}, logged {event['deck']} and {event['discard']}"
        held = [card for seat in self.seats for card in seat.hand + seat.built]
        if sorted(self.deck + self.discard + held) != sorted(card.id for card in self.cell.cards):
            yield "a card is missing or in two places"


def _logged(seat: Seat) -> Event:
    """Return a seat as the `state` event gives it."""
    return {
        "money": seat.money,
        "hand": sorted(seat.hand),
        "built": seat.built,
        "minions": seat.minions,
        "committed": seat.committed,
        "vp": seat.vp,
    }
