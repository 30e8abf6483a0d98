"""R4: those who chose it put one minion from the reserve on a zone, decided without seeing each other."""

from balance.games.nefarious.kernel import codes as c
from balance.games.nefarious.kernel.agenda import ask_place, pop
from balance.games.nefarious.kernel.jit import jit
from balance.games.nefarious.kernel.lines import open_moment, place_minion

_BEFORE = 0
_DECIDE = 1
_EXECUTE = 2
_AFTER = 3
_NOT_ASKED = -1


@jit
def go_on_speculate(g, r, log):
    """F_SPECULATE (stage, next seat, seat awaiting an answer plus 1); True while a question is open."""
    frame = g.frame[g.depth]
    stage = frame[1]
    if stage == _BEFORE:
        frame[1] = _DECIDE
        open_moment(g, r, c.BEFORE_SPECULATE)
        return False
    if stage == _DECIDE:
        return _decide(g, r, frame)
    if stage == _EXECUTE:
        _execute_next(g, r, log, frame)
        return False
    pop(g)
    open_moment(g, r, c.AFTER_SPECULATE)
    return False


@jit
def _decide(g, r, frame):
    """Ask every speculator who has a minion and can pay for a zone."""
    t = g.table
    if frame[3] > 0:
        g.pending[frame[3] - 1] = g.answer
        frame[3] = 0
    while frame[2] < t.players:
        seat = frame[2]
        frame[2] += 1
        g.pending[seat] = _NOT_ASKED
        if t.actions[seat] >> c.SPECULATE & 1 and t.reserve[seat] > 0 and ask_place(g, r, seat, False):
            frame[3] = seat + 1
            return True
    frame[1] = _EXECUTE
    frame[2] = 0
    return False


@jit
def _execute_next(g, r, log, frame):
    """Execute the next seat's placement, if what an earlier one set off has left it possible."""
    t = g.table
    seat = frame[2]
    if seat == t.players:
        frame[1] = _AFTER
        return
    frame[2] += 1
    zone = g.pending[seat]
    if zone != _NOT_ASKED and t.reserve[seat] > 0 and r.price[zone] <= t.money[seat]:
        place_minion(g, r, log, seat, zone, r.price[zone], c.CAUSE_SPECULATE)
