"""R3: minions earn from what the neighbours play."""

from balance.games.nefarious.kernel import codes as c
from balance.games.nefarious.kernel import log as out
from balance.games.nefarious.kernel.jit import jit
from balance.games.nefarious.kernel.lines import amount_of, holds, open_moment


@jit
def neighbours_on(g, seat, zone):
    """Count on how many sides of a seat the action is played: 0, 1 or 2; a lone opponent sits on both."""
    t = g.table
    left = t.actions[(seat + 1) % t.players] >> zone & 1
    right = t.actions[(seat - 1) % t.players] >> zone & 1
    return left + right


@jit
def collect_income(g, r, log):
    """Each minion earns 1 for each neighbour whose actions include its zone; twists add, then multiply."""
    t = g.table
    for seat in range(t.players):
        earned = 0
        for zone in range(c.ACTION_COUNT):
            if t.minions[seat, zone] > 0:
                earned += t.minions[seat, zone] * neighbours_on(g, seat, zone)
        factor = 1
        for index in range(r.first[c.AT_INCOME], r.last[c.AT_INCOME]):
            line = r.lines[index]
            if not holds(g, r, line, seat):
                continue
            if line.op == c.TIMES:
                factor *= line.amount
            else:
                earned += amount_of(g, line, seat, -1)
        earned *= factor
        if earned > 0:
            t.money[seat] += earned
            g.income[seat] += earned
            out.event(log, c.E_INCOME, seat, earned, 0, 0)
    open_moment(g, r, c.AFTER_INCOME)
