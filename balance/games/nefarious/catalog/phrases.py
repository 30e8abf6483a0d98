"""Reading the phrases of the effect language, refusing those without a meaning or that never apply."""

import operator
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Final

from balance.games.nefarious.vocabulary import (
    ACTIONS,
    AMOUNT_RANGE,
    COMPARISONS,
    EXTREMES,
    MOMENTS,
    MOST_CARDS,
    PARAMETERS,
    PERS,
    PUBLIC,
    QUANTITIES,
    ROUND_LIMIT,
    STEPS,
    WHATS,
    WHOSE,
    Condition,
    Effect,
    Line,
)
from balance.nearest import unknown

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
_PLAIN_PERS: Final = ("hand", "minion", "built", "money/N", "money%N", *WHOSE)
_REVEALED: Final = ("before", "income", "after", "place", "build", "invention", "end")
_PER_MOMENTS: Final[dict[str, tuple[str, ...]]] = {
    "discarded": ("start", "before", "after", "end", "build"),
    "played-minion": _REVEALED,
    "led-zone": _REVEALED,
    "shared-action": _REVEALED,
    "zone-crowd": ("place",),
    "board-crowd": ("start", *_REVEALED),
}


class WordError(ValueError):
    """A text is not in the effect language; the message says what is allowed."""


