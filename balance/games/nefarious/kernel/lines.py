"""The effect language, played: conditions, counts, and a line for one player or the whole table.

Frames: F_LINE does one line for one player, one decision at a time; F_PLACED the lines that a placement
sets off; F_TABLE the lines of a moment that concerns the whole table.
"""

import numpy as np

from balance.games.nefarious.kernel import codes as c
from balance.games.nefarious.kernel import log as out
from balance.games.nefarious.kernel.agenda import ask_commit, ask_discard, ask_place, ask_remove, pop, push
from balance.games.nefarious.kernel.hands import discard_card, discardable, draw_cards, is_kept, may_draw
from balance.games.nefarious.kernel.jit import jit
from balance.games.nefarious.vocabulary import MOST_TWISTS


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
    for seat in range(g.table.players):
        crowd += g.table.on_zones[seat]
    return crowd


@jit
def count_per(g, line, seat, per, zone):
    """Count what an amount is multiplied with; `zone` is that of the placement at hand, if any."""
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


@jit
def pay_out(g, log, seat, amount, cause):
    """Give money."""
    if amount > 0:
        g.table.money[seat] += amount
        out.event(log, c.E_MONEY, seat, amount, cause, 0)


@jit
def take_money(g, log, seat, amount, cause):
    """Take money, never below 0."""
    lost = min(amount, g.table.money[seat])
    if lost > 0:
        g.table.money[seat] -= lost
        out.event(log, c.E_MONEY, seat, -lost, cause, 0)


@jit
def place_minion(g, r, log, seat, zone, paid, cause):
    """Put a minion from the reserve on a zone; what the placement sets off comes on the agenda."""
    t = g.table
    t.money[seat] -= paid
    t.reserve[seat] -= 1
    t.minions[seat, zone] += 1
    t.on_zones[seat] += 1
    out.event(log, c.E_PLACE, seat, zone, paid, cause)
    if r.first[c.AT_PLACE] < r.last[c.AT_PLACE]:
        push(g, c.F_PLACED, seat, zone, r.first[c.AT_PLACE], 0)


@jit
def remove_minion(g, log, seat, zone, cause):
    """Take a minion back to the reserve."""
    t = g.table
    t.reserve[seat] += 1
    t.minions[seat, zone] -= 1
    t.on_zones[seat] -= 1
    out.event(log, c.E_REMOVE, seat, zone, cause, 0)


@jit
def discard_hand(g, r, log, seat, cause):
    """Discard everything that can be discarded; return how many."""
    count = discardable(g, seat)
    if count == 0:
        return 0
    out.begin_cards(log, c.E_DISCARD, seat, cause)
    i = 0
    while i < g.table.n_hand[seat]:
        card = np.int64(g.hand[seat, i])
        if is_kept(g, seat, card):
            i += 1
            continue
        out.card(log, r.id[card])
        discard_card(g, seat, card)
    return count


@jit
def remove_all(g, log, line, seat):
    """Take back every minion that the line's zone names (none: all of them)."""
    t = g.table
    for zone in range(c.ACTION_COUNT):
        if line.zone == c.ANY_ZONE:
            named = True
        elif line.zone == c.PLAYED_ZONES:
            named = (t.actions[seat] >> zone & 1) == 1
        else:
            named = line.zone == zone
        if named != (line.off == 1):
            while t.minions[seat, zone] > 0:
                remove_minion(g, log, seat, zone, line.cause)


@jit
def do_line(g, r, log, line, index, seat, amount):
    """Do a line of known amount for one player, as its own draw instruction; decisions come on the agenda."""
    if amount <= 0:
        return
    if line.what == c.MONEY:
        if line.op == c.PLUS:
            pay_out(g, log, seat, amount, line.cause)
        else:
            take_money(g, log, seat, amount, line.cause)
    elif line.what == c.CARD and line.op == c.PLUS:
        if may_draw(g, r, log, amount):
            draw_cards(g, r, log, seat, amount, line.cause)
    elif line.everything and line.what == c.CARD:
        count = discard_hand(g, r, log, seat, line.cause)
        note_discarded(g, line, seat, count)
    elif line.everything:
        remove_all(g, log, line, seat)
    else:
        push(g, c.F_LINE, seat, index, amount, 0)


@jit
def forget_discarded(g):
    """Begin to count anew what lines of twists make players discard."""
    for twist in range(MOST_TWISTS):
        for seat in range(g.table.players):
            g.discarded[twist, seat] = 0


@jit
def note_discarded(g, line, seat, count):
    """Remember what a twist's line made a player discard."""
    if c.CAUSE_TWIST <= line.cause < c.CAUSE_CARD:
        g.discarded[line.cause - c.CAUSE_TWIST, seat] += count


@jit
def go_on_line(g, r, log):
    """F_LINE (seat, line, left to do, answered, zone, done there): one discard, placement or removal."""
    frame = g.frame[g.depth]
    seat, line = frame[1], r.lines[frame[2]]
    if line.what == c.CARD:
        return _discard_one(g, r, log, frame, seat, line)
    if line.what == c.COMMIT:
        return _commit_one(g, r, log, frame, seat)
    if line.zone != c.ANY_ZONE:
        return _move_on_zone(g, r, log, frame, seat, line)
    if line.op == c.PLUS:
        return _place_one(g, r, log, frame, seat, line)
    return _remove_one(g, log, frame, seat, line)


@jit
def _discard_one(g, r, log, frame, seat, line):
    if frame[4]:
        frame[4] = 0
        frame[3] -= 1
        out.begin_cards(log, c.E_DISCARD, seat, line.cause)
        out.card(log, r.id[g.answer])
        discard_card(g, seat, g.answer)
        note_discarded(g, line, seat, 1)
    if frame[3] == 0 or discardable(g, seat) == 0:
        pop(g)
        return False
    frame[4] = 1
    ask_discard(g, seat)
    return True


