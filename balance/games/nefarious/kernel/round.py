"""One round, from R0 to R9, as in the rules page."""

import numpy as np

from balance.games.compiled import log as out
from balance.games.compiled.jit import apart, inline, jit
from balance.games.nefarious.kernel import codes as c
from balance.games.nefarious.kernel.choose import choose_actions, reveal_actions
from balance.games.nefarious.kernel.income import collect_income
from balance.games.nefarious.kernel.invent import invent
from balance.games.nefarious.kernel.lines import do_moment
from balance.games.nefarious.kernel.research import research
from balance.games.nefarious.kernel.score import check_victory, count_scores
from balance.games.nefarious.kernel.snapshot import log_state
from balance.games.nefarious.kernel.speculate import speculate
from balance.games.nefarious.kernel.start import start_round
from balance.games.nefarious.kernel.state import DECIDERS, RULES, STATE
from balance.games.nefarious.kernel.work import work


@jit
def play_round(g, r, p, log):
    """Play one round; return whether the game is over."""
    start_round(g, log)
    do_moment(g, r, p, log, c.AT_START)
    choose_actions(g, r, p)
    reveal_actions(g, log)
    do_moment(g, r, p, log, c.BEFORE_INCOME)
    collect_income(g, r, log)
    do_moment(g, r, p, log, c.AFTER_INCOME)
    play_actions(g, r, p, log)
    do_moment(g, r, p, log, c.AT_END)
    count_scores(g, r)
    if log is not None:
        log_state(g, r, log)
    over = check_victory(g, r)
    if over:
        out.event(log, c.E_END, g.winner, g.table.round, g.stalled, 0)
    return over


@jit
def play_round_quietly(g, r, p):
    """Play one round without a log."""
    return np.int64(play_round(g, r, p, None))


play_round_apart = apart(play_round_quietly, STATE, RULES, DECIDERS)


@inline
def play_actions(g, r, p, log):
    """Do R4 to R7: each step is done in full, as often as the rules say, if anybody chose it."""
    if g.doers[c.SPECULATE]:
        for _ in range(r.action_repeats):
            do_moment(g, r, p, log, c.BEFORE_SPECULATE)
            speculate(g, r, p, log)
            do_moment(g, r, p, log, c.AFTER_SPECULATE)
    if g.doers[c.INVENT]:
        for _ in range(r.action_repeats):
            invent(g, r, p, log)
    if g.doers[c.RESEARCH]:
        for _ in range(r.action_repeats):
            do_moment(g, r, p, log, c.BEFORE_RESEARCH)
            research(g, r, log)
            do_moment(g, r, p, log, c.AFTER_RESEARCH)
    if g.doers[c.WORK]:
        for _ in range(r.action_repeats):
            do_moment(g, r, p, log, c.BEFORE_WORK)
            work(g, r, log)
            do_moment(g, r, p, log, c.AFTER_WORK)
