"""R6: researchers take money, then draw, all of them in one instruction."""

from balance.games.nefarious.kernel import codes as c
from balance.games.nefarious.kernel.hands import draw_cards, may_draw
from balance.games.nefarious.kernel.jit import inline
from balance.games.nefarious.kernel.lines import pay_out
from balance.games.nefarious.kernel.state import SEAT_BITS


@inline
def research(g, r, log):
    """Do one pass of Research for all who chose it."""
    researchers = g.n_doers[c.RESEARCH]
    for seat in range(g.table.players):
        # who did not choose it gets 0: no branch that nobody can predict
        pay_out(g, log, seat, r.research_money * (g.table.actions[seat] >> c.RESEARCH & 1), c.CAUSE_RESEARCH)
    if may_draw(g, r, log, researchers * r.research_cards):
        for i in range(researchers):
            draw_cards(g, r, log, g.doers[c.RESEARCH, i] & SEAT_BITS, r.research_cards, c.CAUSE_RESEARCH)