@jit
def _commit_one(g, r, log, frame, seat):
    if frame[4]:
        g.committed[seat] = g.answer
        g.table.has_committed[seat] = 1
        out.event(log, c.E_COMMIT, seat, r.id[g.answer], 0, 0)
        pop(g)
        return False
    if g.table.n_hand[seat] == 0 or g.committed[seat] >= 0:
        pop(g)
        return False
    frame[4] = 1
    ask_commit(g, seat)
    return True


@jit
def _place_one(g, r, log, frame, seat, line):
    if frame[4]:
        frame[4] = 0
        frame[3] -= 1
        place_minion(g, r, log, seat, g.answer, 0, line.cause)
        return False
    if frame[3] == 0 or g.table.reserve[seat] == 0:
        pop(g)
        return False
    frame[4] = 1
    return ask_place(g, r, seat, True)


@jit
def _remove_one(g, log, frame, seat, line):
    if frame[4]:
        frame[4] = 0
        frame[3] -= 1
        remove_minion(g, log, seat, g.answer, line.cause)
    if frame[3] == 0 or g.table.on_zones[seat] == 0:
        pop(g)
        return False
    frame[4] = 1
    ask_remove(g, seat)
    return True


@jit
def _move_on_zone(g, r, log, frame, seat, line):
    """Place on or take from a given zone, or each played zone in number order; no decision."""
    t = g.table
    zone, done = frame[5], frame[6]
    if zone == c.ACTION_COUNT:
        pop(g)
        return False
    named = zone == line.zone or (line.zone == c.PLAYED_ZONES and t.actions[seat] >> zone & 1)
    possible = t.reserve[seat] > 0 if line.op == c.PLUS else t.minions[seat, zone] > 0
    if not named or not possible or done == frame[3]:
        frame[5] += 1
        frame[6] = 0
        return False
    frame[6] += 1
    if line.op == c.PLUS:
        place_minion(g, r, log, seat, zone, 0, line.cause)
    else:
        remove_minion(g, log, seat, zone, line.cause)
    return False


@jit
def go_on_placed(g, r, log):
    """F_PLACED (seat, zone, line, next target): the lines that a placement sets off, one per visit."""
    frame = g.frame[g.depth]
    seat, zone, index = frame[1], frame[2], frame[3]
    if index == r.last[c.AT_PLACE]:
        pop(g)
        return
    line = r.lines[index]
    target = frame[4]
    if target == 0 and not holds(g, r, line, seat):
        frame[3] += 1
        return
    target = next_target(line, seat, target, g.table.players)
    if target < 0:
        frame[3] += 1
        frame[4] = 0
        return
    frame[4] = target + 1
    do_line(g, r, log, line, index, target, amount_of(g, line, target, zone))


@jit
def next_target(line, seat, first, players):
    """Return the next seat from `first` on that a line of `seat` concerns, or -1."""
    if line.who == c.SELF:
        return seat if first <= seat else -1
    for target in range(first, players):
        if target != seat:
            return target
    return -1


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
def open_moment(g, r, moment):
    """Put the lines of a moment that concerns the whole table on the agenda, if there are any."""
    if r.first[moment] < r.last[moment]:
        forget_discarded(g)
        push(g, c.F_TABLE, moment, r.first[moment], 0, 0)


# Words of a F_TABLE frame beyond the moment and the line: the pair of subject and target to do next, whether
# the line has begun, the mask of subjects, and the amount for each seat, counted as the line began.
_NEXT = 3
_BEGUN = 4
_SUBJECTS = 5
_AMOUNTS = 6


@jit
def go_on_table(g, r, log):
    """F_TABLE: begin the next line, or do the line at hand for the next player."""
    frame = g.frame[g.depth]
    if frame[2] == r.last[frame[1]]:
        pop(g)
        return
    line = r.lines[frame[2]]
    if not frame[_BEGUN]:
        _begin_table_line(g, r, log, frame, line)
        return
    players = g.table.players
    for pair in range(frame[_NEXT], players * players):
        subject, target = pair // players, pair % players
        if frame[_SUBJECTS] >> subject & 1 and (subject == target) == (line.who == c.SELF):
            frame[_NEXT] = pair + 1
            do_line(g, r, log, line, frame[2], target, frame[_AMOUNTS + target])
            return
    frame[2] += 1
    frame[_BEGUN] = 0


@jit
def _begin_table_line(g, r, log, frame, line):
    """Test the condition and count the amounts for every seat; a draw is one instruction for all."""
    players = g.table.players
    frame[_BEGUN] = 1
    frame[_NEXT] = 0
    frame[_SUBJECTS] = 0
    for seat in range(players):
        frame[_AMOUNTS + seat] = amount_of(g, line, seat, -1)
        if concerns(g, frame[1], seat) and holds(g, r, line, seat):
            frame[_SUBJECTS] |= 1 << seat
    if line.what == c.CARD and line.op == c.PLUS:
        _draw_for_table(g, r, log, frame, line)
        frame[_SUBJECTS] = 0


@jit
def _draw_for_table(g, r, log, frame, line):
    """Draw for everybody a line concerns, in one instruction, each seat all its cards before the next."""
    players = g.table.players
    needed = 0
    for target in range(players):
        times = 0
        for subject in range(players):
            if frame[_SUBJECTS] >> subject & 1 and (subject == target) == (line.who == c.SELF):
                times += 1
        frame[_AMOUNTS + target] *= times
        needed += frame[_AMOUNTS + target]
    if may_draw(g, r, log, needed):
        for target in range(players):
            draw_cards(g, r, log, target, frame[_AMOUNTS + target], line.cause)
