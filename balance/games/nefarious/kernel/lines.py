"""The effect language, played: a line for one player or the whole table."""

import numpy as np

from balance.games.compiled import log as out
from balance.games.compiled.jit import inline, jit
from balance.games.compiled.seats import SEAT_BITS
from balance.games.nefarious.kernel import codes as c
from balance.games.nefarious.kernel.counts import amount_of, concerns, has, holds, look_around_table
from balance.games.nefarious.kernel.decide import decide
from balance.games.nefarious.kernel.hands import discard_card, discardable, draw_cards, is_kept, may_draw
from balance.games.nefarious.kernel.options import list_all_zones, list_discards, list_hand, list_minions
from balance.games.nefarious.vocabulary import MOST_MONEY, MOST_TWISTS


@inline
def pay_out(g, log, seat, amount, cause):
    """Give money, up to what a player can hold."""
    amount = min(amount, MOST_MONEY - g.table.money[seat])
    g.table.money[seat] += amount
    if log is not None:  # noqa: SIM102 - tested by the compiler
        if amount > 0:
            out.event(log, c.E_MONEY, seat, amount, cause, 0)


@jit
def take_money(g, log, seat, amount, cause):
    """Take money, never below 0."""
    seat &= SEAT_BITS
    lost = min(amount, g.table.money[seat])
    if lost > 0:
        g.table.money[seat] -= lost
        out.event(log, c.E_MONEY, seat, -lost, cause, 0)


@jit
def place_minion(g, r, p, log, seat, zone, paid, cause):
    """Put a minion from the reserve on a zone, pay, and do what the placement sets off."""
    seat &= SEAT_BITS
    t = g.table
    t.money[seat] -= paid
    t.reserve[seat] -= 1
    t.minions[seat, zone] += 1
    t.standing[zone] += 1
    t.on_zones[seat] += 1
    out.event(log, c.E_PLACE, seat, zone, paid, cause)
    if has(r, c.AT_PLACE):
        set_off_by_placing(g, r, p, log, seat, zone)


@jit
def set_off_by_placing(g, r, p, log, seat, zone):
    """Do the lines at the moment place; the catalog sees to it that none of them places a minion."""
    for index in range(r.first[c.AT_PLACE], r.last[c.AT_PLACE]):
        line = r.lines[index]
        if holds(g, r, line, seat):
            for target in range(g.table.players):
                g.placed_amounts[target] = amount_of(g, line, target, zone)
            for target in range(g.table.players):
                if (target == seat) == (line.who == c.SELF):
                    do_line_without_placing(g, r, p, log, line, target, g.placed_amounts[target])


@jit
def remove_minion(g, log, seat, zone, cause):
    """Take a minion back to the reserve."""
    seat &= SEAT_BITS
    t = g.table
    t.reserve[seat] += 1
    t.minions[seat, zone] -= 1
    t.standing[zone] -= 1
    t.on_zones[seat] -= 1
    out.event(log, c.E_REMOVE, seat, zone, cause, 0)


@jit
def do_line(g, r, p, log, line, seat, amount):
    """Do a line of known amount for one player, as its own draw instruction."""
    if amount <= 0:
        return
    if line.what == c.MINION and line.op == c.PLUS:
        if line.zone == c.ANY_ZONE:
            place_minions(g, r, p, log, line, seat, amount)
        else:
            place_minions_there(g, r, p, log, line, seat, amount)
    else:
        do_line_without_placing(g, r, p, log, line, seat, amount)


@jit
def do_line_without_placing(g, r, p, log, line, seat, amount):
    """Do a line that places no minion; what cannot be done in full is done as far as possible."""
    seat &= SEAT_BITS
    if amount <= 0:
        return
    if line.what == c.MONEY:
        if line.op == c.PLUS:
            pay_out(g, log, seat, amount, line.cause)
        else:
            take_money(g, log, seat, amount, line.cause)
    elif line.what == c.CARD:
        if line.op == c.PLUS:
            if may_draw(g, r, log, amount):
                draw_cards(g, r, log, seat, amount, line.cause)
        elif line.everything:
            discard_hand(g, r, log, line, seat)
        else:
            discard_cards(g, r, p, log, line, seat, amount)
    elif line.what == c.COMMIT:
        commit_card(g, r, p, log, seat)
    elif line.everything:
        remove_all(g, log, line, seat)
    elif line.zone == c.ANY_ZONE:
        remove_minions(g, r, p, log, line, seat, amount)
    else:
        remove_minions_there(g, log, line, seat, amount)


@jit
def discard_cards(g, r, p, log, line, seat, amount):
    """Discard cards of the player's choice, one at a time."""
    seat &= SEAT_BITS
    for _ in range(min(amount, discardable(g, seat))):
        list_discards(g, seat)
        card = decide(g, r, p, seat, c.DISCARD)
        out.begin_cards(log, c.E_DISCARD, seat, line.cause)
        out.card(log, r.id[card])
        discard_card(g, seat, card)
        note_discarded(g, line, seat, 1)


