"""The records the kernel works on: the table everybody sees, the whole state of a game, the rules of a cell.

All integers but cards and hashes are int64, so that every function is compiled for one set of types only.
A state is one NumPy record, and copying it is one assignment. A decision inside a round is continued from
the state at the start of that round and the decisions taken since (DECIDERS.tape): the round is played again
up to that point, which costs less than keeping track of what remains to be done.
"""

from typing import Final

import numpy as np

from balance.games.compiled.sizes import BUCKETS
from balance.games.nefarious.kernel import codes as c
from balance.games.nefarious.policies.features import FACE, LAYOUT
from balance.games.nefarious.policies.names import MOST_WEIGHED
from balance.games.nefarious.policies.parameters import PARAMETERS
from balance.games.nefarious.vocabulary import (
    MOST_CARDS,
    MOST_CONDITIONS,
    MOST_EFFECTS,
    MOST_PLAYERS,
    MOST_TWIST_LINES,
    MOST_TWISTS,
)

TIMES_BITS: Final = 16
ASKED_BITS: Final = 10
# one side of a card, one twist; the catalog refuses more (vocabulary)
MOST_LINES: Final = 2 * MOST_CARDS * MOST_EFFECTS + 2 * MOST_TWISTS * MOST_TWIST_LINES

_seats = (MOST_PLAYERS,)

# What every player may know (docs/games/nefarious.md, section 1). A policy gets this and its own hand.
TABLE: Final = np.dtype(
    [
        ("players", np.int64),
        ("round", np.int64),
        ("money", np.int64, _seats),
        ("minions", np.int64, (MOST_PLAYERS, c.ACTION_COUNT)),
        ("on_zones", np.int64, _seats),
        ("reserve", np.int64, _seats),
        ("standing", np.int64, (c.ACTION_COUNT,)),  # minions of all players per zone
        ("crowd", np.int64, (c.ACTION_COUNT,)),  # minions of all players per zone, as the round began
        ("n_hand", np.int64, _seats),
        ("n_built", np.int64, _seats),
        ("built_now", np.int64, _seats),
        ("built_vp", np.int64, _seats),  # sum of the fixed VP of built cards
        ("built_per", np.int64, _seats),  # sum of the VP per built invention of built cards
        ("score", np.int64, _seats),  # as counted last, bonuses included
        ("built", np.uint8, (MOST_PLAYERS, MOST_CARDS)),
        ("actions", np.int64, _seats),  # mask of the actions revealed this round, 0 before
        ("past", np.int64, _seats),  # masks of the last three rounds, the latest in the lowest four bits
        ("times", np.int64, _seats),  # how often each action was revealed, TIMES_BITS for each
        ("has_committed", np.int64, _seats),
        ("n_deck", np.int64),
        ("n_discard", np.int64),
        ("discard", np.uint8, (MOST_CARDS,)),
        ("shuffles", np.int64),
        ("exhausted", np.int64),  # the deck ran out: emptied by a draw, or too small for one
        ("closed", np.int64),  # no card is drawn for the rest of the game
    ],
    align=True,
)

STATE: Final = np.dtype(
    [
        ("table", TABLE),
        ("hand", np.uint8, (MOST_PLAYERS, MOST_CARDS)),  # ascending
        ("committed", np.int64, _seats),  # card, -1 none; it is also in the hand
        ("deck", np.uint8, (MOST_CARDS,)),
        ("deck_top", np.int64),
        ("deck_key", np.uint64),
        ("policy_key", np.uint64, _seats),
        ("asked", np.int64, _seats),  # decisions taken this round, ASKED_BITS for each kind
        ("doers", np.int64, (c.ACTION_COUNT,)),  # mask of the seats that do an action this round
        ("n_builders", np.int64),  # who has built in this half of R5, in order of seats
        ("builders", np.int64, _seats),
        ("n_hitters", np.int64),  # those of them whose card has lines for the others
        ("hitters", np.int64, (MOST_PLAYERS + 1,)),
        ("pending", np.int64, _seats),  # decided but not yet revealed
        ("revealed", np.int64, _seats),  # card that is open in R5 until its owner's turn, -1 none
        ("source", np.int64, _seats),  # card whose printed lines it resolves, -1 none
        ("discarded", np.int64, (MOST_TWISTS, MOST_PLAYERS)),  # by lines of a twist at this moment
        # what everybody had before the first line of the moment; kept up only where a line looks at others
        ("seen", np.int64, (c.PUBLIC_COUNT, MOST_PLAYERS)),
        ("income", np.int64, _seats),  # earned in the whole game
        ("drawn", np.uint64, (MOST_PLAYERS, 2)),  # bit masks of cards drawn after the deal
        ("amounts", np.int64, _seats),  # what a line that concerns the whole table moves for each seat
        ("placed_amounts", np.int64, _seats),  # the same for a line that a placement sets off
        ("n_options", np.int64),  # the options of the decision at hand
        ("options", np.int64, (MOST_CARDS,)),
        ("paying", np.int64),  # a placement must be paid for
        ("scored", np.int64),  # the scores are those that were compared last
        ("best", np.int64),  # the highest score, as counted last
        ("leader", np.int64),  # seat that alone has it, -1 none
        ("winner", np.int64),  # seat, -1 none
        ("stalled", np.int64),
        # scratch of the shuffle: nothing is allocated in a game
        ("bucket", np.int64, (BUCKETS + 1,)),
        ("keys", np.uint64, (MOST_CARDS,)),
        ("sorted_keys", np.uint64, (MOST_CARDS,)),
    ],
    align=True,
)

