"""R4: those who chose it put one minion from the reserve on a zone, decided without seeing each other."""

from balance.games.nefarious.kernel import codes as c
from balance.games.nefarious.kernel.jit import inline
from balance.games.nefarious.kernel.lines import place_minion
from balance.games.nefarious.kernel.options import list_payable_zones
from balance.games.nefarious.kernel.policies import decide
from balance.games.nefarious.kernel.state import SEAT_BITS

_NONE = -1


@inline
def speculate(g, r, p, log):
    """Do one pass of Speculate: all decide, then all place, seat 0 first."""
    t = g.table
    for i in range(g.n_doers[c.SPECULATE]):
        seat = g.doers[c.SPECULATE, i] & SEAT_BITS
        g.pending[seat] = _NONE
        if t.reserve[seat] > 0:
            list_payable_zones(g, r, seat)
            if g.n_options > 0:
                g.pending[seat] = decide(g, r, p, seat, c.PLACE)
    for i in range(g.n_doers[c.SPECULATE]):
        seat = g.doers[c.SPECULATE, i] & SEAT_BITS
        zone = g.pending[seat]
        # what an earlier placement set off may have made this one impossible
        if zone != _NONE and t.reserve[seat] > 0 and r.price[zone] <= t.money[seat]:
            place_minion(g, r, p, log, seat, zone, r.price[zone], c.CAUSE_SPECULATE)
