"""How the players decide. A policy sees the table, its own hand and its options, nothing else.

Policies are numbers (`RANDOM`, ...) here and names in `balance.games.nefarious.policies`.
"""

from typing import Final

from balance.games.nefarious.kernel import codes as c
from balance.games.nefarious.kernel.jit import inline, jit
from balance.games.nefarious.kernel.randomness import decision_key, pick
from balance.games.nefarious.kernel.state import ASKED_BITS, ASKS, MOST_ANSWERS, SEAT_BITS
from balance.games.nefarious.policies import POLICIES

RANDOM: Final = POLICIES["random"]


@jit
def _answer_or_ask(g, p, seat, kind):
    """Take the next answer of the tape, or the policy that stands in once, or write the question down."""
    if p.open:
        return ASKS
    if p.used < p.n_tape:
        p.used += 1
        return ASKS
    if p.n_tape == MOST_ANSWERS:
        raise OverflowError("more decisions in a round than the tape has room for")
    if p.stand_in != ASKS:
        policy = p.stand_in
        p.stand_in = ASKS
        p.n_tape += 1
        p.used += 1
        return policy
    p.open = 1
    p.kind = kind
    p.seat = seat
    p.n_options = g.n_options
    for i in range(g.n_options):
        p.options[i] = g.options[i]
    return ASKS


@inline
def consult(r, table, hand, committed, seat, policy, kind, options, n_options, key):  # noqa: ARG001
    """Return the index of the option that a policy takes.

    `table` is what everybody sees, `hand` and `committed` are the seat's own, `key` is the hash of this
    decision. Nothing else of the game is within reach.
    """
    return decide_random(r, table, seat, kind, options, n_options, key)


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
    if policy == ASKS:
        policy = _answer_or_ask(g, p, seat, kind)
        if policy == ASKS:
            return p.tape[p.used - 1] if p.open == 0 else g.options[0]
    if g.n_options == 1:
        answer = g.options[0]
    else:
        key = decision_key(g.policy_key[seat], g.table.round, kind, number)
        chosen = consult(
            r, g.table, g.hand[seat], g.committed[seat], seat, policy, kind, g.options, g.n_options, key
        )
        answer = g.options[chosen]
    if p.policy[seat] == ASKS:
        p.tape[p.used - 1] = answer
    return answer
