"""Twists made up by chance, in every word of the language: so that learned players know the words.

Without them a network would know only the 38 printed combinations of words. They are for training alone.
"""

from typing import Final

import numpy as np

from balance.games.nefarious import vocabulary as v
from balance.games.nefarious.catalog import phrases
from balance.games.nefarious.catalog.model import Change, Switches, Twist

_CHANGES: Final[dict[str, tuple[int, ...]]] = {
    "start_money": (0, 2, 5, 15, 20, 30),
    "opening_cards": (1, 2, 5, 7, 10),
    "goal": (12, 15, 16, 25, 30),
    "minions": (2, 3, 4, 7, 9),
    "actions": (2,),
    "action_repeats": (2,),
    "effect_repeats": (0, 2, 3),
    "work_money": (2, 3, 5, 6, 8),
    "research_money": (0, 1, 3, 4),
    "research_cards": (2, 3),
    "cost_divisor": (2,),
    "price_speculate": (1, 2, 4),
    "price_invent": (0, 1, 4),
    "price_research": (0, 2, 4),
    "price_work": (0, 2, 4),
}
_COST_CHANGES: Final = (-3, -2, -1, 1, 2, 3)
_NUMBERS: Final = {"money": (0, 3, 5, 8, 12), "hand": (0, 1, 2, 3, 5), "vp": (0, 5, 10), "round": (1, 3, 6)}
_TRIES: Final = 50


def invent_twist(name: str, editions: tuple[str, ...], rng: np.random.Generator) -> Twist:
    """Return a twist of one to three changes, lines or switches, drawn by chance."""
    changes: list[Change] = []
    lines: list[v.Line] = []
    switches = Switches()
    for _ in range(int(rng.choice([1, 2, 3], p=[0.55, 0.3, 0.15]))):
        kind = rng.random()
        if kind < 0.3:
            change = _change(rng)
            changes += [change] if change.parameter not in {c.parameter for c in changes} else []
        elif kind < 0.36:
            switches = _switch(rng)
        else:
            lines += _line(lines, rng)
    return Twist(name, name, "own", "", editions, tuple(changes), tuple(lines), switches, "own", "")


def _change(rng: np.random.Generator) -> Change:
    if rng.random() < 0.1:
        return Change("cost_change", "add", int(rng.choice(_COST_CHANGES)))
    parameter = str(rng.choice(list(_CHANGES)))
    return Change(parameter, "set", int(rng.choice(_CHANGES[parameter])))


def _switch(rng: np.random.Generator) -> Switches:
    kind = rng.integers(4)
    if kind == 0:
        return Switches(bars=(str(rng.choice(["speculate", "research", "work"])),))
    if kind == 1:
        return Switches(rest=int(rng.integers(1, 3)))
    if kind == 2:
        return Switches(echo=int(rng.integers(1, 3)))
    return Switches(per_hand_counts=str(rng.choice(v.HAND_SUBSTITUTES)))


def _line(earlier: list[v.Line], rng: np.random.Generator) -> list[v.Line]:
    """Return one line that the language allows, or none if chance finds none."""
    for _ in range(_TRIES):
        try:
            when, step = phrases.parse_moment(_moment(rng))
            conditions = [
                phrases.parse_condition(_condition(rng)) for _ in range(rng.choice(3, p=[0.4, 0.45, 0.15]))
            ]
            who = "others" if rng.random() < 0.2 else "self"
            line = v.Line(when, phrases.parse_effect(_effect(when, rng)), step, who, tuple(conditions))
            phrases.check_line(line, earlier, 5)
        except phrases.WordError:
            continue
        return [line]
    return []


def _moment(rng: np.random.Generator) -> str:
    when = str(rng.choice(list(v.MOMENTS)))
    return f"{when} {rng.choice(v.STEPS)}" if when in ("before", "after") else when


def _effect(when: str, rng: np.random.Generator) -> str:
    if when == "income":
        return "x2 income" if rng.random() < 0.3 else f"+{rng.integers(1, 4)} income{_per(rng)}"
    if when == "score":
        return f"+{rng.integers(1, 4)} vp{_per(rng)}"
    what = str(rng.choice(["money", "card", "minion", "commit"], p=[0.5, 0.3, 0.18, 0.02]))
    sign = "+" if what == "commit" or rng.random() < 0.6 else "-"
    if sign == "-" and rng.random() < 0.1:
        return f"-all {what}"
    amount = 1 if what in ("minion", "commit") else int(rng.choice([1, 2, 3, 4], p=[0.5, 0.3, 0.15, 0.05]))
    zone = f" on {rng.choice([*v.ACTIONS, 'played'])}" if what == "minion" and rng.random() < 0.3 else ""
    return f"{sign}{amount} {what}{_per(rng) if what in ('money', 'card') else ''}{zone}"


def _per(rng: np.random.Generator) -> str:
    if rng.random() < 0.65:
        return ""
    per = str(rng.choice(list(v.PERS))).replace("N", str(rng.choice([3, 5])))
    if per in v.WHOSE and rng.random() < 0.6:
        return f" per {per} with {_test(rng, mine=True)}"
    return f" per {per}"


def _condition(rng: np.random.Generator) -> str:
    kind = rng.random()
    if kind < 0.2:
        return f"{rng.choice(list(v.EXTREMES))} {rng.choice(v.PUBLIC)}"
    if kind < 0.4:
        prefix = "not " if rng.random() < 0.3 else ""
        return f"{prefix}{rng.choice(list(v.WHOSE))} {_test(rng, mine=True)}"
    return _test(rng, mine=False)


def _test(rng: np.random.Generator, *, mine: bool) -> str:
    if rng.random() < 0.35:
        return f"{'not ' if rng.random() < 0.3 else ''}played {rng.choice(v.ACTIONS)}"
    quantity = str(rng.choice(v.PUBLIC if mine else list(v.QUANTITIES)))
    comparison = str(rng.choice(v.COMPARISONS, p=[0.2, 0.05, 0.2, 0.25, 0.15, 0.15]))
    if rng.random() < 0.35:
        return f"{quantity} {comparison} {'my ' if mine else ''}{quantity if mine else rng.choice(v.PUBLIC)}"
    return f"{quantity} {comparison} {rng.choice(_NUMBERS.get(quantity, (0, 1, 2, 3)))}"