@jit
def discard_hand(g, r, log, line, seat):
    """Discard everything that can be discarded, at once."""
    count = discardable(g, seat)
    if count == 0:
        return
    note_discarded(g, line, seat, count)
    out.begin_cards(log, c.E_DISCARD, seat, line.cause)
    i = 0
    while i < g.table.n_hand[seat]:
        card = np.int64(g.hand[seat, i])
        if is_kept(g, seat, card):
            i += 1
            continue
        out.card(log, r.id[card])
        discard_card(g, seat, card)


@jit
def commit_card(g, r, p, log, seat):
    """Lay a card of the hand aside as the next one to be built."""
    if g.table.n_hand[seat] == 0 or g.committed[seat] >= 0:
        return
    list_hand(g, seat)
    card = decide(g, r, p, seat, c.COMMIT_CARD)
    g.committed[seat] = card
    g.table.has_committed[seat] = 1
    out.event(log, c.E_COMMIT, seat, r.id[card], 0, 0)


@jit
def place_minions(g, r, p, log, line, seat, amount):
    """Place minions free on zones of the player's choice, one at a time."""
    seat &= SEAT_BITS
    for _ in range(amount):
        if g.table.reserve[seat] == 0:
            return
        list_all_zones(g)
        zone = decide(g, r, p, seat, c.PLACE)
        place_minion(g, r, p, log, seat, zone, 0, line.cause)


@jit
def place_minions_there(g, r, p, log, line, seat, amount):
    """Place minions on the zone that the line names, or on each played zone in number order."""
    for zone in range(c.ACTION_COUNT):
        if is_named(g, line, seat, zone):
            for _ in range(amount):
                # what a placement sets off may take minions back
                if g.table.reserve[seat] > 0:
                    place_minion(g, r, p, log, seat, zone, 0, line.cause)


@jit
def remove_minions(g, r, p, log, line, seat, amount):
    """Take minions of the player's choice back, one at a time."""
    for _ in range(min(amount, g.table.on_zones[seat])):
        list_minions(g, seat)
        zone = decide(g, r, p, seat, c.REMOVE)
        remove_minion(g, log, seat, zone, line.cause)


@jit
def remove_minions_there(g, log, line, seat, amount):
    """Take minions back from the zone that the line names, or from each played zone."""
    for zone in range(c.ACTION_COUNT):
        if is_named(g, line, seat, zone):
            for _ in range(min(amount, g.table.minions[seat, zone])):
                remove_minion(g, log, seat, zone, line.cause)


@jit
def remove_all(g, log, line, seat):
    """Take back every minion on (or off) the zones that the line names."""
    for zone in range(c.ACTION_COUNT):
        if is_named(g, line, seat, zone) != (line.off == 1):
            for _ in range(g.table.minions[seat, zone]):
                remove_minion(g, log, seat, zone, line.cause)


@jit
def is_named(g, line, seat, zone):
    """Return whether a line speaks of a zone: of any, of this one, or of the played ones and this is one."""
    if line.zone == c.PLAYED_ZONES:
        return g.table.actions[seat] >> zone & 1 == 1
    return line.zone == c.ANY_ZONE or line.zone == zone


@jit
def forget_discarded(g):
    """Begin to count anew what lines of twists make players discard."""
    for twist in range(MOST_TWISTS):
        for seat in range(g.table.players):
            g.discarded[twist, seat] = 0


@jit
def note_discarded(g, line, seat, count):
    """Remember what a twist's line made a player discard."""
    if line.counts:
        g.discarded[line.cause - c.CAUSE_TWIST, seat] += count


@jit
def do_moment(g, r, p, log, moment):
    """Do the lines of a moment that concerns the whole table: line by line, seat by seat."""
    if not has(r, moment):
        return
    forget_discarded(g)
    look_around_table(g, r)
    for index in range(r.first[moment], r.last[moment]):
        do_line_for_table(g, r, p, log, r.lines[index], moment)


@jit
def do_line_for_table(g, r, p, log, line, moment):
    """Test the condition and count the amounts for every seat as the line begins, then do it seat by seat."""
    players = g.table.players
    subjects = 0
    for seat in range(players):
        g.amounts[seat] = amount_of(g, line, seat, -1)
        if concerns(g, moment, seat) and holds(g, r, line, seat):
            subjects |= 1 << seat
    if line.what == c.CARD and line.op == c.PLUS:
        draw_for_table(g, r, log, line, subjects)
        return
    for subject in range(players):
        if subjects >> subject & 1:
            for target in range(players):
                if (subject == target) == (line.who == c.SELF):
                    do_line(g, r, p, log, line, target, g.amounts[target])


@jit
def draw_for_table(g, r, log, line, subjects):
    """Draw for everybody a line concerns, in one instruction, each seat all its cards before the next."""
    players = g.table.players
    needed = 0
    for target in range(players):
        times = 0
        for subject in range(players):
            if subjects >> subject & 1 and (subject == target) == (line.who == c.SELF):
                times += 1
        g.amounts[target] *= times
        needed += g.amounts[target]
    if may_draw(g, r, log, needed):
        for target in range(players):
            draw_cards(g, r, log, target, g.amounts[target], line.cause)
