"""What a learned player sees: the features of its situation and of each option, in the order of `features`.

An option is tried out on the imagined table (`foresight`), and what results is written down, not valued: that
is learned. What the table hides is not within reach here either.
"""

import numpy as np

from balance.games.compiled.jit import inline, jit
from balance.games.compiled.network import (
    pick_by_score,
    record_decision,
    record_option,
    records,
    scorer_of,
)
from balance.games.compiled.seats import SEAT_BITS
from balance.games.nefarious.kernel import codes as c
from balance.games.nefarious.kernel.counts import has
from balance.games.nefarious.kernel.foresight import (
    bonus_of,
    clear_mind,
    come_back,
    expect_actions,
    foresee_any,
    foresee_build,
    foresee_building,
    foresee_flow,
    foresee_income,
    foresee_placement,
    foresee_round,
    look_around,
    mark_gone,
    move_minions,
    rounds_left,
)
from balance.games.nefarious.kernel.invent import refusing_line
from balance.games.nefarious.policies.features import LAYOUT, OPTION, SITUATION, WORTH
from balance.games.nefarious.policies.names import POLICIES

_S = LAYOUT.situation
_O = LAYOUT.option
_GUESSING = POLICIES["random"]
# Where parts of the features begin: constants, since an index that is an argument is tested at every write.
_HAND = SITUATION.index("payable cards")
_LEFT = SITUATION.index("left neighbour: money")
_RIGHT = SITUATION.index("right neighbour: money")
_OTHERS = SITUATION.index("best score of the others")
_BOARD = SITUATION.index("all minions on speculate")
_ZONE = OPTION.index("on speculate")
_CARD = OPTION.index("card: cost")
_OUTCOME = OPTION.index("money gained")
_HAND_AFTER = OPTION.index("VP of the best payable card after")
_BUILDING = OPTION.index("card: worth of building it")
# What a card keeps of its worth that is paid after 0, 1, ... rounds of saving; waiting longer costs no more.
_KEPT = np.multiply.accumulate([1.0] + 7 * [0.8])
_LONGEST = 6.0
# Rounds after which players begin to vary their play; without twists none of 20,000 games lasted as long.
_PATIENCE = 30
score_options = scorer_of(LAYOUT, len(OPTION))


@jit
def choose_learned(r, table, m):
    """Return the index of the option that a network picks, of the question that a mind holds."""
    seat = m.seat & SEAT_BITS
    begin_to_see(m, r, table, seat)
    describe_situation(m, r, table, seat)
    for i in range(m.n_options):
        describe_option(m, r, seat, m.options[i], m.described[i])
    score_options(m.network, m.situation, m.described, m.n_options, m.scores)
    chosen = pick_by_score(m.network, m.scores, m.n_options, m.key, m.chances, heat_of(m, table.round))
    if records(m.recorder, m.policy):
        for i in range(m.n_options):
            record_option(m.recorder, i, m.described[i], _O)
        chance = m.chances[chosen]
        record_decision(m.recorder, seat, m.policy, m.situation, _S, m.n_options, chosen, chance)
    return chosen


@inline
def heat_of(m, round_number):
    """Return by how much play is more varied than at first: players who get nowhere try something else.

    Not while training writes decisions down: it learns from those that the network alone takes.
    """
    if m.recorder != 0:
        return 1.0
    return 1.0 + max(0.0, (round_number - _PATIENCE) * 0.1)


@jit
def judge_situation(r, table, m):
    """Write down what a critic thinks the situation is worth: the score of an option that says nothing."""
    seat = m.seat & SEAT_BITS
    begin_to_see(m, r, table, seat)
    describe_situation(m, r, table, seat)
    for i in range(_O):
        m.described[0, i] = np.float32(0.0)
    m.described[0, 0] = np.float32(1.0)
    score_options(m.network, m.situation, m.described, 1, m.scores)
    m.worth = np.float64(m.scores[0])
    m.judged = 1


@jit
def begin_to_see(m, r, table, seat):
    """Look at the table, guess what the neighbours do, and set the plain worths that foresight asks for."""
    look_around(m, r, table, seat)
    expect_actions(m, r, table, r.weights[_GUESSING], seat)
    m.coin = 0.3
    m.card = 0.6
    m.income = 6.0
    m.minion = 0.7
    m.count_on = 0.7
    clear_mind(m, table, seat, -1000)
    m.own_score = m.built_vp + m.built_per * m.n_built + bonus_of(m, r, seat)
    value_cards(m, r, seat)


