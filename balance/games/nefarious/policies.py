"""The players that Nefarious offers, by name, and the parameters by which they weigh their options.

How they decide is in `kernel.weighing`; their numbers are in `data/nefarious/policies.toml`. Must not import
the compiler: names are checked, and tables read, without it.
"""

from typing import Final, NamedTuple

from balance.errors import UsageError
from balance.suggest import unknown

POLICIES: Final[dict[str, int]] = {
    "random": 0,
    "greedy": 1,
    "rusher": 2,
    "saver": 3,
    "investor": 4,
    "spoiler": 5,
    "researcher": 6,
    "adaptive": 7,
    "adaptive-plain": 8,
}
"""Each policy's number: in the kernel, and in the column `policy` of the tables."""
PLAIN: Final = {"adaptive-plain": "adaptive"}
"""Policies that are another one without its offsets for twists: what the offsets are measured against."""
FIELD: Final = ("greedy", "rusher", "saver", "investor", "spoiler", "researcher", "adaptive")
"""Who may sit in the lineup `field`."""
SEARCH: Final = "search"
"""`search:N` has the number FIRST_SEARCH + N."""
FIRST_SEARCH: Final = 1000
MOST_ITERATIONS: Final = 1_000_000
# Rows of the kernel's table of parameters: those of POLICIES, and spare ones for players being tuned.
MOST_WEIGHED: Final = 16

_NAMES: Final = {number: name for name, number in POLICIES.items()}
_OFFERED: Final = f"policies: {', '.join(POLICIES)}, {SEARCH}:N"


def policy_number(name: str) -> int:
    """Return the number of a policy; UsageError with the nearest names if there is none.

    >>> policy_number("random"), policy_number("search:200")
    (0, 1200)
    """
    head, colon, iterations = name.partition(":")
    if head == SEARCH and colon:
        if iterations.isascii() and iterations.isdigit() and 1 <= int(iterations) <= MOST_ITERATIONS:
            return FIRST_SEARCH + int(iterations)
        raise UsageError(f"'{name}': {SEARCH}:N takes a number of iterations, 1..{MOST_ITERATIONS}")
    if name == SEARCH:
        raise UsageError(f"'{name}' needs a number of iterations: {SEARCH}:200, for example")
    if name not in POLICIES:
        raise UsageError(f"{unknown('policy', name, POLICIES)} ({_OFFERED})")
    return POLICIES[name]


def policy_name(number: int) -> str:
    """Return the name of a policy; UsageError if no policy has this number.

    >>> policy_name(0), policy_name(1200)
    ('random', 'search:200')
    """
    if FIRST_SEARCH < number <= FIRST_SEARCH + MOST_ITERATIONS:
        return f"{SEARCH}:{number - FIRST_SEARCH}"
    if number not in _NAMES:
        raise UsageError(f"there is no policy number {number} ({_OFFERED})")
    return _NAMES[number]


class Parameter(NamedTuple):
    """One number by which a policy weighs its options; worth is counted in VP."""

    name: str
    lowest: float
    highest: float
    meaning: str