# What a player thinks with while it weighs options; nothing in it outlasts a decision.
MOST_WAITING: Final = 12
MIND: Final = np.dtype(
    [
        # the question, and what only the seat knows
        ("seat", np.int64),
        ("policy", np.int64),
        ("kind", np.int64),
        ("key", np.uint64),  # hash of this decision
        ("paying", np.int64),  # a placement costs its price
        ("committed", np.int64),
        ("n_cards", np.int64),
        ("hand", np.int64, (MOST_CARDS,)),
        ("n_options", np.int64),
        ("options", np.int64, (MOST_CARDS,)),
        ("imagined", STATE),
        # what the seat has, to come back to
        ("money", np.int64),
        ("on_zones", np.int64),
        ("reserve", np.int64),
        ("n_hand", np.int64),
        ("n_built", np.int64),
        ("built_now", np.int64),
        ("built_vp", np.int64),
        ("built_per", np.int64),
        ("actions", np.int64),
        ("minions", np.int64, (c.ACTION_COUNT,)),
        # guesses
        ("expect", np.float64, (c.ACTION_COUNT,)),  # how many neighbours play an action
        ("chance", np.float64, (c.ACTION_COUNT,)),
        ("per_round", np.float64),  # money that a round of Work brings
        ("best_other", np.int64),  # highest score of the others
        # what things are worth now (balance.games.nefarious.policies)
        ("coin", np.float64),
        ("card", np.float64),
        ("income", np.float64),
        ("minion", np.float64),
        ("bonus", np.float64),
        ("plan", np.float64),
        ("hurt", np.float64),
        ("like_speculate", np.float64),
        ("like_invent", np.float64),
        ("like_research", np.float64),
        ("rich_from", np.float64),
        ("rich", np.float64),
        ("first_card", np.float64),
        ("many_from", np.float64),
        ("many", np.float64),
        ("second_best", np.float64),
        ("count_on", np.float64),
        ("decay", np.float64, (MOST_WAITING + 1,)),  # by rounds of waiting; MOST_WAITING is never
        ("saved", np.float64, (MOST_WAITING,)),  # money after each round of saving, where that is not steady
        ("steady", np.int64),  # each round of saving brings the same
        ("out_of_reach", np.int64),  # cards of the hand that saving will never pay
        ("net", np.float64, (MOST_CARDS,)),  # worth of building each card of the hand
        # the option at hand
        ("gone", np.int64),  # mask of places in the hand whose card is built
        ("given_up", np.int64),  # cards discarded by a line that counts them
        ("hurt_done", np.float64),
        ("extra", np.float64),  # income that is hoped for but not counted on
        # of a learned player (compiled/network.py): its weights, who writes down, features and scores
        ("network", np.int64),
        ("recorder", np.int64),
        ("own_score", np.int64),
        ("judged", np.int64),  # a critic has judged the situation
        ("worth", np.float64),  # what it is worth, as training rewards it
        ("situation", np.float32, (LAYOUT.situation,)),
        ("described", np.float32, (MOST_CARDS, LAYOUT.option)),  # the options
        ("scores", np.float32, (MOST_CARDS,)),
        ("chances", np.float64, (MOST_CARDS,)),
    ],
    align=True,
)

