"""What a player can foresee: a copy of what is on the table, in which options are tried out by the rules.

The copy is a state like any other, so that the effective rules of the cell (conditions, amounts, scores) are
asked of the same functions that play the game. It knows nothing hidden: of hands only the number of cards.
What the others will do is guessed from what they have done; draws are counted, not looked at.
"""

import numpy as np

from balance.games.compiled.jit import inline, jit
from balance.games.nefarious.kernel import codes as c
from balance.games.nefarious.kernel.counts import (
    amount_of,
    amount_on_card,
    concerns,
    has,
    holds,
    look_around_table,
    look_at,
)
from balance.games.nefarious.kernel.income import twist_income
from balance.games.nefarious.kernel.invent import refusing_line, source_of
from balance.games.nefarious.kernel.lines import is_named
from balance.games.nefarious.kernel.score import score_of
from balance.games.nefarious.kernel.state import TIMES_BITS
from balance.games.nefarious.policies import parameters as w

_NONE = -1


@jit
def look_around(m, r, table, seat):
    """Copy what is on the table into the imagined state, and keep what the seat itself has, for later."""
    t = m.imagined.table
    t.players = table.players
    t.round = table.round
    t.n_deck = table.n_deck
    t.n_discard = table.n_discard
    t.closed = table.closed
    for zone in range(c.ACTION_COUNT):
        t.standing[zone] = table.standing[zone]
        t.crowd[zone] = table.crowd[zone]
    for s in range(table.players):
        t.money[s] = table.money[s]
        t.on_zones[s] = table.on_zones[s]
        t.reserve[s] = table.reserve[s]
        t.n_hand[s] = table.n_hand[s]
        t.n_built[s] = table.n_built[s]
        t.actions[s] = table.actions[s]
        for zone in range(c.ACTION_COUNT):
            t.minions[s, zone] = table.minions[s, zone]
        m.imagined.committed[s] = 0 if table.has_committed[s] else _NONE
        m.imagined.revealed[s] = _NONE
        m.imagined.discarded[0, s] = 0
        m.imagined.discarded[1, s] = 0
    # these are asked of the others only where a line looks at them
    for s in range(table.players) if r.looks else range(seat, seat + 1):
        t.built_now[s] = table.built_now[s]
        t.built_vp[s] = table.built_vp[s]
        t.built_per[s] = table.built_per[s]
    for i in range(table.n_built[seat]):
        t.built[seat, i] = table.built[seat, i]
    m.imagined.committed[seat] = m.committed
    look_around_table(m.imagined, r)
    keep(m, seat)


@inline
def look_again(m, r, seat):
    """Let a moment begin, for what looks at others: of the imagined players only the seat has changed."""
    if r.looks:
        look_at(m.imagined, r, seat, seat + 1)


@jit
def keep(m, seat):
    """Remember what the seat has now, to come back to it before the next option is tried."""
    t = m.imagined.table
    m.money = t.money[seat]
    m.on_zones = t.on_zones[seat]
    m.reserve = t.reserve[seat]
    m.n_hand = t.n_hand[seat]
    m.n_built = t.n_built[seat]
    m.built_now = t.built_now[seat]
    m.built_vp = t.built_vp[seat]
    m.built_per = t.built_per[seat]
    m.actions = t.actions[seat]
    for zone in range(c.ACTION_COUNT):
        m.minions[zone] = t.minions[seat, zone]


@jit
def come_back(m, seat):
    """Forget the option that was tried."""
    t = m.imagined.table
    t.money[seat] = m.money
    t.on_zones[seat] = m.on_zones
    t.reserve[seat] = m.reserve
    t.n_hand[seat] = m.n_hand
    t.n_built[seat] = m.n_built
    t.built_now[seat] = m.built_now
    t.built_vp[seat] = m.built_vp
    t.built_per[seat] = m.built_per
    t.actions[seat] = m.actions
    for zone in range(c.ACTION_COUNT):
        t.minions[seat, zone] = m.minions[zone]
    m.hurt_done = 0.0
    m.extra = 0.0


