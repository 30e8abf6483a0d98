"""Readable English for everything the effect language can say, made from the data alone.

One sentence per line, change and switch. Nothing here knows a card or a twist by name, and nothing is
played here; a word without a sentence is a bug that tests/games/nefarious/catalog/test_english.py finds.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from balance.games.nefarious import vocabulary as v
from balance.games.nefarious.catalog.model import Edition, Invention, Switches, Twist, changed_parameters

NOTHING: Final = "Changes nothing."
NO_EFFECT: Final = "No effect."


# --- sentences of whole entries


def invention_value(invention: Invention) -> str:
    """Say what a built invention is worth.

    >>> from balance.games.nefarious.catalog.loading import load_catalog
    >>> invention_value(load_catalog().invention("Moon Base"))
    'Worth 5 VP.'
    """
    if not invention.vp_per_built:
        return f"Worth {invention.vp} VP."
    growing = f"{invention.vp_per_built} VP for each own built invention, itself included"
    return f"Worth {growing}." if not invention.vp else f"Worth {invention.vp} VP and {growing}."


def invention_lines(invention: Invention) -> list[str]:
    """Say what building an invention does, one sentence per printed line.

    >>> from balance.games.nefarious.catalog.loading import load_catalog
    >>> invention_lines(load_catalog().invention("Anti-gravity Suit"))
    ['Gain 4 money.', 'Each other player discards a card.']
    """
    own = [_sentence(_does(effect, own=True)) for effect in invention.self_effects]
    others = [_sentence(f"each other player {_does(effect)}") for effect in invention.others_effects]
    return own + others or [NO_EFFECT]


def twist_rule(twist: Twist, edition: Edition) -> list[str]:
    """Say what a twist does in one edition, one sentence per change, switch and line."""
    return [sentence for sentence in _slots(twist, edition) if sentence] or [NOTHING]


def twist_rules(twist: Twist, editions: Iterable[Edition]) -> list[str]:
    """Say what a twist does; a sentence that is not true in all its editions names those in which it is.

    >>> from balance.games.nefarious.catalog.loading import load_catalog
    >>> catalog = load_catalog()
    >>> twist_rules(catalog.twist("grants"), catalog.editions)
    ['At the start of each round, each player with no built invention gains 2 money.']
    """
    own = [edition for edition in editions if edition.id in twist.editions]
    said = []
    for slot in zip(*(_slots(twist, edition) for edition in own), strict=True):
        for sentence in dict.fromkeys(slot):
            where = [edition.id for edition, other in zip(own, slot, strict=True) if other == sentence]
            if sentence:
                said.append(sentence if len(where) == len(own) else f"In {_and(where)}: {sentence}")
    return said or [NOTHING]


def _slots(twist: Twist, edition: Edition) -> list[str]:
    """Say each part of a twist; a line that is not in force in the edition leaves an empty text."""
    said = [_change(change.parameter, twist, edition) for change in twist.changes]
    said += _switches(twist.switches)
    for line in twist.lines:
        said.append(line_sentence(line) if not line.editions or edition.id in line.editions else "")
    return said


def edition_rules(edition: Edition) -> list[str]:
    """Say what an edition fixes: prices, other numbers that are not the basic ones, the deck."""
    prices = [f"{_action(a)} {edition.parameters[f'price_{a}']}" for a in v.ACTIONS]
    said = [f"A minion costs, by zone: {', '.join(prices)} money."]
    for name, parameter in v.PARAMETERS.items():
        value = edition.parameters[name]
        if not name.startswith("price_") and value != parameter.basic:
            said.append(_sentence(_PARAMETERS[name](value)))
    said.append(_DECK[edition.deck])
    advised = {0: "no twists", 1: "1 twist"}.get(
        edition.first_game_twists, f"{edition.first_game_twists} twists"
    )
    return [*said, f"A first game is advised with {advised}."]


_DECK: Final[dict[str, str]] = {
    "all-or-nothing": (
        "When the deck holds too few cards for what is to be drawn, the shuffled discard pile goes under it; "
        "if it still is not enough, nothing is drawn, and no card is drawn for the rest of the game."
    ),
    "reshuffle": "Cards are drawn one at a time; an empty deck is replaced by the shuffled discard pile.",
}


# --- lines


def line_sentence(line: v.Line) -> str:
    """Say one line of a twist.

    >>> from balance.games.nefarious.catalog.phrases import parse_effect
    >>> from balance.games.nefarious.vocabulary import Line
    >>> line_sentence(Line("end", parse_effect("-1 card")))
    'At the end of each round, each player discards a card.'
    """
    who = _whom(line)
    if line.when == "invention":
        effect = _does(line.effect, own=True)
        if line.who == "others":
            effect = f"each other player {_does(line.effect)}"
        owner = f" of a player{who}" if who else ""
        place = "first line after the printed ones" if line.first else "last line"
        said = f'every invention{owner} gains a {place}{_if(line.conditions)}: "{_sentence(effect)}"'
        return _sentence(said, end="")
    said = _MOMENTS[line.moment].format(who=who) + _deed(line, who)
    if line.first:
        said += ", before anything else that happens then"
    if line.or_else:
        instead = _does(line.or_else)
        said += f"; if that is not possible, the card returns to the hand unpaid and the builder {instead}"
    return _sentence(said + _if(line.conditions))


_MOMENTS: Final[dict[str, str]] = {
    "start": "at the start of each round, ",
    "before income": "before income, when the actions are revealed, ",
    "income": "when income is counted, ",
    "after income": "after income, ",
    "before speculate": "before minions are placed by Speculate, ",
    "after speculate": "after Speculate, ",
    "before research": "before Research, ",
    "after research": "after Research, ",
    "before work": "before Work, ",
    "after work": "after Work, ",
    "place": "whenever a player{who} places a minion, ",
    "build": "whenever a player{who} builds an invention, after paying, ",
    "end": "at the end of each round, ",
    "score": "when scores are counted, ",
}


def _deed(line: v.Line, who: str) -> str:
    """Say who does what: everybody at the table, or the player whom the moment names."""
    if line.when in ("place", "build"):
        subject = "that player" if line.when == "place" else "the builder"
        return f"{'every other player' if line.who == 'others' else subject} {_does(line.effect)}"
    if line.who == "others":
        return f"each player{who} makes every other player {_does(line.effect, own=True)}"
    return f"each player{who} {_does(line.effect)}"


# --- effects: "draws a card for each own built invention"

_VERBS: Final[dict[tuple[str, str], tuple[str, str]]] = {
    ("+", "card"): ("draw", "draws"),
    ("-", "card"): ("discard", "discards"),
    ("+", "money"): ("gain", "gains"),
    ("-", "money"): ("lose", "loses"),
    ("+", "minion"): ("place", "places"),
    ("-", "minion"): ("take back", "takes back"),
    ("+", "income"): ("earn", "earns"),
    ("x", "income"): ("earn", "earns"),
    ("+", "vp"): ("score", "scores"),
    ("-", "vp"): ("score", "scores"),
    ("+", "commit"): ("commit", "commits"),
}

_PER: Final[dict[str, str]] = {
    "hand": "card in hand",
    "minion": "own minion on zones",
    "built": "own built invention",
    "money/N": "full {n} money held",
    "money%N": "money held beyond a multiple of {n}",
    "discarded": "card discarded so",
    "played-minion": "own minion on the zone of an own action of this round",
    "led-zone": "own action of this round on whose zone the player has more minions than each other player",
    "shared-action": "other player who chose the same action (each shared action counts)",
    "zone-crowd": "minion of all players that stood on that zone as the round began",
    "board-crowd": "minion of all players on all zones",
    "neighbour": "neighbour",
    "other": "other player",
    "player": "player",
}


def _does(effect: v.Effect, *, own: bool = False) -> str:
    """Say an effect with its verb: "draw a card" to the player, else "draws a card" of the player."""
    verb = _VERBS[effect.op, effect.what][0 if own else 1]
    free = ", free" if effect.what == "minion" and effect.op == "+" else ""
    return f"{verb} {_object(effect)}{_zone(effect)}{_per(effect, 'you' if own else 'they')}{free}"


def _object(effect: v.Effect) -> str:
    n = effect.amount
    match effect.what, effect.op:
        case "card", _:
            return "the whole hand" if effect.everything else _count(n, "card", "cards")
        case "money", _:
            if effect.per == "money%N" and n == 1:
                return "the money"
            return "all money" if effect.everything else f"{n} money"
        case "minion", _:
            return "all minions" if effect.everything else _count(n, "minion", "minions")
        case "income", "x":
            return {0: "no income", 1: "the normal income", 2: "double income"}.get(
                n, f"{n} times the income"
            )
        case "income", _:
            return f"{n} more"
        case "vp", op:
            return f"{n} VP {'more' if op == '+' else 'less'}"
        case _:
            return "a card of the hand, face down: it is the next one to be built"


def _per(effect: v.Effect, me: str) -> str:
    if not effect.per:
        return ""
    if effect.per == "money%N" and effect.amount == 1 and effect.what == "money":
        return f" held beyond a multiple of {effect.per_n}"
    return f" for each {_PER[effect.per].format(n=effect.per_n)}{_counted(effect.test, me)}"


def _counted(test: v.Condition | None, me: str) -> str:
    """Say which players count: " with 3 or more built inventions", " who chose Work"."""
    if test is None:
        return ""
    return f" who {_chose(test)}" if test.left == "played" else f" with {_has(test, me)}"


def _zone(effect: v.Effect) -> str:
    if effect.what != "minion":
        return ""
    places = effect.op == "+"
    if effect.zone is None:
        return " on any zone" if places else ""
    zone = "the zone of each own action of this round" if effect.zone == "played" else _action(effect.zone)
    if effect.off:
        zone = "the zone of an own action of this round" if effect.zone == "played" else zone
        return f" that are not on {zone}"
    return f" {'on' if places else 'from'} {zone}"


# --- conditions: "with no built invention", "who chose Research"

_NOUNS: Final[dict[str, tuple[str, str]]] = {
    "money": ("money", "money"),
    "hand": ("card in hand", "cards in hand"),
    "built": ("built invention", "built inventions"),
    "built_now": ("invention built this round", "inventions built this round"),
    "minions": ("minion on zones", "minions on zones"),
    "reserve": ("minion in reserve", "minions in reserve"),
    "committed": ("committed card", "committed cards"),
    "vp": ("VP", "VP"),
}
# What no player "has": put into an "if" clause.
_FACTS: Final[dict[str, str]] = {
    "round": "the number of the round",
    "card_vp": "the VP of the new invention",
    "earlier_vp": "the highest VP among the builder's earlier ones",
}
_COMPARED: Final[dict[str, str]] = {
    "==": "as many {a} as {b}",
    "!=": "not as many {a} as {b}",
    "<=": "at most as many {a} as {b}",
    ">=": "at least as many {a} as {b}",
    "<": "fewer {a} than {b}",
    ">": "more {a} than {b}",
}
_IS: Final[dict[str, str]] = {
    "==": "is",
    "!=": "is not",
    "<=": "is at most",
    ">=": "is at least",
    "<": "is less than",
    ">": "is more than",
}


_RANKED: Final[dict[tuple[str, bool], str]] = {
    ("most", False): "the most {a} (tied or not)",
    ("fewest", False): "the fewest {a} (tied or not)",
    ("sole most", False): "more {a} than anybody else",
    ("sole fewest", False): "fewer {a} than anybody else",
    ("most", True): "fewer {a} than some other player",
    ("fewest", True): "more {a} than some other player",
    ("sole most", True): "at most as many {a} as some other player",
    ("sole fewest", True): "at least as many {a} as some other player",
}
_SOMEBODY: Final[dict[str, tuple[str, str]]] = {
    "neighbour": ("a neighbour", "no neighbour"),
    "other": ("another player", "no other player"),
    "player": ("any player", "no player"),
}


def _is_fact(condition: v.Condition) -> bool:
    """Return whether a condition needs an "if" clause: it is not about what the player has or chose."""
    return bool(condition.whose) or condition.left in _FACTS or condition.right in _FACTS


def _whom(line: v.Line) -> str:
    """Say the conditions on a player as what follows the noun: " with no money who chose Work"."""
    own = [c for c in line.conditions if not _is_fact(c)]
    has = [_has(c) for c in own if c.left != "played"]
    chose = [_chose(c) for c in own if c.left == "played"]
    if line.step in v.ACTIONS:
        chose = list(dict.fromkeys([f"chose {_action(line.step)}", *chose]))
    if line.moment == "before speculate":
        has.append("a minion in reserve")
    return (f" with {_and(has)}" if has else "") + (f" who {_and(chose)}" if chose else "")


def _if(conditions: Sequence[v.Condition]) -> str:
    facts = [
        _of_somebody(c)
        if c.whose
        else f"{_fact(c.left)} {_IS[c.op]} {c.right if isinstance(c.right, int) else _fact(c.right)}"
        for c in conditions
        if _is_fact(c)
    ]
    return f", if {_and(facts)}" if facts else ""


def _of_somebody(condition: v.Condition) -> str:
    """Say what must hold of others: "a neighbour chose Work", "no other player has more VP than they"."""
    subject = _SOMEBODY[condition.whose][condition.nobody]
    if condition.left != "played":
        return f"{subject} has {_has(condition)}"
    if condition.nobody and condition.op == "!=":
        return f"every {_PER[condition.whose]} chose {_action(str(condition.right))}"
    return f"{subject} {_chose(condition)}"


def _chose(condition: v.Condition) -> str:
    return f"{'chose' if condition.op == '==' else 'did not choose'} {_action(str(condition.right))}"


def _fact(quantity: str) -> str:
    return _FACTS.get(quantity) or f"the number of own {_NOUNS[quantity][1]}"


def _has(condition: v.Condition, me: str = "they") -> str:
    """Say what a player has, as it stands after "with"; `me` is the player who is compared with others."""
    one, many = _NOUNS[condition.left]
    if isinstance(condition.right, str):
        if condition.op in v.EXTREMES:
            compared = _RANKED[condition.op, condition.negated].format(a=many)
        else:
            other = _NOUNS[condition.right][1] if not condition.mine else f"{me} have"
            if condition.mine and condition.right != condition.left:
                other += f" {_NOUNS[condition.right][1]}"
            compared = _COMPARED[condition.op].format(a=many, b=other)
        if condition.left == "money":
            return compared.replace("many", "much").replace("fewer", "less").replace("fewest", "least")
        return compared
    op, n = condition.op, condition.right
    if op in ("<", ">"):
        op, n = ("<=", n - 1) if op == "<" else (">=", n + 1)
    if condition.left != "vp":  # VP can be negative
        if (op in ("==", "<=") and n == 0) or (op == "!=" and n == 1 and condition.left == "committed"):
            return f"no {one}"
        if (op == ">=" and n == 1) or (op == "!=" and n == 0):
            return "some money" if one == many else f"at least one {one}"
    noun = one if n == 1 else many
    words = {"==": f"exactly {n} {noun}", "!=": f"any number of {many} but {n}", "<=": f"at most {n} {noun}"}
    return words.get(op) or f"{n} or more {many}"


# --- parameters: "Work pays 6 money (normally 4)."

_PARAMETERS: Final[dict[str, Callable[[int], str]]] = {
    "start_money": lambda n: f"each player starts with {_money(n)}",
    "opening_cards": lambda n: f"each player starts with {_number(n, 'card', 'cards')} in hand",
    "goal": lambda n: f"the goal is {n} VP",
    "minions": lambda n: f"each player owns {_number(n, 'minion', 'minions')}",
    "actions": lambda n: f"each player chooses {_number(n, 'action', 'different actions')} per round",
    "action_repeats": lambda n: f"every action is done {_times(n)}",
    "effect_repeats": lambda n: (
        f"the lines of an invention are resolved {_times(n)}"
        if n
        else "the lines of an invention are never resolved"
    ),
    "work_money": lambda n: f"Work pays {_money(n)}",
    "research_money": lambda n: f"Research pays {_money(n)}",
    "research_cards": lambda n: f"Research draws {_number(n, 'card', 'cards')}",
    "cost_change": lambda n: f"every invention costs {abs(n)} money {'less' if n < 0 else 'more'}",
    "cost_divisor": lambda n: f"every invention costs {_part(n)} of its cost, rounded up",
    "price_speculate": lambda n: f"placing a minion on Speculate costs {_money(n)}",
    "price_invent": lambda n: f"placing a minion on Invent costs {_money(n)}",
    "price_research": lambda n: f"placing a minion on Research costs {_money(n)}",
    "price_work": lambda n: f"placing a minion on Work costs {_money(n)}",
}


def _change(parameter: str, twist: Twist, edition: Edition) -> str:
    """Say a change of a parameter: what it is with this twist alone, what it is without, and how it came."""
    change = next(c for c in twist.changes if c.parameter == parameter)
    value = changed_parameters(edition, [twist])[parameter]
    normal = edition.parameters[parameter]
    usual = _times(normal) if parameter in ("action_repeats", "effect_repeats") else str(normal)
    how = {
        "set": "",
        "add": f"; {abs(change.value)} {'less' if change.value < 0 else 'more'}",
        "multiply": f"; multiplied by {change.value}",
    }[change.how]
    if parameter == "cost_divisor":
        usual = "the whole"
    if parameter == "cost_change":
        usual, how = "the printed cost", ""
    return _sentence(f"{_PARAMETERS[parameter](value)} (normally {usual}{how})")


def _money(n: int) -> str:
    return f"{n} money" if n else "no money"


def _times(n: int) -> str:
    return {0: "never", 1: "once", 2: "twice"}.get(n, f"{n} times")


def _part(n: int) -> str:
    return {1: "the whole", 2: "half", 3: "a third", 4: "a quarter"}.get(n, f"1/{n}")


# --- switches


def _switches(switches: Switches) -> list[str]:
    said = []
    if switches.bars:
        said.append(f"Nobody may choose {_or([_action(a) for a in switches.bars])}.")
    if switches.rest:
        rounds = "the last round" if switches.rest == 1 else f"the last {switches.rest} rounds"
        said.append(f"Nobody may choose an action that they chose in {rounds}.")
    if switches.echo:
        which = "just before it" if switches.echo == 1 else f"{switches.echo} before it"
        said.append(
            "An invention without effect lines takes the printed lines of the own invention built "
            f"{which}, unless a twist adds a line to every invention."
        )
    if switches.per_hand_counts:
        counted = {"built": "own built inventions", "minion": "own minions on zones"}[
            switches.per_hand_counts
        ]
        said.append(f"Where an invention counts cards in hand, it counts {counted} instead.")
    return said


# --- small words


def _action(action: str) -> str:
    return action.capitalize()


def _count(n: int, one: str, many: str) -> str:
    return f"a {one}" if n == 1 else f"{n} {many}"


def _number(n: int, one: str, many: str) -> str:
    return f"no {many}" if n == 0 else f"{n} {one if n == 1 else many}"


def _and(parts: Sequence[str], word: str = "and") -> str:
    *rest, last = parts
    return f"{', '.join(rest)} {word} {last}" if rest else last


def _or(parts: Sequence[str]) -> str:
    return _and(parts, "or")


def _sentence(text: str, end: str = ".") -> str:
    return text[0].upper() + text[1:] + end
