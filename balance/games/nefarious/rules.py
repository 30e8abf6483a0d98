"""Compiling the rules of a cell: edition, players and ordered twists become the kernel's records.

Words become numbers here; what is refused here is refused before anything is played. Needs NumPy but no
compiler, so that a mistake is answered at once.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from balance.errors import UsageError
from balance.games.compiled.weights import Floats
from balance.games.nefarious import vocabulary as v
from balance.games.nefarious.catalog.model import Catalog, Edition, Invention, Twist, changed_parameters
from balance.games.nefarious.kernel import codes as c
from balance.games.nefarious.kernel.state import LINE, RULES
from balance.games.nefarious.policies.describing import card_faces, describe_rules
from balance.games.nefarious.policies.features import GUESSES
from balance.games.nefarious.policies.names import PLAIN, POLICIES
from balance.games.nefarious.policies.parameters import PARAMETER_NAMES

PLAYERS: Final = (2, v.MOST_PLAYERS)

RecordArray = npt.NDArray[np.void]


@dataclass(frozen=True)
class Cell:
    """The compiled rules of one combination, ready to be played."""

    catalog: Catalog
    edition: Edition
    players: int
    twists: tuple[Twist, ...]
    cards: tuple[Invention, ...]
    """The deck in ascending order of id; a card's place here is its number inside the kernel."""
    rules: RecordArray = field(repr=False)
    """One record of state.RULES."""
    networks: dict[int, Floats] = field(default_factory=dict, repr=False, compare=False)
    """The weights of learned players, folded for these rules, by policy; made when first needed."""

    @cached_property
    def features(self) -> Floats:
        """The features of the rules in force, as learned players know them."""
        return describe_rules(self.rules)


def compile_cell(
    catalog: Catalog,
    edition: str,
    players: int,
    twists: Sequence[str] = (),
) -> Cell:
    """Look the names up and compile; UsageError says what is wrong and what would be right."""
    if isinstance(players, bool) or not PLAYERS[0] <= players <= PLAYERS[1]:
        raise UsageError(f"Nefarious is for {PLAYERS[0]} to {PLAYERS[1]} players, not {players}")
    found_edition = catalog.edition(edition)
    found = tuple(_twists(catalog, found_edition, twists))
    cards = tuple(sorted(catalog.inventions, key=lambda card: card.id))
    rules = _record(found_edition, players, found, cards)
    economy = _economy(found_edition, found, cards)
    for policy in catalog.policies.entries:
        weights = np.array(catalog.policies.parameters(policy.name, found))
        rules["weights"][0, POLICIES[policy.name]] = weights * economy
    guesses = [GUESSES.get(name, 0.0) for name in PARAMETER_NAMES]
    rules["weights"][0, POLICIES["random"]] = guesses
    for plain, whose in PLAIN.items():
        rules["weights"][0, POLICIES[plain]] = np.array(catalog.policies.plain_parameters(whose)) * economy
    return Cell(catalog, found_edition, players, found, cards, rules)


def _economy(
    edition: Edition, twists: tuple[Twist, ...], cards: tuple[Invention, ...]
) -> npt.NDArray[np.float64]:
    """Return by what to multiply the parameters of players where prices and wages are not the printed ones.

    The parameters are written for the basic numbers of the rules, so that it does not matter whether an
    edition or a twist changes them. A coin that buys twice as much is worth twice as much, and one has enough
    of them sooner; where a round earns or buys more, the game is over sooner.
    """
    printed = {name: parameter.basic for name, parameter in v.PARAMETERS.items()}
    here = changed_parameters(edition, twists)
    dearness = _total_cost(cards, here) / _total_cost(cards, printed)
    tempo = _wage(here) / _wage(printed) / dearness
    multiplied = dict.fromkeys(("coin", "coin_late", "coin_ahead", "minion_ahead"), 1.0 / dearness)
    multiplied |= {"rich_from": dearness, "pace": tempo}
    return np.array([multiplied.get(name, 1.0) for name in PARAMETER_NAMES])


def _total_cost(cards: tuple[Invention, ...], parameters: Mapping[str, int]) -> float:
    """Return what all cards cost; a coin more, so that a deck of free cards can be divided by."""
    return 1.0 + float(_costs(_deck(cards), parameters).sum())


def _wage(parameters: Mapping[str, int]) -> float:
    """Return what a round of saving brings by its actions, and a little."""
    actions = parameters["work_money"] + (parameters["research_money"] if parameters["actions"] > 1 else 0)
    return 0.5 + parameters["action_repeats"] * actions


