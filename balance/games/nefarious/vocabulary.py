"""The one effect language: the words in which inventions and twists are written, and their parsers.

Everything a card or a twist may say is listed here with its meaning and limits; docs/catalog.md
explains each word with an example. Must stay out of here: the names of cards and twists, and how
a word is played (that is the kernel's).
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Final

from balance.suggest import unknown

ACTIONS: Final = ("speculate", "invent", "research", "work")
CONFIDENCES: Final[dict[str, str]] = {
    "official": "fixed by a printed rule, note or example",
    "two": "two independent transcriptions agree, and nothing printed contradicts them",
    "one+": "one transcription, consistent with a printed note or a review",
    "one": "one transcription only",
    "inferred": "only a printed note is known; the effect is deduced from it",
    "contested": "transcriptions differ; the likelier reading is played, the others are kept as alternatives",
    "own": "made by a designer, not printed",
}
NAME_SOURCES: Final[dict[str, str]] = {
    "attested": "the English name is printed",
    "translated": "no English name is known; the Russian one was translated",
    "own": "a designer's name",
}
DECK_RULES: Final = ("all-or-nothing", "reshuffle")
ROUND_LIMIT: Final = 200
MOST_CARDS: Final = 128
MOST_PLAYERS: Final = 6
MOST_TWISTS: Final = 2
MOST_MONEY: Final = 1_000_000  # what a player can hold; more is not taken
MOST_EFFECTS: Final = 4  # of one invention for the builder, and as many for the others
MOST_TWIST_LINES: Final = 12
MOST_CONDITIONS: Final = 4
MOST_READINGS: Final = 8

AMOUNT_RANGE: Final = (1, 20)
COST_RANGE: Final = (0, 99)
VP_RANGE: Final = (-20, 99)


@dataclass(frozen=True, slots=True)
class Parameter:
    """A number of the basic rules that an edition gives or a twist changes."""

    basic: int
    low: int
    high: int
    meaning: str


PARAMETERS: Final[dict[str, Parameter]] = {
    "start_money": Parameter(10, 0, 99, "money of each player at the start"),
    "opening_cards": Parameter(3, 0, 20, "cards dealt to each player at the start"),
    "goal": Parameter(20, 1, 999, "VP that a sole leader needs to win"),
    "minions": Parameter(5, 1, 9, "minions each player owns"),
    "actions": Parameter(1, 1, 4, "different actions each player chooses per round"),
    "action_repeats": Parameter(1, 1, 4, "how often each action step is done in full"),
    "effect_repeats": Parameter(1, 0, 4, "how often the list of lines of an invention is resolved"),
    "work_money": Parameter(4, 0, 20, "money that Work pays"),
    "research_money": Parameter(2, 0, 20, "money that Research pays"),
    "research_cards": Parameter(1, 0, 10, "cards that Research draws"),
    "cost_change": Parameter(0, -20, 20, "added to the cost of every invention, never below 0"),
    "cost_divisor": Parameter(1, 1, 10, "the cost of every invention is divided by this, rounded up"),
    "price_speculate": Parameter(0, 0, 20, "price of placing a minion on Speculate"),
    "price_invent": Parameter(2, 0, 20, "price of placing a minion on Invent"),
    "price_research": Parameter(1, 0, 20, "price of placing a minion on Research"),
    "price_work": Parameter(1, 0, 20, "price of placing a minion on Work"),
}

# How a twist may change a parameter. Over the twists in force: every `set` in the order of the
# twists, then every `add`, then every `multiply`; the result is held within the parameter's range.
CHANGES: Final = ("set", "add", "multiply")

WHATS: Final[dict[str, str]] = {
    "card": "+ draws from the deck, - discards from the hand",
    "money": "+ gains, - loses, never below 0",
    "minion": "+ places from the reserve, free; - takes back to the reserve",
    "income": "only at the moment income: + adds to what minions earn this round, x multiplies it",
    "vp": "only at the moment score: added to the score while the condition holds",
    "commit": "+ lays a card of the hand aside, face down: it is the next one to be built",
}

STEPS: Final = ("income", "speculate", "research", "work")

MOMENTS: Final[dict[str, str]] = {
    "start": "R0, the start of the round; every player",
    "before": "directly before a step (parameter: the step); every player, for an action who will do it",
    "income": "R3, while income is counted; every player",
    "after": "directly after a step (parameter: the step); every player, for an action those who did it",
    "place": "whenever a minion was placed, in any way; the player who placed it",
    "build": "R5, after paying and before any effect; the builder",
    "invention": "a last line of every invention; resolved like a printed one",
    "end": "R8, the end of the round; every player",
    "score": "R9, while scores are counted; every player",
}

WHOM: Final[dict[str, str]] = {
    "self": "the player whom the moment concerns",
    "others": "every other player",
}

PERS: Final[dict[str, str]] = {
    "hand": "card in the own hand",
    "minion": "own minion on zones",
    "built": "own built invention",
    "money/N": "full N money held",
    "money%N": "money held beyond a multiple of N",
    "discarded": "card that an earlier line of this twist made the player discard now",
    "played-minion": "own minion on the zone of an own revealed action",
    "led-zone": "own revealed action on whose zone the player has more minions than each other player",
    "shared-action": "other player with the same revealed action, counted for each shared action",
    "zone-crowd": "minion of all players that stood on the zone of this placement as the round began",
    "board-crowd": "minion of all players on all zones",
}

QUANTITIES: Final[dict[str, str]] = {
    "money": "money held",
    "hand": "cards in hand, a committed one included",
    "built": "own built inventions",
    "built_now": "own inventions built this round",
    "minions": "own minions on zones",
    "reserve": "own minions in reserve",
    "committed": "own committed cards (0 or 1)",
    "round": "number of the round",
    "card_vp": "VP of the invention just built (moment build only)",
    "earlier_vp": "highest VP among the own inventions built earlier (moment build only); below all if none",
}
COMPARISONS: Final = ("==", "!=", "<=", ">=", "<", ">")


@dataclass(frozen=True, slots=True)
class Switch:
    """A structural rule that no line can say, with the reason why."""

    meaning: str
    reason: str
    example: object


SWITCHES: Final[dict[str, Switch]] = {
    "bars": Switch(
        "the actions listed cannot be chosen by anybody",
        "a line moves money, cards and minions; this takes away options before anything moves",
        ["work"],
    ),
    "rest": Switch(
        "an action cannot be chosen again by the same player during the next N rounds",
        "it takes away options, depending on what was chosen in earlier rounds",
        1,
    ),
    "echo": Switch(
        "an invention without any effect line takes the printed lines of the own invention built N before it",
        "it decides which lines there are; a line cannot stand for the lines of another card",
        1,
    ),
    "per_hand_counts": Switch(
        "every `per hand` of an invention counts this instead",
        "it changes the meaning of a word in the lines of other cards",
        "built",
    ),
}
REST_RANGE: Final = (1, 3)
ECHO_RANGE: Final = (1, 9)
HAND_SUBSTITUTES: Final = ("minion", "built")

# What a line may do at each moment, and which counted things are known then.
_THINGS_AT: Final[dict[str, tuple[str, ...]]] = {
    "start": ("card", "money", "minion", "commit"),
    "before": ("card", "money", "minion"),
    "income": ("income",),
    "after": ("card", "money", "minion"),
    "place": ("card", "money", "minion"),
    "build": ("card", "money", "minion"),
    "invention": ("card", "money", "minion"),
    "end": ("card", "money", "minion", "commit"),
    "score": ("vp",),
}
_PLAIN_PERS: Final = ("hand", "minion", "built", "money/N", "money%N")
_REVEALED: Final = ("before", "income", "after", "place", "build", "invention", "end")
_PER_MOMENTS: Final[dict[str, tuple[str, ...]]] = {
    "discarded": ("start", "before", "after", "end", "build"),
    "played-minion": _REVEALED,
    "led-zone": _REVEALED,
    "shared-action": _REVEALED,
    "zone-crowd": ("place",),
    "board-crowd": ("start", *_REVEALED),
}


@dataclass(frozen=True, slots=True)
class Effect:
    """What happens to one player: `+1 card per built`, `-all money`, `+1 minion on played`."""

    op: str
    """`+`, `-` or `x`."""
    amount: int
    """How many; 0 with `everything`."""
    what: str
    everything: bool = False
    per: str | None = None
    per_n: int = 1
    """N of `money/N` and `money%N`."""
    zone: str | None = None
    """None: any zone of the player's choice; an action; or `played` (each zone of an own revealed action)."""
    off: bool = False
    """With a zone: every zone but that."""

    def __str__(self) -> str:
        text = f"{self.op}{'all' if self.everything else self.amount} {self.what}"
        if self.per:
            text += f" per {self.per.replace('N', str(self.per_n))}"
        if self.zone:
            text += f" {'off' if self.off else 'on'} {self.zone}"
        return text