def parse_effect(text: str) -> Effect:
    """Read one effect.

    >>> str(parse_effect("+1 card per built"))
    '+1 card per built'
    """
    words = text.split(" ")
    head = re.fullmatch(r"([+x-])(all|\d{1,4})", words[0])
    if not head or len(words) < 2:
        raise WordError(f"'{text}' is not an effect; an effect reads like '+1 card', '-2 money', 'x2 income'")
    op, number = head.group(1), head.group(2)
    what = _known("thing", words[1], WHATS)
    everything = number == "all"
    amount = 0 if everything else int(number)
    per, per_n, zone, off, test = None, 1, None, False, None
    rest = words[2:]
    if rest[:1] == ["per"] and len(rest) >= 2:
        per, per_n = _parse_per(rest[1])
        rest = rest[2:]
        if rest[:1] == ["with"]:
            if per not in WHOSE:
                raise WordError(f"'{text}': only {_or(WHOSE)} can be counted 'with' something, not '{per}'")
            end = next((i for i, word in enumerate(rest) if word in ("on", "off")), len(rest))
            test, rest = _parse_test(rest[1:end], text), rest[end:]
    if rest[:1] in (["on"], ["off"]) and len(rest) >= 2:
        off = rest[0] == "off"
        zone = _known("zone", rest[1], (*ACTIONS, "played"))
        rest = rest[2:]
    if rest:
        raise WordError(
            f"'{' '.join(rest)}' in '{text}' is not understood; after the thing may come "
            "'per COUNT', 'on ZONE' or 'off ZONE'"
        )
    effect = Effect(op, amount, what, everything, per, per_n, zone, off, test)
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

    >>> str(parse_condition("not neighbour vp > my vp"))
    'not neighbour vp > my vp'
    """
    words = text.split(" ")
    nobody = words[0] == "not" and words[1:2] != [] and words[1] in WHOSE
    scoped = words[1:] if nobody else words
    if scoped[0] in WHOSE:
        return replace(_parse_test(scoped[1:], text), whose=scoped[0], nobody=nobody)
    negated = words[0] == "not"
    if words[negated : negated + 1] == ["played"]:
        return _parse_played(words, text)
    if set(words[negated : negated + 2]) & {"most", "fewest", "sole"}:
        return _parse_extreme(words, text)
    if len(words) != 3:
        if "my" in words:
            raise WordError(f"'{text}': 'my' goes with another player, as in 'neighbour built > my built'")
        raise WordError(
            f"'{text}' is not a condition; it reads like 'built == 0', 'built < minions', 'played research', "
            "'most money' or 'neighbour built >= 3'"
        )
    return _parse_comparison(words, QUANTITIES)


def _parse_test(words: Sequence[str], text: str) -> Condition:
    """Read what is asked of others: `built >= 3`, `vp > my vp`, `not played work`, `sole most money`."""
    negated = words[:1] == ["not"]
    if words[negated : negated + 1] == ["played"]:
        return _parse_played(words, text)
    if set(words[negated : negated + 2]) & {"most", "fewest", "sole"}:
        return _parse_extreme(words, text)
    mine = len(words) == 4 and words[2] == "my"
    if len(words) != 3 + mine:
        raise WordError(
            f"'{text}': '{' '.join(words)}' cannot be asked of others; what can reads like 'built >= 3', "
            "'vp > my vp', 'played work' or 'most money'"
        )
    read = _parse_comparison([words[0], words[1], words[-1]], PUBLIC)
    if mine and isinstance(read.right, int):
        raise WordError(f"'{text}': after 'my' comes a quantity: {', '.join(PUBLIC)}")
    return replace(read, mine=mine)


def _parse_played(words: Sequence[str], text: str) -> Condition:
    negated = words[0] == "not"
    if len(words) != 2 + negated:
        raise WordError(f"'{text}' is not a condition; write 'played ACTION' or 'not played ACTION'")
    return Condition("played", "!=" if negated else "==", _known("action", words[-1], ACTIONS))


def _parse_extreme(words: Sequence[str], text: str) -> Condition:
    negated = words[0] == "not"
    op = " ".join(words[negated:-1])
    if op not in EXTREMES:
        raise WordError(
            f"'{text}' is not a condition; write 'most QUANTITY', 'fewest QUANTITY' or 'sole most ...'"
        )
    return Condition(_known_quantity(words[-1], PUBLIC), op, "", negated=negated)


def _parse_comparison(words: Sequence[str], quantities: Iterable[str]) -> Condition:
    left = _known_quantity(words[0], quantities)
    if words[1] not in COMPARISONS:
        raise WordError(f"'{words[1]}' is not a comparison; allowed: {' '.join(COMPARISONS)}")
    if re.fullmatch(r"-?\d{1,6}", words[2]):
        return Condition(left, words[1], int(words[2]))
    return Condition(left, words[1], _known_quantity(words[2], quantities))


def _known_quantity(word: str, quantities: Iterable[str]) -> str:
    if word in QUANTITIES and word not in quantities:
        raise WordError(f"'{word}' is not asked of others; what is: {', '.join(quantities)}")
    return _known("quantity", word, quantities)


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
    tests = [e.test for e in (effect, line.or_else) if e and e.test]
    for condition in (*line.conditions, *tests):
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


_LARGE: Final = 10**6


def _ranges(line: Line, most_minions: int) -> dict[str, tuple[int, int]]:
    """Return the lowest and highest value that each quantity can have when the line is tested."""
    ranges = dict.fromkeys(QUANTITIES, (0, _LARGE))
    ranges |= dict.fromkeys(("hand", "built"), (0, MOST_CARDS))
    ranges |= dict.fromkeys(("minions", "reserve"), (0, most_minions))
    ranges |= dict.fromkeys(("vp", "card_vp", "earlier_vp"), (-_LARGE, _LARGE))
    ranges |= {"committed": (0, 1), "round": (1, ROUND_LIMIT)}
    ranges["built_now"] = (0, PARAMETERS["action_repeats"].high)
    ranges |= {f"played {action}": (0, 1) for action in ACTIONS}
    if line.step in ACTIONS:
        ranges[f"played {line.step}"] = (1, 1)
    if line.when in ("build", "invention"):
        ranges |= {
            "built": (1, MOST_CARDS),
            "built_now": (1, ranges["built_now"][1]),
            "played invent": (1, 1),
        }
    elif line.when in ("start", "income") or line.step in ("income", "speculate"):
        ranges["built_now"] = (0, 0)
    if line.moment == "before speculate":
        ranges["reserve"] = (1, most_minions)
    return ranges


def _check_can_hold(line: Line, most_minions: int) -> None:
    """Refuse conditions on the player that no number fulfils, alone or with others on the same quantity."""
    ranges = _ranges(line, most_minions)
    groups: dict[str, list[tuple[Condition, int]]] = {}
    for condition in line.conditions:
        if condition.looks:
            continue
        if condition.left == "played":
            groups.setdefault(f"played {condition.right}", []).append((condition, 1))
        elif isinstance(condition.right, int):
            groups.setdefault(condition.left, []).append((condition, condition.right))
    for quantity, group in groups.items():
        low, high = ranges[quantity]
        near = {low, high, *(bound + step for _, bound in group for step in (-1, 0, 1))}
        possible = (number for number in near if low <= number <= high)
        if not any(all(COMPARE[c.op](number, bound) for c, bound in group) for number in possible):
            raise WordError(f"'{' and '.join(str(c) for c, _ in group)}' can never hold")


COMPARE: Final[dict[str, Callable[[int, int], bool]]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<=": operator.le,
    ">=": operator.ge,
    "<": operator.lt,
    ">": operator.gt,
}


def _or(words: Iterable[str]) -> str:
    *rest, last = words
    return f"{', '.join(rest)} or {last}"


def _known(what: str, word: str, words: Iterable[str]) -> str:
    known = list(words)
    if word not in known:
        raise WordError(f"{unknown(what, word, known)} (allowed: {', '.join(known)})")
    return word
