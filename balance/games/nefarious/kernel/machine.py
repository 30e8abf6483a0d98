"""The machine: runs a game from one decision to the next.

`advance` works off the agenda until a player must decide, a round is over, or the game is. Because what
remains to be done is in the record, a copy made while a question is open can be answered differently and
played on; nothing here calls itself, so a policy may play copies to the end inside the kernel.
"""

from balance.games.nefarious.kernel import codes as c
from balance.games.nefarious.kernel import log as out
from balance.games.nefarious.kernel.agenda import push
from balance.games.nefarious.kernel.choose import choose
from balance.games.nefarious.kernel.income import collect_income
from balance.games.nefarious.kernel.invent import go_on_invent, resolve_invention
from balance.games.nefarious.kernel.jit import jit
from balance.games.nefarious.kernel.lines import go_on_line, go_on_placed, go_on_table, open_moment
from balance.games.nefarious.kernel.research import research
from balance.games.nefarious.kernel.score import check_victory, count_scores
from balance.games.nefarious.kernel.speculate import go_on_speculate
from balance.games.nefarious.kernel.start import start_round
from balance.games.nefarious.kernel.work import work

# Phases of a round: word 1 of its frame. Word 2 counts the repetitions of a step, word 3 belongs to R1.
_R0_START = 0
_R1_CHOOSE = 1
_R3_INCOME = 2
_R4_SPECULATE = 3
_R5_INVENT = 4
_R6_BEFORE = 5
_R6_RESEARCH = 6
_R7_BEFORE = 7
_R7_WORK = 8
_R8_END = 9
_R9_SCORE = 10
_GOING_ON = 0


@jit
def advance(g, r, log):
    """Play on until ASKS (answer in g.answer), ROUND_OVER (play on, or look first) or GAME_OVER."""
    while True:
        kind = g.frame[g.depth, 0]
        if kind == c.F_ROUND:
            stop = _go_on_round(g, r, log)
            if stop != _GOING_ON:
                return stop
        elif kind == c.F_LINE:
            if go_on_line(g, r, log):
                return c.ASKS
        elif kind == c.F_CARD:
            resolve_invention(g, r, log)
        elif kind == c.F_INVENT:
            if go_on_invent(g, r, log):
                return c.ASKS
        elif kind == c.F_TABLE:
            go_on_table(g, r, log)
        elif kind == c.F_SPECULATE:
            if go_on_speculate(g, r, log):
                return c.ASKS
        else:
            go_on_placed(g, r, log)


@jit
def _go_on_round(g, r, log):
    """F_ROUND: do the next phase."""
    frame = g.frame[0]
    phase = frame[1]
    if phase == _R1_CHOOSE:
        if choose(g, r, log, frame):
            return c.ASKS
        frame[1] = _R3_INCOME
    elif phase == _R0_START:
        frame[1] = _R1_CHOOSE
        start_round(g, r, log)
    elif phase == _R3_INCOME:
        _go_to(frame, _R4_SPECULATE)
        collect_income(g, r, log)
    elif phase == _R8_END:
        frame[1] = _R9_SCORE
        open_moment(g, r, c.AT_END)
    elif phase == _R9_SCORE:
        frame[1] = _R0_START
        count_scores(g, r)
        out.state(g, r, log)
        if check_victory(g, r):
            out.event(log, c.E_END, g.winner, g.table.round, g.stalled, 0)
            return c.GAME_OVER
        return c.ROUND_OVER
    else:
        _go_on_action(g, r, log, frame, phase)
    return _GOING_ON


@jit
def _go_on_action(g, r, log, frame, phase):
    """R4 to R7: each step is done in full, as often as the rules say, if anybody chose it."""
    if phase == _R4_SPECULATE:
        if not _anybody(g, c.SPECULATE) or frame[2] == r.action_repeats:
            _go_to(frame, _R5_INVENT)
            return
        frame[2] += 1
        push(g, c.F_SPECULATE, 0, 0, 0, 0)
    elif phase == _R5_INVENT:
        if not _anybody(g, c.INVENT) or frame[2] == r.action_repeats:
            _go_to(frame, _R6_BEFORE)
            return
        frame[2] += 1
        push(g, c.F_INVENT, 0, 0, 0, 0)
    elif phase == _R6_BEFORE:
        if not _anybody(g, c.RESEARCH) or frame[2] == r.action_repeats:
            _go_to(frame, _R7_BEFORE)
            return
        frame[2] += 1
        frame[1] = _R6_RESEARCH
        open_moment(g, r, c.BEFORE_RESEARCH)
    elif phase == _R6_RESEARCH:
        frame[1] = _R6_BEFORE
        research(g, r, log)
        open_moment(g, r, c.AFTER_RESEARCH)
    elif phase == _R7_BEFORE:
        if not _anybody(g, c.WORK) or frame[2] == r.action_repeats:
            _go_to(frame, _R8_END)
            return
        frame[2] += 1
        frame[1] = _R7_WORK
        open_moment(g, r, c.BEFORE_WORK)
    else:
        frame[1] = _R7_BEFORE
        work(g, r, log)
        open_moment(g, r, c.AFTER_WORK)


@jit
def _go_to(frame, phase):
    frame[1] = phase
    frame[2] = 0


@jit
def _anybody(g, action):
    for seat in range(g.table.players):
        if g.table.actions[seat] >> action & 1:
            return True
    return False
