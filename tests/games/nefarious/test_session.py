"""A game played decision by decision: branches, what a seat may know, and scripts."""

import numpy as np
import pytest

from balance import games
from balance.errors import UsageError
from balance.games.nefarious.catalog.loading import load_catalog
from balance.games.nefarious.kernel import batch
from balance.games.nefarious.kernel import codes as c
from balance.games.nefarious.replay.events import read_events
from balance.games.nefarious.session import Session, policy_codes

GAME = games.get("nefarious")
CATALOG = load_catalog()


def play_script(session, script):
    """Answer questions from a list, in the order they are asked, until the list or the game ends."""
    for option in script:
        if session.advance() is None:
            return
        session.answer(option)


def session_of(players, *twists, seed=5, game=1, edition="ascora-2011"):
    return Session(GAME.compile(CATALOG, edition, players, twists), seed, game, log=True)


def play_to_end(session, answers):
    """Answer by `answers(question)` until the game is over; return the log and the answers given."""
    given = []
    while (question := session.advance()) is not None:
        given.append(answers(question))
        session.answer(given[-1])
    return list(read_events(session.cell, session.words())), given


def last_of(question):
    return question.options[-1]


# Cells in which every kind of decision comes up, some of them in the middle of a line: two discards or two
# placements of one card, a removal that a twist forces on the builder, the second half of a doubled action.
BRANCHING = [
    (2, ("long-term-plans", "unions"), "ascora-2011"),
    (3, ("quantum-relativity", "forgotten-epiphanies"), "ascora-2011"),
    (4, ("parallel-universe", "focused-research"), "ascora-2011"),
    (3, ("academics", "perpetual-motion"), "magellan-2014"),
]


@pytest.mark.parametrize(("players", "twists", "edition"), BRANCHING)
def test_any_decision_can_be_continued_from_a_copy(players, twists, edition):
    """Branch at each kind of decision, early and late; each branch equals the game played straight."""
    codes = policy_codes(["random"] * players)
    trunk = session_of(players, *twists, edition=edition)
    branches, given, seen = [], [], {}
    while (question := trunk.advance()) is not None:
        times = seen[question.kind] = seen.get(question.kind, 0) + 1
        if times in (1, 4, 9) and len(question.options) > 1:
            branches.append((trunk.copy(), [*given, question.options[-1]]))
        given.append(answer_of(trunk, codes))
        trunk.answer(given[-1])
    assert len(branches) >= 6
    for branch, script in branches:
        branch.answer(script[-1])
        continued, rest = play_to_end(branch, last_of)
        straight = session_of(players, *twists, edition=edition)
        play_script(straight, script)
        again, _ = play_to_end(straight, iter_answers(rest))
        assert continued == again
    assert list(read_events(trunk.cell, trunk.words()))[-1]["event"] == "end"


def answer_of(session, codes):
    """Return what the policy of the seat that is asked answers, read off the tape of a copy."""
    twin, question = session.copy(), session.question()
    place = int(twin.deciders[0]["n_tape"])
    twin.answer_by(codes)
    batch.play_one_round(twin.cell.rules, twin.states, twin.deciders, twin.log)
    return session._word(question.kind, int(twin.deciders[0]["tape"][place]))


def iter_answers(answers):
    remaining = iter(answers)
    return lambda question: next(remaining)


def test_every_kind_of_decision_was_branched():
    kinds = set()
    for players, twists, edition in BRANCHING:
        session = session_of(players, *twists, edition=edition)
        codes = policy_codes(["random"] * players)
        while (question := session.advance()) is not None:
            kinds.add(question.kind)
            session.answer_by(codes)
    assert kinds == set(c.DECISIONS)


@pytest.mark.parametrize(("players", "twists", "edition"), BRANCHING)
def test_what_is_hidden_cannot_change_a_decision(players, twists, edition):
    """Permute the deck and the other hands; the policy of the seat that is asked decides the same."""
    codes = policy_codes(["random"] * players)
    session = session_of(players, *twists, edition=edition)
    chance = np.random.default_rng(3)
    compared = 0
    while (question := session.advance()) is not None and compared < 60:
        if question.kind == "choose" and not session.deciders[0]["n_tape"]:
            other = session.copy()
            hide_anew(other, question.seat, chance)
            assert other.question() == session.question()
            assert answer_of(session, codes) == answer_of(other, codes)
            compared += 1
        session.answer_by(codes)
    assert compared >= 5


def hide_anew(session, seat, chance):
    """Shuffle all cards that a seat cannot see among the places where it cannot see them."""
    g, t = session.state, session.table
    top, left = int(g["deck_top"]), int(t["n_deck"])
    others = [s for s in range(session.cell.players) if s != seat]
    hidden = list(g["deck"][top : top + left])
    for s in others:
        free = [card for card in g["hand"][s, : int(t["n_hand"][s])] if card != g["committed"][s]]
        hidden += free
    chance.shuffle(hidden)
    g["deck"][top : top + left] = hidden[:left]
    at = left
    for s in others:
        n = int(t["n_hand"][s])
        kept = [g["committed"][s]] if g["committed"][s] >= 0 else []
        g["hand"][s, :n] = sorted([*kept, *hidden[at : at + n - len(kept)]])
        at += n - len(kept)
    assert at == len(hidden)


def test_a_script_is_followed_and_a_wrong_answer_is_refused():
    session = session_of(2)
    play_script(session, [("work",), ("work",), ("speculate",), ("research",), "invent"])
    assert session.advance() is not None
    assert [int(m) for m in session.table["money"][:2]] == [12, 16]
    with pytest.raises(UsageError, match="possible"):
        session.answer("nonsense")


def test_batches_and_sessions_play_the_same_game():
    cell = GAME.compile(CATALOG, "ascora-2011", 3, ["unions", "geeks"])
    columns = GAME.play(cell, 9, [4], np.array([[GAME.policy_number("random")] * 3]))
    session = Session(cell, 9, 4)
    codes = policy_codes(["random"] * 3)
    while session.advance() is not None:
        session.answer_by(codes)
    assert int(session.table["round"]) == int(columns["games"]["rounds"][0])
    assert int(session.state["winner"]) == int(columns["games"]["winner_seat"][0])
