"""R7: workers are paid."""

from balance.games.nefarious.kernel import codes as c
from balance.games.nefarious.kernel.jit import jit
from balance.games.nefarious.kernel.lines import pay_out


@jit
def work(g, r, log):
    """Do one pass of Work for all who chose it."""
    for seat in range(g.table.players):
        if g.table.actions[seat] >> c.WORK & 1:
            pay_out(g, log, seat, r.work_money, c.CAUSE_WORK)
