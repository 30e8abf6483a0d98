"""Setting a game up, and R0, the start of a round (sections 1 and 2 of the rules page)."""

import numpy as np

from balance.games.compiled import log as out
from balance.games.compiled.jit import inline, jit
from balance.games.compiled.randomness import FOR_DECK, FOR_POLICY, extend, game_key
from balance.games.nefarious.kernel import codes as c
from balance.games.nefarious.kernel.hands import shuffle, take_into_hand


@jit
def set_up(g, r, seed, game_index, replicate):
    """Begin a new game in a record, whatever it held before: shuffle, money, minions; `deal` comes after."""
    t = g.table
    t.players = r.players
    t.round = 0
    t.n_discard = 0
    t.shuffles = 0
    t.exhausted = 0
    t.closed = 0
    for zone in range(c.ACTION_COUNT):
        t.standing[zone] = 0
    key = game_key(seed, r.players, game_index)
    g.deck_key = extend(key, FOR_DECK)
    policy_key = extend(extend(key, FOR_POLICY), replicate)
    for seat in range(r.players):
        g.policy_key[seat] = extend(policy_key, seat)
        set_up_seat(g, r, seat)
    for card in range(r.n_cards):
        g.deck[card] = card
    t.n_deck = r.n_cards
    g.deck_top = 0
    shuffle(g, r.id, g.deck, 0, r.n_cards)
    g.scored = 0
    g.winner = -1
    g.stalled = 0


@inline
def set_up_seat(g, r, seat):
    """Give a player money and minions, and nothing else."""
    t = g.table
    t.money[seat] = r.start_money[seat]
    t.reserve[seat] = r.minions
    t.on_zones[seat] = 0
    for zone in range(c.ACTION_COUNT):
        t.minions[seat, zone] = 0
    t.n_hand[seat] = 0
    t.n_built[seat] = 0
    t.built_vp[seat] = 0
    t.built_per[seat] = 0
    t.score[seat] = 0
    t.times[seat] = 0
    t.past[seat] = 0
    t.has_committed[seat] = 0
    g.committed[seat] = -1
    g.revealed[seat] = -1
    g.income[seat] = 0
    g.drawn[seat, 0] = 0
    g.drawn[seat, 1] = 0


@jit
def deal(g, r, log):
    """Deal the opening hands, seat by seat."""
    t = g.table
    for seat in range(r.players):
        out.begin_cards(log, c.E_DEAL, seat, 0)
        for _ in range(min(r.opening_cards[seat], t.n_deck)):
            card = np.int64(g.deck[g.deck_top])
            g.deck_top += 1
            t.n_deck -= 1
            take_into_hand(g, seat, card)
            out.card(log, r.id[card])


@inline
def start_round(g, log):
    """Begin a round (R0); what stands on the zones now is what the round began with."""
    t = g.table
    t.round += 1
    out.event(log, c.E_ROUND, t.round, 0, 0, 0)
    for zone in range(c.ACTION_COUNT):
        t.crowd[zone] = t.standing[zone]
    for seat in range(t.players):
        t.built_now[seat] = 0
        t.actions[seat] = 0
        g.asked[seat] = 0
