"""What the catalog says for one cell (edition and ordered twists), prepared once and then only read.

Must stay out of here: anything that changes during a game, and the name of any card or twist.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from balance.games.nefarious.catalog.model import Catalog, Twist, changed_parameters
from balance.games.nefarious.vocabulary import ACTIONS, Condition, Effect

SPECULATE, INVENT, RESEARCH, WORK = range(4)
ZONES = (SPECULATE, INVENT, RESEARCH, WORK)
ZONE_OF = {word: zone for zone, word in enumerate(ACTIONS)}


@dataclass(slots=True)
class Card:
    """An invention with the price it has in this cell."""

    id: int
    cost: int
    vp: int
    vp_per_built: int
    self_effects: tuple[Effect, ...]
    others_effects: tuple[Effect, ...]
    blank: bool
    cause: str


@dataclass(slots=True)
class TwistLine:
    """A line of a twist that is in force in this edition."""

    twist: str
    cause: str
    effect: Effect
    others: bool
    conditions: tuple[Condition, ...]
    or_else: Effect | None


@dataclass(slots=True)
class Rules:
    """Everything that is fixed before the first card is dealt."""

    edition: str
    twists: tuple[str, ...]
    cards: dict[int, Card]
    all_or_nothing: bool
    start_money: int
    opening_cards: int
    goal: int
    minions: int
    action_repeats: int
    effect_repeats: int
    work_money: int
    research_money: int
    research_cards: int
    prices: list[int]
    """Price of a minion on each zone."""
    lines: dict[str, list[TwistLine]]
    """Lines by moment as written (`start`, `before income`), `first` lines first, then twist order."""
    choices: dict[int, list[tuple[int, ...]]]
    """By bit mask of the allowed actions: the sets that may be chosen, ascending as bit masks."""
    barred: int
    """Bit mask of the actions that nobody may choose."""
    rest: int
    echo: int
    hand_word: str
    """What `per hand` of an invention counts."""


def prepare(catalog: Catalog, edition: str, twists: Sequence[str]) -> Rules:
    """The rules of a cell; ValueError for twists that cannot be in force together."""
    printed = catalog.edition(edition)
    in_force = [catalog.twist(name) for name in twists]
    ids = tuple(twist.id for twist in in_force)
    if len(ids) > 2 or len(set(ids)) != len(ids):
        raise ValueError(f"0, 1 or 2 different twists are played, found: {', '.join(ids)}")
    for twist in in_force:
        if printed.id not in twist.editions:
            raise ValueError(f"{printed.id} does not have the twist {twist.id}")
    number = changed_parameters(printed, in_force)
    cards = {}
    for card in sorted(catalog.inventions, key=lambda card: card.id):
        cost = -(-max(0, card.cost + number["cost_change"]) // number["cost_divisor"])
        cards[card.id] = Card(
            card.id,
            cost,
            card.vp,
            card.vp_per_built,
            card.self_effects,
            card.others_effects,
            not card.self_effects and not card.others_effects,
            f"invention:{card.id}",
        )
    hand_words = [twist.switches.per_hand_counts for twist in in_force if twist.switches.per_hand_counts]
    return Rules(
        edition=printed.id,
        twists=ids,
        cards=cards,
        all_or_nothing=printed.deck == "all-or-nothing",
        start_money=number["start_money"],
        opening_cards=number["opening_cards"],
        goal=number["goal"],
        minions=number["minions"],
        action_repeats=number["action_repeats"],
        effect_repeats=number["effect_repeats"],
        work_money=number["work_money"],
        research_money=number["research_money"],
        research_cards=number["research_cards"],
        prices=[number[f"price_{action}"] for action in ACTIONS],
        lines=_lines_by_moment(in_force, printed.id),
        choices=_choices(number["actions"]),
        barred=sum({1 << ZONE_OF[action] for twist in in_force for action in twist.switches.bars}),
        rest=max((twist.switches.rest for twist in in_force), default=0),
        echo=max((twist.switches.echo for twist in in_force), default=0),
        hand_word=hand_words[-1] if hand_words else "hand",
    )


def _lines_by_moment(twists: Sequence[Twist], edition: str) -> dict[str, list[TwistLine]]:
    lines: dict[str, list[TwistLine]] = {}
    for first in (True, False):
        for twist in twists:
            for line in twist.lines:
                if line.first == first and (not line.editions or edition in line.editions):
                    prepared = TwistLine(
                        twist.id,
                        f"twist:{twist.id}",
                        line.effect,
                        line.who == "others",
                        line.conditions,
                        line.or_else,
                    )
                    lines.setdefault(line.moment, []).append(prepared)
    return lines


def _choices(actions: int) -> dict[int, list[tuple[int, ...]]]:
    """For every set of allowed actions: the sets of `actions` of them, or all of them if they are fewer."""
    choices = {}
    for mask in range(16):
        allowed = [zone for zone in ZONES if mask >> zone & 1]
        sets = combinations(allowed, min(actions, len(allowed)))
        choices[mask] = sorted(sets, key=lambda chosen: sum(1 << zone for zone in chosen))
    return choices
