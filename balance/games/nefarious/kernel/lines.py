"""The effect language, played: conditions, counts, and a line for one player or the whole table."""

import numpy as np

from balance.games.nefarious.kernel import codes as c
from balance.games.nefarious.kernel import log as out
from balance.games.nefarious.kernel.hands import discard_card, discardable, draw_cards, is_kept, may_draw
from balance.games.nefarious.kernel.jit import inline, jit
from balance.games.nefarious.kernel.options import list_all_zones, list_discards, list_hand, list_minions
from balance.games.nefarious.kernel.policies import decide
from balance.games.nefarious.kernel.state import SEAT_BITS
from balance.games.nefarious.vocabulary import MOST_MONEY, MOST_TWISTS


@jit
def card_vp(g, r, seat, card):
    """Return what a built card is worth to its owner now."""
    return r.vp[card] + r.vp_per_built[card] * g.table.n_built[seat]


@jit
def earlier_vp(g, r, seat):
    """Return the highest worth among the cards built before the latest; below everything if there is none."""
    best = -1_000_000
    for i in range(g.table.n_built[seat] - 1):
        best = max(best, card_vp(g, r, seat, np.int64(g.table.built[seat, i])))
    return best


@jit
def quantity(g, r, seat, which):
    """Return what a condition compares."""
    t = g.table
    if which == c.Q_MONEY:
        return t.money[seat]
    if which == c.Q_HAND:
        return t.n_hand[seat]
    if which == c.Q_BUILT:
        return t.n_built[seat]
    if which == c.Q_BUILT_NOW:
        return t.built_now[seat]
    if which == c.Q_MINIONS:
        return t.on_zones[seat]
    if which == c.Q_RESERVE:
        return t.reserve[seat]
    if which == c.Q_COMMITTED:
        return 1 if g.committed[seat] >= 0 else 0
    if which == c.Q_ROUND:
        return t.round
    if which == c.Q_CARD_VP:
        return card_vp(g, r, seat, np.int64(t.built[seat, t.n_built[seat] - 1]))
    return earlier_vp(g, r, seat)


@jit
def holds(g, r, line, seat):
    """Whether all conditions of a line hold for a seat."""
    for i in range(line.n_conditions):
        right = line.right[i]
        if line.left[i] == c.Q_PLAYED:
            if (g.table.actions[seat] >> right & 1) != (line.comparison[i] == c.EQUAL):
                return False
            continue
        left = quantity(g, r, seat, line.left[i])
        if line.right_is_quantity[i]:
            right = quantity(g, r, seat, right)
        how = line.comparison[i]
        if how == c.EQUAL:
            good = left == right
        elif how == c.NOT_EQUAL:
            good = left != right
        elif how == c.AT_MOST:
            good = left <= right
        elif how == c.AT_LEAST:
            good = left >= right
        elif how == c.LESS:
            good = left < right
        else:
            good = left > right
        if not good:
            return False
    return True


@jit
def led_zones(g, seat):
    """Count the own revealed actions on whose zone the player has more minions than each other player."""
    t = g.table
    led = 0
    for zone in range(c.ACTION_COUNT):
        if not t.actions[seat] >> zone & 1:
            continue
        leads = True
        for other in range(t.players):
            if other != seat and t.minions[other, zone] >= t.minions[seat, zone]:
                leads = False
        if leads:
            led += 1
    return led


@jit
def shared_actions(g, seat):
    """Count the other players with the same action, for each action of the seat."""
    t = g.table
    shared = 0
    for action in range(c.ACTION_COUNT):
        if t.actions[seat] >> action & 1:
            for other in range(t.players):
                if other != seat and t.actions[other] >> action & 1:
                    shared += 1
    return shared


@jit
def played_minions(g, seat):
    """Count the own minions on zones of own revealed actions."""
    count = 0
    for zone in range(c.ACTION_COUNT):
        if g.table.actions[seat] >> zone & 1:
            count += g.table.minions[seat, zone]
    return count


@jit
def board_crowd(g):
    """Count the minions of all players on all zones."""
    crowd = 0
    for zone in range(c.ACTION_COUNT):
        crowd += g.table.standing[zone]
    return crowd


@jit
def count_per(g, line, seat, per, zone):
    """Count what an amount is multiplied with; `zone` is that of the placement at hand, if any."""
    seat &= SEAT_BITS
    t = g.table
    if per == c.PER_HAND:
        return t.n_hand[seat]
    if per == c.PER_MINION:
        return t.on_zones[seat]
    if per == c.PER_BUILT:
        return t.n_built[seat]
    if per == c.PER_MONEY_FULL:
        return t.money[seat] // line.per_n
    if per == c.PER_MONEY_REST:
        return t.money[seat] % line.per_n
    if per == c.PER_DISCARDED:
        return g.discarded[line.cause - c.CAUSE_TWIST, seat]
    if per == c.PER_PLAYED_MINION:
        return played_minions(g, seat)
    if per == c.PER_LED_ZONE:
        return led_zones(g, seat)
    if per == c.PER_SHARED_ACTION:
        return shared_actions(g, seat)
    if per == c.PER_ZONE_CROWD:
        return t.crowd[zone]
    return board_crowd(g)


@jit
def amount_of(g, line, seat, zone):
    """Return how many of its thing a line of a twist moves for a seat, counted now."""
    seat &= SEAT_BITS
    if line.everything:
        if line.what == c.CARD:
            return discardable(g, seat)
        if line.what == c.MONEY:
            return g.table.money[seat]
        return g.table.on_zones[seat]
    if line.per == c.PER_NOTHING:
        return line.amount
    return line.amount * count_per(g, line, seat, line.per, zone)


@jit
def amount_on_card(g, r, line, seat):
    """Return how many of its thing a line of an invention moves; `per hand` may count something else."""
    if line.per == c.PER_HAND:
        return line.amount * count_per(g, line, seat, r.hand_counts, -1)
    return amount_of(g, line, seat, -1)


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
    if r.first[c.AT_PLACE] < r.last[c.AT_PLACE]:
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
    """Whether a line speaks of a zone: of any, of this one, or of the played ones and this is one."""
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
def concerns(g, moment, seat):
    """Whether a moment concerns a seat: everybody, but around an action only those who do it."""
    t = g.table
    if moment == c.BEFORE_SPECULATE:
        return t.actions[seat] >> c.SPECULATE & 1 and t.reserve[seat] > 0
    if moment == c.AFTER_SPECULATE:
        return t.actions[seat] >> c.SPECULATE & 1
    if moment == c.BEFORE_RESEARCH or moment == c.AFTER_RESEARCH:
        return t.actions[seat] >> c.RESEARCH & 1
    if moment == c.BEFORE_WORK or moment == c.AFTER_WORK:
        return t.actions[seat] >> c.WORK & 1
    return True


@jit
def do_moment(g, r, p, log, moment):
    """Do the lines of a moment that concerns the whole table: line by line, seat by seat."""
    if r.first[moment] == r.last[moment]:
        return
    forget_discarded(g)
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
