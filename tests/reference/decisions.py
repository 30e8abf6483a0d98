"""Where decisions and shuffles come from: uniform random play, or the log of a game that was played.

Zones and actions are numbers 0..3 here, in the order of the rules page. A source is asked only when there
is at least one option, and also when there is exactly one. Must stay out of here: any rule of the game.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

from balance.games.nefarious.vocabulary import ACTIONS
from tests.reference.cell import ZONE_OF

Event = dict[str, Any]


class Decisions(ABC):
    """One method per kind of decision (docs/games/nefarious.md, section 7), and the shuffles."""

    def start(self, log: list[Event] | None) -> list[Event] | None:
        """Told as the game begins: the list that the engine logs into, if any. Answers the one to use."""
        return log

    def about(self) -> Event:
        """What the `setup` event says of the source: seed, game_index, policies."""
        return {"seed": None, "game_index": None, "policies": None}

    @abstractmethod
    def begin_round(self, number: int) -> None:
        """Told as a round begins."""

    @abstractmethod
    def shuffle(self, cards: list[int]) -> list[int]:
        """The cards in draw order, the first one on top."""

    @abstractmethod
    def choose(self, seat: int, options: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
        """One of the sets of actions."""

    @abstractmethod
    def place(self, seat: int, zones: Sequence[int]) -> int | None:
        """A zone. None, only from a log: no placement is seen there (see `speculate` of the engine)."""

    @abstractmethod
    def build(self, seat: int, cards: Sequence[int], affordable: Sequence[int]) -> int:
        """The card to reveal, any of `cards`; `affordable` are those that can be paid now."""

    @abstractmethod
    def discard(self, seat: int, cards: Sequence[int]) -> int:
        """A card to discard."""

    @abstractmethod
    def remove(self, seat: int, zones: Sequence[int]) -> int:
        """The zone to take a minion from; a zone is listed once for each minion on it."""

    @abstractmethod
    def commit(self, seat: int, cards: Sequence[int]) -> int:
        """A card to commit."""


_MASK = (1 << 64) - 1
_CHOOSE, _PLACE, _BUILD, _DISCARD, _REMOVE, _COMMIT = range(6)


def mix(x: int) -> int:
    """The mixing step of splitmix64.

    >>> hex(mix(0))
    '0xe220a8397b1dcdaf'
    """
    x = (x + 0x9E3779B97F4A7C15) & _MASK
    x = ((x ^ x >> 30) * 0xBF58476D1CE4E5B9) & _MASK
    x = ((x ^ x >> 27) * 0x94D049BB133111EB) & _MASK
    return x ^ x >> 31


def keyed_hash(*key: int) -> int:
    """H of the specification: the key's numbers mixed in, one after the other."""
    h = 0
    for value in key:
        h = mix(h ^ value)
    return h


