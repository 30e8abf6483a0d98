"""Playing many games into rows, and the single steps that Python may call.

The rows are what one game leaves behind; everything a row needs is read off the state between rounds, so
that the rules know nothing of tables.
"""

from typing import Final

import numpy as np

from balance.games.compiled.jit import call_apart, entry, inline, jit
from balance.games.compiled.network import GAME
from balance.games.nefarious.kernel import codes as c
from balance.games.nefarious.kernel.round import play_round
from balance.games.nefarious.kernel.search import REAL, THINKER, play_round_searching, search
from balance.games.nefarious.kernel.start import deal, set_up
from balance.games.nefarious.kernel.state import ASKS, TIMES_BITS
from balance.games.nefarious.policies.names import FIRST_SEARCH
from balance.games.nefarious.vocabulary import MOST_PLAYERS, ROUND_LIMIT, ROUNDS_EVERY

# What a game is watched for while it lasts.
WATCH: Final = np.dtype(
    [
        ("vp", np.int64, (ROUND_LIMIT + 1, MOST_PLAYERS)),
        ("first_action", np.int64, (MOST_PLAYERS,)),
        ("opening", np.uint64, (MOST_PLAYERS, 2)),
        ("built", np.int64, (MOST_PLAYERS,)),
        ("leader", np.int64),
        ("lead_changes", np.int64),
        ("goal_round", np.int64),
    ],
    align=True,
)


@entry
def play_batch(
    rules,
    seed,
    indices,
    replicates,
    policies,
    states,
    deciders,
    board,
    watch,
    games,
    seats,
    builds,
    rounds,
):
    """Play one game per index into rows; return the numbers of build rows and round rows.

    `policies` has a row per game; the decisions taken are counted in `deciders`.
    """
    r, g, p, w = rules[0], states[REAL], deciders[THINKER], watch[0]
    n_builds = n_rounds = 0
    for i in range(indices.size):
        searching = seat_players(p, policies[i], r.players)
        set_up(g, r, seed, indices[i], replicates[i])
        deal(g, r, None)
        _begin_watch(g, w)
        keep_rounds = indices[i] % ROUNDS_EVERY == 0
        over = 0
        while not over:
            if searching:
                over = play_round_searching(r, states, deciders, board[0])
            else:
                over = call_apart(p.rounds, g, r, p)
            n_builds = _note_builds(g, r, w, i, builds, n_builds)
            if keep_rounds:
                n_rounds = _note_round(g, i, rounds, n_rounds)
            _watch_round(g, r, w)
        _note_game(g, w, games[i], indices[i], replicates[i])
        for seat in range(r.players):
            _note_seat(g, w, seats[i * r.players + seat], i, seat, policies[i, seat])
    return n_builds, n_rounds


@jit
def seat_players(p, policies, players):
    """Let the policies of a game take their seats; whether one of them searches.

    Where one does, all decisions of a round are written down, so that they can be repeated.
    """
    searching = False
    for seat in range(players):
        searching |= policies[seat] > FIRST_SEARCH
    for seat in range(players):
        searches = policies[seat] > FIRST_SEARCH
        p.policy[seat] = ASKS if searching else policies[seat]
        p.behind[seat] = ASKS if searches else policies[seat]
        p.iterations[seat] = policies[seat] - FIRST_SEARCH if searches else 0
    p.n_tape = 0
    p.stand_in = ASKS
    return searching


@inline
def _begin_watch(g, w):
    w.leader = -1
    w.lead_changes = 0
    w.goal_round = 0
    for seat in range(g.table.players):
        w.built[seat] = 0
        w.opening[seat, 0] = 0
        w.opening[seat, 1] = 0
        for i in range(g.table.n_hand[seat]):
            card = np.int64(g.hand[seat, i])
            w.opening[seat, card >> 6] |= np.uint64(1) << np.uint64(card & 63)


