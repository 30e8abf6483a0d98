"""Writing what happens into a record of integers, from which a game's own reader makes events.

An event is its code, the number of words that follow, and these words. Where no log is wanted, None is passed
for it, and the compiler leaves all of this out; a log that is not `on` stays empty; a full one is not written
to, but counted on, so that the reader notices.
"""

from typing import Final

import numpy as np

from balance.games.compiled.jit import inline, jit

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
def event(log, code, a, b, c, d):
    """Log an event of four words."""
    if log is not None:
        _write_event(log, code, a, b, c, d)


@jit
def _write_event(log, code, a, b, c, d):
    if not log.on:
        return
    word(log, code)
    word(log, 4)
    word(log, a)
    word(log, b)
    word(log, c)
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


@inline
def begin_words(log, code):
    """Begin an event of any number of words; `end_words` counts them."""
    word(log, code)
    log.list = log.at
    word(log, 0)


@inline
def end_words(log):
    """End the event begun last."""
    if log.list < MOST_WORDS:
        log.words[log.list] = log.at - log.list - 1
