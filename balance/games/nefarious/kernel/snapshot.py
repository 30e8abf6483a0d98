"""The whole state of a game, written into its log."""

from balance.games.compiled import log as out
from balance.games.compiled.jit import jit
from balance.games.nefarious.kernel import codes as c


@jit
def log_state(g, r, log):
    """Log the whole state after R8: per seat money, committed id, vp, minions, hand, built."""
    if not log.on:
        return
    t = g.table
    out.begin_words(log, c.E_STATE)
    out.word(log, t.n_deck)
    out.word(log, t.n_discard)
    for s in range(t.players):
        out.word(log, t.money[s])
        out.word(log, r.id[g.committed[s]] if g.committed[s] >= 0 else 0)
        out.word(log, t.score[s])
        for zone in range(c.ACTION_COUNT):
            out.word(log, t.minions[s, zone])
        out.word(log, t.n_hand[s])
        for i in range(t.n_hand[s]):
            out.word(log, r.id[g.hand[s, i]])
        out.word(log, t.n_built[s])
        for i in range(t.n_built[s]):
            out.word(log, r.id[t.built[s, i]])
    out.end_words(log)
