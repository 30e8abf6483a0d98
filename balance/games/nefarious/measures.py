"""What Nefarious measures beyond what follows from the roles of its columns."""

from typing import Final

from balance.games.measures import Beyond, Compared, From, Measure
from balance.games.nefarious.vocabulary import ACTIONS

_CHOICES: Final = " + ".join(f"chose_{action}" for action in ACTIONS)

MEASURES: Final = (
    Measure(
        "tie_extensions",
        "share of games that go on after the goal is reached",
        num="rounds_after_goal > 0",
        compared="length",
        sentence="{x} of the games go on after somebody has reached the goal",
        beyond=Beyond("games that go on after the goal is reached"),
        atlas=True,
    ),
    Measure(
        "action",
        "share of an action among all choices",
        num="{of}",
        den="choices",
        of=ACTIONS,
        columns=(
            *(From("seats", action, f"sum(chose_{action})") for action in ACTIONS),
            From("seats", "choices", f"sum({_CHOICES})"),
        ),
        compared="play",
        sentence="{Of} is {x} of all choices",
        atlas=True,
    ),
    Measure(
        "money",
        "money of a seat at the end",
        num="all_money",
        den="players",
        kind="mean",
        columns=(From("seats", "all_money", "sum(money)"),),
        compared="play",
        sentence="Players end with {x} money",
        multiple=Compared(
            "money_ratio",
            "money at the end, as a multiple of that without variants",
            "Players end with {x} times the money they have without",
            atlas=True,
        ),
        beyond=Beyond("money at the end", atlas=True),
    ),
    Measure(
        "hand",
        "cards in hand at the end",
        num="all_hands",
        den="players",
        kind="mean",
        columns=(From("seats", "all_hands", "sum(hand)"),),
        compared="play",
        sentence="Players end with {x} cards in hand",
        multiple=Compared(
            "hand_ratio",
            "cards at the end, as a multiple of those without variants",
            "Players end with {x} times the cards in hand they have without",
            atlas=True,
        ),
        beyond=Beyond("size of the hand at the end", atlas=True),
    ),
    Measure(
        "exhaustion",
        "share of games in which the deck runs out",
        num="deck_exhausted",
        compared="play",
        sentence="The deck runs out in {x} of the games",
        beyond=Beyond("games in which the deck runs out"),
        atlas=True,
    ),
)
