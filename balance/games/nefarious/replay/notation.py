"""A whole state between two rounds as a few lines of text, and back: for tests, bug reports and replays.

The form is fixed in docs/notation.md. What a record carries only inside a round (the agenda, open questions)
is not written: a state is written before the first round, between two rounds, or after the last.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import numpy as np

from balance.errors import UsageError
from balance.games.keys import check_keys
from balance.games.nefarious import vocabulary as v
from balance.games.nefarious.kernel import batch
from balance.games.nefarious.kernel.state import STATE, TIMES_BITS
from balance.games.nefarious.rules import Cell
from balance.games.nefarious.session import Session, actions_of, policy_codes

VERSION: Final = 1
NONE: Final = "-"
_REMEMBERED: Final = 3  # rounds, in `past` of the record
_LARGEST: Final = 2**31 - 1

_LINES: Final[dict[str, tuple[str, ...]]] = {
    "nefarious": ("version", "edition", "players", "twists"),
    "game": ("seed", "index", "replicate"),
    "after": ("round", "shuffles", "exhausted", "closed", "outcome"),
    "deck": ("cards",),
    "discard": ("cards",),
    "seat": (
        "number", "money", "income", "vp", "hand", "committed", "built", "minions", "chose", "last", "drawn",
    ),
}  # fmt: skip
_BARE: Final = ("version", "cards", "number")  # written without their names


# --- writing


def write(session: Session) -> str:
    """Return the state of a game that stands between two rounds; ValueError while a round is being played."""
    g, t, cell = session.state, session.table, session.cell
    if session.deciders[0]["n_tape"] or session.deciders[0]["open"]:
        raise ValueError("a state can be written between two rounds only")
    outcome = f"winner:{g['winner']}" if g["winner"] >= 0 else "stalled" if g["stalled"] else "open"
    top = int(g["deck_top"])
    lines = [
        _line("nefarious", VERSION, cell.edition.id, cell.players, _list(twist.id for twist in cell.twists)),
        _line("game", session.seed, session.game_index, session.replicate),
        _line("after", t["round"], t["shuffles"], _yes(t["exhausted"]), _yes(t["closed"]), outcome),
        _line("deck", _cards(cell, g["deck"][top : top + int(t["n_deck"])])),
        _line("discard", _cards(cell, sorted(t["discard"][: int(t["n_discard"])]))),
    ]
    lines += [_seat_line(session, seat) for seat in range(cell.players)]
    return "\n".join(lines) + "\n"


def _seat_line(session: Session, seat: int) -> str:
    g, t, cell = session.state, session.table, session.cell
    masks = [int(t["past"][seat]) >> 4 * back & 15 for back in range(_REMEMBERED)]
    drawn = [k for k in range(len(cell.cards)) if int(g["drawn"][seat, k >> 6]) >> (k & 63) & 1]
    committed = int(g["committed"][seat])
    return _line(
        "seat",
        seat,
        t["money"][seat],
        g["income"][seat],
        t["score"][seat],
        _cards(cell, g["hand"][seat, : int(t["n_hand"][seat])]),
        NONE if committed < 0 else cell.cards[committed].id,
        _cards(cell, t["built"][seat, : int(t["n_built"][seat])]),
        _list(t["minions"][seat]),
        _list(int(t["times"][seat]) >> TIMES_BITS * k & 0xFFFF for k in range(len(v.ACTIONS))),
        _list("+".join(actions_of(mask)) or NONE for mask in masks),
        _cards(cell, drawn),
    )


def _line(label: str, *values: object) -> str:
    pairs = zip(_LINES[label], values, strict=True)
    return " ".join([label, *(str(value) if name in _BARE else f"{name}={value}" for name, value in pairs)])


def _list(values: Iterable[object]) -> str:
    return ",".join(str(value) for value in values) or NONE


def _cards(cell: Cell, cards: Iterable[Any]) -> str:
    return _list(cell.cards[int(card)].id for card in cards)


def _yes(flag: Any) -> str:
    return "yes" if flag else "no"


# --- reading


def read(cell: Cell, text: str, *, log: bool = False) -> Session:
    """Return a game in the state that a text describes, ready to be played on.

    UsageError if the text is not a state, or not one of this cell.
    """
    lines = _parse(text)
    _check_cell(cell, lines)
    game, after = lines["game"], lines["after"]
    keys = [game.number("seed"), game.number("index"), game.number("replicate")]
    check_keys(*keys)
    session = Session(cell, *keys, log=log)
    session.log["at"] = 0  # the deal is in the past
    # a record as set up has the keys, and in order whatever a round leaves behind
    states = np.zeros(1, STATE)
    batch.begin_game(cell.rules, np.uint64(keys[0]), keys[1], keys[2], states)
    session.states = states
    g, t = session.state, session.table
    t["round"] = after.number("round", highest=v.ROUND_LIMIT)
    t["shuffles"] = after.number("shuffles")
    t["exhausted"], t["closed"] = after.flag("exhausted"), after.flag("closed")
    _fill_outcome(session, after)
    place = {card.id: k for k, card in enumerate(cell.cards)}
    missing = set(place)
    deck = lines["deck"].cards("cards", place, missing)
    pile = sorted(lines["discard"].cards("cards", place, missing))
    g["deck_top"], t["n_deck"], t["n_discard"] = 0, len(deck), len(pile)
    g["deck"][: len(deck)] = deck
    t["discard"][: len(pile)] = pile
    for seat in range(cell.players):
        _fill_seat(session, seat, lines[f"seat {seat}"], place, missing)
    if missing:
        raise UsageError(f"state: card {min(missing)} is missing")
    return session


class _Line:
    """The labelled values of one line; complaints name the line."""

    def __init__(self, label: str, values: Mapping[str, str]) -> None:
        self.label, self.values = label, values

    def wrong(self, name: str, expected: str) -> UsageError:
        return UsageError(f"state: {self.label}: {name}: expected {expected}, found '{self.values[name]}'")

    def number(self, name: str, highest: int = 2**63 - 1, lowest: int = 0) -> int:
        return self._number(name, self.values[name], highest, lowest)

    def numbers(self, name: str, count: int, highest: int) -> list[int]:
        parts = self.values[name].split(",")
        if len(parts) != count:
            raise self.wrong(name, f"{count} numbers separated by commas")
        return [self._number(name, part, highest) for part in parts]

    def flag(self, name: str) -> bool:
        if self.values[name] not in ("yes", "no"):
            raise self.wrong(name, "yes or no")
        return self.values[name] == "yes"

    def cards(self, name: str, place: Mapping[int, int], missing: set[int] | None = None) -> list[int]:
        """Return the kernel's numbers of cards that are written as ids; what was missing is no more."""
        if self.values[name] == NONE:
            return []
        ids = [self._number(name, part, _LARGEST) for part in self.values[name].split(",")]
        for card in ids:
            if card not in place:
                raise UsageError(f"state: {self.label}: {name}: there is no card {card} in this catalog")
            if missing is not None:
                if card not in missing:
                    raise UsageError(f"state: {self.label}: {name}: card {card} is in two places")
                missing.remove(card)
        return [place[card] for card in ids]

    def _number(self, name: str, text: str, highest: int, lowest: int = 0) -> int:
        if not re.fullmatch(r"-?\d{1,19}", text, re.ASCII) or not lowest <= int(text) <= highest:
            raise self.wrong(name, f"whole numbers {lowest}..{highest}")
        return int(text)


