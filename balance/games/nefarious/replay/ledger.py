"""Following a game by its event log alone: who has what, after every event.

Needs no rules, only arithmetic: an event says what moved. From it come the rows that a game leaves in the
tables, and the running totals of the transcript.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from balance.games.contract import Event
from balance.games.nefarious import vocabulary as v
from balance.games.nefarious.catalog.model import Invention
from balance.games.nefarious.catalog.phrases import COMPARE
from balance.games.nefarious.rules import Cell
from balance.games.nefarious.vocabulary import ACTIONS


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


class Ledger:
    """The table as the events so far leave it."""

    def __init__(self, cell: Cell, setup: Event) -> None:
        self.cell = cell
        self.deck: list[int] = list(setup["deck"])
        self.discard: list[int] = []
        self.seats = [Seat(money) for money in setup["money"]]
        self.actions: list[list[str]] = [[] for _ in self.seats]
        self.round = 0

    def follow(self, event: Event) -> None:
        """Take one event in."""
        seat = self.seats[event.get("seat", 0)]
        match event["event"]:
            case "deal" | "draw":
                del self.deck[: len(event["cards"])]
                seat.hand += event["cards"]
            case "round":
                self.round = event["round"]
                self.actions = [[] for _ in self.seats]
                for one in self.seats:
                    one.built_now = 0
            case "commit":
                seat.committed = event["card"]
            case "choose":
                self.actions[event["seat"]] = event["actions"]
            case "income" | "money":
                seat.money += event["amount"]
            case "place":
                seat.money -= event["paid"]
                seat.minions[event["zone"]] += 1
            case "remove":
                seat.minions[event["zone"]] -= 1
            case "reveal" if event["outcome"] == "built":
                seat.hand.remove(event["card"])
                seat.built.append(event["card"])
                seat.built_now += 1
                seat.committed = None
                seat.money -= event["paid"]
            case "discard":
                for card in event["cards"]:
                    seat.hand.remove(card)
                self.discard += event["cards"]
            case "shuffle":
                self.deck += event["cards"]
                self.discard = []
            case "state":
                for number, one in enumerate(self.seats):
                    one.vp = self.score(number)

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
    return COMPARE[test.op](left, right)