@inline
def clear_mind(m, table, seat, least):
    """Forget what was imagined before, and note the best score of the others, at least `least`."""
    best = least
    for other in range(table.players):
        if other != seat:
            best = max(best, table.score[other])
    m.best_other = best
    m.gone = 0
    m.hurt_done = 0.0
    m.extra = 0.0
    m.given_up = 0


@inline
def mark_gone(m, card):
    """Remember that a card of the hand is used up."""
    for k in range(m.n_cards):
        if m.hand[k] == card:
            m.gone = 1 << min(k, 62)


@jit
def rounds_left(r, table, weights):
    """Guess how many rounds are left: the player who is nearest goes on as so far, and uses what he has.

    Coins will become VP, minions will bring coins; before anything is seen there is the first guess.
    """
    pace, coins, minions = weights[w.PACE], weights[w.COIN_AHEAD], weights[w.MINION_AHEAD]
    fewest = 1000.0
    for s in range(table.players):
        need = r.goal - table.score[s] - coins * table.money[s]
        speed = (table.score[s] + 4.0 * pace) / (table.round + 3.0) + minions * table.on_zones[s]
        fewest = min(fewest, max(need, 1.0) / max(speed, 0.25))
    return max(1.0, min(fewest, 40.0))


@jit
def expect_actions(m, r, table, weights, seat):
    """Guess how many of the two neighbours will play each action; a lone opponent is both."""
    left = seat + 1 if seat + 1 < table.players else 0
    right = seat - 1 if seat > 0 else table.players - 1
    for zone in range(c.ACTION_COUNT):
        m.expect[zone] = 0.0
    add_habits(m.expect, m.chance, r, table, weights, left)
    add_habits(m.expect, m.chance, r, table, weights, right)


@jit
def add_habits(total, chance, r, table, weights, s):
    """Add the chances with which a player will play each action next."""
    habit = weights[w.HABIT]
    barred = r.barred
    for back in range(r.rest):
        barred |= (table.past[s] >> (4 * back)) & 15
    weight = 0.0
    for action in range(c.ACTION_COUNT):
        times = table.times[s] >> TIMES_BITS * action & (1 << TIMES_BITS) - 1
        likely = times + habit * weights[w.PRIOR + action]
        if action == c.INVENT:
            likely *= 1.0 + weights[w.RICH_INVENTS] * min(table.money[s] * 0.05, 1.0)
            likely *= 1.0 if table.n_hand[s] > 0 else 0.1
        elif action == c.SPECULATE and table.reserve[s] == 0:
            likely *= 0.1
        chance[action] = 0.0 if barred >> action & 1 else likely + 0.01
        weight += chance[action]
    if weight > 0.0:
        share = r.actions / weight
        for action in range(c.ACTION_COUNT):
            total[action] += min(1.0, chance[action] * share)


@jit
def foresee_income(m, r, seat):
    """Return what the minions of the imagined seat will earn in a round, as far as one can guess."""
    earned = 0.0
    for zone in range(c.ACTION_COUNT):
        earned += m.imagined.table.minions[seat, zone] * m.expect[zone]
    if has(r, c.AT_INCOME):
        look_again(m, r, seat)
        return twist_income(m.imagined, r, seat, earned)
    return earned


@jit
def foresee_flow(m, r, seat):
    """Return what a later round will bring in by itself, on average over the actions that may be played then.

    Minions that a twist moves before income, and money it gives after it, count as they will be; what the
    actions of this round bring once must not be taken for a habit.
    """
    if has(r, c.BEFORE_INCOME) or has(r, c.AT_INCOME) or has(r, c.AFTER_INCOME):
        return twisted_flow(m, r, seat)
    return foresee_income(m, r, seat) if m.imagined.table.on_zones[seat] > 0 else 0.0