def _twists(catalog: Catalog, edition: Edition, names: Sequence[str]) -> list[Twist]:
    if len(names) > v.MOST_TWISTS:
        raise UsageError(
            f"{len(names)} twists given, but a game turns over at most {v.MOST_TWISTS} (the printed rules, "
            "and the columns of the tables); to see more act at once, write the changes, lines and switches "
            "of two twists as one [[twist]] of an overlay (docs/catalog.md) and add that file to the catalog"
        )
    twists = [catalog.twist(name) for name in names]
    for i, twist in enumerate(twists):
        if any(twist is earlier for earlier in twists[:i]):
            raise UsageError(f"the twist '{twist.id}' is given twice; two different twists are in force")
        if edition.id not in twist.editions:
            raise UsageError(
                f"the twist '{twist.id}' is not in edition {edition.id}; "
                f"it is in {', '.join(twist.editions) or 'none'}"
            )
    return twists


def _record(
    edition: Edition,
    players: int,
    twists: tuple[Twist, ...],
    cards: tuple[Invention, ...],
) -> RecordArray:
    rules = np.zeros(1, RULES)
    parameters = changed_parameters(edition, twists)
    _fill_parameters(rules, edition, players, parameters)
    _fill_switches(rules, twists)
    deck = _deck(cards)
    _fill_cards(rules, deck, parameters)
    rows: list[RecordArray] = []
    _fill_moments(rules, rows, deck.lines.size, edition, twists)
    lines = np.concatenate([deck.lines, *rows])
    rules["lines"][0, : lines.size] = lines
    rules["looks"] = _any_looks(lines)
    rules["face"][0] = card_faces(rules)
    return rules


def _fill_parameters(
    rules: RecordArray,
    edition: Edition,
    players: int,
    parameters: Mapping[str, int],
) -> None:
    r: Any = rules[0]
    r["players"] = players
    r["round_limit"] = v.ROUND_LIMIT
    r["deck_rule"] = v.DECK_RULES.index(edition.deck)
    for name in (
        "goal",
        "minions",
        "actions",
        "action_repeats",
        "effect_repeats",
        "work_money",
        "research_money",
        "research_cards",
    ):
        r[name] = parameters[name]
    for zone, action in enumerate(v.ACTIONS):
        r["price"][zone] = parameters[f"price_{action}"]
    r["start_money"][:players] = parameters["start_money"]
    r["opening_cards"][:players] = parameters["opening_cards"]


def _fill_switches(rules: RecordArray, twists: Sequence[Twist]) -> None:
    r: Any = rules[0]
    r["hand_counts"] = c.PER_HAND
    for twist in twists:
        for action in twist.switches.bars:
            r["barred"] |= 1 << v.ACTIONS.index(action)
        r["rest"] = max(r["rest"], twist.switches.rest)
        r["echo"] = max(r["echo"], twist.switches.echo)
        if twist.switches.per_hand_counts:
            r["hand_counts"] = list(v.PERS).index(twist.switches.per_hand_counts)
    _fill_choices(r)


def _fill_choices(r: Any) -> None:
    """List the sets of actions that may be chosen while nothing rests, ascending as masks."""
    masks = [mask for mask in range(1 << c.ACTION_COUNT) if not mask & int(r["barred"])]
    size = min(int(r["actions"]), max(mask.bit_count() for mask in masks))
    choices = [mask for mask in masks if mask.bit_count() == size]
    r["n_choices"] = len(choices)
    r["choices"][: len(choices)] = choices


@dataclass(frozen=True)
class _Deck:
    """What cards are in the kernel's numbers, but for the cost, which twists change."""

    numbers: Mapping[str, npt.NDArray[np.int64]]
    """Values by field of state.RULES."""
    cost: npt.NDArray[np.int64]
    lines: RecordArray


@lru_cache(maxsize=16)
def _deck(cards: tuple[Invention, ...]) -> _Deck:
    """Turn cards into numbers, once for all cells of a catalog."""
    numbers = {
        "id": np.array([card.id for card in cards], np.int64),
        "vp": np.array([card.vp for card in cards], np.int64),
        "vp_per_built": np.array([card.vp_per_built for card in cards], np.int64),
    }
    rows: list[RecordArray] = [np.zeros(0, LINE)]
    begun = 0
    for name, side in (("own_lines", "self_effects"), ("others_lines", "others_effects")):
        starts = [begun]
        for card in cards:
            effects: Sequence[v.Effect] = getattr(card, side)
            rows += [line_record(effect, c.CAUSE_CARD + card.id) for effect in effects]
            begun += len(effects)
            starts.append(begun)
        numbers[name] = np.array(starts, np.int64)
    return _Deck(numbers, np.array([card.cost for card in cards], np.int64), np.concatenate(rows))


