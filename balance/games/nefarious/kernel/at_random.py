"""Random play without lists of options, for the three decisions that come up in nearly every round.

What is picked is what `policies.decide_random` picks, which takes all other decisions at random: only the
way there is shorter.
"""

import numpy as np

from balance.games.compiled.jit import inline
from balance.games.compiled.randomness import decision_key, pick
from balance.games.nefarious.kernel import codes as c
from balance.games.nefarious.kernel.state import ASKED_BITS


@inline
def any_choice(g, r, seat):
    """Choose actions; that is asked once a round, so that its number is 0 and need not be counted."""
    key = decision_key(g.policy_key[seat], g.table.round, c.CHOOSE, 0)
    return r.choices[pick(key, r.n_choices)]


@inline
def any_zone(g, p, seat):
    """Pick one of the zones that are listed."""
    return g.options[pick(next_key(g, p, seat, c.PLACE), g.n_options)]


@inline
def any_build(g, r, p, seat):
    """Pick a card of the hand, an affordable one if there is any; a committed card leaves no choice."""
    key = next_key(g, p, seat, c.BUILD)
    if g.committed[seat] >= 0:
        return g.committed[seat]
    n = g.table.n_hand[seat]
    money = g.table.money[seat]
    affordable = 0
    for i in range(n):
        card = g.hand[seat, i]
        # written down in any case and counted only if affordable: no branch that nobody can predict
        g.options[affordable] = card
        affordable += r.cost[card] <= money
    if affordable > 0:
        return g.options[pick(key, affordable)]
    return np.int64(g.hand[seat, pick(key, n)])


@inline
def next_key(g, p, seat, kind):
    """Count a decision and return its key."""
    shift = ASKED_BITS * kind
    number = g.asked[seat] >> shift & ((1 << ASKED_BITS) - 1)
    g.asked[seat] += 1 << shift
    p.decisions += 1
    return decision_key(g.policy_key[seat], g.table.round, kind, number)
