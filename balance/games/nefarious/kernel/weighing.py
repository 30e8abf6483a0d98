"""How a player weighs its options: each is tried out on an imagined table, and what results is valued in VP.

The numbers by which it is valued are a policy's parameters (`balance.games.nefarious.policies`); they differ
from policy to policy and, for some, from twist to twist. Plain IEEE arithmetic, so that every machine decides
alike. A small seeded chance is added to each worth: nobody plays like a clock.
"""

import numpy as np

from balance.games.compiled.jit import apart, inline, jit
from balance.games.compiled.randomness import extend
from balance.games.compiled.seats import SEAT_BITS
from balance.games.nefarious.kernel import codes as c
from balance.games.nefarious.kernel.counts import has
from balance.games.nefarious.kernel.features import choose_learned, judge_situation
from balance.games.nefarious.kernel.foresight import (
    bonus_of,
    clear_mind,
    come_back,
    expect_actions,
    foresee_any,
    foresee_build,
    foresee_building,
    foresee_flow,
    foresee_moment,
    foresee_placement,
    foresee_round,
    look_around,
    mark_gone,
    move_minions,
    rounds_left,
)
from balance.games.nefarious.kernel.invent import refusing_line
from balance.games.nefarious.kernel.state import MIND, MOST_WAITING, RULES, TABLE
from balance.games.nefarious.policies import parameters as w
from balance.games.nefarious.policies.names import CRITIC

_VICTORY = 1000.0
_UNIT = 1.0 / 9007199254740992.0  # 2^-53
_S11 = np.uint64(11)


@jit
def weigh(r, table, m):
    """Return the index of the option that is worth most, of the question that a mind holds."""
    seat, kind = m.seat & SEAT_BITS, m.kind
    weights = r.weights[m.policy]
    begin_to_think(m, r, table, weights, seat)
    if kind != c.REMOVE:
        value_hand(m, r, seat)
    best = 0
    most = -1.0e300
    for i in range(m.n_options):
        worth = worth_of(m, r, seat, kind, m.options[i])
        worth += weights[w.SOFTNESS] * (np.float64(extend(m.key, i) >> _S11) * _UNIT)
        if worth > most:
            most = worth
            best = i
    return best


@jit
def worth_of(m, r, seat, kind, option):
    """Value an option of any kind of decision."""
    if kind == c.CHOOSE:
        return worth_of_actions(m, r, seat, option)
    if kind == c.PLACE:
        return worth_of_placing(m, r, seat, option)
    if kind == c.BUILD:
        return worth_of_building(m, r, seat, option)
    if kind == c.REMOVE:
        return worth_of_removing(m, r, seat, option)
    held = worth_of_holding(m, r, option)
    return -held if kind == c.DISCARD else held


@inline
def between(weights, which, early):
    """Return a number between its value late in the game and its value early."""
    return weights[which + 1] + (weights[which] - weights[which + 1]) * early


@jit
def begin_to_think(m, r, table, weights, seat):
    """Look at the table, guess how long it lasts and what the neighbours do, fix what things are worth."""
    look_around(m, r, table, seat)
    expect_actions(m, r, table, weights, seat)
    left = rounds_left(r, table, weights)
    early = min(1.0, left / weights[w.HORIZON])
    m.coin = between(weights, w.COIN, early)
    m.card = between(weights, w.CARD, early)
    m.income = between(weights, w.INCOME, early) * left  # rounds of income that are counted, as coins
    m.bonus = between(weights, w.BONUS, early)
    m.plan = between(weights, w.PLAN, early)
    m.hurt = between(weights, w.HURT, early)
    m.like_speculate = between(weights, w.LIKES_SPECULATE, early)
    m.like_invent = between(weights, w.LIKES_INVENT, early)
    m.like_research = between(weights, w.LIKES_RESEARCH, early)
    m.rich_from = weights[w.RICH_FROM]
    m.rich = weights[w.RICH]
    m.first_card = weights[w.FIRST_CARD]
    m.many_from = weights[w.MANY_FROM]
    m.many = weights[w.MANY]
    m.second_best = weights[w.SECOND]
    m.count_on = weights[w.COUNT_ON]
    expected = 0.0
    for zone in range(c.ACTION_COUNT):
        expected += m.expect[zone]
    m.minion = m.coin * m.income * expected * 0.25
    m.decay[0] = weights[w.PATIENCE]  # the next round is the first in which something can be built later
    for k in range(1, MOST_WAITING):
        m.decay[k] = m.decay[k - 1] * weights[w.PATIENCE]
    m.decay[MOST_WAITING] = 0.0
    m.out_of_reach = 0
    clear_mind(m, table, seat, 0)
    m.per_round = max(0.5, saved_in_a_round(m, r, seat))