class RandomPlay(Decisions):
    """Uniform over the options; every draw is a hash of what it is for, so games meet again."""

    def __init__(self, seed: int, players: int, game_index: int, replicate: int = 0) -> None:
        self.seed, self.players, self.game_index = seed, players, game_index
        self._shuffles = 0
        self._deck_key = keyed_hash(seed, players, game_index, 1)
        policy_key = keyed_hash(seed, players, game_index, 2, replicate)
        # The key is hashed from the left, so what does not change is hashed once.
        self._seat_keys = [mix(policy_key ^ seat) for seat in range(players)]
        self._round = 0
        self._numbers = [0] * (6 * players)

    def about(self) -> Event:
        return {"seed": self.seed, "game_index": self.game_index, "policies": ["random"] * self.players}

    def begin_round(self, number: int) -> None:
        self._round = number << 24
        self._numbers = [0] * (6 * self.players)

    def shuffle(self, cards: list[int]) -> list[int]:
        key = mix(self._deck_key ^ self._shuffles)
        self._shuffles += 1
        return sorted(cards, key=lambda card: (mix(key ^ card) >> 7, card))

    def _index(self, seat: int, kind: int, options: int) -> int:
        slot = 6 * seat + kind
        number = self._numbers[slot]
        self._numbers[slot] = number + 1
        return ((mix(self._seat_keys[seat] ^ (self._round | kind << 16 | number)) >> 32) * options) >> 32

    def choose(self, seat: int, options: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
        return options[self._index(seat, _CHOOSE, len(options))]

    def place(self, seat: int, zones: Sequence[int]) -> int:
        return zones[self._index(seat, _PLACE, len(zones))]

    def build(self, seat: int, cards: Sequence[int], affordable: Sequence[int]) -> int:
        options = affordable or cards
        return options[self._index(seat, _BUILD, len(options))]

    def discard(self, seat: int, cards: Sequence[int]) -> int:
        return cards[self._index(seat, _DISCARD, len(cards))]

    def remove(self, seat: int, zones: Sequence[int]) -> int:
        return zones[self._index(seat, _REMOVE, len(zones))]

    def commit(self, seat: int, cards: Sequence[int]) -> int:
        return cards[self._index(seat, _COMMIT, len(cards))]


class LogError(ValueError):
    """A log does what the rules forbid, or lacks a decision; the message names round and event."""


class LogDriven(Decisions):
    """Takes every decision and shuffle out of an event log.

    A decision is found by counting: if the engine has logged k events of that kind for that seat in this
    round, the decision is the log's event number k. So it does not matter that decisions are taken before
    anything is executed, nor that some events of the kind were no decision.
    """

    def __init__(self, events: Sequence[Event]) -> None:
        self._setup: Event = next((e for e in events if e.get("event") == "setup"), {})
        self._shuffles: list[tuple[int, Event]] = []
        self._told: dict[tuple[int, str, int], list[tuple[int, Event]]] = {}
        number = 0
        for index, event in enumerate(events):
            kind = event.get("event")
            if kind == "round":
                number = event["round"]
            elif kind == "shuffle":
                self._shuffles.append((index, event))
            elif kind in ("choose", "place", "reveal", "discard", "remove", "commit"):
                self._told.setdefault((number, kind, event["seat"]), []).append((index, event))
        self._round = 0
        self._shuffled = -1  # shuffle 0 is the deck of the set-up
        self._log: list[Event] = []
        self._read = 0
        self._seen: dict[tuple[str, int], int] = {}

    def start(self, log: list[Event] | None) -> list[Event]:
        self._log = [] if log is None else log
        self._read = len(self._log)
        return self._log

    def about(self) -> Event:
        return {key: self._setup.get(key) for key in ("seed", "game_index", "policies")}

    def begin_round(self, number: int) -> None:
        self._round = number
        self._read = len(self._log)
        self._seen = {}

    def shuffle(self, cards: list[int]) -> list[int]:
        self._shuffled += 1
        if self._shuffled == 0:
            where, order = "setup", self._setup.get("deck", [])
        elif self._shuffled <= len(self._shuffles):
            index, event = self._shuffles[self._shuffled - 1]
            where, order = f"round {self._round}, event {index} {event}", event["cards"]
        else:
            raise LogError(
                f"round {self._round}: the cards {sorted(cards)} are to be shuffled, the log lacks that"
            )
        if sorted(order) != sorted(cards):
            raise LogError(f"{where}: these are not the cards to be shuffled, which are {sorted(cards)}")
        return list(order)

    def _event(self, seat: int, kind: str) -> tuple[int, Event] | None:
        """The log's event for the decision that the seat takes now, with its place in the log."""
        for event in self._log[self._read :]:
            if "seat" in event:
                key = (event["event"], event["seat"])
                self._seen[key] = self._seen.get(key, 0) + 1
        self._read = len(self._log)
        told = self._told.get((self._round, kind, seat), [])
        number = self._seen.get((kind, seat), 0)
        return told[number] if number < len(told) else None

    def _take(self, seat: int, kind: str, options: Sequence[Any]) -> tuple[int, Event]:
        found = self._event(seat, kind)
        if found is None:
            raise LogError(
                f"round {self._round}: the log lacks a decision, seat {seat} must {kind} "
                f"one of {_shown(kind, options)}"
            )
        return found

    def _legal(
        self, seat: int, kind: str, found: tuple[int, Event], value: Any, options: Sequence[Any]
    ) -> Any:
        if value not in options:
            index, event = found
            raise LogError(
                f"round {self._round}, event {index} {event}: "
                f"seat {seat} may {kind} only one of {_shown(kind, options)}"
            )
        return value

    def _zone(self, seat: int, kind: str, found: tuple[int, Event], zones: Sequence[int]) -> int:
        zone: int = self._legal(seat, kind, found, ZONE_OF.get(found[1]["zone"]), zones)
        return zone

    def choose(self, seat: int, options: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
        found = self._take(seat, "choose", options)
        actions = tuple(ZONE_OF.get(action, -1) for action in found[1]["actions"])
        chosen: tuple[int, ...] = self._legal(seat, "choose", found, actions, options)
        return chosen

    def place(self, seat: int, zones: Sequence[int]) -> int | None:
        found = self._event(seat, "place")
        return None if found is None else self._zone(seat, "place", found, zones)

    def build(self, seat: int, cards: Sequence[int], affordable: Sequence[int]) -> int:
        found = self._take(seat, "reveal", cards)
        card: int = self._legal(seat, "reveal", found, found[1]["card"], cards)
        return card

    def discard(self, seat: int, cards: Sequence[int]) -> int:
        found = self._take(seat, "discard", cards)
        discarded = found[1]["cards"]
        only = discarded[0] if len(discarded) == 1 else tuple(discarded)
        card: int = self._legal(seat, "discard", found, only, cards)
        return card

    def remove(self, seat: int, zones: Sequence[int]) -> int:
        return self._zone(seat, "remove", self._take(seat, "remove", zones), zones)

    def commit(self, seat: int, cards: Sequence[int]) -> int:
        found = self._take(seat, "commit", cards)
        card: int = self._legal(seat, "commit", found, found[1]["card"], cards)
        return card


def _shown(kind: str, options: Sequence[Any]) -> str:
    if kind == "choose":
        return ", ".join("+".join(ACTIONS[action] for action in option) for option in options)
    if kind in ("place", "remove"):
        return ", ".join(ACTIONS[zone] for zone in dict.fromkeys(options))
    return f"the cards {', '.join(map(str, options))}"