@jit
def twisted_flow(m, r, seat):
    """Return the flow where twists have a say in it."""
    t = m.imagined.table
    money, hand, on_zones, reserve = t.money[seat], t.n_hand[seat], t.on_zones[seat], t.reserve[seat]
    actions, hurt, given_up = t.actions[seat], m.hurt_done, m.given_up
    minions = (t.minions[seat, 0], t.minions[seat, 1], t.minions[seat, 2], t.minions[seat, 3])
    total = 0.0
    for i in range(r.n_choices):
        t.actions[seat] = r.choices[i]
        foresee_moment(m, r, seat, c.BEFORE_INCOME)
        total += foresee_income(m, r, seat)
        foresee_moment(m, r, seat, c.AFTER_INCOME)
        total += t.money[seat] - money
        t.money[seat], t.n_hand[seat], t.on_zones[seat], t.reserve[seat] = money, hand, on_zones, reserve
        for zone in range(c.ACTION_COUNT):
            t.minions[seat, zone] = minions[zone]
    t.actions[seat], m.hurt_done, m.given_up = actions, hurt, given_up
    return total / r.n_choices


@jit
def foresee_line(m, line, seat, amount):
    """Do a line for the imagined seat, as far as it can be foreseen."""
    t = m.imagined.table
    if amount <= 0:
        return
    if line.what == c.MONEY:
        if line.op == c.PLUS:
            t.money[seat] += amount
        else:
            t.money[seat] -= min(amount, t.money[seat])
    elif line.what == c.CARD:
        if line.op == c.PLUS:
            t.n_hand[seat] += foreseen_draws(t, amount)
        else:
            t.n_hand[seat] -= min(amount, t.n_hand[seat])
    elif line.what == c.MINION:
        foresee_minions(m, line, seat, amount)


@inline
def foreseen_draws(t, amount):
    """Count the cards that will be there to be drawn."""
    if t.closed:
        return 0
    return min(amount, t.n_deck + t.n_discard)


@jit
def foresee_minions(m, line, seat, amount):
    """Place or take back minions of the imagined seat: on the best zone, from the worst, or as given."""
    t = m.imagined.table
    if line.everything:
        for zone in range(c.ACTION_COUNT):
            if is_named(m.imagined, line, seat, zone) != (line.off == 1):
                move_minions(m, seat, zone, -t.minions[seat, zone])
        return
    if line.zone == c.ANY_ZONE:
        for _ in range(min(amount, 9)):
            if line.op == c.PLUS:
                if t.reserve[seat] > 0:
                    move_minions(m, seat, best_zone(m), 1)
            elif t.on_zones[seat] > 0:
                move_minions(m, seat, worst_zone(m, seat), -1)
        return
    for zone in range(c.ACTION_COUNT):
        if is_named(m.imagined, line, seat, zone):
            if line.op == c.PLUS:
                move_minions(m, seat, zone, min(amount, t.reserve[seat]))
            else:
                move_minions(m, seat, zone, -min(amount, t.minions[seat, zone]))


@inline
def move_minions(m, seat, zone, count):
    """Move minions of the imagined seat from the reserve to a zone, or back."""
    t = m.imagined.table
    t.minions[seat, zone] += count
    t.on_zones[seat] += count
    t.reserve[seat] -= count


@inline
def best_zone(m):
    """Return the zone that promises most, price aside."""
    best = 0
    for zone in range(1, c.ACTION_COUNT):
        if m.expect[zone] > m.expect[best]:
            best = zone
    return best


@inline
def worst_zone(m, seat):
    """Return the zone of an own minion that promises least."""
    worst = _NONE
    for zone in range(c.ACTION_COUNT):
        if m.imagined.table.minions[seat, zone] > 0 and (worst == _NONE or m.expect[zone] < m.expect[worst]):
            worst = zone
    return max(worst, 0)


@jit
def foresee_moment(m, r, seat, moment):
    """Do the lines of a moment for the imagined seat alone."""
    look_again(m, r, seat)
    for index in range(r.first[moment], r.last[moment]):
        line = r.lines[index]
        if concerns(m.imagined, moment, seat) and holds(m.imagined, r, line, seat):
            amount = amount_of(m.imagined, line, seat, -1)
            if line.per == c.PER_DISCARDED:
                amount = line.amount * m.given_up
            if line.who == c.SELF:
                if line.counts:
                    m.given_up = min(amount, m.imagined.table.n_hand[seat])
                foresee_line(m, line, seat, amount)
            else:
                m.hurt_done += hurt_by(m, r, line, seat, False)


