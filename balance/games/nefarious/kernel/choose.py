"""R1 and R2: everybody picks actions in secret, then all are revealed at once."""

from balance.games.nefarious.kernel import codes as c
from balance.games.nefarious.kernel import log as out
from balance.games.nefarious.kernel.jit import inline, jit
from balance.games.nefarious.kernel.options import list_choices, list_rested_choices
from balance.games.nefarious.kernel.policies import decide, decide_here
from balance.games.nefarious.kernel.state import TIMES_BITS


@inline
def choose_actions(g, r, p):
    """R1: every player picks, seat after seat, without seeing the others."""
    if r.rest > 0:
        choose_among_rested(g, r, p)
        return
    list_choices(g, r)  # where nothing rests they are the same for everybody
    for seat in range(g.table.players):
        g.pending[seat] = decide_here(g, r, p, seat, c.CHOOSE)


@jit
def choose_among_rested(g, r, p):
    """R1 where the actions of the last rounds rest."""
    for seat in range(g.table.players):
        list_rested_choices(g, r, seat)
        g.pending[seat] = decide(g, r, p, seat, c.CHOOSE)


@inline
def reveal_actions(g, log):
    """R2: all actions become public."""
    t = g.table
    speculators = inventors = researchers = workers = 0
    for seat in range(t.players):
        mask = g.pending[seat]
        t.actions[seat] = mask
        t.past[seat] = (t.past[seat] << 4 | mask) & 0xFFF
        t.times[seat] += (
            (mask & 1)
            | (mask >> 1 & 1) << TIMES_BITS
            | (mask >> 2 & 1) << 2 * TIMES_BITS
            | (mask >> 3 & 1) << 3 * TIMES_BITS
        )
        # a seat is written down in any case and counted only if it chose: no branch that nobody can predict
        g.doers[c.SPECULATE, speculators] = seat
        g.doers[c.INVENT, inventors] = seat
        g.doers[c.RESEARCH, researchers] = seat
        g.doers[c.WORK, workers] = seat
        speculators += mask >> c.SPECULATE & 1
        inventors += mask >> c.INVENT & 1
        researchers += mask >> c.RESEARCH & 1
        workers += mask >> c.WORK & 1
        out.event(log, c.E_CHOOSE, seat, mask, 0, 0)
    g.n_doers[c.SPECULATE] = speculators
    g.n_doers[c.INVENT] = inventors
    g.n_doers[c.RESEARCH] = researchers
    g.n_doers[c.WORK] = workers