def _parse(text: str) -> dict[str, _Line]:
    """Return the lines by their label, seats as `seat 0`; blank lines and lines with # are comments."""
    found: dict[str, _Line] = {}
    for line in text.splitlines():
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        names = _LINES.get(words[0])
        if names is None:
            raise UsageError(f"state: a line begins with '{words[0]}'; expected {', '.join(_LINES)}")
        values = {}
        for word, name in zip(words[1:], names, strict=False):
            before, _, after = word.rpartition("=")
            if before == ("" if name in _BARE else name):
                values[name] = after
        if len(words) != len(names) + 1 or len(values) != len(names):
            raise UsageError(
                f"state: a line '{words[0]}' reads {_line(words[0], *(n.upper() for n in names))}"
            )
        label = f"seat {words[1]}" if words[0] == "seat" else words[0]
        if label in found:
            raise UsageError(f"state: two lines '{label}'")
        found[label] = _Line(label, values)
    return found


def _check_cell(cell: Cell, lines: Mapping[str, _Line]) -> None:
    """Refuse a text that lacks a line, or belongs to other rules."""
    wanted = [*(label for label in _LINES if label != "seat"), *(f"seat {n}" for n in range(cell.players))]
    for label in wanted:
        if label not in lines:
            raise UsageError(f"state: the line '{label}' is missing")
    rules = [VERSION, cell.edition.id, cell.players, _list(twist.id for twist in cell.twists)]
    for name, expected in zip(_LINES["nefarious"], map(str, rules), strict=True):
        if lines["nefarious"].values[name] != expected:
            raise lines["nefarious"].wrong(name, f"'{expected}' as in the rules it is read for")
    for label in lines:
        if label not in wanted:
            raise UsageError(f"state: there is no '{label}' with {cell.players} players")


