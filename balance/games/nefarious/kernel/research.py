"""R6: researchers take money, then draw, all of them in one instruction."""

from balance.games.compiled.jit import inline
from balance.games.compiled.seats import first_of, without_first
from balance.games.nefarious.kernel import codes as c
from balance.games.nefarious.kernel.hands import draw_cards, may_draw
from balance.games.nefarious.kernel.lines import pay_out


@inline
def research(g, r, log):
    """Do one pass of Research for all who chose it."""
    seats = g.doers[c.RESEARCH]
    researchers = 0
    for seat in range(g.table.players):
        # who did not choose it gets 0: no branch that nobody can predict
        does = g.table.actions[seat] >> c.RESEARCH & 1
        pay_out(g, log, seat, r.research_money * does, c.CAUSE_RESEARCH)
        researchers += does
    if may_draw(g, r, log, researchers * r.research_cards):
        while seats:
            draw_cards(g, r, log, first_of(seats), r.research_cards, c.CAUSE_RESEARCH)
            seats = without_first(seats)
