"""The text notation of a state: what is written can be read back and played on, to the same end."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from balance import games
from balance.errors import UsageError
from balance.games.nefarious.catalog.loading import load_catalog
from balance.games.nefarious.kernel.state import STATE
from balance.games.nefarious.replay import notation
from balance.games.nefarious.replay.events import read_events
from balance.games.nefarious.session import Session, policy_codes

CATALOG = load_catalog()
# what a round leaves lying about; the next one clears or overwrites it before it looks
SCRATCH = {"options", "n_options", "paying", "pending", "asked", "source", "discarded", "amounts",
           "placed_amounts",
           "doers", "n_builders", "builders", "n_hitters", "hitters", "scored", "best", "leader", "bucket",
           "keys", "sorted_keys", "deck", "deck_top", "hand", "table"}  # fmt: skip
TABLE_SCRATCH = {"built_now", "actions", "crowd", "built", "discard"}


def cell_of(edition="ascora-2011", players=3, *twists):
    return games.get("nefarious").compile(CATALOG, edition, players, twists)


@st.composite
def cells(draw):
    edition = draw(st.sampled_from([edition.id for edition in CATALOG.editions]))
    twists = [twist.id for twist in CATALOG.twists_of(edition)]
    chosen = draw(st.lists(st.sampled_from(twists), max_size=2, unique=True))
    return cell_of(edition, draw(st.integers(2, 6)), *chosen)


def play_rounds(session, rounds):
    codes = policy_codes(["random"] * session.cell.players)
    while session.table["round"] < rounds and not session.over:
        while session.advance_round() is not None:
            session.answer_by(codes)
    return session


def rest_of_the_game(session):
    """Play to the end and return the events from here on."""
    at = len(session.words())
    play_rounds(session, 10**6)
    return list(read_events(session.cell, session.words()[at:]))


@settings(max_examples=60)
@given(cells(), st.integers(0, 2**63 - 1), st.integers(0, 2**32 - 1), st.integers(0, 3), st.integers(0, 25))
@example(cell_of("magellan-2014", 6, "alien-contact", "focused-research"), 7, 1, 0, 12)  # shuffled again
@example(cell_of("ascora-2011", 4, "geeks", "recycling"), 1, 112, 0, 11)  # the deck is closed
def test_a_state_read_back_is_the_same_and_ends_the_same(cell, seed, index, replicate, rounds):
    session = play_rounds(Session(cell, seed, index, replicate, log=True), rounds)
    text = notation.write(session)
    again = notation.read(cell, text, log=True)
    assert notation.write(again) == text
    assert (again.seed, again.game_index, again.replicate) == (seed, index, replicate)
    assert (again.over, again.opening_deck) == (session.over, session.opening_deck)
    if not session.over:
        assert rest_of_the_game(again) == rest_of_the_game(session)
        assert notation.write(again) == notation.write(session)


@settings(max_examples=30)
@given(cells(), st.integers(0, 1000), st.integers(0, 25))
def test_every_field_that_outlives_a_round_comes_back(cell, index, rounds):
    session = play_rounds(Session(cell, 5, index), rounds)
    again = notation.read(cell, notation.write(session))
    for name in set(STATE.names) - SCRATCH:
        assert np.array_equal(again.state[name], session.state[name]), name
    for name in set(STATE["table"].names) - TABLE_SCRATCH:
        assert np.array_equal(again.table[name], session.table[name]), name


def test_a_state_reads_like_this(golden):
    cell = cell_of("ascora-2011", 3, "long-term-plans", "unions")
    golden("state.txt", notation.state_after(cell, 7, 123, ["random"] * 3, 9))


def test_the_state_as_dealt_and_after_the_last_round():
    cell = cell_of()
    dealt = notation.state_after(cell, 1, 0, ["random"] * 3, 0)
    assert "after round=0 shuffles=1 exhausted=no closed=no outcome=open" in dealt
    session = play_rounds(Session(cell, 1, 0), 10**6)
    last = notation.state_after(cell, 1, 0, ["random"] * 3, int(session.table["round"]))
    assert f"outcome=winner:{session.state['winner']}" in last
    assert notation.read(cell, last).over


def test_a_session_in_the_middle_of_a_round_cannot_be_written():
    session = Session(cell_of(), 1, 0)
    session.advance()
    with pytest.raises(ValueError, match="between two rounds"):
        notation.write(session)


def test_comments_blank_lines_and_order_do_not_matter():
    cell = cell_of()
    text = notation.state_after(cell, 1, 0, ["random"] * 3, 4)
    lines = ["# found by a friend", "", *reversed(text.splitlines())]
    assert notation.write(notation.read(cell, "\n".join(lines))) == text


@pytest.fixture(scope="module")
def dealt():
    return notation.state_after(cell_of(), 1, 0, ["random"] * 3, 0)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("nefarious 1", "nefarious 2", "nefarious: version: expected '1'"),
        ("players=3", "players=4", "players: expected '3'"),
        ("twists=-", "twists=unions", "twists: expected '-'"),
        ("seed=1", "seed=-1", "game: seed: expected whole numbers 0.."),
        ("index=0", "index=4294967296", "game index 4294967296 is out of range"),
        ("round=0", "round=x", "after: round: expected whole numbers 0..200"),
        ("closed=no", "closed=maybe", "closed: expected yes or no"),
        ("outcome=open", "outcome=winner:3", "outcome: expected open, stalled or winner:SEAT"),
        ("committed=-", "committed=999", "seat 0: committed: there is no card 999"),
        ("committed=-", "committed=64", "seat 0: committed: expected one card of the hand"),
        ("minions=", "minions=9,", "minions: expected 4 numbers separated by commas"),
        ("minions=0,0", "minions=3,3", "minions: expected at most 5 together"),
        ("last=", "last=sleep,", "last: expected the actions of the last 3 rounds"),
        ("discard -", "discard 1000", "discard: cards: there is no card 1000"),
        ("discard -", "discard 64,64", "discard: cards: card 64 is in two places"),
        ("discard -", "discard 64", "card 64 is in two places"),
        ("discard -\n", "", "the line 'discard' is missing"),
        ("discard -", "discard -\ndiscard -", "two lines 'discard'"),
        ("discard -", "discards -", "a line begins with 'discards'"),
        ("seat 2", "seat 3", "the line 'seat 2' is missing"),
        ("seat 0 money", "seat 0 gold", "a line 'seat' reads seat NUMBER money=MONEY"),
    ],
)
def test_a_wrong_state_is_refused_with_a_reason(dealt, old, new, message):
    assert old in dealt
    with pytest.raises(UsageError) as caught:
        notation.read(cell_of(), dealt.replace(old, new, 1))
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_missing_card_is_noticed(dealt):
    first = dealt.split("\ndeck ")[1].split(",")[0]
    with pytest.raises(UsageError, match=f"card {first} is missing"):
        notation.read(cell_of(), dealt.replace(f"deck {first},", "deck ", 1))