@dataclass(frozen=True, slots=True)
class Condition:
    """A comparison (`built == 0`, `built < minions`) or a revealed action (`played research`)."""

    left: str
    op: str
    right: int | str

    def __str__(self) -> str:
        if self.left == "played":
            return f"{'not ' if self.op == '!=' else ''}played {self.right}"
        return f"{self.left} {self.op} {self.right}"


@dataclass(frozen=True, slots=True)
class Line:
    """A rule of a twist: when, if, whom, and the effect."""

    when: str
    effect: Effect
    step: str | None = None
    """The step of the moments `before` and `after`."""
    who: str = "self"
    conditions: tuple[Condition, ...] = ()
    first: bool = False
    """Acts before every line of the same moment that is not `first`, whatever the order of the twists."""
    or_else: Effect | None = None
    """Moment build only: if the effect is not possible in full, the card returns unpaid and this happens."""
    editions: tuple[str, ...] = ()
    """The editions in which the line is in force; empty: all."""

    @property
    def moment(self) -> str:
        """The moment as written: `start`, `before income`."""
        return f"{self.when} {self.step}" if self.step else self.when


class WordError(ValueError):
    """A text is not in the effect language; the message says what is allowed."""


def parse_effect(text: str) -> Effect:
    """Read one effect.

    >>> parse_effect("+1 card per built")
    Effect(op='+', amount=1, what='card', everything=False, per='built', per_n=1, zone=None, off=False)
    """
    words = text.split(" ")
    head = re.fullmatch(r"([+x-])(all|\d{1,4})", words[0])
    if not head or len(words) < 2:
        raise WordError(f"'{text}' is not an effect; an effect reads like '+1 card', '-2 money', 'x2 income'")
    op, number = head.group(1), head.group(2)
    what = _known("thing", words[1], WHATS)
    everything = number == "all"
    amount = 0 if everything else int(number)
    per, per_n, zone, off = None, 1, None, False
    rest = words[2:]
    if rest[:1] == ["per"] and len(rest) >= 2:
        per, per_n = _parse_per(rest[1])
        rest = rest[2:]
    if rest[:1] in (["on"], ["off"]) and len(rest) >= 2:
        off = rest[0] == "off"
        zone = _known("zone", rest[1], (*ACTIONS, "played"))
        rest = rest[2:]
    if rest:
        raise WordError(
            f"'{' '.join(rest)}' in '{text}' is not understood; after the thing may come "
            "'per COUNT', 'on ZONE' or 'off ZONE'"
        )
    effect = Effect(op, amount, what, everything, per, per_n, zone, off)
    _check_effect(effect, text)
    return effect


