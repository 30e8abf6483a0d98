"""R5: inventors reveal a card, pay, build; then all effects, first the builders' own, then the others'."""

import numpy as np

from balance.games.nefarious.kernel import codes as c
from balance.games.nefarious.kernel import log as out
from balance.games.nefarious.kernel.agenda import ask_build, pop, push
from balance.games.nefarious.kernel.hands import discardable, leave_hand
from balance.games.nefarious.kernel.jit import jit
from balance.games.nefarious.kernel.lines import (
    amount_of,
    amount_on_card,
    do_line,
    forget_discarded,
    holds,
    next_target,
)

_DECIDE = 0
_BUILD = 1
_BUILD_LINES = 2
_OWN_EFFECTS = 3
_OTHERS_EFFECTS = 4
_NONE = -1


@jit
def go_on_invent(g, r, log):
    """F_INVENT (stage, next seat, seat asked plus 1, line or neighbour, target); True: a question is open."""
    frame = g.frame[g.depth]
    stage = frame[1]
    if stage == _DECIDE:
        return _decide(g, frame)
    if stage == _BUILD:
        _build_next(g, r, log, frame)
    elif stage == _BUILD_LINES:
        _next_build_line(g, r, log, frame)
    elif stage == _OWN_EFFECTS:
        _next_own_effects(g, frame)
    else:
        _next_others_effects(g, frame)
    return False


@jit
def _decide(g, frame):
    """Ask every inventor with a hand for a card, on the state as the step began."""
    t = g.table
    if frame[3] > 0:
        g.pending[frame[3] - 1] = g.answer
        frame[3] = 0
    while frame[2] < t.players:
        seat = frame[2]
        frame[2] += 1
        g.pending[seat] = _NONE
        g.fresh[seat] = _NONE
        g.source[seat] = _NONE
        if t.actions[seat] >> c.INVENT & 1 and t.n_hand[seat] > 0:
            frame[3] = seat + 1
            ask_build(g, seat)
            return True
    for seat in range(t.players):
        g.revealed[seat] = g.pending[seat]
    frame[1] = _BUILD
    frame[2] = 0
    return False


@jit
def _build_next(g, r, log, frame):
    """Let the next inventor's card be revealed: refused, unaffordable, or built."""
    t = g.table
    seat = frame[2]
    if seat == t.players:
        frame[1] = _OWN_EFFECTS
        frame[2] = 0
        return
    card = g.pending[seat]
    if card == _NONE:
        frame[2] += 1
        return
    g.revealed[seat] = _NONE
    refusal = refusing_line(g, r, seat)
    if refusal != _NONE:
        frame[2] += 1
        out.event(log, c.E_REVEAL, seat, r.id[card], c.REFUSED, 0)
        instead = r.lines[refusal].or_else
        do_line(g, r, log, r.lines[instead], instead, seat, amount_of(g, r.lines[instead], seat, -1))
    elif r.cost[card] > t.money[seat]:
        frame[2] += 1
        out.event(log, c.E_REVEAL, seat, r.id[card], c.UNAFFORDABLE, 0)
    else:
        build(g, r, log, seat, card)
        frame[1] = _BUILD_LINES
        frame[4] = r.first[c.AT_BUILD]
        frame[5] = 0
        forget_discarded(g)


@jit
def refusing_line(g, r, seat):
    """Return the first build line that must be possible in full and is not, or -1."""
    for index in range(r.first[c.AT_BUILD], r.last[c.AT_BUILD]):
        line = r.lines[index]
        if line.or_else < 0:
            continue
        if line.what == c.MINION:
            here = g.table.on_zones[seat]
            if 0 <= line.zone < c.ACTION_COUNT:
                here = g.table.minions[seat, line.zone]
            possible = here >= line.amount
        else:
            # the card to be built cannot be discarded for itself
            others = discardable(g, seat) - (0 if g.committed[seat] >= 0 else 1)
            possible = others >= line.amount
        if not possible:
            return index
    return _NONE