@jit
def value_cards(m, r, seat):
    """Find what building each card of the hand would change, in VP at plain worths.

    Where a twist refuses to build now, a card is worth what its face says.
    """
    if has(r, c.AT_BUILD) and refusing_line(m.imagined, r, seat) >= 0:
        for i in range(m.n_cards):
            m.net[i] = r.face[m.hand[i], WORTH]
        return
    t = m.imagined.table
    before = m.own_score + m.coin * m.money + m.card * m.n_hand + m.minion * m.on_zones
    for i in range(m.n_cards):
        foresee_building(m, r, seat, m.hand[i])
        after = t.built_vp[seat] + t.built_per[seat] * t.n_built[seat] + bonus_of(m, r, seat)
        after += m.coin * t.money[seat] + m.card * t.n_hand[seat] + m.minion * t.on_zones[seat]
        m.net[i] = after + 0.5 * m.hurt_done - before
        come_back(m, seat)


@inline
def put(x, i, value):
    """Write a feature down; return the place of the next."""
    x[i] = np.float32(value)
    return i + 1


@inline
def put_bits(x, i, mask):
    """Write the four actions of a mask down."""
    x[i] = np.float32(mask & 1)
    x[i + 1] = np.float32(mask >> 1 & 1)
    x[i + 2] = np.float32(mask >> 2 & 1)
    x[i + 3] = np.float32(mask >> 3 & 1)
    return i + 4


@jit
def describe_situation(m, r, table, seat):
    """Write down what the seat sees."""
    x = m.situation
    i = 0
    for kind in range(len(c.DECISIONS)):
        i = put(x, i, kind == m.kind)
    i = put(x, i, (m.kind == c.PLACE) & (m.paying != 0))
    i = put(x, i, min(table.round, 50) * 0.05)
    i = put(x, i, rounds_left(r, table, r.weights[_GUESSING]) * 0.1)
    i = put(x, i, min(m.money, 80) * 0.05)
    i = put(x, i, min(m.money, 8) * 0.125)
    i = put(x, i, m.n_hand * 0.2)
    i = put(x, i, m.n_hand == 0)
    i = put(x, i, m.n_built * 0.125)
    i = put(x, i, m.own_score / r.goal)
    i = put(x, i, (m.own_score - m.built_vp - m.built_per * m.n_built) * 0.2)
    i = put(x, i, m.on_zones * 0.2)
    i = put(x, i, m.reserve == 0)
    for zone in range(c.ACTION_COUNT):
        i = put(x, i, m.minions[zone] * 0.4)
    i = put(x, i, m.committed >= 0)
    i = put(x, i, m.built_now)
    i = put_bits(x, i, m.actions)
    i = put_bits(x, i, table.past[seat] & 15)
    for zone in range(c.ACTION_COUNT):
        i = put(x, i, m.expect[zone])
    i = put(x, i, foresee_income(m, r, seat) * 0.25)
    i = put(x, i, has(r, c.AT_BUILD) and refusing_line(m.imagined, r, seat) >= 0)
    describe_hand(m, r, x)
    left = seat + 1 if seat + 1 < table.players else 0
    right = seat - 1 if seat > 0 else table.players - 1
    describe_neighbour(r, table, left, x, _LEFT)
    describe_neighbour(r, table, right, x, _RIGHT)
    describe_others(m, r, table, seat, x)
    i = _BOARD
    for zone in range(c.ACTION_COUNT):
        i = put(x, i, table.standing[zone] * 0.2)
    i = put(x, i, table.n_deck * 0.02)
    i = put(x, i, table.n_discard * 0.02)
    put(x, i, table.closed)


