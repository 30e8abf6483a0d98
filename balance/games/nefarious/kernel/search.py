"""`search:N`: a player that tries its options out in imagined games before it decides.

One iteration deals the cards that the seat has not seen anew, consistently with everything it has seen, and
plays every option that is still in the race through this round and three more, everybody by `learned`, with
the same cards and the same chances for each option; then the critic of `learned` judges what the seat has.
The others' secret decisions of this round are guessed anew in each world; what they have shown stands. At a
quarter and halfway the worse half of the options is left out.

Nothing here calls itself: the game under way is at the state in which the round began, plus the answers given
since (`policies._answer_or_ask`), and so is every imagined one.
"""

from typing import Final

import numpy as np

from balance.games.compiled.jit import call_apart, inline, jit
from balance.games.compiled.randomness import extend, pick
from balance.games.compiled.seats import SEAT_BITS
from balance.games.nefarious.kernel import codes as c
from balance.games.nefarious.kernel.state import ASKS, BY_POLICY
from balance.games.nefarious.policies.names import CRITIC, POLICIES
from balance.games.nefarious.vocabulary import MOST_CARDS

IMAGINED: Final = POLICIES["learned"]
"""Everybody plays so in imagined games."""

# The places of records in the arrays that are passed around.
REAL, TRIAL, WORLD = 0, 1, 2
THINKER, DREAMER = 0, 1

# What an option must be ahead of the one that `learned` would take: so many times the squared standard error
# of their difference. That is where a normal prior of the difference with a mean of -0.01 and a standard
# deviation of 0.03 (chances of victory) is outweighed: few iterations rarely overrule a good player.
_DOUBT = 0.01 / 0.03**2
# Rounds that are played after the present one, before the critic judges.
_FURTHER = 3
# Variance of a difference that is assumed at least: in few worlds two options may come out the same.
_LEAST = 0.01

BOARD: Final = np.dtype(
    [
        ("sum", np.float64, (MOST_CARDS,)),
        ("live", np.int64, (MOST_CARDS,)),
        ("payoff", np.float64, (MOST_CARDS,)),
        ("squares", np.float64, (MOST_CARDS,)),  # of the differences to the usual option
        ("n_slots", np.int64),
        ("slot_seat", np.int64, (MOST_CARDS,)),  # -1: the deck
        ("slot_place", np.int64, (MOST_CARDS,)),
        ("slot_committed", np.int64, (MOST_CARDS,)),  # whether a committed card is there
        ("slot_card", np.int64, (MOST_CARDS,)),
    ],
    align=True,
)
"""What a search writes down: how the options do, and where unseen cards are."""


@jit
def play_round_searching(r, states, deciders, board):
    """Play a round in which some seats search; return 1 if the game is over.

    Their numbers of iterations are in `iterations`, the policies of the other seats in `behind`.
    """
    p = deciders[THINKER]
    while True:
        states[TRIAL] = states[REAL]
        p.used = 0
        p.open = 0
        over = call_apart(p.rounds, states[TRIAL], r, p)
        if p.overflow:
            raise OverflowError("more decisions in a round than the tape has room for")
        if not p.open:
            states[REAL] = states[TRIAL]
            p.n_tape = 0
            return over
        answer = search(r, states, deciders, board, p.iterations[p.seat & SEAT_BITS])
        p.tape[p.n_tape] = answer
        p.tape_kind[p.n_tape] = p.kind
        p.tape_seat[p.n_tape] = p.seat
        p.n_tape += 1


