"""Cards on their way between deck, hands, built inventions and discard pile (section 4 of the rules page)."""

import numpy as np

from balance.games.compiled import log as out
from balance.games.compiled.jit import inline, jit
from balance.games.compiled.randomness import extend, order_by_hash
from balance.games.compiled.seats import SEAT_BITS
from balance.games.nefarious.kernel import codes as c


@jit
def take_into_hand(g, seat, card):
    """Put a card into a hand, which stays in ascending order."""
    seat &= SEAT_BITS
    t = g.table
    i = t.n_hand[seat]
    while i > 0 and g.hand[seat, i - 1] > card:
        g.hand[seat, i] = g.hand[seat, i - 1]
        i -= 1
    g.hand[seat, i] = card
    t.n_hand[seat] += 1


@jit
def leave_hand(g, seat, card):
    """Take a card out of a hand."""
    seat &= SEAT_BITS
    t = g.table
    kept = 0
    for i in range(t.n_hand[seat]):
        held = g.hand[seat, i]
        g.hand[seat, kept] = held
        kept += held != card
    t.n_hand[seat] = kept


@inline
def is_kept(g, seat, card):
    """Return whether a card of the hand cannot be discarded: it is committed, or revealed in R5."""
    return card == g.committed[seat] or card == g.revealed[seat]


@inline
def discardable(g, seat):
    """Count the cards a player may discard."""
    kept = 1 if g.committed[seat] >= 0 else 0
    if g.revealed[seat] >= 0 and g.revealed[seat] != g.committed[seat]:
        kept += 1
    return g.table.n_hand[seat] - kept


@jit
def discard_card(g, seat, card):
    """Put a card of a hand on the discard pile."""
    seat &= SEAT_BITS
    t = g.table
    leave_hand(g, seat, card)
    t.discard[t.n_discard] = card
    t.n_discard += 1


@jit
def shuffle(g, ids, cards, first, count):
    """Shuffle cards[first : first + count]; the next shuffle is another one."""
    key = extend(g.deck_key, g.table.shuffles)
    g.table.shuffles += 1
    order_by_hash(key, ids, cards, first, count, g.bucket, g.keys, g.sorted_keys)


@jit
def shuffle_discard_under(g, r, log, under):
    """Shuffle the discard pile and put it beneath what is left of the deck."""
    t = g.table
    for i in range(t.n_deck):
        g.deck[i] = g.deck[g.deck_top + i]
    g.deck_top = 0
    n = t.n_discard
    for i in range(n):
        g.deck[t.n_deck + i] = t.discard[i]
    shuffle(g, r.id, g.deck, t.n_deck, n)
    out.begin_cards(log, c.E_SHUFFLE, under, 0)
    for i in range(n):
        out.card(log, r.id[g.deck[t.n_deck + i]])
    t.n_deck += n
    t.n_discard = 0


@jit
def may_draw(g, r, log, needed):
    """Open a draw instruction: under the all-or-nothing rule, whether its cards can be drawn at all."""
    t = g.table
    if needed == 0:
        return False
    if r.deck_rule != c.ALL_OR_NOTHING:
        return True
    if t.closed:
        return False
    if t.n_deck < needed:
        t.exhausted = 1
        if t.n_discard > 0:
            shuffle_discard_under(g, r, log, 1)
    if t.n_deck < needed:
        t.closed = 1
        out.event(log, c.E_NO_MORE_DRAWS, 0, 0, 0, 0)
        return False
    return True


@jit
def draw_cards(g, r, log, seat, count, cause):
    """Draw for one seat, inside an instruction that `may_draw` has opened."""
    seat &= SEAT_BITS
    t = g.table
    open_list = False
    for _ in range(count):
        if t.n_deck == 0:
            if t.n_discard == 0:
                return
            shuffle_discard_under(g, r, log, 0)
            open_list = False
        card = np.int64(g.deck[g.deck_top])
        g.deck_top += 1
        t.n_deck -= 1
        if t.n_deck == 0:
            t.exhausted = 1
        take_into_hand(g, seat, card)
        g.drawn[seat, card >> 6] |= np.uint64(1) << np.uint64(card & 63)
        if not open_list:
            out.begin_cards(log, c.E_DRAW, seat, cause)
            open_list = True
        out.card(log, r.id[card])
