"""The parameters by which players weigh their options, in the order of the kernel's array.

Their values are in `data/nefarious/policies.toml`, how they are used in `kernel.weighing`.
"""

from typing import Final, NamedTuple


class PolicyParameter(NamedTuple):
    """One number by which a policy weighs its options; worth is counted in VP."""

    name: str
    lowest: float
    highest: float
    meaning: str


PARAMETERS: Final = (
    # Worth of things; of each pair the first counts early in the game, the second (`late`) at its end.
    PolicyParameter("coin", 0, 2, "worth of a coin"),
    PolicyParameter("coin_late", -1, 2, "the same, late"),
    PolicyParameter("card", -1, 4, "worth of a card in hand, whatever it is"),
    PolicyParameter("card_late", -1, 4, "the same, late"),
    PolicyParameter("income", 0, 3, "share of the income foreseen that is counted"),
    PolicyParameter("income_late", 0, 3, "the same, late"),
    PolicyParameter("bonus", 0, 2, "worth of a VP that comes and goes with the state that earns it"),
    PolicyParameter("bonus_late", 0, 2, "the same, late"),
    PolicyParameter("plan", 0, 2, "weight of the best card to be built later"),
    PolicyParameter("plan_late", 0, 2, "the same, late"),
    PolicyParameter("hurt", -1, 3, "weight of what the others lose, on average"),
    PolicyParameter("hurt_late", -1, 3, "the same, late"),
    PolicyParameter("speculate", -6, 12, "liking for Speculate"),
    PolicyParameter("speculate_late", -6, 12, "the same, late"),
    PolicyParameter("invent", -6, 12, "liking for Invent, if something can be built"),
    PolicyParameter("invent_late", -6, 12, "the same, late"),
    PolicyParameter("research", -6, 12, "liking for Research"),
    PolicyParameter("research_late", -6, 12, "the same, late"),
    # Shapes.
    PolicyParameter("rich_from", 0, 60, "number of coins from which a further coin is worth less"),
    PolicyParameter("rich", 0, 1.5, "share of its worth that such a coin keeps"),
    PolicyParameter("first_card", 0, 8, "additional worth of having any card that can be paid some day"),
    PolicyParameter("many_from", 0, 12, "number of cards from which a further card is worth less"),
    PolicyParameter("many", -0.5, 1.5, "share of its worth that such a card keeps"),
    PolicyParameter(
        "patience", 0, 1, "share of its worth that a card to be built keeps per round of waiting"
    ),
    PolicyParameter("second", 0, 1.5, "weight of the second-best card to be built, against the best"),
    # Guesses.
    PolicyParameter("horizon", 1, 30, "rounds left at which the game is early; at none it is late"),
    PolicyParameter("pace", 0.5, 4, "VP per round that a player makes, as guessed before anything is seen"),
    PolicyParameter(
        "coin_ahead", 0, 0.5, "VP that a coin of any player promises him, when guessing how long it lasts"
    ),
    PolicyParameter(
        "minion_ahead", 0, 0.5, "VP per round that a minion on the table promises its owner, likewise"
    ),
    PolicyParameter(
        "count_on", 0, 1, "share of the income foreseen that is counted on when planning a payment"
    ),
    PolicyParameter("habit", 0, 30, "rounds of play that the guess of what neighbours do is worth"),
    PolicyParameter("prior_speculate", 0, 1, "guessed share of Speculate"),
    PolicyParameter("prior_invent", 0, 1, "guessed share of Invent"),
    PolicyParameter("prior_research", 0, 1, "guessed share of Research"),
    PolicyParameter("prior_work", 0, 1, "guessed share of Work"),
    PolicyParameter("rich_invents", 0, 4, "how much likelier a neighbour with 20 coins plays Invent"),
    PolicyParameter("softness", 0, 4, "width of the chance that is added to the worth of an option"),
)
"""The parameters in the order of the kernel's array."""
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
