"""Following a game by its event log alone: who has what, after every event.

Needs no rules, only arithmetic: an event says what moved. From it come the laws (what the log may never
show), the rows that a game leaves in the tables, and the running totals of the transcript.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from balance.games.nefarious import vocabulary as v
from balance.games.nefarious.catalog.model import Invention
from balance.games.nefarious.rules import Cell
from balance.games.nefarious.vocabulary import ACTIONS, ROUND_LIMIT

Event = dict[str, Any]


@dataclass
class Seat:
    """What one player has."""

    money: int
    hand: list[int] = field(default_factory=list)
    built: list[int] = field(default_factory=list)
    minions: dict[str, int] = field(default_factory=lambda: dict.fromkeys(ACTIONS, 0))
    committed: int | None = None
    vp: int = 0
    built_now: int = 0
    """Inventions built this round."""

    def logged(self) -> Event:
        """Return the seat as the `state` event gives it."""
        return {
            "money": self.money,
            "hand": sorted(self.hand),
            "built": list(self.built),
            "minions": dict(self.minions),
            "committed": self.committed,
            "vp": self.vp,
        }


class Ledger:
    """The table as the events so far leave it; `problems` collects what contradicts the laws of the game."""

    def __init__(self, cell: Cell, setup: Event) -> None:
        self.cell = cell
        self.deck: list[int] = list(setup["deck"])
        self.discard: list[int] = []
        self.seats = [Seat(money) for money in setup["money"]]
        self.actions: list[list[str]] = [[] for _ in self.seats]
        self.earlier: list[list[list[str]]] = [[] for _ in self.seats]
        self.round = 0
        self.closed = False
        self.problems: list[str] = []
        self._cards = sorted(card.id for card in cell.cards)

    def follow(self, event: Event) -> None:
        """Take one event in."""
        getattr(self, f"_on_{event['event']}", self._nothing)(event)
        for number, seat in enumerate(self.seats):
            if seat.money < 0:
                self._wrong(f"seat {number} has {seat.money} money after {event}")

    def _wrong(self, message: str) -> None:
        self.problems.append(f"round {self.round}: {message}")

    def _nothing(self, event: Event) -> None:
        """Take in an event that moves nothing."""

    def _on_deal(self, event: Event) -> None:
        self._take_from_deck(event)

    def _on_draw(self, event: Event) -> None:
        if self.closed:
            self._wrong(f"a card is drawn after the deck was closed: {event}")
        self._take_from_deck(event)

    def _take_from_deck(self, event: Event) -> None:
        count = len(event["cards"])
        if self.deck[:count] != event["cards"]:
            self._wrong(f"not the top of the deck: {event}")
        del self.deck[:count]
        self.seats[event["seat"]].hand += event["cards"]

    def _on_round(self, event: Event) -> None:
        self.round = event["round"]
        self.actions = [[] for _ in self.seats]
        for seat in self.seats:
            seat.built_now = 0

    def _on_commit(self, event: Event) -> None:
        seat = self.seats[event["seat"]]
        if event["card"] not in seat.hand or seat.committed is not None:
            self._wrong(f"cannot be committed: {event}")
        seat.committed = event["card"]

    def _on_choose(self, event: Event) -> None:
        number, actions = event["seat"], event["actions"]
        rules = self.cell.rules[0]
        recent = [
            a for past in self.earlier[number][len(self.earlier[number]) - int(rules["rest"]) :] for a in past
        ]
        if int(rules["rest"]) == 0:
            recent = []
        for action in actions:
            if action in recent or int(rules["barred"]) >> ACTIONS.index(action) & 1:
                self._wrong(f"a barred action is chosen: {event}")
        if len(actions) > int(rules["actions"]) or len(set(actions)) != len(actions):
            self._wrong(f"too many actions, or one twice: {event}")
        self.actions[number] = actions
        self.earlier[number].append(actions)

    def _on_income(self, event: Event) -> None:
        self.seats[event["seat"]].money += event["amount"]

    _on_money = _on_income

    def _on_place(self, event: Event) -> None:
        seat = self.seats[event["seat"]]
        seat.money -= event["paid"]
        seat.minions[event["zone"]] += 1
        if sum(seat.minions.values()) > int(self.cell.rules[0]["minions"]):
            self._wrong(f"more minions than the player owns: {event}")

    def _on_remove(self, event: Event) -> None:
        seat = self.seats[event["seat"]]
        seat.minions[event["zone"]] -= 1
        if seat.minions[event["zone"]] < 0:
            self._wrong(f"no minion is there: {event}")

    def _on_reveal(self, event: Event) -> None:
        seat = self.seats[event["seat"]]
        card = event["card"]
        if card not in seat.hand or seat.committed not in (None, card):
            self._wrong(f"cannot be revealed: {event}")
            return
        if event["outcome"] == "built":
            seat.hand.remove(card)
            seat.built.append(card)
            seat.built_now += 1
            seat.committed = None
            seat.money -= event["paid"]

    def _on_discard(self, event: Event) -> None:
        seat = self.seats[event["seat"]]
        for card in event["cards"]:
            if card not in seat.hand or card == seat.committed:
                self._wrong(f"cannot be discarded: {event}")
                return
            seat.hand.remove(card)
            self.discard.append(card)

    def _on_shuffle(self, event: Event) -> None:
        if sorted(self.discard) != sorted(event["cards"]) or (self.deck and not event["under"]):
            self._wrong(f"not the discard pile, or a deck is left: {event}")
        self.deck += event["cards"]
        self.discard = []

    def _on_no_more_draws(self, _event: Event) -> None:
        self.closed = True

    def _on_state(self, event: Event) -> None:
        for number, (seat, event_seat) in enumerate(zip(self.seats, event["seats"], strict=True)):
            seat.vp = self.score(number)
            if seat.logged() != {**event_seat, "hand": sorted(event_seat["hand"])}:
                self._wrong(f"seat {number} is logged with {event_seat}, but has {seat.logged()}")
        if (event["deck"], event["discard"]) != (len(self.deck), len(self.discard)):
            self._wrong(
                f"deck and discard pile have {len(self.deck)} and {len(self.discard)} cards, "
                f"logged {event['deck']} and {event['discard']}"
            )
        everywhere = (
            self.deck + self.discard + [card for seat in self.seats for card in seat.hand + seat.built]
        )
        if sorted(everywhere) != self._cards:
            self._wrong("a card is missing or in two places")

    def _on_end(self, event: Event) -> None:
        leader = self.sole_leader()
        won = leader is not None and self.seats[leader].vp >= int(self.cell.rules[0]["goal"])
        if event["winner"] != (leader if won else None) or event["rounds"] != self.round:
            self._wrong(f"the scores {[seat.vp for seat in self.seats]} do not make this end: {event}")
        if event["stalled"] != (not won) or (event["stalled"] and self.round != ROUND_LIMIT):
            self._wrong(f"wrongly stalled, or not: {event}")

    def sole_leader(self) -> int | None:
        """Return the seat that alone has the highest score, if there is one."""
        scores = [seat.vp for seat in self.seats]
        return scores.index(max(scores)) if scores.count(max(scores)) == 1 else None

    def score(self, number: int) -> int:
        """Return the score of a seat, from scratch: VP of built cards plus the bonuses that hold now."""
        held = [self._held(seat) for seat in self.seats]
        total = held[number]["vp"]
        for twist in self.cell.twists:
            for line in twist.lines:
                if line.when == "score" and (not line.editions or self.cell.edition.id in line.editions):
                    total += bonus(line, number, held, self.actions)
        return total

    def _held(self, seat: Seat) -> dict[str, int]:
        by_id = {card.id: card for card in self.cell.cards}
        return {
            "money": seat.money,
            "hand": len(seat.hand),
            "built": len(seat.built),
            "built_now": seat.built_now,
            "minions": sum(seat.minions.values()),
            "reserve": int(self.cell.rules[0]["minions"]) - sum(seat.minions.values()),
            "committed": int(seat.committed is not None),
            "vp": sum(_worth(by_id[card], len(seat.built)) for card in seat.built),
            "round": self.round,
        }


def _worth(card: Invention, built: int) -> int:
    return card.vp + card.vp_per_built * built


_Held = Sequence[Mapping[str, int]]
_Actions = Sequence[Sequence[str]]


def bonus(line: v.Line, seat: int, held: _Held, played: _Actions) -> int:
    """Return what a line at the moment score is worth to a seat, where the players hold this much."""
    for condition in line.conditions:
        if (_count(condition, condition.whose, seat, held, played) > 0) == condition.nobody:
            return 0
    effect, own = line.effect, held[seat]
    if effect.per in v.WHOSE:
        per = _count(effect.test, effect.per, seat, held, played)
    else:
        per = {
            None: 1,
            "hand": own["hand"],
            "minion": own["minions"],
            "built": own["built"],
            "money/N": own["money"] // effect.per_n,
            "money%N": own["money"] % effect.per_n,
        }[effect.per]
    amount = effect.amount * per
    return amount if effect.op == "+" else -amount


def _count(test: v.Condition | None, whose: str, seat: int, held: _Held, played: _Actions) -> int:
    """Count the players, of those that are meant, for whom a test holds."""
    players = range(len(held))
    meant = {
        "": {seat},
        "neighbour": {(seat + 1) % len(held), (seat - 1) % len(held)},
        "other": set(players) - {seat},
        "player": set(players),
    }[whose]
    return sum(test is None or _holds(test, seat, who, held, played) for who in meant)


def _holds(test: v.Condition, seat: int, who: int, held: _Held, played: _Actions) -> bool:
    if test.left == "played":
        return (test.right in played[who]) == (test.op == "==")
    left = held[who].get(test.left, 0)
    if test.op in v.EXTREMES:
        ahead = [(left - other[test.left]) * (1 if test.op.endswith("most") else -1) for other in held]
        ranked = min(ahead) >= 0 and (not test.op.startswith("sole") or ahead.count(0) == 1)
        return ranked != test.negated
    right = test.right if isinstance(test.right, int) else held[seat if test.mine else who].get(test.right, 0)
    return {
        "==": left == right,
        "!=": left != right,
        "<=": left <= right,
        ">=": left >= right,
        "<": left < right,
        ">": left > right,
    }[test.op]


def broken_laws(cell: Cell, events: Sequence[Event]) -> list[str]:
    """Return what in a complete log contradicts the laws of the game; empty if nothing does."""
    ledger = Ledger(cell, events[0])
    problems: list[str] = []
    finished_early = False
    for event in events[1:]:
        if finished_early and event["event"] == "round":
            problems.append(
                f"round {ledger.round}: the game goes on although a sole leader has reached the goal"
            )
        ledger.follow(event)
        if event["event"] == "state":
            leader = ledger.sole_leader()
            finished_early = leader is not None and ledger.seats[leader].vp >= int(cell.rules[0]["goal"])
    if events[-1]["event"] != "end":
        problems.append("the log has no end")
    return problems + ledger.problems
