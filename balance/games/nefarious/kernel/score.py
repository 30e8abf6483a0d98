"""R9: scores, and whether the game is over."""

from balance.games.nefarious.kernel import codes as c
from balance.games.nefarious.kernel.jit import jit
from balance.games.nefarious.kernel.lines import amount_of, holds


@jit
def score_of(g, r, seat):
    """Sum the VP of built cards and the bonuses that hold now."""
    t = g.table
    score = t.built_vp[seat] + t.built_per[seat] * t.n_built[seat]
    for index in range(r.first[c.AT_SCORE], r.last[c.AT_SCORE]):
        line = r.lines[index]
        if holds(g, r, line, seat):
            bonus = amount_of(g, line, seat, -1)
            score += bonus if line.op == c.PLUS else -bonus
    return score


@jit
def count_scores(g, r):
    """Write everybody's score on the table."""
    for seat in range(g.table.players):
        g.table.score[seat] = score_of(g, r, seat)


@jit
def check_victory(g, r):
    """Whether the game is over: a sole leader has reached the goal, or the round limit is scored."""
    t = g.table
    best, leaders, leader = t.score[0], 1, 0
    for seat in range(1, t.players):
        if t.score[seat] > best:
            best, leaders, leader = t.score[seat], 1, seat
        elif t.score[seat] == best:
            leaders += 1
    if best >= r.goal and leaders == 1:
        g.winner = leader
        return True
    if t.round >= r.round_limit:
        g.stalled = 1
        return True
    return False
