"""R6: researchers take money, then draw, all of them in one instruction."""

from balance.games.nefarious.kernel import codes as c
from balance.games.nefarious.kernel.hands import draw_cards, may_draw
from balance.games.nefarious.kernel.jit import jit
from balance.games.nefarious.kernel.lines import pay_out


@jit
def research(g, r, log):
    """Do one pass of Research for all who chose it."""
    t = g.table
    researchers = 0
    for seat in range(t.players):
        if t.actions[seat] >> c.RESEARCH & 1:
            researchers += 1
            pay_out(g, log, seat, r.research_money, c.CAUSE_RESEARCH)
    if may_draw(g, r, log, researchers * r.research_cards):
        for seat in range(t.players):
            if t.actions[seat] >> c.RESEARCH & 1:
                draw_cards(g, r, log, seat, r.research_cards, c.CAUSE_RESEARCH)
