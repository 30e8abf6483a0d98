"""What a learned player knows: the names of its features, in their order, and how many there are.

Those of a situation and of an option are computed in `kernel.features`, those of the rules in `describing`.
"""

from typing import Final

from balance.games.compiled.weights import NetworkLayout
from balance.games.nefarious import vocabulary as v
from balance.games.nefarious.kernel import codes as c

_BY_ACTION: Final = v.ACTIONS
SITUATION: Final = (
    *(f"asked to {kind}" for kind in c.DECISIONS),
    "a placement is paid",
    "round",
    "rounds left, as guessed",
    "money",
    "money up to 8",
    "cards in hand",
    "no card in hand",
    "built",
    "score",
    "score from bonuses",
    "minions on zones",
    "no reserve",
    *(f"minions on {action}" for action in _BY_ACTION),
    "committed",
    "built this round",
    *(f"played {action} now" for action in _BY_ACTION),
    *(f"played {action} last" for action in _BY_ACTION),
    *(f"neighbours expected on {action}" for action in _BY_ACTION),
    "income foreseen",
    "a build would be refused",
    "payable cards",
    "VP of the best payable card",
    "worth of the best payable card",
    "lowest cost",
    "worth of the best card",
    "missing for the best card",
    "VP of the best card",
    "worth of the second-best card",
    "missing for the second-best card",
    "highest VP in hand",
    "a build may win now",
    *(
        f"{whose} neighbour: {what}"
        for whose in ("left", "right")
        for what in (
            "money",
            "cards",
            "score",
            "no reserve",
            *(f"plays {action} now" for action in _BY_ACTION),
            *(f"played {action} last" for action in _BY_ACTION),
            *(f"minions on {action}" for action in _BY_ACTION),
        )
    ),
    "best score of the others",
    "second-best score of the others",
    "mean score of the others",
    "lead over the best of the others",
    "money of the best of the others",
    "cards of the best of the others",
    "most money of the others",
    "mean money of the others",
    "mean cards of the others",
    "mean minions of the others",
    "others within 6 VP of the goal",
    "others who have reached the goal",
    *(f"all minions on {action}" for action in _BY_ACTION),
    "cards in the deck",
    "cards discarded",
    "the deck is closed",
)
FACE: Final = (
    "cost",
    "VP",
    "VP per built",
    "own cards",
    "own money",
    "own minions",
    "cards of the others",
    "money of the others",
    "minions of the others",
    "no effect",
)
"""What a card is by its face; the kernel's table has its plain worth as one more column."""
WORTH: Final = len(FACE)
OPTION: Final = (
    *(f"plays {action}" for action in _BY_ACTION),
    *(f"on {action}" for action in _BY_ACTION),
    "neighbours expected there",
    "own minions there",
    "price there",
    "all minions there",
    *(f"card: {what}" for what in FACE),
    "card: payable",
    "card: missing money",
    "money gained",
    "money after",
    "income hoped for",
    "cards gained",
    "no card after",
    "score gained",
    "score after",
    "wins now",
    "lead after",
    "minions gained",
    "income of later rounds",
    "others harmed",
    "builds",
    "reserve after",
    "VP of the best payable card after",
    "worth of the best payable card after",
    "payable cards after",
    "missing for the best card after",
    "may win next",
    "best card to be built later",
    "second-best card to be built later",
    "VP of the best card payable after one round of saving",
    "VP of the best card payable after two rounds of saving",
    "cards payable after one round of saving",
    "card: worth of building it",
    "card: rounds of saving until it is paid",
)
OPTION_ROOM: Final = 64

# By these learned players look ahead: the kernel's row of parameters that random play leaves free.
GUESSES: Final[dict[str, float]] = {
    "pace": 1.6,
    "coin_ahead": 0.12,
    "minion_ahead": 0.1,
    "habit": 5.0,
    "prior_speculate": 0.25,
    "prior_invent": 0.38,
    "prior_research": 0.28,
    "prior_work": 0.09,
    "rich_invents": 1.0,
}
PER_ROOM: Final = 18
QUANTITY_ROOM: Final = 14
WHATS: Final = len(v.WHATS)

_LINE_FEATURES: Final = (
    len(c.MOMENTS) * (2 * WHATS + 3)
    + PER_ROOM * WHATS
    + 12 * QUANTITY_ROOM
    + 4 * c.ACTION_COUNT
    + 2 * len(c.WHOSE)
    + c.ACTION_COUNT
    + 3
)
RULES_FEATURES: Final = (v.MOST_PLAYERS - 1) + 26 + len(FACE) + 1 + _LINE_FEATURES
LAYOUT: Final = NetworkLayout(len(SITUATION), OPTION_ROOM, RULES_FEATURES)
