"""Writing what happens into a record of integers, to be read by `balance.games.nefarious.events`.

An event is its code, the number of words that follow, and these words. Where no log is wanted, None is passed
for it, and the compiler leaves all of this out; a log that is not `on` stays empty; a full one is not written
to, but counted on, so that the reader notices.
"""

from typing import Final

import numpy as np

from balance.games.nefarious.kernel import codes as c
from balance.games.nefarious.kernel.jit import inline, jit

# A game of 200 rounds with 6 players and large hands fits well; untouched pages cost nothing.
MOST_WORDS: Final = 1 << 20

# A record and not an array: the compiled functions pass it as one pointer.
LOG: Final = np.dtype(
    [("on", np.int64), ("at", np.int64), ("list", np.int64), ("words", np.int32, (MOST_WORDS,))], align=True
)


@jit
def word(log, value):
    """Append one word."""
    if log.at < MOST_WORDS:
        log.words[log.at] = value
    log.at += 1


@inline
def event(log, code, a, b, c_, d):
    """Log an event of four words."""
    if log is not None:
        _write_event(log, code, a, b, c_, d)


@jit
def _write_event(log, code, a, b, c_, d):
    if not log.on:
        return
    word(log, code)
    word(log, 4)
    word(log, a)
    word(log, b)
    word(log, c_)
    word(log, d)


@inline
def begin_cards(log, code, a, b):
    """Begin an event of two words and a list of cards; `card` adds to it."""
    if log is not None:
        _write_beginning(log, code, a, b)


@jit
def _write_beginning(log, code, a, b):
    if not log.on:
        return
    word(log, code)
    log.list = log.at
    word(log, 2)
    word(log, a)
    word(log, b)


@inline
def card(log, id_):
    """Add a card to the list begun last."""
    if log is not None:
        _write_card(log, id_)


@jit
def _write_card(log, id_):
    if not log.on:
        return
    if log.list < MOST_WORDS:
        log.words[log.list] += 1
    word(log, id_)


@jit
def state(g, r, log):
    """Log the whole state after R8: per seat money, committed id, vp, minions, hand, built."""
    if not log.on:
        return
    t = g.table
    word(log, c.E_STATE)
    log.list = log.at
    word(log, 0)
    first = log.at
    word(log, t.n_deck)
    word(log, t.n_discard)
    for s in range(t.players):
        word(log, t.money[s])
        word(log, r.id[g.committed[s]] if g.committed[s] >= 0 else 0)
        word(log, t.score[s])
        for zone in range(c.ACTION_COUNT):
            word(log, t.minions[s, zone])
        word(log, t.n_hand[s])
        for i in range(t.n_hand[s]):
            word(log, r.id[g.hand[s, i]])
        word(log, t.n_built[s])
        for i in range(t.n_built[s]):
            word(log, r.id[t.built[s, i]])
    if log.list < MOST_WORDS:
        log.words[log.list] = log.at - first