@inline
def foresee_any(m, r, seat, moment):
    """Do the lines of a moment, if there are any: most moments have none, and a call is not for nothing."""
    if has(r, moment):
        foresee_moment(m, r, seat, moment)


@jit
def hurt_by(m, r, line, seat, on_card):
    """Return what a line does to the others: the worth of what they lose, on average."""
    g = m.imagined
    t = g.table
    hurt = 0.0
    for other in range(t.players):
        if other == seat:
            continue
        if line.per == c.PER_NOTHING and not line.everything:
            amount = line.amount
        else:
            amount = amount_on_card(g, r, line, other) if on_card else amount_of(g, line, other, -1)
        if line.what == c.MONEY:
            worth = m.coin * (amount if line.op == c.PLUS else min(amount, t.money[other]))
        elif line.what == c.CARD:
            worth = m.card * (amount if line.op == c.PLUS else min(amount, t.n_hand[other]))
        elif line.op == c.PLUS:
            worth = m.minion * min(amount, t.reserve[other])
        else:
            worth = m.minion * min(amount, t.on_zones[other])
        hurt += -worth if line.op == c.PLUS else worth
    return hurt / (t.players - 1)


@jit
def foresee_placement(m, r, seat, zone, price):
    """Place a minion of the imagined seat, pay, and do what that sets off."""
    t = m.imagined.table
    if t.reserve[seat] == 0:
        return
    look_again(m, r, seat)
    t.money[seat] -= min(price, t.money[seat])
    move_minions(m, seat, zone, 1)
    for index in range(r.first[c.AT_PLACE], r.last[c.AT_PLACE]):
        line = r.lines[index]
        if holds(m.imagined, r, line, seat) and line.who == c.SELF:
            foresee_line(m, line, seat, amount_of(m.imagined, line, seat, zone))


@jit
def foresee_build(m, r, seat, card):
    """Build a card of the imagined seat, or do what happens instead if a twist refuses it."""
    refusal = refusing_line(m.imagined, r, seat)
    if refusal >= 0:
        look_again(m, r, seat)
        instead = r.lines[r.lines[refusal].or_else]
        foresee_line(m, instead, seat, amount_of(m.imagined, instead, seat, -1))
    else:
        foresee_building(m, r, seat, card)


@jit
def foresee_building(m, r, seat, card):
    """Let the imagined seat pay for a card, count it, and do its lines and those of twists."""
    g = m.imagined
    t = g.table
    look_again(m, r, seat)
    t.money[seat] -= r.cost[card]
    t.n_hand[seat] -= 1
    t.built[seat, t.n_built[seat]] = card
    t.n_built[seat] += 1
    t.built_now[seat] += 1
    t.built_vp[seat] += r.vp[card]
    t.built_per[seat] += r.vp_per_built[card]
    for index in range(r.first[c.AT_BUILD], r.last[c.AT_BUILD]):
        line = r.lines[index]
        if holds(g, r, line, seat):
            if line.who == c.SELF:
                foresee_line(m, line, seat, amount_of(g, line, seat, -1))
            else:
                m.hurt_done += hurt_by(m, r, line, seat, False)
    look_again(m, r, seat)
    source = source_of(g, r, seat, card)
    for _ in range(r.effect_repeats):
        if source >= 0:
            for index in range(r.own_lines[source], r.own_lines[source + 1]):
                line = r.lines[index]
                if line.per == c.PER_NOTHING and not line.everything:
                    foresee_line(m, line, seat, line.amount)
                else:
                    foresee_line(m, line, seat, amount_on_card(g, r, line, seat))
            for index in range(r.others_lines[source], r.others_lines[source + 1]):
                m.hurt_done += hurt_by(m, r, r.lines[index], seat, True)
        for index in range(r.first[c.ON_INVENTION_SELF], r.last[c.ON_INVENTION_SELF]):
            line = r.lines[index]
            if holds(g, r, line, seat):
                foresee_line(m, line, seat, amount_on_card(g, r, line, seat))
        for index in range(r.first[c.ON_INVENTION_OTHERS], r.last[c.ON_INVENTION_OTHERS]):
            line = r.lines[index]
            if holds(g, r, line, seat):
                m.hurt_done += hurt_by(m, r, line, seat, True)


