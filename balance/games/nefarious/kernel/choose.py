"""R1 and R2: everybody picks actions in secret, then all are revealed at once."""

from typing import Final

from balance.games.compiled import log as out
from balance.games.compiled.jit import inline, jit
from balance.games.nefarious.kernel import codes as c
from balance.games.nefarious.kernel.at_random import any_choice
from balance.games.nefarious.kernel.decide import RANDOM, decide
from balance.games.nefarious.kernel.options import list_choices, list_rested_choices
from balance.games.nefarious.kernel.state import TIMES_BITS
from balance.games.nefarious.vocabulary import MOST_PLAYERS

# Bit k is moved from k to TIMES_BITS * k; all else that the product holds is elsewhere.
_APART: Final = sum(1 << (TIMES_BITS - 1) * action for action in range(c.ACTION_COUNT))
_LOWEST: Final = sum(1 << TIMES_BITS * action for action in range(c.ACTION_COUNT))


@inline
def choose_actions(g, r, p):
    """Do R1: every player picks, seat after seat, without seeing the others."""
    if r.rest > 0:
        choose_among_rested(g, r, p)
        return
    # everybody at random, without a branch, and then those who do not play at random
    for seat in range(g.table.players):
        g.pending[seat] = any_choice(g, r, seat)
    for seat in range(g.table.players):
        if p.policy[seat] == RANDOM:
            p.decisions += 1
        else:
            list_choices(g, r)
            g.pending[seat] = decide(g, r, p, seat, c.CHOOSE)


@jit
def choose_among_rested(g, r, p):
    """Do R1 where the actions of the last rounds rest."""
    for seat in range(g.table.players):
        list_rested_choices(g, r, seat)
        g.pending[seat] = decide(g, r, p, seat, c.CHOOSE)


@inline
def reveal_actions(g, log):
    """Do R2: all actions become public."""
    t = g.table
    doers = 0
    for seat in range(t.players):
        mask = g.pending[seat]
        t.actions[seat] = mask
        t.past[seat] = (t.past[seat] << 4 | mask) & 0xFFF
        apart = set_apart(mask)
        t.times[seat] += apart
        doers |= apart << seat
        out.event(log, c.E_CHOOSE, seat, mask, 0, 0)
    for action in range(c.ACTION_COUNT):
        g.doers[action] = doers >> TIMES_BITS * action & (1 << MOST_PLAYERS) - 1


@inline
def set_apart(mask):
    """Move the bits of a mask of actions TIMES_BITS apart, all at once: a product is a sum of shifts."""
    return mask * _APART & _LOWEST