@jit
def saved_in_a_round(m, r, seat):
    """Return what a round of saving money brings: Work, Research too if there is room, or taking turns."""
    m.steady = 1
    if r.rest > 0:
        earned = r.action_repeats * (r.work_money + r.rest * r.research_money) / (r.rest + 1.0)
        return earned + foresee_flow(m, r, seat)
    if not (has(r, c.AT_END) or has(r, c.AT_START)):
        earned = r.action_repeats * (r.work_money + (r.research_money if r.actions > 1 else 0))
        return earned + foresee_flow(m, r, seat)
    foresee_saving(m, r, seat)
    return m.saved[0] - m.money


@jit
def foresee_saving(m, r, seat):
    """Count the money after each round of saving, where something gives or takes money between rounds.

    What is taken may grow with what was saved, so that some cards can never be paid.
    """
    m.steady = 0
    mask = 1 << c.WORK
    if r.actions > 1:
        mask |= 1 << c.RESEARCH
    t = m.imagined.table
    hoped = 0.0
    for k in range(MOST_WAITING):
        foresee_round(m, r, seat, mask)
        hoped += m.extra
        whole = np.int64(hoped)
        t.money[seat] += whole
        hoped -= whole
        foresee_moment(m, r, seat, c.AT_START)
        m.saved[k] = t.money[seat] + hoped
    come_back(m, seat)


@jit
def value_hand(m, r, seat):
    """Find the net worth of building each card of the hand, as things stand."""
    if not m.steady:
        for i in range(m.n_cards):
            if waiting(m, r, m.hand[i], np.float64(m.money)) == MOST_WAITING:
                m.out_of_reach += 1
    before = worth_without_plan(m, r, seat, bonus_of(m, r, seat))
    refused = refusing_line(m.imagined, r, seat) >= 0
    for i in range(m.n_cards):
        if refused:
            card = m.hand[i]
            m.net[i] = r.vp[card] - m.coin * r.cost[card]
            continue
        foresee_building(m, r, seat, m.hand[i])
        m.net[i] = worth_without_plan(m, r, seat, bonus_of(m, r, seat)) - before
        come_back(m, seat)


@inline
def worth_without_plan(m, r, seat, bonus):
    """Value what the imagined seat has: VP, coins, cards in hand, minions, and harm done."""
    t = m.imagined.table
    worth = np.float64(t.built_vp[seat] + t.built_per[seat] * t.n_built[seat]) + m.bonus * bonus
    # coins to come are coins: beyond what can be spent they are worth as little as those that are there
    money = t.money[seat] + m.extra + m.income * foresee_flow(m, r, seat)
    worth += m.coin * (min(money, m.rich_from) + m.rich * max(0.0, money - m.rich_from))
    hand = np.float64(t.n_hand[seat])
    if hand > m.out_of_reach:
        worth += m.first_card
    worth += m.card * (min(hand, m.many_from) + m.many * max(0.0, hand - m.many_from))
    return worth + m.hurt * m.hurt_done


@jit
def worth_of_plan(m, r, seat):
    """Value the best cards that could be built later with the money there is then; none while refused."""
    t = m.imagined.table
    if has(r, c.AT_BUILD) and refusing_line(m.imagined, r, seat) >= 0:
        return 0.0
    money = t.money[seat] + m.extra
    # who invents now cannot do it again while Invent rests
    earliest = r.rest if t.actions[seat] >> c.INVENT & 1 else 0
    best = 0.0
    second = 0.0
    for i in range(m.n_cards):
        # waiting only takes from what a card is worth, so most need not be looked at closer
        if m.net[i] <= second or m.gone >> min(i, 62) & 1:
            continue
        worth = m.net[i] * m.decay[max(earliest, waiting(m, r, m.hand[i], money))]
        if worth > best:
            second = best
            best = worth
        elif worth > second:
            second = worth
    return m.plan * (best + m.second_best * second)


