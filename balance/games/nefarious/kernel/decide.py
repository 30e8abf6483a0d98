"""How the players decide. A policy sees the table, its own hand and its options, nothing else.

Policies are numbers (`RANDOM`, ...) here and names in `balance.games.nefarious.policies`.
"""

from typing import Final

import numpy as np

from balance.games.compiled.jit import call_apart, inline, jit
from balance.games.compiled.randomness import decision_key, pick
from balance.games.compiled.seats import SEAT_BITS
from balance.games.nefarious.kernel import codes as c
from balance.games.nefarious.kernel.state import ASKED_BITS, ASKS, BY_POLICY, MOST_ANSWERS
from balance.games.nefarious.policies.names import CRITIC, POLICIES

RANDOM: Final = POLICIES["random"]
_LEARNED: Final = POLICIES["learned"]


@jit
def _answer_or_ask(g, p, seat, kind, key):
    """Return the policy that answers for a seat that asks; ASKS if the tape does, or nobody yet.

    An answer of the tape that does not fit the question is not taken: in an imagined game the others may have
    gone another way.
    """
    if p.open:
        return ASKS
    on_tape = p.used < p.n_tape
    if not on_tape and p.n_tape == MOST_ANSWERS:
        p.overflow = 1
        p.open = 1
        return ASKS
    policy = p.behind[seat]
    if policy == ASKS or not on_tape:
        p.tape_kind[p.used] = kind
        p.tape_seat[p.used] = seat
    if on_tape:
        if p.tape[p.used] != BY_POLICY and (policy == ASKS or _fits(g, p, seat, kind)):
            policy = ASKS
        p.used += 1
        return policy
    if p.stand_in != ASKS:
        policy = p.stand_in
        p.stand_in = ASKS
    if policy == ASKS:
        _write_question(g, p, seat, kind, key)
    else:
        p.n_tape += 1
        p.used += 1
    return policy


@jit
def _fits(g, p, seat, kind):
    """Return whether the next answer of the tape belongs to this question."""
    if p.tape_kind[p.used] != kind or p.tape_seat[p.used] != seat:
        return False
    fits = False
    for i in range(g.n_options):
        fits |= g.options[i] == p.tape[p.used]
    return fits


@jit
def _write_question(g, p, seat, kind, key):
    """Write the question down, with what the seat has seen by now."""
    p.open = 1
    p.kind = kind
    p.seat = seat
    p.key = key
    p.shuffles = g.table.shuffles
    p.n_options = g.n_options
    for i in range(g.n_options):
        p.options[i] = g.options[i]
    p.known[0] = 0
    p.known[1] = 0
    t = g.table
    for i in range(t.n_hand[seat]):
        _know(p, np.int64(g.hand[seat, i]))
    for i in range(t.n_discard):
        _know(p, np.int64(t.discard[i]))
    for s in range(t.players):
        for i in range(t.n_built[s]):
            _know(p, np.int64(t.built[s, i]))
        # while cards are being picked those of the others are not seen yet
        if kind != c.BUILD and g.revealed[s] >= 0:
            _know(p, g.revealed[s])


@inline
def _know(p, card):
    p.known[card >> 6] |= np.uint64(1) << np.uint64(card & 63)


@jit
def consult(r, table, hand, committed, seat, policy, kind, options, n_options, key, paying, p):
    """Return the index of the option that a policy takes.

    `table` is what everybody sees, `hand` and `committed` are the seat's own, `key` is the hash of this
    decision, `paying` says whether a placement costs its price, `p` has the networks and room to think in.
    Nothing else of the game is within reach.
    """
    if policy == CRITIC:
        if kind != c.CHOOSE:
            policy = _LEARNED
        else:
            for s in range(table.players):
                p.policy[s] = RANDOM  # the rest of the round is of no interest
    mind = p.mind
    mind.network = p.networks[policy]
    mind.recorder = p.recorder
    mind.seat = seat
    mind.policy = policy
    mind.kind = kind
    mind.key = key
    mind.paying = paying
    mind.committed = committed
    mind.n_cards = table.n_hand[seat]
    for i in range(mind.n_cards):
        mind.hand[i] = hand[i]
    mind.n_options = n_options
    for i in range(n_options):
        mind.options[i] = options[i]
    return call_apart(p.thinker, r, table, mind)


@inline
def decide_random(r, table, seat, kind, options, n_options, key):
    """Take any option with equal chance; a build is picked among the affordable cards if there are any."""
    if kind != c.BUILD:
        return pick(key, n_options)
    money = table.money[seat]
    affordable = 0
    for i in range(n_options):
        affordable += r.cost[options[i]] <= money
    if affordable == 0:
        return pick(key, n_options)
    left = pick(key, affordable)
    chosen = 0
    for i in range(n_options):
        payable = r.cost[options[i]] <= money
        chosen = i if payable & (left == 0) else chosen
        left -= payable
    return chosen


@jit
def decide(g, r, p, seat, kind):
    """Take the decision whose options are listed: by the seat's policy, by the tape, or not yet.

    Returns the option itself. While a question is open the answer does not matter any more. What random
    players decide in nearly every round does not come through here: see `at_random`.
    """
    seat &= SEAT_BITS
    shift = ASKED_BITS * kind
    number = g.asked[seat] >> shift & ((1 << ASKED_BITS) - 1)
    g.asked[seat] += 1 << shift
    p.decisions += 1
    policy = p.policy[seat]
    key = decision_key(g.policy_key[seat], g.table.round, kind, number)
    if policy == ASKS:
        policy = _answer_or_ask(g, p, seat, kind, key)
        if policy == ASKS:
            return p.tape[p.used - 1] if p.open == 0 else g.options[0]
    if g.n_options == 1:
        answer = g.options[0]
    elif policy == RANDOM:
        answer = g.options[decide_random(r, g.table, seat, kind, g.options, g.n_options, key)]
    else:
        chosen = consult(
            r, g.table, g.hand[seat], g.committed[seat], seat, policy, kind,
            g.options, g.n_options, key, g.paying, p,
        )  # fmt: skip
        answer = g.options[chosen]
    if p.policy[seat] == ASKS:
        p.tape[p.used - 1] = answer
    return answer