PARAMETERS: Final = (
    # Worth of things; of each pair the first counts early in the game, the second (`late`) at its end.
    Parameter("coin", 0, 2, "worth of a coin"),
    Parameter("coin_late", -1, 2, "the same, late"),
    Parameter("card", -1, 4, "worth of a card in hand, whatever it is"),
    Parameter("card_late", -1, 4, "the same, late"),
    Parameter("income", 0, 3, "share of the income foreseen that is counted"),
    Parameter("income_late", 0, 3, "the same, late"),
    Parameter("bonus", 0, 2, "worth of a VP that comes and goes with the state that earns it"),
    Parameter("bonus_late", 0, 2, "the same, late"),
    Parameter("plan", 0, 2, "weight of the best card to be built later"),
    Parameter("plan_late", 0, 2, "the same, late"),
    Parameter("hurt", -1, 3, "weight of what the others lose, on average"),
    Parameter("hurt_late", -1, 3, "the same, late"),
    Parameter("speculate", -6, 12, "liking for Speculate"),
    Parameter("speculate_late", -6, 12, "the same, late"),
    Parameter("invent", -6, 12, "liking for Invent, if something can be built"),
    Parameter("invent_late", -6, 12, "the same, late"),
    Parameter("research", -6, 12, "liking for Research"),
    Parameter("research_late", -6, 12, "the same, late"),
    # Shapes.
    Parameter("rich_from", 0, 60, "number of coins from which a further coin is worth less"),
    Parameter("rich", 0, 1.5, "share of its worth that such a coin keeps"),
    Parameter("first_card", 0, 8, "additional worth of having any card that can be paid some day"),
    Parameter("many_from", 0, 12, "number of cards from which a further card is worth less"),
    Parameter("many", -0.5, 1.5, "share of its worth that such a card keeps"),
    Parameter("patience", 0, 1, "share of its worth that a card to be built keeps per round of waiting"),
    Parameter("second", 0, 1.5, "weight of the second-best card to be built, against the best"),
    # Guesses.
    Parameter("horizon", 1, 30, "rounds left at which the game is early; at none it is late"),
    Parameter("pace", 0.5, 4, "VP per round that a player makes, as guessed before anything is seen"),
    Parameter(
        "coin_ahead", 0, 0.5, "VP that a coin of any player promises him, when guessing how long it lasts"
    ),
    Parameter("minion_ahead", 0, 0.5, "VP per round that a minion on the table promises its owner, likewise"),
    Parameter("count_on", 0, 1, "share of the income foreseen that is counted on when planning a payment"),
    Parameter("habit", 0, 30, "rounds of play that the guess of what neighbours do is worth"),
    Parameter("prior_speculate", 0, 1, "guessed share of Speculate"),
    Parameter("prior_invent", 0, 1, "guessed share of Invent"),
    Parameter("prior_research", 0, 1, "guessed share of Research"),
    Parameter("prior_work", 0, 1, "guessed share of Work"),
    Parameter("rich_invents", 0, 4, "how much likelier a neighbour with 20 coins plays Invent"),
    Parameter("softness", 0, 4, "width of the chance that is added to the worth of an option"),
)
"""In the order of the kernel's array."""
PARAMETER_NAMES: Final = tuple(parameter.name for parameter in PARAMETERS)

COIN: Final = PARAMETER_NAMES.index("coin")
CARD: Final = PARAMETER_NAMES.index("card")
INCOME: Final = PARAMETER_NAMES.index("income")
BONUS: Final = PARAMETER_NAMES.index("bonus")
PLAN: Final = PARAMETER_NAMES.index("plan")
HURT: Final = PARAMETER_NAMES.index("hurt")
LIKES_SPECULATE: Final = PARAMETER_NAMES.index("speculate")
LIKES_INVENT: Final = PARAMETER_NAMES.index("invent")
LIKES_RESEARCH: Final = PARAMETER_NAMES.index("research")
RICH_FROM: Final = PARAMETER_NAMES.index("rich_from")
RICH: Final = PARAMETER_NAMES.index("rich")
FIRST_CARD: Final = PARAMETER_NAMES.index("first_card")
MANY_FROM: Final = PARAMETER_NAMES.index("many_from")
MANY: Final = PARAMETER_NAMES.index("many")
PATIENCE: Final = PARAMETER_NAMES.index("patience")
SECOND: Final = PARAMETER_NAMES.index("second")
HORIZON: Final = PARAMETER_NAMES.index("horizon")
PACE: Final = PARAMETER_NAMES.index("pace")
COIN_AHEAD: Final = PARAMETER_NAMES.index("coin_ahead")
MINION_AHEAD: Final = PARAMETER_NAMES.index("minion_ahead")
COUNT_ON: Final = PARAMETER_NAMES.index("count_on")
HABIT: Final = PARAMETER_NAMES.index("habit")
PRIOR: Final = PARAMETER_NAMES.index("prior_speculate")
RICH_INVENTS: Final = PARAMETER_NAMES.index("rich_invents")
SOFTNESS: Final = PARAMETER_NAMES.index("softness")