@jit
def build(g, r, log, seat, card):
    """Pay for a card and build it; decide whose printed lines it will resolve."""
    t = g.table
    t.money[seat] -= r.cost[card]
    leave_hand(g, seat, card)
    if g.committed[seat] == card:
        g.committed[seat] = _NONE
        t.has_committed[seat] = 0
    t.built[seat, t.n_built[seat]] = card
    t.n_built[seat] += 1
    t.built_now[seat] += 1
    t.built_vp[seat] += r.vp[card]
    t.built_per[seat] += r.vp_per_built[card]
    g.fresh[seat] = card
    g.source[seat] = source_of(g, r, seat, card)
    out.event(log, c.E_REVEAL, seat, r.id[card], c.BUILT, r.cost[card])


@jit
def source_of(g, r, seat, card):
    """Return the card whose printed lines are resolved: itself, or an earlier one under an echo."""
    t = g.table
    blank = r.own_lines[card] == r.own_lines[card + 1] and r.others_lines[card] == r.others_lines[card + 1]
    added = (
        r.first[c.ON_INVENTION_SELF] < r.last[c.ON_INVENTION_SELF]
        or r.first[c.ON_INVENTION_OTHERS] < r.last[c.ON_INVENTION_OTHERS]
    )
    if r.echo > 0 and blank and not added:
        earlier = t.n_built[seat] - 1 - r.echo
        return np.int64(t.built[seat, earlier]) if earlier >= 0 else _NONE
    return card


@jit
def _next_build_line(g, r, log, frame):
    """Do the next build line of the seat that has just built, for its next target."""
    seat, index = frame[2], frame[4]
    if index == r.last[c.AT_BUILD]:
        frame[1] = _BUILD
        frame[2] += 1
        return
    line = r.lines[index]
    target = _NONE
    if frame[5] > 0 or holds(g, r, line, seat):
        target = next_target(line, seat, frame[5], g.table.players)
    if target == _NONE:
        frame[4] += 1
        frame[5] = 0
        return
    frame[5] = target + 1
    do_line(g, r, log, line, index, target, amount_of(g, line, target, -1))


@jit
def _next_own_effects(g, frame):
    """Pass 1: every builder, seat 0 first, resolves the own lines of the own card."""
    seat = frame[2]
    if seat == g.table.players:
        frame[1] = _OTHERS_EFFECTS
        frame[2] = 0
        frame[4] = 1
        return
    frame[2] += 1
    if g.fresh[seat] != _NONE:
        push(g, c.F_CARD, seat, seat, 0, 0)


@jit
def _next_others_effects(g, frame):
    """Pass 2: every player, seat 0 first, resolves the others' cards, starting with the left neighbour."""
    players = g.table.players
    seat, step = frame[2], frame[4]
    if seat == players:
        pop(g)
        return
    if step == players:
        frame[2] += 1
        frame[4] = 1
        return
    frame[4] += 1
    builder = (seat + step) % players
    if g.fresh[builder] != _NONE:
        push(g, c.F_CARD, seat, builder, 0, 0)


@jit
def resolve_invention(g, r, log):
    """F_CARD (seat, builder, repetition, place in the list): do the next line of a card that hits a seat."""
    frame = g.frame[g.depth]
    seat, builder = frame[1], frame[2]
    if frame[3] == r.effect_repeats:
        pop(g)
        return
    source = g.source[builder]
    first = last = 0
    if seat == builder:
        moment = c.ON_INVENTION_SELF
        if source != _NONE:
            first, last = r.own_lines[source], r.own_lines[source + 1]
    else:
        moment = c.ON_INVENTION_OTHERS
        if source != _NONE:
            first, last = r.others_lines[source], r.others_lines[source + 1]
    index = first + frame[4]
    if index >= last:
        index += r.first[moment] - last
        if index >= r.last[moment]:
            frame[3] += 1
            frame[4] = 0
            return
    frame[4] += 1
    line = r.lines[index]
    if holds(g, r, line, builder):
        do_line(g, r, log, line, index, seat, amount_on_card(g, r, line, seat))
