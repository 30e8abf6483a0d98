"""The agenda: the stack of what is still to be done, and the question that is open.

A frame is a row of integers; word 0 is its kind, the others belong to the file that handles that kind.
"""

from balance.games.nefarious.kernel import codes as c
from balance.games.nefarious.kernel.hands import is_kept
from balance.games.nefarious.kernel.jit import jit
from balance.games.nefarious.kernel.state import FRAME_WORDS


@jit
def push(g, kind, a, b, c_, d):
    """Put something to do first on top; words beyond the fourth begin as 0."""
    g.depth += 1
    frame = g.frame[g.depth]
    for i in range(FRAME_WORDS):
        frame[i] = 0
    frame[0] = kind
    frame[1] = a
    frame[2] = b
    frame[3] = c_
    frame[4] = d


@jit
def pop(g):
    """Take the finished frame off."""
    g.depth -= 1


@jit
def _ask(g, kind, seat):
    g.ask_kind = kind
    g.ask_seat = seat


@jit
def ask_choose(g, r, seat):
    """Ask for a set of actions, as a mask; the set may be empty when everything is barred."""
    past = g.table.past[seat]
    barred = r.barred
    for back in range(r.rest):
        barred |= (past >> (4 * back)) & 15
    allowed = 0
    for action in range(c.ACTION_COUNT):
        if not barred >> action & 1:
            allowed += 1
    size = min(r.actions, allowed)
    n = 0
    for mask in range(1 << c.ACTION_COUNT):
        if mask & barred:
            continue
        bits = (mask & 1) + (mask >> 1 & 1) + (mask >> 2 & 1) + (mask >> 3 & 1)
        if bits == size:
            g.options[n] = mask
            n += 1
    g.n_options = n
    _ask(g, c.CHOOSE, seat)


@jit
def ask_place(g, r, seat, free):
    """Ask for a zone among those that can be paid; the answer is awaited if there is one."""
    n = 0
    for zone in range(c.ACTION_COUNT):
        if free or r.price[zone] <= g.table.money[seat]:
            g.options[n] = zone
            n += 1
    g.n_options = n
    _ask(g, c.PLACE, seat)
    return n > 0


@jit
def ask_remove(g, seat):
    """Ask for a zone to take a minion from, one option per minion."""
    n = 0
    for zone in range(c.ACTION_COUNT):
        for _ in range(g.table.minions[seat, zone]):
            g.options[n] = zone
            n += 1
    g.n_options = n
    _ask(g, c.REMOVE, seat)


@jit
def ask_build(g, seat):
    """Ask for the card to reveal: any of the hand, or exactly the committed one."""
    if g.committed[seat] >= 0:
        g.options[0] = g.committed[seat]
        g.n_options = 1
    else:
        for i in range(g.table.n_hand[seat]):
            g.options[i] = g.hand[seat, i]
        g.n_options = g.table.n_hand[seat]
    _ask(g, c.BUILD, seat)


@jit
def ask_discard(g, seat):
    """Ask for a card to discard."""
    n = 0
    for i in range(g.table.n_hand[seat]):
        if not is_kept(g, seat, g.hand[seat, i]):
            g.options[n] = g.hand[seat, i]
            n += 1
    g.n_options = n
    _ask(g, c.DISCARD, seat)


@jit
def ask_commit(g, seat):
    """Ask for a card to commit."""
    for i in range(g.table.n_hand[seat]):
        g.options[i] = g.hand[seat, i]
    g.n_options = g.table.n_hand[seat]
    _ask(g, c.COMMIT_CARD, seat)