@inline
def _watch_round(g, r, w):
    """Follow scores and leaders; a change of lead is a sole leader other than the last sole leader."""
    t = g.table
    if t.round == 1:
        for seat in range(t.players):
            w.first_action[seat] = t.actions[seat]
    for seat in range(t.players):
        w.vp[t.round, seat] = t.score[seat]
    if g.best >= r.goal and w.goal_round == 0:
        w.goal_round = t.round
    leads = g.leader >= 0
    w.lead_changes += leads & (w.leader >= 0) & (w.leader != g.leader)
    w.leader = g.leader if leads else w.leader


@inline
def _note_builds(g, r, w, game, builds, n):
    """Write the inventions built this round; a built card was always paid its cost."""
    t = g.table
    for seat in range(t.players):
        while w.built[seat] < t.n_built[seat]:
            card = np.int64(t.built[seat, w.built[seat]])
            w.built[seat] += 1
            row = builds[n]
            row.game = game
            row.seat = seat
            row.nth = w.built[seat]
            row.round = t.round
            row.invention = r.id[card]
            row.paid = r.cost[card]
            n += 1
    return n


@jit
def _note_round(g, game, rounds, n):
    t = g.table
    for seat in range(t.players):
        row = rounds[n]
        row.game = game
        row.round = t.round
        row.seat = seat
        row.actions = t.actions[seat]
        row.money = t.money[seat]
        row.vp = t.score[seat]
        row.hand = t.n_hand[seat]
        for zone in range(c.ACTION_COUNT):
            row.minions[zone] = t.minions[seat, zone]
        n += 1
    return n


@jit
def _note_game(g, w, row, index, replicate):
    t = g.table
    row.game_index = index
    row.replicate = replicate
    row.rounds = t.round
    row.winner_seat = g.winner
    row.stalled = g.stalled == 1
    row.rounds_after_goal = t.round - w.goal_round if w.goal_round > 0 else 0
    row.lead_changes = w.lead_changes
    row.deck_exhausted = t.exhausted == 1


@jit
def _note_seat(g, w, row, game, seat, policy):
    t = g.table
    row.game = game
    row.seat = seat
    row.policy = policy
    row.won = g.winner == seat
    row.vp = t.score[seat]
    row.money = t.money[seat]
    row.hand = t.n_hand[seat]
    for action in range(c.ACTION_COUNT):
        row.minions[action] = t.minions[seat, action]
        row.chose[action] = t.times[seat] >> TIMES_BITS * action & (1 << TIMES_BITS) - 1
    row.first_action = w.first_action[seat]
    row.income = g.income[seat]
    row.built = t.n_built[seat]
    row.vp_half = w.vp[(t.round + 1) // 2, seat]
    for word in range(2):
        row.opening[word] = w.opening[seat, word]
        row.drawn[word] = g.drawn[seat, word]


@entry
def play_outcomes(rules, seed, indices, policies, states, deciders, board, recorder, winners, rounds, scores):
    """Play one game per index for its outcome alone: the winner's seat (-1 none), rounds and scores."""
    r, g, p = rules[0], states[REAL], deciders[THINKER]
    for i in range(indices.size):
        recorder[GAME] += 1
        searching = seat_players(p, policies[i], r.players)
        set_up(g, r, seed, indices[i], 0)
        deal(g, r, None)
        over = 0
        while not over:
            if searching:
                over = play_round_searching(r, states, deciders, board[0])
            else:
                over = call_apart(p.rounds, g, r, p)
        winners[i] = g.winner
        rounds[i] = g.table.round
        for seat in range(r.players):
            scores[i, seat] = g.table.score[seat]


@entry
def begin_game(rules, seed, index, replicate, states):
    """Set a game up in states[0]; not dealt yet."""
    set_up(states[0], rules[0], seed, index, replicate)


@entry
def deal_hands(rules, states, log):
    """Deal the opening hands."""
    deal(states[0], rules[0], log[0])


@entry
def play_one_round(rules, states, deciders, log):
    """Play a round; return whether the game is over. With an open question the state is not worth keeping."""
    deciders[0].used = 0
    deciders[0].open = 0
    return play_round(states[0], rules[0], deciders[0], log[0])


@entry
def search_answer(rules, states, deciders, board, iterations):
    """Return the answer that a search gives to the open question of a game."""
    return search(rules[0], states, deciders, board[0], iterations)
