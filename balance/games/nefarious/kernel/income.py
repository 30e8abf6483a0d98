"""R3: minions earn from what the neighbours play."""

from balance.games.compiled import log as out
from balance.games.compiled.jit import inline, jit
from balance.games.nefarious.kernel import codes as c
from balance.games.nefarious.kernel.counts import amount_of, has, holds, look_around_table
from balance.games.nefarious.vocabulary import MOST_MONEY


@inline
def earned_from_neighbours(g, seat):
    """Count 1 for each minion and each side on which its action is played; a lone opponent is on both."""
    t = g.table
    left = seat + 1 if seat + 1 < t.players else 0
    right = seat - 1 if seat > 0 else t.players - 1
    a, b = t.actions[left], t.actions[right]
    earned = 0
    for zone in range(c.ACTION_COUNT):
        earned += t.minions[seat, zone] * ((a >> zone & 1) + (b >> zone & 1))
    return earned


@inline
def collect_income(g, r, log):
    """Pay each minion 1 for each neighbour whose actions include its zone; twists add, then multiply."""
    t = g.table
    twisted = has(r, c.AT_INCOME)
    if twisted:
        look_around_table(g, r)
    for seat in range(t.players):
        earned = earned_from_neighbours(g, seat)
        if twisted:
            earned = twist_income(g, r, seat, earned)
        earned = min(earned, MOST_MONEY - t.money[seat])
        t.money[seat] += earned
        g.income[seat] += earned
        if log is not None:  # noqa: SIM102 - tested by the compiler
            if earned > 0:
                out.event(log, c.E_INCOME, seat, earned, 0, 0)


@jit
def twist_income(g, r, seat, earned):
    """Let the twists add to what a seat earns, then multiply it."""
    factor = 1
    for index in range(r.first[c.AT_INCOME], r.last[c.AT_INCOME]):
        line = r.lines[index]
        if not holds(g, r, line, seat):
            continue
        if line.op == c.TIMES:
            factor *= line.amount
        else:
            earned += amount_of(g, line, seat, -1)
    return earned * factor