def _parse_per(word: str) -> tuple[str, int]:
    money = re.fullmatch(r"money([/%])(\d{1,4})", word)
    if money:
        n = int(money.group(2))
        if not 2 <= n <= 20:
            raise WordError(f"'{word}': the number after money{money.group(1)} must be 2..20")
        return f"money{money.group(1)}N", n
    if word in ("money/N", "money%N"):
        raise WordError(f"'{word}': write a number for N, as in '{word.replace('N', '5')}'")
    return _known("count", word, PERS), 1


def _check_effect(effect: Effect, text: str) -> None:
    low, high = AMOUNT_RANGE
    if effect.op == "x":
        if effect.what != "income":
            raise WordError(f"'{text}': x multiplies income only")
        if effect.everything or not 0 <= effect.amount <= 10:
            raise WordError(f"'{text}': x takes 0..10")
    elif effect.everything:
        if effect.op != "-" or effect.what not in ("card", "money", "minion"):
            raise WordError(f"'{text}': 'all' goes with -card, -money and -minion only")
        if effect.per:
            raise WordError(f"'{text}': 'all' takes no 'per'")
    elif not low <= effect.amount <= high:
        raise WordError(f"'{text}': the amount must be {low}..{high}")
    if effect.what == "commit" and (effect.op, effect.amount, effect.per) != ("+", 1, None):
        raise WordError(f"'{text}': only '+1 commit' is possible; a player commits one card at a time")
    if effect.what == "income" and effect.op == "-":
        raise WordError(f"'{text}': income is only added to or multiplied")
    if effect.op == "x" and effect.per:
        raise WordError(f"'{text}': x takes no 'per'")
    if effect.zone and effect.what != "minion":
        raise WordError(f"'{text}': only minions stand on zones")
    if effect.off and not (effect.everything and effect.op == "-"):
        raise WordError(f"'{text}': 'off' goes with '-all minion' only")


