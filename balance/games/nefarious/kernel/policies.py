"""How the players decide. A policy sees the table, its own hand and its options, nothing else.

Policies are numbers (`RANDOM`, ...) here and names in `balance.games.nefarious.policies`.
"""

from typing import Final

from balance.games.nefarious.kernel import codes as c
from balance.games.nefarious.kernel.jit import jit
from balance.games.nefarious.kernel.randomness import decision_key, pick
from balance.games.nefarious.policies import POLICIES

RANDOM: Final = POLICIES["random"]


@jit
def decide(r, table, hand, committed, seat, policy, kind, options, n_options, key):
    """Return the index of the option that a policy takes.

    `table` is what everybody sees, `hand` and `committed` are the seat's own, `key` is the hash of this
    decision. Nothing else of the game is within reach.
    """
    return decide_random(r, table, seat, kind, options, n_options, key)


@jit
def decide_random(r, table, seat, kind, options, n_options, key):
    """Take any option with equal chance; a build is picked among the affordable cards if there are any."""
    if kind == c.BUILD:
        affordable = 0
        for i in range(n_options):
            if r.cost[options[i]] <= table.money[seat]:
                affordable += 1
        if affordable > 0:
            left = pick(key, affordable)
            for i in range(n_options):
                if r.cost[options[i]] <= table.money[seat]:
                    if left == 0:
                        return i
                    left -= 1
    return pick(key, n_options)


@jit
def answer(g, r, policies):
    """Let the policy of the seat that is asked answer the open question."""
    seat, kind = g.ask_seat, g.ask_kind
    number = g.asked[seat, kind]
    g.asked[seat, kind] += 1
    chosen = 0
    if g.n_options > 1:
        key = decision_key(g.policy_key[seat], g.table.round, kind, number)
        chosen = decide(
            r,
            g.table,
            g.hand[seat],
            g.committed[seat],
            seat,
            policies[seat],
            kind,
            g.options,
            g.n_options,
            key,
        )
    g.answer = g.options[chosen]
