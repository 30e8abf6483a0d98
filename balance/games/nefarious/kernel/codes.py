"""Numbers that stand for words inside the kernel.

The catalog's words are turned into these by `balance.games.nefarious.rules`; a word's number is its place
in the vocabulary, so that the two cannot drift apart.
"""

from typing import Final

from balance.games.nefarious import vocabulary as v

SPECULATE: Final = 0
INVENT: Final = 1
RESEARCH: Final = 2
WORK: Final = 3
ACTION_COUNT: Final = len(v.ACTIONS)

PLUS: Final = 0
MINUS: Final = 1
TIMES: Final = 2
OPS: Final = ("+", "-", "x")

_whats = list(v.WHATS)
CARD: Final = _whats.index("card")
MONEY: Final = _whats.index("money")
MINION: Final = _whats.index("minion")
COMMIT: Final = _whats.index("commit")

ANY_ZONE: Final = -1
PLAYED_ZONES: Final = 4

SELF: Final = 0
OTHERS: Final = 1

PER_NOTHING: Final = -1
_pers = list(v.PERS)
PER_HAND: Final = _pers.index("hand")
PER_MINION: Final = _pers.index("minion")
PER_BUILT: Final = _pers.index("built")
PER_MONEY_FULL: Final = _pers.index("money/N")
PER_MONEY_REST: Final = _pers.index("money%N")
PER_DISCARDED: Final = _pers.index("discarded")
PER_PLAYED_MINION: Final = _pers.index("played-minion")
PER_LED_ZONE: Final = _pers.index("led-zone")
PER_SHARED_ACTION: Final = _pers.index("shared-action")
PER_ZONE_CROWD: Final = _pers.index("zone-crowd")
PER_BOARD_CROWD: Final = _pers.index("board-crowd")
PER_NEIGHBOUR: Final = _pers.index("neighbour")  # from here on, players are counted

_quantities = list(v.QUANTITIES)
Q_MONEY: Final = _quantities.index("money")
Q_HAND: Final = _quantities.index("hand")
Q_BUILT: Final = _quantities.index("built")
Q_BUILT_NOW: Final = _quantities.index("built_now")
Q_MINIONS: Final = _quantities.index("minions")
Q_RESERVE: Final = _quantities.index("reserve")
Q_COMMITTED: Final = _quantities.index("committed")
Q_VP: Final = _quantities.index("vp")
PUBLIC_COUNT: Final = len(v.PUBLIC)  # the first quantities; what looks at others sees these
Q_ROUND: Final = _quantities.index("round")
Q_CARD_VP: Final = _quantities.index("card_vp")
Q_EARLIER_VP: Final = _quantities.index("earlier_vp")
Q_PLAYED: Final = len(_quantities)

_comparisons = list(v.COMPARISONS)
EQUAL: Final = _comparisons.index("==")
NOT_EQUAL: Final = _comparisons.index("!=")
AT_MOST: Final = _comparisons.index("<=")
AT_LEAST: Final = _comparisons.index(">=")
LESS: Final = _comparisons.index("<")
MORE: Final = _comparisons.index(">")
# ranks at the table, behind the comparisons
MOST: Final = len(_comparisons)
FEWEST: Final = MOST + 1
SOLE_MOST: Final = MOST + 2
SOLE_FEWEST: Final = MOST + 3

# Whose state a condition tests: the player's own, as it is now; the player's own, as everybody saw it before
# the first line of the moment; or, as seen then, that of others.
OWN_NOW: Final = 0
OWN_SEEN: Final = 1
NEIGHBOUR: Final = 2
OTHER: Final = 3
PLAYER: Final = 4
WHOSE: Final = ("", "", *v.WHOSE)

# What a comparison has on its right: a number, a quantity of the player tested, or of the player who asks.
NUMBER: Final = 0
QUANTITY: Final = 1
MY_QUANTITY: Final = 2

# Moments, `before` and `after` with their step. The two lists of `invention` are kept apart.
AT_START: Final = 0
BEFORE_INCOME: Final = 1
AFTER_INCOME: Final = 2
BEFORE_SPECULATE: Final = 3
AFTER_SPECULATE: Final = 4
BEFORE_RESEARCH: Final = 5
AFTER_RESEARCH: Final = 6
BEFORE_WORK: Final = 7
AFTER_WORK: Final = 8
AT_PLACE: Final = 9
AT_BUILD: Final = 10
ON_INVENTION_SELF: Final = 11
ON_INVENTION_OTHERS: Final = 12
AT_INCOME: Final = 13
AT_END: Final = 14
AT_SCORE: Final = 15
MOMENTS: Final = (
    "start",
    "before income",
    "after income",
    "before speculate",
    "after speculate",
    "before research",
    "after research",
    "before work",
    "after work",
    "place",
    "build",
    "invention self",
    "invention others",
    "income",
    "end",
    "score",
)

ALL_OR_NOTHING: Final = v.DECK_RULES.index("all-or-nothing")

# Decisions (docs/games/nefarious.md, section 7); the numbers are part of the randomness specification.
CHOOSE: Final = 0
PLACE: Final = 1
BUILD: Final = 2
DISCARD: Final = 3
REMOVE: Final = 4
COMMIT_CARD: Final = 5
DECISIONS: Final = ("choose", "place", "build", "discard", "remove", "commit")

# Why something happened: a card's line is CAUSE_CARD + its id, a twist's CAUSE_TWIST + its place in the game.
CAUSE_SPECULATE: Final = 1
CAUSE_RESEARCH: Final = 2
CAUSE_WORK: Final = 3
CAUSE_TWIST: Final = 100
CAUSE_CARD: Final = 1000

# Events of the log.
E_DEAL: Final = 1
E_ROUND: Final = 2
E_COMMIT: Final = 3
E_CHOOSE: Final = 4
E_INCOME: Final = 5
E_PLACE: Final = 6
E_REMOVE: Final = 7
E_REVEAL: Final = 8
E_DRAW: Final = 9
E_DISCARD: Final = 10
E_MONEY: Final = 11
E_SHUFFLE: Final = 12
E_NO_MORE_DRAWS: Final = 13
E_STATE: Final = 14
E_END: Final = 15

BUILT: Final = 0
UNAFFORDABLE: Final = 1
REFUSED: Final = 2
OUTCOMES: Final = ("built", "unaffordable", "unions")
