"""R1 and R2: everybody picks actions in secret, then all are revealed at once."""

from balance.games.nefarious.kernel import codes as c
from balance.games.nefarious.kernel import log as out
from balance.games.nefarious.kernel.jit import inline
from balance.games.nefarious.kernel.options import list_choices
from balance.games.nefarious.kernel.policies import decide


@inline
def choose_actions(g, r, p):
    """R1: every player picks, seat after seat, without seeing the others."""
    for seat in range(g.table.players):
        list_choices(g, r, seat)
        g.pending[seat] = decide(g, r, p, seat, c.CHOOSE)


@inline
def reveal_actions(g, log):
    """R2: all actions become public."""
    t = g.table
    for action in range(c.ACTION_COUNT):
        g.n_doers[action] = 0
    for seat in range(t.players):
        mask = g.pending[seat]
        t.actions[seat] = mask
        t.past[seat] = (t.past[seat] << 4 | mask) & 0xFFF
        for action in range(c.ACTION_COUNT):
            chosen = mask >> action & 1
            t.times[seat, action] += chosen
            # written in any case, counted only if chosen: no branch to mispredict
            g.doers[action, g.n_doers[action]] = seat
            g.n_doers[action] += chosen
        out.event(log, c.E_CHOOSE, seat, mask, 0, 0)