def parse_condition(text: str) -> Condition:
    """Read one condition.

    >>> parse_condition("built < minions")
    Condition(left='built', op='<', right='minions')
    """
    words = text.split(" ")
    if "played" in words[:2]:
        negated = words[0] == "not"
        if len(words) != 2 + negated or words[negated] != "played":
            raise WordError(f"'{text}' is not a condition; write 'played ACTION' or 'not played ACTION'")
        return Condition("played", "!=" if negated else "==", _known("action", words[-1], ACTIONS))
    if len(words) != 3:
        raise WordError(
            f"'{text}' is not a condition; it reads like 'built == 0', 'built < minions' or 'played research'"
        )
    left = _known("quantity", words[0], QUANTITIES)
    if words[1] not in COMPARISONS:
        raise WordError(f"'{words[1]}' is not a comparison; allowed: {' '.join(COMPARISONS)}")
    right: int | str
    if re.fullmatch(r"-?\d{1,6}", words[2]):
        right = int(words[2])
    else:
        right = _known("quantity", words[2], QUANTITIES)
    return Condition(left, words[1], right)


def parse_moment(text: str) -> tuple[str, str | None]:
    """Read a moment: `start`, or `before STEP` and `after STEP`.

    >>> parse_moment("after research")
    ('after', 'research')
    """
    word, _, step = text.partition(" ")
    _known("moment", word, MOMENTS)
    if word in ("before", "after"):
        if not step:
            raise WordError(f"'{word}' needs a step: one of {', '.join(STEPS)}")
        return word, _known("step", step, STEPS)
    if step:
        raise WordError(f"the moment '{word}' takes no step, found '{step}'")
    return word, None


def check_line(line: Line, earlier: Sequence[Line], most_minions: int) -> None:
    """Refuse a line of a twist whose words do not fit together, or whose condition can never hold."""
    effect = line.effect
    _check_place(line)
    _check_effect_at(line.when, effect)
    if line.or_else:
        _check_or_else(line, line.or_else)
    if effect.per == "discarded" and not any(
        e.moment == line.moment and e.effect.op == "-" and e.effect.what == "card" for e in earlier
    ):
        raise WordError(
            f"'{effect}': 'discarded' needs an earlier line of this twist, at the same moment, that discards"
        )
    for condition in line.conditions:
        words = (condition.left, condition.right)
        if line.when != "build" and ("card_vp" in words or "earlier_vp" in words):
            raise WordError(f"'{condition}': card_vp and earlier_vp are known at the moment build only")
        if condition.left == "played" and line.when == "start":
            raise WordError(f"'{condition}' can never hold at the start of a round: nothing is revealed yet")
    _check_can_hold(line, most_minions)


def _check_or_else(line: Line, instead: Effect) -> None:
    _check_effect_at(line.when, instead)
    effect = line.effect
    plain = not effect.everything and not effect.per and not effect.zone
    if line.when != "build" or line.who != "self" or not plain or effect.op != "-" or effect.what == "money":
        raise WordError("or_else goes with '-N minion' or '-N card' at the moment build, for the builder")
    if line.conditions:
        raise WordError("a line with or_else takes no condition: it is tested before the card is built")


def _check_place(line: Line) -> None:
    if line.when == "place" and line.effect.what == "minion" and line.effect.op == "+":
        raise WordError("a line at the moment place may not place a minion: it would never end")
    if line.who == "others" and line.when in ("income", "score"):
        raise WordError(
            f"the moment {line.when} counts for each player alone; 'others' is not possible there"
        )
    if line.who == "others" and line.effect.what == "commit":
        raise WordError("a player commits only for themselves; 'others' is not possible")


def _check_effect_at(when: str, effect: Effect) -> None:
    things = _THINGS_AT[when]
    if effect.what not in things:
        raise WordError(f"'{effect}' is not possible at the moment {when}; possible: {', '.join(things)}")
    if effect.per and effect.per not in _PLAIN_PERS and when not in _PER_MOMENTS[effect.per]:
        raise WordError(f"'per {effect.per}' is not known at the moment {when}")
    if effect.zone == "played" and when == "start":
        raise WordError(f"'{effect}': nothing is played yet at the start of a round")


