"""What a player may decide: the legal options of each kind of decision (section 7 of the rules page).

Each function lists the options in the record, in the order that the randomness specification gives.
"""

from balance.games.compiled.jit import inline, jit
from balance.games.nefarious.kernel import codes as c
from balance.games.nefarious.kernel.hands import is_kept


@inline
def list_choices(g, r):
    """List the sets of actions that may be chosen, as masks, where no action rests."""
    for i in range(r.n_choices):
        g.options[i] = r.choices[i]
    g.n_options = r.n_choices


@jit
def list_rested_choices(g, r, seat):
    """List the sets of actions without those of the seat's last rounds; fewer actions if too few are left."""
    barred = r.barred
    for back in range(r.rest):
        barred |= (g.table.past[seat] >> (4 * back)) & 15
    size = min(r.actions, c.ACTION_COUNT - bits(barred))
    n = 0
    for mask in range(1 << c.ACTION_COUNT):
        if mask & barred == 0 and bits(mask) == size:
            g.options[n] = mask
            n += 1
    g.n_options = n


@inline
def bits(mask):
    """Count the actions of a mask."""
    return (mask & 1) + (mask >> 1 & 1) + (mask >> 2 & 1) + (mask >> 3 & 1)


@inline
def list_payable_zones(g, r, seat):
    """List the zones whose price the seat can pay."""
    n = 0
    money = g.table.money[seat]
    for zone in range(c.ACTION_COUNT):
        g.options[n] = zone
        n += 1 if r.price[zone] <= money else 0
    g.n_options = n
    g.paying = 1


@inline
def list_all_zones(g):
    """List the zones for a free placement."""
    for zone in range(c.ACTION_COUNT):
        g.options[zone] = zone
    g.n_options = c.ACTION_COUNT
    g.paying = 0


@jit
def list_minions(g, seat):
    """List the zones to take a minion from, one option per minion."""
    n = 0
    for zone in range(c.ACTION_COUNT):
        for _ in range(g.table.minions[seat, zone]):
            g.options[n] = zone
            n += 1
    g.n_options = n


@inline
def list_builds(g, seat):
    """List the cards to reveal: any of the hand, or exactly the committed one."""
    if g.committed[seat] >= 0:
        g.options[0] = g.committed[seat]
        g.n_options = 1
    else:
        list_hand(g, seat)


@jit
def list_hand(g, seat):
    """List the whole hand."""
    n = g.table.n_hand[seat]
    for i in range(n):
        g.options[i] = g.hand[seat, i]
    g.n_options = n


@jit
def list_discards(g, seat):
    """List the cards that may be discarded."""
    n = 0
    for i in range(g.table.n_hand[seat]):
        card = g.hand[seat, i]
        g.options[n] = card
        n += not is_kept(g, seat, card)
    g.n_options = n