@inline
def waiting(m, r, card, money):
    """Return in how many rounds a card can be paid; MOST_WAITING is never."""
    missing = r.cost[card] - money
    if missing <= 0.0:
        return 0
    if m.steady:
        return min(np.int64(missing / m.per_round) + 1, MOST_WAITING - 1)
    return waiting_unsteadily(m, r.cost[card], money)


@jit
def waiting_unsteadily(m, cost, money):
    """Return the same where rounds of saving bring more or less: as many as between the two sums."""
    rounds = 1
    for k in range(MOST_WAITING):
        if m.saved[k] >= cost:
            return rounds
        if m.saved[k] > money:
            rounds += 1
    return MOST_WAITING


@jit
def conclude(m, r, seat):
    """End the imagined round, look at the score, begin the next, and value what there is."""
    t = m.imagined.table
    bonus = bonus_of(m, r, seat)
    score = t.built_vp[seat] + t.built_per[seat] * t.n_built[seat] + bonus
    victory = 0.0
    if score >= r.goal and score > m.best_other:
        victory = _VICTORY + score
    foresee_any(m, r, seat, c.AT_START)
    return victory + worth_without_plan(m, r, seat, np.float64(bonus)) + worth_of_plan(m, r, seat)


@jit
def worth_of_actions(m, r, seat, mask):
    """Value a set of actions: the round that it makes, and the liking for it."""
    t = m.imagined.table
    refused = has(r, c.AT_BUILD) and refusing_line(m.imagined, r, seat) >= 0
    foresee_round(m, r, seat, mask)
    liking = 0.0
    if mask >> c.SPECULATE & 1:
        liking += m.like_speculate
        if refused and refusing_line(m.imagined, r, seat) < 0:
            # even who never places a minion does, where nothing can be built without one
            liking = max(liking, 0.5 * m.like_invent)
    if mask >> c.INVENT & 1 and t.n_built[seat] > m.n_built:
        liking += m.like_invent
    if mask >> c.RESEARCH & 1:
        liking += m.like_research
    worth = liking + conclude(m, r, seat)
    come_back(m, seat)
    m.gone = 0
    return worth


@jit
def worth_of_placing(m, r, seat, zone):
    """Value a minion on a zone."""
    foresee_placement(m, r, seat, zone, r.price[zone] if m.paying else 0)
    foresee_any(m, r, seat, c.AT_END)
    worth = conclude(m, r, seat)
    come_back(m, seat)
    return worth


@jit
def worth_of_building(m, r, seat, card):
    """Value building a card now, with the liking that led to Invent; what cannot be paid is not built."""
    liking = 0.0
    if r.cost[card] <= m.money:
        liking = m.like_invent
        foresee_build(m, r, seat, card)
        mark_gone(m, card)
    foresee_any(m, r, seat, c.AT_END)
    worth = liking + conclude(m, r, seat)
    come_back(m, seat)
    m.gone = 0
    return worth


@jit
def worth_of_removing(m, r, seat, zone):
    """Value what stays when a minion leaves a zone."""
    move_minions(m, seat, zone, -1)
    worth = m.income * foresee_flow(m, r, seat)
    come_back(m, seat)
    return worth


@jit
def worth_of_holding(m, r, card):
    """Value a card of the hand: what it will be worth, built as soon as it can be paid."""
    worth = 0.0
    for i in range(m.n_cards):
        if m.hand[i] == card:
            worth = m.net[i] * m.decay[waiting(m, r, card, np.float64(m.money))]
            if m.net[i] < 0.0:
                worth = m.net[i]
    return worth


@jit
def think(r, table, m):
    """Return the index of the option that a player takes: by a network, or by weighing.

    A critic takes the first option: it was asked what the situation is worth.
    """
    if m.policy == CRITIC:
        judge_situation(r, table, m)
        return 0
    if m.network != 0:
        return choose_learned(r, table, m)
    return weigh(r, table, m)


think_apart = apart(think, RULES, TABLE, MIND)
