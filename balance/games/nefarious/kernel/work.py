"""R7: workers are paid."""

from balance.games.nefarious.kernel import codes as c
from balance.games.nefarious.kernel.jit import inline
from balance.games.nefarious.kernel.lines import pay_out


@inline
def work(g, r, log):
    """Do one pass of Work for all who chose it."""
    for i in range(g.n_doers[c.WORK]):
        pay_out(g, log, g.doers[c.WORK, i], r.work_money, c.CAUSE_WORK)
