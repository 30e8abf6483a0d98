"""Twists and inventions made up at random in the effect language: not printed, but anybody may write them.

Both engines must play them alike. Everything is drawn from one `random.Random`, so a catalog can be made
again from a number.
"""

import random
from dataclasses import replace

from balance.games.nefarious import vocabulary as v
from balance.games.nefarious.catalog import phrases
from balance.games.nefarious.catalog.model import Catalog, Change, Switches, Twist

MOST_LINES = 4
NAMES = ("invented-1", "invented-2")


def invented_catalog(official: Catalog, number: int) -> Catalog:
    """The official catalog with two invented twists, and new effects on half of its cards."""
    chance = random.Random(f"invented {number}")
    editions = tuple(edition.id for edition in official.editions)
    twists = tuple(_twist(chance, name, editions) for name in NAMES)
    inventions = tuple(
        replace(card, self_effects=_printed(chance), others_effects=_printed(chance))
        if chance.random() < 0.5
        else card
        for card in official.inventions
    )
    return replace(official, twists=(*official.twists, *twists), inventions=inventions)


def _twist(chance: random.Random, name: str, editions: tuple[str, ...]) -> Twist:
    lines: list[v.Line] = []
    for _ in range(chance.randint(1, MOST_LINES)):
        lines.append(_line(chance, lines))
    changed = chance.sample(sorted(_CHANGES), chance.choice((0, 0, 1, 2)))
    changes = tuple(Change(parameter, *chance.choice(_CHANGES[parameter])) for parameter in changed)
    return Twist(
        id=name,
        name=name,
        name_source="own",
        name_ru="",
        editions=editions,
        changes=changes,
        lines=tuple(lines),
        switches=_switches(chance) if chance.random() < 0.2 else Switches(),
        confidence="own",
        note="",
    )


# Small enough that a deck of 64 deals 6 hands, and that games stay games.
_CHANGES: dict[str, list[tuple[str, int]]] = {
    "start_money": [("set", 0), ("add", 7), ("multiply", 2)],
    "opening_cards": [("set", 0), ("set", 7), ("add", 1)],
    "goal": [("set", 12), ("add", 5)],
    "minions": [("set", 1), ("add", 3), ("set", 9)],
    "actions": [("set", 2), ("set", 3), ("set", 4)],
    "action_repeats": [("multiply", 2), ("set", 3)],
    "effect_repeats": [("multiply", 2), ("multiply", 0), ("set", 3)],
    "work_money": [("set", 0), ("add", 2)],
    "research_money": [("multiply", 3)],
    "research_cards": [("add", 1), ("add", 3), ("set", 0)],
    "cost_change": [("set", 3), ("set", -5)],
    "cost_divisor": [("set", 2), ("set", 3)],
    "price_speculate": [("set", 3)],
    "price_invent": [("multiply", 2)],
    "price_research": [("set", 5)],
    "price_work": [("add", 2)],
}


def _switches(chance: random.Random) -> Switches:
    return chance.choice(
        (
            Switches(bars=tuple(chance.sample(v.ACTIONS, chance.randint(1, 3)))),
            Switches(rest=chance.randint(1, 3)),
            Switches(echo=chance.randint(1, 3)),
            Switches(per_hand_counts=chance.choice(v.HAND_SUBSTITUTES)),
        )
    )


def _line(chance: random.Random, earlier: list[v.Line]) -> v.Line:
    """Draw words until they fit together; the vocabulary itself is the judge."""
    while True:
        try:
            line = _any_line(chance, earlier)
            phrases.check_line(line, earlier, v.PARAMETERS["minions"].basic)
        except phrases.WordError:
            continue
        return line


def _any_line(chance: random.Random, earlier: list[v.Line]) -> v.Line:
    if earlier and chance.random() < 0.3:  # at the moment of an earlier one, so that they meet
        when, step = earlier[-1].when, earlier[-1].step
    else:
        when, step = chance.choice(sorted(v.MOMENTS)), None
        if when in ("before", "after"):
            step = chance.choice(v.STEPS)
    return v.Line(
        when,
        _effect(chance),
        step,
        who=chance.choice(("self", "self", "others")),
        conditions=tuple(_condition(chance) for _ in range(chance.choice((0, 0, 1, 2)))),
        first=chance.random() < 0.2,
        or_else=_effect(chance) if when == "build" and chance.random() < 0.4 else None,
    )


def _effect(chance: random.Random) -> v.Effect:
    while True:
        what = chance.choice(sorted(v.WHATS))
        text = f"{chance.choice('++--x')}{chance.choice(('1', '1', '2', '3', 'all'))} {what}"
        if chance.random() < 0.3:
            per = chance.choice(sorted(v.PERS))
            text += f" per {per.replace('N', str(chance.randint(2, 6)))}"
            if per in v.WHOSE and chance.random() < 0.8:
                text += f" with {_test(chance)}"
        if what == "minion" and chance.random() < 0.5:
            text += f" {chance.choice(('on', 'on', 'off'))} {chance.choice((*v.ACTIONS, 'played', 'played'))}"
        try:
            return phrases.parse_effect(text)
        except phrases.WordError:
            continue


def _condition(chance: random.Random) -> v.Condition:
    if chance.random() < 0.4:  # of others, or of the player among others
        if chance.random() < 0.3:
            return phrases.parse_condition(_rank(chance))
        return phrases.parse_condition(
            f"{chance.choice(('', 'not '))}{chance.choice(sorted(v.WHOSE))} {_test(chance)}"
        )
    if chance.random() < 0.3:
        return v.Condition("played", chance.choice(("==", "!=")), chance.choice(v.ACTIONS))
    right = chance.choice(sorted(v.QUANTITIES)) if chance.random() < 0.3 else chance.randint(0, 8)
    return v.Condition(chance.choice(sorted(v.QUANTITIES)), chance.choice(v.COMPARISONS), right)


def _rank(chance: random.Random) -> str:
    return f"{chance.choice(('', 'not '))}{chance.choice(sorted(v.EXTREMES))} {chance.choice(v.PUBLIC)}"


def _test(chance: random.Random) -> str:
    """What is asked of others."""
    kind = chance.random()
    if kind < 0.2:
        return f"{chance.choice(('', 'not '))}played {chance.choice(v.ACTIONS)}"
    if kind < 0.4:
        return _rank(chance)
    left, op = chance.choice(v.PUBLIC), chance.choice(v.COMPARISONS)
    right = str(chance.randint(0, 8)) if kind < 0.6 else chance.choice(("", "my ")) + chance.choice(v.PUBLIC)
    return f"{left} {op} {right}"


def _printed(chance: random.Random) -> tuple[v.Effect, ...]:
    effects: list[v.Effect] = []
    for _ in range(chance.choice((0, 0, 1, 1, 2, 4))):
        while True:
            effect = _effect(chance)
            try:
                phrases.check_printed(effect)
            except phrases.WordError:
                continue
            effects.append(effect)
            break
    return tuple(effects)
