"""The effect language, asked: whether the conditions of a line hold for a player, and how many it moves."""

import numpy as np

from balance.games.compiled.jit import inline, jit
from balance.games.compiled.seats import SEAT_BITS
from balance.games.nefarious.kernel import codes as c
from balance.games.nefarious.kernel.hands import discardable
from balance.games.nefarious.vocabulary import MOST_CONDITIONS


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
    if which == c.Q_VP:
        return t.built_vp[seat] + t.built_per[seat] * t.n_built[seat]
    if which == c.Q_ROUND:
        return t.round
    if which == c.Q_CARD_VP:
        return card_vp(g, r, seat, np.int64(t.built[seat, t.n_built[seat] - 1]))
    return earlier_vp(g, r, seat)


@inline
def has(r, moment):
    """Return whether anything happens at a moment."""
    return r.first[moment] < r.last[moment]


@inline
def compares(left, how, right):
    """Return whether a comparison holds."""
    if how == c.EQUAL:
        return left == right
    if how == c.NOT_EQUAL:
        return left != right
    if how == c.AT_MOST:
        return left <= right
    if how == c.AT_LEAST:
        return left >= right
    if how == c.LESS:
        return left < right
    return left > right


@jit
def holds(g, r, line, seat):
    """Return whether all conditions of a line hold for a seat."""
    for i in range(line.n_conditions):
        if line.whose[i] != c.OWN_NOW:
            if (count_seen(g, line, i, seat) > 0) == (line.nobody[i] == 1):
                return False
            continue
        right = line.right[i]
        if line.left[i] == c.Q_PLAYED:
            if (g.table.actions[seat] >> right & 1) != (line.comparison[i] == c.EQUAL):
                return False
            continue
        left = quantity(g, r, seat, line.left[i])
        if line.right_is_quantity[i]:
            right = quantity(g, r, seat, right)
        if not compares(left, line.comparison[i], right):
            return False
    return True


@inline
def look_around_table(g, r):
    """Remember what everybody can count of all players, if any line looks at others."""
    if r.looks:
        look_at(g, r, 0, g.table.players)


@jit
def look_at(g, r, first, last):
    """Remember what everybody can count of the players of some seats, the last excluded."""
    for seat in range(first, last):
        for which in range(c.PUBLIC_COUNT):
            g.seen[which, seat] = quantity(g, r, seat, which)


@jit
def count_seen(g, line, i, seat):
    """Count the players whom a condition speaks of and for whom its test held, as the moment began."""
    players = g.table.players
    left = seat + 1 if seat + 1 < players else 0
    right = seat - 1 if seat > 0 else players - 1
    whose = line.whose[i]
    count = 0
    for who in range(players):
        if whose == c.OWN_SEEN:
            meant = who == seat
        elif whose == c.NEIGHBOUR:
            meant = who in (left, right)
        else:
            meant = whose == c.PLAYER or who != seat
        if meant and was_so(g, line, i, seat, who):
            count += 1
    return count


@jit
def was_so(g, line, i, seat, who):
    """Return whether a condition held for a player when the moment began; `seat` is the one who asks."""
    which, how, right = line.left[i], line.comparison[i], line.right[i]
    if which == c.Q_PLAYED:
        return (g.table.actions[who] >> right & 1 == 1) == (how == c.EQUAL)
    if how >= c.MOST:
        return ranks(g, which, how, who) == (right == 1)
    if line.right_is_quantity[i] == c.MY_QUANTITY:
        right = g.seen[right, seat]
    elif line.right_is_quantity[i] == c.QUANTITY:
        right = g.seen[right, who]
    return compares(g.seen[which, who], how, right)


@jit
def ranks(g, which, how, who):
    """Return whether a player had the most or fewest of a quantity as the moment began; alone, or tied."""
    own = g.seen[which, who]
    for other in range(g.table.players):
        if other == who:
            continue
        ahead = own - g.seen[which, other]
        if how == c.FEWEST or how == c.SOLE_FEWEST:
            ahead = -ahead
        if ahead < 0 or (ahead == 0 and how >= c.SOLE_MOST):
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
    if per == c.PER_BOARD_CROWD:
        return board_crowd(g)
    return count_seen(g, line, MOST_CONDITIONS, seat)


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


@jit
def concerns(g, moment, seat):
    """Return whether a moment concerns a seat: everybody, but around an action only those who do it."""
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