@jit
def describe_hand(m, r, x):
    """Write down what the hand holds: what can be paid, and the best two cards."""
    payable = pay_vp = 0.0
    pay_worth = -5.0
    win = False
    lowest = 99
    highest = 0.0
    best = second = -1
    most = next_most = -1.0e300
    for k in range(m.n_cards):
        card = m.hand[k]
        net = m.net[k]
        cost = r.cost[card]
        vp = np.float64(r.vp[card] + r.vp_per_built[card] * (m.n_built + 1))
        lowest = min(lowest, cost)
        highest = max(highest, vp)
        pays = np.float64(cost - m.money) <= 0.0
        payable += 1.0 if pays else 0.0
        pay_vp = max(pay_vp, vp if pays else 0.0)
        pay_worth = max(pay_worth, net if pays else -5.0)
        score = m.own_score + vp + m.built_per
        win |= pays & (score >= r.goal) & (score > m.best_other)
        if net > most:
            second, next_most = best, most
            best, most = k, net
        elif net > next_most:
            second, next_most = k, net
    i = put(x, _HAND, payable * 0.25)
    i = put(x, i, pay_vp * 0.17)
    i = put(x, i, pay_worth * 0.2 if payable > 0.0 else 0.0)
    i = put(x, i, (lowest if m.n_cards else 0) * 0.1)
    i = put(x, i, m.net[best] * 0.2 if best >= 0 else 0.0)
    i = put(x, i, max(0, r.cost[m.hand[best]] - m.money) * 0.1 if best >= 0 else 0.0)
    i = put(x, i, r.vp[m.hand[best]] * 0.17 if best >= 0 else 0.0)
    i = put(x, i, m.net[second] * 0.2 if second >= 0 else 0.0)
    i = put(x, i, max(0, r.cost[m.hand[second]] - m.money) * 0.1 if second >= 0 else 0.0)
    i = put(x, i, highest * 0.17)
    put(x, i, win)


@inline
def describe_neighbour(r, table, s, x, i):
    """Write down what a neighbour has and does."""
    i = put(x, i, min(table.money[s], 80) * 0.05)
    i = put(x, i, table.n_hand[s] * 0.2)
    i = put(x, i, table.score[s] / r.goal)
    i = put(x, i, table.reserve[s] == 0)
    i = put_bits(x, i, table.actions[s])
    i = put_bits(x, i, table.past[s] & 15)
    for zone in range(c.ACTION_COUNT):
        i = put(x, i, table.minions[s, zone] * 0.4)


@jit
def describe_others(m, r, table, seat, x):
    """Write down what the others have, taken together."""
    best = -1
    second = 0
    scores = money = cards = minions = most = near = there = 0
    for s in range(table.players):
        if s == seat:
            continue
        score = table.score[s]
        if best < 0 or score > table.score[best]:
            second = table.score[best] if best >= 0 else score
            best = s
        elif score > second:
            second = score
        scores += score
        money += table.money[s]
        cards += table.n_hand[s]
        minions += table.on_zones[s]
        most = max(most, table.money[s])
        near += score + 6 >= r.goal
        there += score >= r.goal
    share = 1.0 / (table.players - 1)
    i = put(x, _OTHERS, table.score[best] / r.goal)
    i = put(x, i, second / r.goal)
    i = put(x, i, scores * share / r.goal)
    i = put(x, i, max(-3.0, min(3.0, (m.own_score - m.best_other) * 0.1)))
    i = put(x, i, min(table.money[best], 80) * 0.05)
    i = put(x, i, table.n_hand[best] * 0.2)
    i = put(x, i, min(most, 80) * 0.05)
    i = put(x, i, min(money * share, 80.0) * 0.05)
    i = put(x, i, cards * share * 0.2)
    i = put(x, i, minions * share * 0.2)
    i = put(x, i, near * 0.5)
    put(x, i, there)


@jit
def describe_option(m, r, seat, option, x):
    """Write down what an option is and what it leads to."""
    for i in range(_OUTCOME):
        x[i] = np.float32(0.0)
    for i in range(_BUILDING, len(OPTION)):
        x[i] = np.float32(0.0)
    kind = m.kind
    if kind == c.CHOOSE:
        put_bits(x, 0, option)
        foresee_round(m, r, seat, option)
    elif kind == c.PLACE or kind == c.REMOVE:
        describe_zone(m, r, x, option)
        if kind == c.PLACE:
            foresee_placement(m, r, seat, option, r.price[option] if m.paying else 0)
        else:
            move_minions(m, seat, option, -1)
    else:
        describe_card(m, r, x, option)
        if kind == c.BUILD:
            if r.cost[option] <= m.money:
                foresee_build(m, r, seat, option)
                mark_gone(m, option)
        elif kind == c.DISCARD:
            m.imagined.table.n_hand[seat] -= 1
            mark_gone(m, option)
    if kind != c.CHOOSE:
        foresee_any(m, r, seat, c.AT_END)
    describe_outcome(m, r, seat, x)
    come_back(m, seat)
    m.gone = 0


@inline
def describe_zone(m, r, x, zone):
    """Write down what a zone is."""
    x[_ZONE + zone] = np.float32(1.0)
    i = put(x, _ZONE + c.ACTION_COUNT, m.expect[zone])
    i = put(x, i, m.minions[zone] * 0.4)
    i = put(x, i, (r.price[zone] if m.paying else 0) * 0.3)
    put(x, i, m.imagined.table.crowd[zone] * 0.2)