# Who decides. A seat with policy ASKS takes its answers from the tape; where the tape ends, the question is
# written down, and the rest of the round is played with first options, to be thrown away by the caller.
ASKS: Final = -1
# An answer on the tape that is not known: the policy behind the seat gives it.
BY_POLICY: Final = -2
MOST_ANSWERS: Final = 4096
DECIDERS: Final = np.dtype(
    [
        ("policy", np.int64, _seats),
        ("behind", np.int64, _seats),  # policy that answers for ASKS where the tape does not, or ASKS
        ("iterations", np.int64, _seats),  # of a seat that searches
        ("decisions", np.int64),  # how many were taken
        ("n_tape", np.int64),
        ("used", np.int64),
        ("tape", np.int64, (MOST_ANSWERS,)),
        ("tape_kind", np.int64, (MOST_ANSWERS,)),
        ("tape_seat", np.int64, (MOST_ANSWERS,)),
        ("open", np.int64),  # a question was written down
        ("kind", np.int64),
        ("seat", np.int64),
        ("key", np.uint64),  # hash of the decision
        ("known", np.uint64, (2,)),  # mask of the cards that the seat has seen: its hand, and open cards
        ("shuffles", np.int64),  # of the table, when the question arose
        ("n_options", np.int64),
        ("options", np.int64, (MOST_CARDS,)),
        ("stand_in", np.int64),  # policy that answers the next question for ASKS, or ASKS
        ("mind", MIND),
        ("networks", np.int64, (MOST_WEIGHED,)),  # address of the weights of a learned policy, or 0
        ("recorder", np.int64),  # address of what writes learned decisions down, or 0
        ("thinker", np.int64),  # address of weighing.weigh
        ("rounds", np.int64),  # address of round.play_round_quietly
        ("overflow", np.int64),  # a round had more decisions than the tape has room for
    ],
    align=True,
)

LINE: Final = np.dtype(
    [
        ("cause", np.int64),
        ("op", np.int64),
        ("what", np.int64),
        ("everything", np.int64),
        ("amount", np.int64),
        ("per", np.int64),
        ("per_n", np.int64),
        ("zone", np.int64),
        ("off", np.int64),
        ("who", np.int64),
        ("counts", np.int64),  # its discards count for `per discarded`
        ("or_else", np.int64),  # line that happens if this one cannot be done in full, -1 none
        # conditions, and in the last place the test by which `per` neighbour, other or player counts
        ("n_conditions", np.int64),
        ("left", np.int64, (MOST_CONDITIONS + 1,)),  # quantity, or Q_PLAYED
        ("comparison", np.int64, (MOST_CONDITIONS + 1,)),  # or a rank, MOST to SOLE_FEWEST
        ("right_is_quantity", np.int64, (MOST_CONDITIONS + 1,)),  # NUMBER, QUANTITY or MY_QUANTITY
        ("right", np.int64, (MOST_CONDITIONS + 1,)),  # of a rank: 1, or 0 if it must not be so
        ("whose", np.int64, (MOST_CONDITIONS + 1,)),  # OWN_NOW to PLAYER
        ("nobody", np.int64, (MOST_CONDITIONS + 1,)),  # it must hold for none of them
    ],
    align=True,
)

RULES: Final = np.dtype(
    [
        ("players", np.int64),
        ("n_cards", np.int64),
        ("round_limit", np.int64),
        ("start_money", np.int64, _seats),
        ("opening_cards", np.int64, _seats),
        ("goal", np.int64),
        ("minions", np.int64),
        ("actions", np.int64),
        ("action_repeats", np.int64),
        ("effect_repeats", np.int64),
        ("work_money", np.int64),
        ("research_money", np.int64),
        ("research_cards", np.int64),
        ("price", np.int64, (c.ACTION_COUNT,)),
        ("deck_rule", np.int64),
        ("barred", np.int64),  # mask of actions
        ("n_choices", np.int64),  # sets of actions that may be chosen while nothing rests
        ("choices", np.int64, (1 << c.ACTION_COUNT,)),
        ("rest", np.int64),
        ("echo", np.int64),
        ("hand_counts", np.int64),  # what `per hand` of an invention counts
        ("looks", np.int64),  # a line in force, or on a card, looks at others
        ("id", np.int64, (MOST_CARDS,)),
        ("cost", np.int64, (MOST_CARDS,)),  # after twists
        ("vp", np.int64, (MOST_CARDS,)),
        ("vp_per_built", np.int64, (MOST_CARDS,)),
        ("face", np.float32, (MOST_CARDS, len(FACE) + 1)),  # as learned players see cards (features)
        # lines of card k for the builder: own_lines[k] .. own_lines[k + 1], for the others likewise
        ("own_lines", np.int64, (MOST_CARDS + 1,)),
        ("others_lines", np.int64, (MOST_CARDS + 1,)),
        # lines of twists at a moment: first[m] .. last[m], last excluded
        ("first", np.int64, (len(c.MOMENTS),)),
        ("last", np.int64, (len(c.MOMENTS),)),
        ("weights", np.float64, (MOST_WEIGHED, len(PARAMETERS))),  # of each policy, for these twists
        ("lines", LINE, (MOST_LINES,)),
    ],
    align=True,
)