def _fill_outcome(session: Session, after: _Line) -> None:
    kind, _, winner = after.values["outcome"].partition(":")
    possible = [str(seat) for seat in range(session.cell.players)]
    if kind == "winner" and winner in possible:
        session.state["winner"] = int(winner)
    elif after.values["outcome"] == "stalled":
        session.state["stalled"] = 1
    elif after.values["outcome"] != "open":
        raise after.wrong("outcome", "open, stalled or winner:SEAT")
    session.over = kind != "open"


def _fill_seat(session: Session, seat: int, line: _Line, place: Mapping[int, int], missing: set[int]) -> None:
    g, t, rules = session.state, session.table, session.cell.rules[0]
    t["money"][seat] = line.number("money", _LARGEST)
    g["income"][seat] = line.number("income", _LARGEST)
    t["score"][seat] = line.number("vp", _LARGEST, -_LARGEST)
    hand, built = sorted(line.cards("hand", place, missing)), line.cards("built", place, missing)
    g["hand"][seat, : len(hand)] = hand
    t["built"][seat, : len(built)] = built
    t["n_hand"][seat], t["n_built"][seat] = len(hand), len(built)
    t["built_vp"][seat] = sum(int(rules["vp"][card]) for card in built)
    t["built_per"][seat] = sum(int(rules["vp_per_built"][card]) for card in built)
    committed = line.cards("committed", place)
    if len(committed) > 1 or not set(committed) <= set(hand):
        raise line.wrong("committed", f"one card of the hand, or {NONE}")
    g["committed"][seat] = committed[0] if committed else -1
    t["has_committed"][seat] = len(committed)
    minions = line.numbers("minions", len(v.ACTIONS), int(rules["minions"]))
    if sum(minions) > rules["minions"]:
        raise line.wrong("minions", f"at most {rules['minions']} together")
    t["minions"][seat] = minions
    t["standing"] += minions
    t["on_zones"][seat] = sum(minions)
    t["reserve"][seat] = int(rules["minions"]) - sum(minions)
    times = line.numbers("chose", len(v.ACTIONS), v.ROUND_LIMIT)
    t["times"][seat] = sum(count << TIMES_BITS * k for k, count in enumerate(times))
    t["past"][seat] = _past(line)
    for card in line.cards("drawn", place):
        g["drawn"][seat, card >> 6] |= np.uint64(1 << (card & 63))


def _past(line: _Line) -> int:
    rounds = line.values["last"].split(",")
    masks = []
    for actions in rounds:
        words = [] if actions == NONE else actions.split("+")
        if len(rounds) != _REMEMBERED or not set(words) <= set(v.ACTIONS):
            raise line.wrong("last", f"the actions of the last {_REMEMBERED} rounds, the latest first")
        masks.append(sum(1 << v.ACTIONS.index(word) for word in set(words)))
    return sum(mask << 4 * back for back, mask in enumerate(masks))


# --- a game's state after a round


def state_after(
    cell: Cell,
    seed: int,
    game_index: int,
    policies: Sequence[str],
    round_: int,
    replicate: int = 0,
) -> str:
    """Play a game to the end of a round (0: as dealt) and write its state."""
    session, codes = Session(cell, seed, game_index, replicate), policy_codes(policies)
    while session.table["round"] < round_ and not session.over:
        while session.advance_round() is not None:
            session.answer_by(codes)
    last = int(session.table["round"])
    if not 0 <= round_ <= last:
        raise UsageError(f"there is no round {round_}: this game has the rounds 0..{last}")
    return write(session)