@jit
def search(r, states, deciders, board, iterations):
    """Return the answer to the open question."""
    p, q = deciders[THINKER], deciders[DREAMER]
    if p.n_options == 1:
        return p.options[0]
    usual = usual_option(r, states, deciders)
    # the order in which a pile was shuffled in the middle of this round cannot be imagined anew
    if p.shuffles != states[REAL].table.shuffles:
        return p.options[usual]
    for i in range(p.n_options):
        board.sum[i] = 0.0
        board.squares[i] = 0.0
        board.live[i] = 1
    for iteration in range(iterations):
        key = extend(extend(p.key, 7), iteration)
        states[WORLD] = states[REAL]
        imagine_world(states[WORLD], p, board, key)
        for i in range(p.n_options):
            if board.live[i]:
                states[TRIAL] = states[WORLD]
                board.payoff[i] = play_out(r, states[TRIAL], p, q, p.options[i])
        count_payoffs(board, p.n_options, usual)
        if iteration + 1 == max(iterations // 4, 2) or iteration + 1 == max(iterations // 2, 4):
            leave_out_worse(board, p.n_options, usual)
    return p.options[best_option(board, p.n_options, usual, iterations)]


@jit
def usual_option(r, states, deciders):
    """Return the index of the option that `learned` would take, by playing the round once more."""
    p, q = deciders[THINKER], deciders[DREAMER]
    states[TRIAL] = states[REAL]
    retell(p, q)
    for s in range(states[REAL].table.players):
        q.behind[s] = p.behind[s]
    q.behind[p.seat] = IMAGINED
    call_apart(p.rounds, states[TRIAL], r, q)
    for i in range(p.n_options):
        if p.options[i] == q.tape[p.n_tape]:
            return i
    return 0


@inline
def retell(p, q):
    """Put the answers of the real round on the dreamer's tape."""
    for j in range(p.n_tape):
        q.tape[j] = p.tape[j]
        q.tape_kind[j] = p.tape_kind[j]
        q.tape_seat[j] = p.tape_seat[j]
    q.n_tape = p.n_tape
    q.used = 0
    q.open = 0
    q.stand_in = ASKS
    q.thinker = p.thinker
    for s in range(q.policy.size):
        q.policy[s] = ASKS
        q.behind[s] = IMAGINED


@jit
def play_out(r, g, p, q, option):
    """Play an imagined game from the open question, answered with an option, to its end; return its worth."""
    retell(p, q)
    hide_secrets(p, q)
    q.tape[q.n_tape] = option
    q.tape_kind[q.n_tape] = p.kind
    q.tape_seat[q.n_tape] = p.seat
    q.n_tape += 1
    over = call_apart(p.rounds, g, r, q)
    for s in range(g.table.players):
        q.policy[s] = IMAGINED
    further = _FURTHER
    while not over and further > 0:
        over = call_apart(p.rounds, g, r, q)
        further -= 1
    seat = p.seat & SEAT_BITS
    q.mind.judged = 0
    q.policy[seat] = CRITIC
    while not over:  # a round in which the seat has no choice of actions is played
        over = call_apart(p.rounds, g, r, q)
        if q.mind.judged:
            return chance_of(q.mind.worth, g.table.players)
    return worth_of_end(g, seat)


@inline
def chance_of(reward, players):
    """Return the chance of victory that a reward of training stands for."""
    return max(0.0, min(1.0, (reward * np.sqrt(players - 1.0) + 1.0) / players))


@jit
def hide_secrets(p, q):
    """Take off the tape what the others have decided but not shown."""
    simultaneous = p.kind == c.CHOOSE or p.kind == c.PLACE or p.kind == c.BUILD
    j = q.n_tape - 1
    while j >= 0 and simultaneous and q.tape_kind[j] == p.kind:
        if q.tape_seat[j] != p.seat:
            q.tape[j] = BY_POLICY
        j -= 1
    for k in range(q.n_tape):
        if q.tape_kind[k] == c.COMMIT_CARD and q.tape_seat[k] != p.seat and not is_known(p, q.tape[k]):
            q.tape[k] = BY_POLICY


@inline
def is_known(p, card):
    """Return whether the seat that was asked has seen a card."""
    return (p.known[card >> 6] >> np.uint64(card & 63)) & np.uint64(1) != np.uint64(0)


@jit
def imagine_world(g, p, board, key):
    """Deal the cards that the seat has not seen anew among the places where they can be; chances too."""
    t = g.table
    seat = p.seat & SEAT_BITS
    note_slots(g, p, board, seat)
    sort_cards(board.slot_card, board.n_slots)  # so that where they lay leaves no trace
    for i in range(board.n_slots - 1, 0, -1):
        j = pick(extend(key, i), i + 1)
        card = board.slot_card[i]
        board.slot_card[i] = board.slot_card[j]
        board.slot_card[j] = card
    for i in range(board.n_slots):
        put_into_slot(g, board, i)
    for s in range(t.players):
        if s != seat:
            sort_cards(g.hand[s], t.n_hand[s])
        g.policy_key[s] = extend(extend(key, 1000), s)
    g.deck_key = extend(key, 2000)


@jit
def note_slots(g, p, board, seat):
    """Write down where cards are that were not seen, a committed one first: the order gives nothing away."""
    t = g.table
    board.n_slots = 0
    for s in range(t.players):
        if s == seat:
            continue
        for i in range(t.n_hand[s]):
            if np.int64(g.hand[s, i]) == g.committed[s]:
                note_slot(p, board, s, i, 1, g.committed[s])
        for i in range(t.n_hand[s]):
            if np.int64(g.hand[s, i]) != g.committed[s]:
                note_slot(p, board, s, i, 0, np.int64(g.hand[s, i]))
    for i in range(t.n_deck):
        note_slot(p, board, -1, g.deck_top + i, 0, np.int64(g.deck[g.deck_top + i]))


@jit
def sort_cards(cards, n):
    """Put the first cards of an array in ascending order."""
    for i in range(1, n):
        card = cards[i]
        j = i - 1
        while j >= 0 and cards[j] > card:
            cards[j + 1] = cards[j]
            j -= 1
        cards[j + 1] = card


@inline
def note_slot(p, board, seat, place, committed, card):
    """Write down where a card is that was not seen."""
    if not is_known(p, card):
        board.slot_seat[board.n_slots] = seat
        board.slot_place[board.n_slots] = place
        board.slot_committed[board.n_slots] = committed
        board.slot_card[board.n_slots] = card
        board.n_slots += 1


@inline
def put_into_slot(g, board, i):
    """Put the card that a place got there; a committed card is committed, whichever it is."""
    s, place, card = board.slot_seat[i], board.slot_place[i], board.slot_card[i]
    if s < 0:
        g.deck[place] = card
        return
    if board.slot_committed[i]:
        g.committed[s] = card
    g.hand[s, place] = card


@inline
def worth_of_end(g, seat):
    """Return 1 for a victory; nobody's victory is everybody's to equal parts."""
    if g.stalled:
        return 1.0 / g.table.players
    return 1.0 if g.winner == seat else 0.0


@inline
def count_payoffs(board, n, usual):
    """Add what an iteration gave each option, and how far it is from the usual one."""
    for i in range(n):
        if board.live[i]:
            board.sum[i] += board.payoff[i]
            difference = board.payoff[i] - board.payoff[usual]
            board.squares[i] += difference * difference


@jit
def leave_out_worse(board, n, usual):
    """Leave out the worse half of the options in the race; the usual one stays."""
    live = 0
    for i in range(n):
        live += board.live[i]
    for _ in range(live // 2):
        worst = -1
        for i in range(n):
            if board.live[i] and i != usual and (worst < 0 or board.sum[i] < board.sum[worst]):
                worst = i
        if worst >= 0 and live > 2:
            board.live[worst] = 0
            live -= 1


@jit
def best_option(board, n, usual, iterations):
    """Return the best option, if it is ahead of the usual one by more than doubt allows."""
    best = usual
    for i in range(n):
        if board.live[i] and board.sum[i] > board.sum[best]:
            best = i
    mean = (board.sum[best] - board.sum[usual]) / iterations
    square = max(board.squares[best] / iterations - mean * mean, _LEAST) / iterations
    return best if mean > _DOUBT * square else usual
