"""R9: scores, and whether the game is over."""

from balance.games.compiled.jit import inline, jit
from balance.games.nefarious.kernel import codes as c
from balance.games.nefarious.kernel.counts import amount_of, has, holds, look_around_table


@inline
def printed_vp(g, seat):
    """Sum the VP of built cards."""
    t = g.table
    return t.built_vp[seat] + t.built_per[seat] * t.n_built[seat]


@jit
def score_of(g, r, seat):
    """Sum the VP of built cards and the bonuses that hold now."""
    score = printed_vp(g, seat)
    for index in range(r.first[c.AT_SCORE], r.last[c.AT_SCORE]):
        line = r.lines[index]
        if holds(g, r, line, seat):
            bonus = amount_of(g, line, seat, -1)
            score += bonus if line.op == c.PLUS else -bonus
    return score


@inline
def count_scores(g, r):
    """Write everybody's score on the table; without bonuses it changes only when somebody builds."""
    t = g.table
    if has(r, c.AT_SCORE):
        g.scored = 0
        look_around_table(g, r)
        for seat in range(t.players):
            t.score[seat] = score_of(g, r, seat)
    elif not g.scored:
        for seat in range(t.players):
            t.score[seat] = printed_vp(g, seat)


@inline
def check_victory(g, r):
    """Return whether the game is over: a sole leader has reached the goal, or the round limit is scored."""
    if not g.scored:
        g.scored = 1
        if compare_scores(g, r):
            return True
    if g.table.round >= r.round_limit:
        g.stalled = 1
        return True
    return False


@inline
def compare_scores(g, r):
    """Find the leader; whether a sole leader has reached the goal."""
    t = g.table
    best = t.score[0]
    for seat in range(1, t.players):
        best = max(best, t.score[seat])
    leaders, leader = 0, -1
    for seat in range(t.players):
        leads = t.score[seat] == best
        leaders += leads
        leader = seat if leads else leader
    g.best = best
    g.leader = leader if leaders == 1 else -1
    if best >= r.goal and leaders == 1:
        g.winner = leader
        return True
    return False
