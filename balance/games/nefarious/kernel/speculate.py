"""R4: those who chose it put one minion from the reserve on a zone, decided without seeing each other."""

from balance.games.compiled.jit import inline
from balance.games.compiled.seats import first_of, without_first
from balance.games.nefarious.kernel import codes as c
from balance.games.nefarious.kernel.at_random import any_zone
from balance.games.nefarious.kernel.counts import look_around_table
from balance.games.nefarious.kernel.decide import RANDOM, decide
from balance.games.nefarious.kernel.lines import place_minion
from balance.games.nefarious.kernel.options import list_payable_zones

_NONE = -1


@inline
def speculate(g, r, p, log):
    """Do one pass of Speculate: all decide, then all place, seat 0 first."""
    t = g.table
    look_around_table(g, r)
    seats = g.doers[c.SPECULATE]
    while seats:
        seat = first_of(seats)
        seats = without_first(seats)
        g.pending[seat] = pick_zone(g, r, p, seat)
    seats = g.doers[c.SPECULATE]
    while seats:
        seat = first_of(seats)
        seats = without_first(seats)
        zone = g.pending[seat]
        # what an earlier placement set off may have made this one impossible
        if zone != _NONE and t.reserve[seat] > 0 and r.price[zone] <= t.money[seat]:
            place_minion(g, r, p, log, seat, zone, r.price[zone], c.CAUSE_SPECULATE)


@inline
def pick_zone(g, r, p, seat):
    """Let a speculator pick a zone that it can pay; -1 if it has no minion or no money for any."""
    if g.table.reserve[seat] == 0:
        return _NONE
    list_payable_zones(g, r, seat)
    if g.n_options == 0:
        return _NONE
    if p.policy[seat] == RANDOM:
        return any_zone(g, p, seat)
    return decide(g, r, p, seat, c.PLACE)