def check_printed(effect: Effect) -> None:
    """Refuse an effect that an invention cannot print."""
    if effect.what not in _THINGS_AT["invention"]:
        raise WordError(f"'{effect}': an invention moves card, money or minion")
    if effect.per and effect.per not in _PLAIN_PERS:
        raise WordError(f"'{effect}': an invention counts per {', '.join(_PLAIN_PERS)}")


# "a OP b" as upper bounds of a - b and of b - a; None: no bound.
_BOUNDS: Final[dict[str, tuple[int | None, int | None]]] = {
    "==": (0, 0),
    "!=": (None, None),
    "<=": (0, None),
    ">=": (None, 0),
    "<": (-1, None),
    ">": (None, -1),
}
_LARGE: Final = 10**6
_ACTION_STEPS: Final = STEPS[1:]


def _ranges(line: Line, most_minions: int) -> dict[str, tuple[int, int]]:
    """Return the lowest and highest value that each quantity can have when the line is tested."""
    ranges = dict.fromkeys(QUANTITIES, (0, _LARGE))
    ranges |= dict.fromkeys(("hand", "built"), (0, MOST_CARDS))
    ranges |= dict.fromkeys(("minions", "reserve"), (0, most_minions))
    ranges |= {"committed": (0, 1), "round": (1, ROUND_LIMIT), "card_vp": (-_LARGE, _LARGE)}
    ranges |= {"earlier_vp": (-_LARGE, _LARGE), "built_now": (0, PARAMETERS["action_repeats"].high)}
    if line.when in ("build", "invention"):
        ranges |= {"built": (1, MOST_CARDS), "built_now": (1, ranges["built_now"][1])}
    elif line.when in ("start", "income") or line.step in ("income", "speculate"):
        ranges["built_now"] = (0, 0)
    if line.moment == "before speculate":
        ranges["reserve"] = (1, most_minions)
    return ranges


def _check_can_hold(line: Line, most_minions: int) -> None:
    """Refuse conditions that no state satisfies together.

    Each comparison bounds the difference of two quantities (a number is a difference to ""). The
    tightest bounds follow by shortest paths; a quantity that must be less than itself is a contradiction.
    """
    numbers = [c for c in line.conditions if c.left != "played"]
    quantities = [q for q in QUANTITIES if any(q in (c.left, c.right) for c in numbers)]
    if "built_now" in quantities and "built" not in quantities:
        quantities.append("built")
    names = ["", *quantities]
    most = {(a, b): 0 if a == b else 4 * _LARGE for a in names for b in names}
    ranges = _ranges(line, most_minions)
    for quantity in quantities:
        low, high = ranges[quantity]
        most[quantity, ""], most["", quantity] = high, -low
    if "built_now" in quantities:
        most["built_now", "built"] = 0
    for c in numbers:
        right, shift = ("", c.right) if isinstance(c.right, int) else (c.right, 0)
        for (a, b), bound in zip(((c.left, right), (right, c.left)), _BOUNDS[c.op], strict=True):
            if bound is not None:
                most[a, b] = min(most[a, b], bound + (shift if a == c.left else -shift))
    for via, a, b in product(names, repeat=3):
        most[a, b] = min(most[a, b], most[a, via] + most[via, b])
    never = any(most[a, a] < 0 for a in names)
    for quantity in quantities:
        low, high = -most["", quantity], most[quantity, ""]
        refused = {c.right for c in numbers if c.op == "!=" and c.left == quantity}
        never |= high - low < len(refused) and all(value in refused for value in range(low, high + 1))
    never |= any(
        c.op == "!=" and isinstance(c.right, str) and most[c.left, c.right] == most[c.right, c.left] == 0
        for c in numbers
    )
    if never or _contradicts_played(line):
        raise WordError(f"'{' and '.join(str(c) for c in line.conditions)}' can never hold")


def _contradicts_played(line: Line) -> bool:
    played = {c.right for c in line.conditions if c.left == "played" and c.op == "=="}
    not_played = {c.right for c in line.conditions if c.left == "played" and c.op == "!="}
    if line.step in _ACTION_STEPS:
        played.add(line.step)
    elif line.when in ("build", "invention"):
        played.add("invent")
    return bool(played & not_played)


def _known(what: str, word: str, words: Iterable[str]) -> str:
    known = list(words)
    if word not in known:
        raise WordError(f"{unknown(what, word, known)} (allowed: {', '.join(known)})")
    return word