@inline
def describe_card(m, r, x, card):
    """Write down what a card is."""
    for k in range(WORTH):
        x[_CARD + k] = r.face[card, k]
    i = put(x, _CARD + WORTH, r.cost[card] <= m.money)
    missing = max(0, r.cost[card] - m.money)
    put(x, i, missing * 0.1)
    for k in range(m.n_cards):
        if m.hand[k] == card:
            put(x, _BUILDING, m.net[k] * 0.2)
    put(x, _BUILDING + 1, min(missing / max(r.action_repeats * r.work_money, 1), 4.0) * 0.25)


@jit
def describe_outcome(m, r, seat, x):
    """Write down how things stand after the imagined option, as the next round begins."""
    t = m.imagined.table
    bonus = bonus_of(m, r, seat)
    score = t.built_vp[seat] + t.built_per[seat] * t.n_built[seat] + bonus
    foresee_any(m, r, seat, c.AT_START)
    money = t.money[seat]
    i = put(x, _OUTCOME, (money - m.money) * 0.1)
    i = put(x, i, min(money * 0.05, 4.0))
    i = put(x, i, m.extra * 0.3)
    i = put(x, i, (t.n_hand[seat] - m.n_hand) * 0.4)
    i = put(x, i, t.n_hand[seat] == 0)
    i = put(x, i, (score - m.own_score) * 0.2)
    i = put(x, i, score / r.goal)
    i = put(x, i, (score >= r.goal) & (score > m.best_other))
    i = put(x, i, max(-3.0, min(3.0, (score - m.best_other) * 0.1)))
    i = put(x, i, (t.on_zones[seat] - m.on_zones) * 0.5)
    flow = min(foresee_flow(m, r, seat), 40.0)
    i = put(x, i, flow * 0.25)
    i = put(x, i, m.hurt_done * 0.3)
    i = put(x, i, t.n_built[seat] - m.n_built)
    put(x, i, t.reserve[seat] * 0.2)
    describe_hand_after(m, r, seat, x, score, flow)


@jit
def describe_hand_after(m, r, seat, x, score, flow):
    """Write down what the rest of the hand promises with the money that there is then, and later."""
    t = m.imagined.table
    money = t.money[seat]
    per_round = max(r.action_repeats * r.work_money + flow, 0.5)
    sooner = later = 0.0
    payable = soon = 0.0
    plan = second = 0.0
    vp_best = worth_best = 0.0
    best = -1
    highest = -1.0e300
    # compares floats, which needs no branch: which cards can be paid is hard to predict
    for k in range(m.n_cards):
        if m.gone >> min(k, 62) & 1:
            continue
        card = m.hand[k]
        net = m.net[k]
        missing = np.float64(r.cost[card] - money)
        pays = missing <= 0.0
        payable += 1.0 if pays else 0.0
        vp = np.float64(r.vp[card] + r.vp_per_built[card] * (t.n_built[seat] + 1))
        vp_best = max(vp_best, vp if pays else 0.0)
        worth_best = max(worth_best, net if pays else 0.0)
        best = k if net > highest else best
        highest = max(highest, net)
        vp = np.float64(r.vp[card])
        later = max(later, vp if missing <= 2.0 * per_round else 0.0)
        sooner = max(sooner, vp if missing <= per_round else 0.0)
        soon += 1.0 if missing <= per_round else 0.0
        worth = net * kept_after(missing / per_round)
        second = max(second, min(plan, worth))
        plan = max(plan, worth)
    i = put(x, _HAND_AFTER, vp_best * 0.17)
    i = put(x, i, worth_best * 0.2)
    i = put(x, i, payable * 0.25)
    i = put(x, i, max(0, r.cost[m.hand[best]] - money) * 0.1 if best >= 0 else 0.0)
    after = score + vp_best + t.built_per[seat]
    i = put(x, i, (payable > 0) & (after >= r.goal) & (after > m.best_other))
    i = put(x, i, plan * 0.2)
    i = put(x, i, second * 0.2)
    i = put(x, i, sooner * 0.17)
    i = put(x, i, later * 0.17)
    put(x, i, soon * 0.25)


@inline
def kept_after(rounds):
    """Return what a card keeps of its worth that is paid after rounds of saving: less with every round."""
    most = max(0.0, min(rounds, _LONGEST))
    whole = np.int64(most)
    return _KEPT[(whole + (most - whole > 0.001)) & 7]
