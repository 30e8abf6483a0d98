"""R7: workers are paid."""

from balance.games.compiled.jit import inline
from balance.games.nefarious.kernel import codes as c
from balance.games.nefarious.kernel.lines import pay_out


@inline
def work(g, r, log):
    """Do one pass of Work for all who chose it."""
    for seat in range(g.table.players):
        # who did not choose it gets 0: no branch that nobody can predict
        pay_out(g, log, seat, r.work_money * (g.table.actions[seat] >> c.WORK & 1), c.CAUSE_WORK)
