"""Setting a game up, and R0, the start of a round (sections 1 and 2 of the rules page)."""

import numpy as np

from balance.games.nefarious.kernel import codes as c
from balance.games.nefarious.kernel import log as out
from balance.games.nefarious.kernel.hands import take_into_hand
from balance.games.nefarious.kernel.jit import jit
from balance.games.nefarious.kernel.lines import open_moment
from balance.games.nefarious.kernel.randomness import FOR_DECK, FOR_POLICY, extend, game_key, shuffle


@jit
def set_up(g, r, seed, game_index, replicate):
    """Shuffle the deck, give everybody their money; `deal` comes after. The record must be all zeros."""
    t = g.table
    t.players = r.players
    key = game_key(seed, r.players, game_index)
    g.deck_key = extend(key, FOR_DECK)
    policy_key = extend(extend(key, FOR_POLICY), replicate)
    for seat in range(r.players):
        g.policy_key[seat] = extend(policy_key, seat)
        t.money[seat] = r.start_money[seat]
        t.reserve[seat] = r.minions
        g.committed[seat] = -1
        g.revealed[seat] = -1
    for card in range(r.n_cards):
        g.deck[card] = card
    t.n_deck = r.n_cards
    shuffle(g, r.id, g.deck, 0, r.n_cards)
    g.winner = -1
    g.frame[0, 0] = c.F_ROUND


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


@jit
def start_round(g, r, log):
    """R0: a new round begins; what stands on the zones now is what the round began with."""
    t = g.table
    t.round += 1
    out.event(log, c.E_ROUND, t.round, 0, 0, 0)
    for zone in range(c.ACTION_COUNT):
        t.crowd[zone] = 0
    for seat in range(t.players):
        t.built_now[seat] = 0
        t.actions[seat] = 0
        for kind in range(len(c.DECISIONS)):
            g.asked[seat, kind] = 0
        for zone in range(c.ACTION_COUNT):
            t.crowd[zone] += t.minions[seat, zone]
    open_moment(g, r, c.AT_START)
