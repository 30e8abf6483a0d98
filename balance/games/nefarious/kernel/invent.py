"""R5: inventors reveal a card, pay, build; then all effects, first the builders' own, then the others'."""

import numpy as np

from balance.games.compiled import log as out
from balance.games.compiled.jit import inline, jit
from balance.games.compiled.seats import SEAT_BITS, first_of, without_first
from balance.games.nefarious.kernel import codes as c
from balance.games.nefarious.kernel.at_random import any_build
from balance.games.nefarious.kernel.counts import amount_of, amount_on_card, has, holds, look_around_table
from balance.games.nefarious.kernel.decide import RANDOM, decide
from balance.games.nefarious.kernel.hands import discardable, leave_hand
from balance.games.nefarious.kernel.lines import do_line, forget_discarded
from balance.games.nefarious.kernel.options import list_builds

_NONE = -1


@jit
def invent(g, r, p, log):
    """Do one pass of Invent: all decide, all pay and build, then all effects."""
    pick_cards(g, r, p)
    look_around_table(g, r)
    g.n_builders = 0
    g.n_hitters = 0
    seats = g.doers[c.INVENT]
    while seats:
        seat = first_of(seats)
        seats = without_first(seats)
        if g.revealed[seat] != _NONE:
            reveal_invention(g, r, p, log, seat)
    if g.n_builders > 0 and r.effect_repeats > 0:
        look_around_table(g, r)
        resolve_own_effects(g, r, p, log)
        resolve_others_effects(g, r, p, log)


@inline
def pick_cards(g, r, p):
    """Let every inventor with a hand pick a card, on the state as the step began; then all are revealed."""
    seats = g.doers[c.INVENT]
    while seats:
        seat = first_of(seats)
        seats = without_first(seats)
        if g.table.n_hand[seat] == 0:
            continue
        if p.policy[seat] == RANDOM:
            g.revealed[seat] = any_build(g, r, p, seat)
        else:
            list_builds(g, seat)
            g.revealed[seat] = decide(g, r, p, seat, c.BUILD)


@jit
def reveal_invention(g, r, p, log, seat):
    """See what becomes of a revealed card: refused, unaffordable, or built."""
    seat &= SEAT_BITS
    card = g.revealed[seat]
    g.revealed[seat] = _NONE
    refusal = refusing_line(g, r, seat)
    if refusal != _NONE:
        out.event(log, c.E_REVEAL, seat, r.id[card], c.REFUSED, 0)
        instead = r.lines[r.lines[refusal].or_else]
        do_line(g, r, p, log, instead, seat, amount_of(g, instead, seat, -1))
    elif r.cost[card] > g.table.money[seat]:
        out.event(log, c.E_REVEAL, seat, r.id[card], c.UNAFFORDABLE, 0)
    else:
        build(g, r, log, seat, card)
        do_build_lines(g, r, p, log, seat)


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


@inline
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
    g.scored = 0
    g.builders[g.n_builders] = seat
    g.n_builders += 1
    source = source_of(g, r, seat, card)
    g.source[seat] = source
    g.hitters[g.n_hitters] = seat
    g.n_hitters += hits_others(r, source)
    out.event(log, c.E_REVEAL, seat, r.id[card], c.BUILT, r.cost[card])


@inline
def source_of(g, r, seat, card):
    """Return the card whose printed lines are resolved: itself, or an earlier one under an echo."""
    t = g.table
    blank = r.own_lines[card] == r.own_lines[card + 1] and r.others_lines[card] == r.others_lines[card + 1]
    added = has(r, c.ON_INVENTION_SELF) or has(r, c.ON_INVENTION_OTHERS)
    if r.echo > 0 and blank and not added:
        earlier = t.n_built[seat] - 1 - r.echo
        return np.int64(t.built[seat, earlier]) if earlier >= 0 else _NONE
    return card


@inline
def hits_others(r, source):
    """Return whether a card that resolves the lines of `source` has any for others, added ones included."""
    added = has(r, c.ON_INVENTION_OTHERS)
    printed = source != _NONE and r.others_lines[source] < r.others_lines[source + 1]
    return added or printed


@jit
def do_build_lines(g, r, p, log, seat):
    """Do what twists say of building, for the seat that has just built."""
    if not has(r, c.AT_BUILD):
        return
    forget_discarded(g)
    for index in range(r.first[c.AT_BUILD], r.last[c.AT_BUILD]):
        line = r.lines[index]
        if holds(g, r, line, seat):
            for target in range(g.table.players):
                g.amounts[target] = amount_of(g, line, target, -1)
            for target in range(g.table.players):
                if (target == seat) == (line.who == c.SELF):
                    do_line(g, r, p, log, line, target, g.amounts[target])


@inline
def resolve_own_effects(g, r, p, log):
    """Pass 1: every builder, seat 0 first, resolves the own lines of the own card."""
    for i in range(g.n_builders):
        resolve_invention(g, r, p, log, g.builders[i], g.builders[i])


@jit
def resolve_others_effects(g, r, p, log):
    """Pass 2: every player, seat 0 first, resolves the others' cards, starting with the left neighbour."""
    if g.n_hitters == 0:
        return
    for seat in range(g.table.players):
        # they are in order of seats: those after this seat come first
        first = 0
        while first < g.n_hitters and g.hitters[first] <= seat:
            first += 1
        for i in range(g.n_hitters):
            k = first + i if first + i < g.n_hitters else first + i - g.n_hitters
            if g.hitters[k] != seat:
                resolve_invention(g, r, p, log, seat, g.hitters[k])


@jit
def resolve_invention(g, r, p, log, seat, builder):
    """Resolve the lines of a builder's card that hit a seat: the whole list, as often as the rules say."""
    seat &= SEAT_BITS
    first, last, moment = effect_list(g, r, seat, builder)
    for _ in range(r.effect_repeats):
        for index in range(first, last):
            line = r.lines[index]
            do_line(g, r, p, log, line, seat, amount_on_card(g, r, line, seat))
        for index in range(r.first[moment], r.last[moment]):
            line = r.lines[index]
            if holds(g, r, line, builder):
                do_line(g, r, p, log, line, seat, amount_on_card(g, r, line, seat))


@inline
def effect_list(g, r, seat, builder):
    """Return the printed lines of a builder's card that hit a seat (first, last), and added ones' moment."""
    source = g.source[builder]
    if seat == builder:
        if source == _NONE:
            return 0, 0, c.ON_INVENTION_SELF
        return r.own_lines[source], r.own_lines[source + 1], c.ON_INVENTION_SELF
    if source == _NONE:
        return 0, 0, c.ON_INVENTION_OTHERS
    return r.others_lines[source], r.others_lines[source + 1], c.ON_INVENTION_OTHERS
