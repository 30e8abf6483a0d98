"""R1 and R2: everybody picks actions in secret, then all are revealed at once."""

from balance.games.nefarious.kernel import codes as c
from balance.games.nefarious.kernel import log as out
from balance.games.nefarious.kernel.agenda import ask_choose
from balance.games.nefarious.kernel.jit import jit
from balance.games.nefarious.kernel.lines import open_moment


@jit
def choose(g, r, log, frame):
    """Ask seat after seat (word 3 of the round's frame counts them); True while a question is open."""
    asked = frame[3]
    if asked > 0:
        g.pending[asked - 1] = g.answer
    if asked < g.table.players:
        frame[3] += 1
        ask_choose(g, r, asked)
        return True
    frame[3] = 0
    reveal(g, r, log)
    return False


@jit
def reveal(g, r, log):
    """R2: all actions become public."""
    t = g.table
    for seat in range(t.players):
        mask = g.pending[seat]
        t.actions[seat] = mask
        t.past[seat] = (t.past[seat] << 4 | mask) & 0xFFF
        for action in range(c.ACTION_COUNT):
            t.times[seat, action] += mask >> action & 1
        out.event(log, c.E_CHOOSE, seat, mask, 0, 0)
    open_moment(g, r, c.BEFORE_INCOME)