@jit
def foresee_round(m, r, seat, mask):
    """Play a round of the imagined seat with a set of actions: income, the actions, the end of the round."""
    g = m.imagined
    t = g.table
    t.actions[seat] = mask
    m.given_up = 0
    foresee_any(m, r, seat, c.BEFORE_INCOME)
    income = foresee_income(m, r, seat)
    sure = np.int64(income * m.count_on)
    t.money[seat] += sure
    m.extra = income - sure
    foresee_any(m, r, seat, c.AFTER_INCOME)
    for _ in range(r.action_repeats if mask >> c.SPECULATE & 1 else 0):
        foresee_any(m, r, seat, c.BEFORE_SPECULATE)
        zone = best_payable_zone(m, r, seat)
        if zone >= 0:
            foresee_placement(m, r, seat, zone, r.price[zone])
        foresee_any(m, r, seat, c.AFTER_SPECULATE)
    if mask >> c.INVENT & 1:
        foresee_invention(m, r, seat)
    for _ in range(r.action_repeats if mask >> c.RESEARCH & 1 else 0):
        foresee_any(m, r, seat, c.BEFORE_RESEARCH)
        t.money[seat] += r.research_money
        t.n_hand[seat] += foreseen_draws(t, r.research_cards)
        foresee_any(m, r, seat, c.AFTER_RESEARCH)
    for _ in range(r.action_repeats if mask >> c.WORK & 1 else 0):
        foresee_any(m, r, seat, c.BEFORE_WORK)
        t.money[seat] += r.work_money
        foresee_any(m, r, seat, c.AFTER_WORK)
    m.given_up = 0
    foresee_any(m, r, seat, c.AT_END)


@jit
def best_payable_zone(m, r, seat):
    """Return the zone whose promise, less its price, is best among those that can be paid; -1 none."""
    best = _NONE
    promise = -1.0e9
    if m.imagined.table.reserve[seat] == 0:
        return best
    for zone in range(c.ACTION_COUNT):
        if r.price[zone] <= m.imagined.table.money[seat]:
            worth = zone_worth(m, zone) - m.coin * r.price[zone]
            if worth > promise:
                best = zone
                promise = worth
    return best


@inline
def zone_worth(m, zone):
    """Return what a further minion on a zone promises for the rest of the game."""
    return m.coin * m.income * m.expect[zone]


@jit
def foresee_invention(m, r, seat):
    """Let the imagined seat build the best cards it can pay, as often as the rules say."""
    taken = _NONE
    for _ in range(r.action_repeats):
        best = best_build(m, r, seat, taken)
        if best == _NONE:
            return
        taken = best
        foresee_build(m, r, seat, m.hand[best])
        m.gone = m.gone | 1 << min(best, 62)


@jit
def best_build(m, r, seat, taken):
    """Return the place in the hand of the payable card with the best net worth; -1 none."""
    money = m.imagined.table.money[seat]
    committed = m.imagined.committed[seat]
    best = _NONE
    for i in range(m.n_cards):
        card = m.hand[i]
        if i == taken or r.cost[card] > money:
            continue
        if committed >= 0 and taken == _NONE and card != committed:
            continue
        if best == _NONE or m.net[i] > m.net[best]:
            best = i
    return best


@inline
def bonus_of(m, r, seat):
    """Return the VP that the imagined seat has from twists, beyond its cards."""
    return twisted_bonus(m, r, seat) if has(r, c.AT_SCORE) else np.int64(0)


@jit
def twisted_bonus(m, r, seat):
    """Return the bonus where twists give one."""
    t = m.imagined.table
    look_again(m, r, seat)
    return score_of(m.imagined, r, seat) - t.built_vp[seat] - t.built_per[seat] * t.n_built[seat]