def _fill_cards(rules: RecordArray, deck: _Deck, parameters: Mapping[str, int]) -> None:
    for name, values in deck.numbers.items():
        rules[name][0, : values.size] = values
    rules["n_cards"] = deck.cost.size
    rules["cost"][0, : deck.cost.size] = _costs(deck, parameters)


def _costs(deck: _Deck, parameters: Mapping[str, int]) -> npt.NDArray[np.int64]:
    """Return what the cards cost after twists."""
    changed = np.maximum(0, deck.cost + parameters["cost_change"])
    return np.asarray(-(-changed // parameters["cost_divisor"]))


def _fill_moments(
    rules: RecordArray, rows: list[RecordArray], begun: int, edition: Edition, twists: Sequence[Twist]
) -> None:
    """Put each moment's lines, behind `begun` others, as they act: `first` ones, then by twist."""
    r: Any = rules[0]
    in_force = [
        (line, c.CAUSE_TWIST + number)
        for number, twist in enumerate(twists)
        for line in twist.lines
        if not line.editions or edition.id in line.editions
    ]
    in_force.sort(key=lambda pair: not pair[0].first)
    for m, moment in enumerate(c.MOMENTS):
        here = [(line, cause) for line, cause in in_force if _moment_of(line) == moment]
        r["first"][m] = begun + len(rows)
        r["last"][m] = begun + len(rows) + len(here)
        # what happens instead of a line is not in force by itself: it is behind the moment's lines
        instead = begun + len(rows) + len(here)
        extra: list[RecordArray] = []
        for line, cause in here:
            record = line_record(line.effect, cause, line)
            if line.or_else:
                record["or_else"] = instead + len(extra)
                extra.append(line_record(line.or_else, cause))
            rows.append(record)
        rows += extra


def _moment_of(line: v.Line) -> str:
    return f"invention {line.who}" if line.when == "invention" else line.moment


def line_record(effect: v.Effect, cause: int, line: v.Line | None = None) -> RecordArray:
    """Turn an effect, and the conditions of its line, into one record of state.LINE."""
    record = np.zeros(1, LINE)
    x: Any = record[0]
    x["cause"] = cause
    x["op"] = c.OPS.index(effect.op)
    x["what"] = list(v.WHATS).index(effect.what)
    x["everything"] = effect.everything
    x["amount"] = effect.amount
    x["per"] = list(v.PERS).index(effect.per) if effect.per else c.PER_NOTHING
    x["per_n"] = effect.per_n
    x["zone"] = c.ANY_ZONE if effect.zone is None else (*v.ACTIONS, "played").index(effect.zone)
    x["off"] = effect.off
    x["or_else"] = -1
    if effect.per in v.WHOSE:
        # who counts all of them asks for what all of them have
        everybody = v.Condition("money", ">=", 0)
        _fill_condition(x, v.MOST_CONDITIONS, replace(effect.test or everybody, whose=effect.per))
    if line is not None:
        # a line on every invention is kept in one list per target, so there its `who` is settled
        x["who"] = c.OTHERS if line.who == "others" and line.when != "invention" else c.SELF
        x["counts"] = line.when not in ("place", "invention")
        x["n_conditions"] = len(line.conditions)
        for i, condition in enumerate(line.conditions):
            _fill_condition(x, i, condition)
    return record


def _fill_condition(x: Any, i: int, condition: v.Condition) -> None:
    quantities = list(v.QUANTITIES)
    x["comparison"][i] = (*v.COMPARISONS, *v.EXTREMES).index(condition.op)
    if condition.looks:
        x["whose"][i] = c.WHOSE.index(condition.whose) if condition.whose else c.OWN_SEEN
        x["nobody"][i] = condition.nobody
    if condition.left == "played":
        x["left"][i] = c.Q_PLAYED
        x["right"][i] = v.ACTIONS.index(str(condition.right))
        return
    x["left"][i] = quantities.index(condition.left)
    if condition.op in v.EXTREMES:
        x["right"][i] = not condition.negated
    elif isinstance(condition.right, int):
        x["right"][i] = condition.right
    else:
        x["right_is_quantity"][i] = c.MY_QUANTITY if condition.mine else c.QUANTITY
        x["right"][i] = quantities.index(condition.right)


def _any_looks(lines: RecordArray) -> bool:
    """Return whether a line looks at others, by a condition or in what it counts."""
    return bool((lines["whose"] != c.OWN_NOW).any())
