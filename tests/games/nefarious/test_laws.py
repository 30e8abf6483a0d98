"""Laws of the game over random play of all pairs; and for each law a log that breaks it and is caught.

`broken_laws` follows a log without playing: every card in exactly one place, as many minions as the player
owns, no debts, scores counted from scratch, no barred action, no committed card discarded, the end where it
belongs. The last part shows in which sense seats are exchangeable.
"""

import copy
import random
from functools import cache
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from balance.games.nefarious.catalog.loading import load_catalog
from balance.games.nefarious.kernel.codes import DECISIONS
from balance.games.nefarious.replay import notation
from balance.games.nefarious.replay.events import read_events
from balance.games.nefarious.rules import compile_cell
from balance.games.nefarious.session import Session
from balance.games.nefarious.vocabulary import ACTIONS, ROUND_LIMIT, WHOSE
from tests.games.nefarious.compare import KernelLog
from tests.games.nefarious.invented import NAMES, invented_catalog
from tests.games.nefarious.laws import broken_laws
from tests.games.nefarious.tables_builder import ASCORA, CATALOG, EDITIONS, MAGELLAN, Seat, round_of
from tests.reference.decisions import keyed_hash

WITH_CUSTOM = load_catalog([Path(__file__).parents[2] / "data" / "custom_twists.toml"])
BLOCKS = 12


@cache
def kernel() -> KernelLog:
    return KernelLog()


def played(edition, players, twists, seed, index, catalog=CATALOG):
    cell = compile_cell(catalog, edition, players, twists)
    return cell, kernel().events(cell, seed, index)


# --- the laws hold ----------------------------------------------------------------------------------------


def pairs():
    """Every pair of twists, each with one of the editions that have it, in turn."""
    found = []
    for number, pair in enumerate(combinations([twist.id for twist in CATALOG.twists], 2)):
        known = [e for e in EDITIONS if all(e in CATALOG.twist(name).editions for name in pair)]
        if known:
            found.append((known[number % len(known)], pair))
    return found


def test_every_pair_is_among_them():
    assert len({pair for _, pair in pairs()}) == len(pairs()) == 699
    assert {edition for edition, _ in pairs()} == set(EDITIONS)


@pytest.mark.parametrize("block", range(BLOCKS))
def test_the_laws_hold_for_every_pair(block):
    for number, (edition, pair) in enumerate(pairs()[block::BLOCKS]):
        chance = random.Random(f"{block}/{number}")
        twists = chance.sample(pair, 2)
        cell, events = played(
            edition, chance.randint(2, 6), twists, chance.randrange(2**63), chance.randrange(2**32)
        )
        assert broken_laws(cell, events) == [], (edition, twists)


cells = st.sampled_from(EDITIONS).flatmap(
    lambda edition: st.tuples(
        st.just(edition),
        st.integers(2, 6),
        st.lists(st.sampled_from([t.id for t in WITH_CUSTOM.twists_of(edition)]), max_size=2, unique=True),
    )
)


@given(cells, st.integers(0, 2**63 - 1), st.integers(0, 2**32 - 1))
def test_the_laws_hold_with_custom_twists(cell, seed, index):
    compiled, events = played(*cell, seed, index, catalog=WITH_CUSTOM)
    assert broken_laws(compiled, events) == []


def test_the_laws_hold_for_invented_twists_and_cards():
    for number in range(60):
        catalog = invented_catalog(CATALOG, number)
        cell, events = played(EDITIONS[number % 3], 2 + number % 5, NAMES, 1, number, catalog)
        assert broken_laws(cell, events) == [], number


def test_nobody_reaches_999_and_the_round_limit_yields_stalled():
    for players in (2, 4):
        cell, events = played(ASCORA, players, ["custom-endless-ambition"], 1, players, WITH_CUSTOM)
        assert events[-1] == {"event": "end", "winner": None, "rounds": ROUND_LIMIT, "stalled": True}
        assert broken_laws(cell, events) == []


def test_a_tie_at_the_top_never_ends_the_game_and_a_third_may_win():
    fives, sixes = [42, 43, 44, 47], [54, 55, 56]
    tie = round_of(Seat("R", built=fives), Seat("R", built=[54, 55, 58, 14]), Seat("R"))
    assert (tie.of("vp"), tie.over) == ([20, 20, 0], False)
    third = round_of(Seat("R", built=fives), Seat("R", built=[57, 59, 58, 14]), Seat("R", built=[*sixes, 27]))
    assert (third.of("vp"), third.over, third.session.state["winner"]) == ([20, 20, 22], True, 2)


# --- each law can be broken -------------------------------------------------------------------------------


def at(events, kind, **fields):
    """The place of the first event of a kind with these fields."""
    return next(
        i
        for i, e in enumerate(events)
        if e["event"] == kind and all(e.get(key) == value for key, value in fields.items())
    )


def card_twice(events):
    state = events[at(events, "state")]
    state["seats"][0]["hand"] = [*state["seats"][0]["hand"], state["seats"][1]["hand"][0]]


def card_from_nowhere(events):
    events[at(events, "draw")]["cards"][0] = events[0]["deck"][-1]


def drawn_after_the_deck_was_closed(events):
    events.insert(at(events, "draw"), {"event": "no_more_draws"})


def sixth_minion(events):
    place = events[at(events, "place")]
    for _ in range(5):
        events.insert(at(events, "place"), {**place, "paid": 0})


def minion_from_an_empty_zone(events):
    events.insert(at(events, "round"), {"event": "remove", "seat": 0, "zone": "work", "cause": "speculate"})


def debt(events):
    events.insert(at(events, "round"), {"event": "money", "seat": 0, "amount": -999, "cause": "work"})


def money_from_nowhere(events):
    events[at(events, "money")]["amount"] += 1


def vp_from_nowhere(events):
    events[at(events, "state")]["seats"][0]["vp"] += 1


def barred_action(events):
    second = at(events, "round", round=2)
    first_choice = events[at(events, "choose", seat=1)]["actions"]
    events[second + at(events[second:], "choose", seat=1)]["actions"] = first_choice


def three_actions(events):
    events[at(events, "choose")]["actions"] = list(ACTIONS[:3])


def committed_card_discarded(events):
    commit = at(events, "commit")
    seat, card = events[commit]["seat"], events[commit]["card"]
    events.insert(commit + 1, {"event": "discard", "seat": seat, "cards": [card], "cause": "research"})


def another_than_the_committed_card_revealed(events):
    reveal = at(events, "reveal")
    seat, card = events[reveal]["seat"], events[reveal]["card"]
    hand = events[at(events, "deal", seat=seat)]["cards"]
    events[reveal]["card"] = next(other for other in hand if other != card)


def two_cards_committed(events):
    commit = at(events, "commit")
    events.insert(commit, events[commit])


def shuffle_of_other_cards(events):
    events.insert(at(events, "round"), {"event": "shuffle", "cards": [1], "under": False})


def wrong_pile(events):
    events[at(events, "state")]["discard"] += 1


def end_too_early(events):
    first = at(events, "state")
    del events[first + 1 :]
    events.append({"event": "end", "winner": 0, "rounds": 1, "stalled": False})


def end_too_late(events):
    last = events.pop()
    final = events[-1]
    events += [{"event": "round", "round": last["rounds"] + 1}, final, {**last, "rounds": last["rounds"] + 1}]


def wrong_winner(events):
    events[-1]["winner"] = (events[-1]["winner"] + 1) % 3


def stalled_before_the_limit(events):
    events[-1] |= {"winner": None, "stalled": True}


def no_end(events):
    events.pop()


PLANS, BORED = ("long-term-plans", "unions"), ("age-of-boredom", "unions")
BREAKERS = {
    card_twice: (PLANS, "is logged with"),
    card_from_nowhere: (BORED, "not the top of the deck"),
    drawn_after_the_deck_was_closed: (BORED, "after the deck was closed"),
    sixth_minion: (BORED, "more minions than the player owns"),
    minion_from_an_empty_zone: (BORED, "no minion is there"),
    debt: (BORED, "has -"),
    money_from_nowhere: (BORED, "is logged with"),
    vp_from_nowhere: (BORED, "is logged with"),
    barred_action: (BORED, "a barred action is chosen"),
    three_actions: (BORED, "too many actions"),
    committed_card_discarded: (PLANS, "cannot be discarded"),
    another_than_the_committed_card_revealed: (PLANS, "cannot be revealed"),
    two_cards_committed: (PLANS, "cannot be committed"),
    shuffle_of_other_cards: (BORED, "not the discard pile"),
    wrong_pile: (BORED, "deck and discard pile have"),
    end_too_early: (BORED, "do not make this end"),
    end_too_late: (BORED, "although a sole leader has reached the goal"),
    wrong_winner: (BORED, "do not make this end"),
    stalled_before_the_limit: (BORED, "wrongly stalled"),
    no_end: (BORED, "the log has no end"),
}


@pytest.mark.parametrize("breaker", BREAKERS, ids=lambda breaker: breaker.__name__)
def test_a_broken_law_is_found(breaker):
    twists, message = BREAKERS[breaker]
    cell, events = played(MAGELLAN, 3, twists, 1, 4)
    assert broken_laws(cell, events) == []
    mutated = copy.deepcopy(events)
    breaker(mutated)
    assert any(message in problem for problem in broken_laws(cell, mutated)), broken_laws(cell, mutated)


def test_every_event_that_is_left_out_is_missed():
    """Whatever happened, a log without it does not add up."""
    cell, events = played(ASCORA, 3, ("philanthropy", "unions"), 1, 2)
    harmless = {"choose", "round", "state", "deal"}
    left_out = set()
    for index, event in enumerate(events):
        unseen = event["event"] == "reveal" and event["outcome"] != "built"
        if event["event"] not in harmless and index and not unseen:
            assert broken_laws(cell, events[:index] + events[index + 1 :]), event
            left_out.add(event["event"])
    assert left_out >= {"income", "place", "reveal", "draw", "money", "end"}


# --- seats are exchangeable -------------------------------------------------------------------------------


def rotated(text: str, players: int, shift: int) -> str:
    """The same table with everybody moved `shift` seats to the left."""
    head = [line for line in text.splitlines() if not line.startswith("seat ")]
    seats = [line.split(" ", 2)[2] for line in text.splitlines() if line.startswith("seat ")]
    moved = [seats[(seat - shift) % players] for seat in range(players)]
    return "\n".join([*head, *(f"seat {seat} {line}" for seat, line in enumerate(moved))])


def play_as(session: Session, shift: int, key: int) -> list[dict]:
    """Play one round; who sat on seat 0 decides the same wherever they sit now."""
    players = session.cell.players
    asked: dict[tuple[int, str], int] = {}
    while (question := session.advance_round()) is not None:
        person = (question.seat - shift) % players
        number = asked[person, question.kind] = asked.get((person, question.kind), 0) + 1
        pick = keyed_hash(key, person, DECISIONS.index(question.kind), number)
        session.answer(question.options[pick % len(question.options)])
    return list(read_events(session.cell, session.words()))


def looks_at_others(twist):
    """Whether a twist looks at others, and does not give them what they may pay with in the same step."""
    looks = any(c.looks for line in twist.lines for c in line.conditions)
    looks |= any(line.effect.per in WHOSE for line in twist.lines)
    return looks and not any(line.when == "build" and line.who == "others" for line in twist.lines)


LOOKING = [twist.id for twist in WITH_CUSTOM.twists if looks_at_others(twist)]


def drawn_by(events: list[dict], players: int, shift: int) -> list[tuple[int, int]]:
    """Who drew how many cards, in order; people are named by where they sat before they moved."""
    return [((e["seat"] - shift) % players, len(e["cards"])) for e in events if e["event"] == "draw"]


def with_deck(text: str, deck: list[int]) -> str:
    """The same table with another order of the deck."""
    lines = [f"deck {','.join(map(str, deck))}" if x.startswith("deck ") else x for x in text.splitlines()]
    return "\n".join(lines)


def play_own_cards(cell, text: str, shift: int, key: int, own: dict[int, list[int]]) -> list[dict]:
    """Play a round with everybody moved along, the deck in an order that gives each person their own cards.

    What people draw decides what they do next, so the deck is put in order draw by draw.
    """
    moved = rotated(text, cell.players, shift)
    deck = [int(card) for card in text.split("deck ")[1].splitlines()[0].split(",")]
    while True:
        events = play_as(notation.read(cell, with_deck(moved, deck), log=True), shift, key)
        queues = {person: list(cards) for person, cards in own.items()}
        wanted: list[int] = []
        for person, count in drawn_by(events, cell.players, shift):
            given, queues[person] = queues[person][:count], queues[person][count:]
            wanted += given
            if wanted != deck[: len(wanted)]:
                break
        else:
            return events
        deck = wanted + [card for card in deck if card not in wanted]


@pytest.mark.parametrize("edition", EDITIONS)
def test_a_round_is_the_same_from_every_seat_if_everybody_draws_their_own_cards(edition):
    """The rules treat seats alike: what a seat is worth comes from the order of drawing alone.

    Seats and hands are moved along, and everybody draws the cards that they drew before. Exact, where the
    deck does not run out: `seats_alike` of the facts rests on this.
    """
    names = [twist.id for twist in CATALOG.twists_of(edition)]
    compared = 0
    for number in range(120):
        chance = random.Random(f"{edition}/own/{number}")
        players = chance.randint(2, 6)
        cell = compile_cell(CATALOG, edition, players, chance.sample(names, 2))
        length = kernel().events(cell, number, 0)[-1]["rounds"]
        start = notation.state_after(cell, number, 0, ["random"] * players, chance.randrange(length))
        session = notation.read(cell, start, log=True)
        if not session.table["n_deck"]:
            continue
        events = play_as(session, 0, number)
        drew = [e for e in events if e["event"] == "draw"]
        if not drew or any(e["event"] in ("shuffle", "no_more_draws") for e in events):
            continue
        own: dict[int, list[int]] = {person: [] for person in range(players)}
        for event in drew:
            own[event["seat"]] += event["cards"]
        state = next(e for e in events if e["event"] == "state")
        for shift in range(1, players):
            moved = play_own_cards(cell, start, shift, number, own)
            told = next(e for e in moved if e["event"] == "state")
            assert [told["seats"][(seat + shift) % players] for seat in range(players)] == state["seats"]
        compared += 1
    assert compared >= 30, compared


@pytest.mark.parametrize("edition", EDITIONS)
@pytest.mark.parametrize("looking", [False, True])
def test_a_round_without_draws_is_the_same_from_every_seat(edition, looking):
    """Players meet through the deck alone: where nobody draws, moving everybody along changes nothing.

    With draws the law does not hold exactly, for seats draw in order: others get the same cards. A line that
    looks at others sees them as they were before the first line of the moment, so the law holds for it too.
    """
    names = LOOKING if looking else [twist.id for twist in CATALOG.twists_of(edition)]
    compared = 0
    for number in range(150):
        chance = random.Random(f"{edition}/{number}")
        players = chance.randint(2, 6)
        cell = compile_cell(WITH_CUSTOM, edition, players, chance.sample(names, 2))
        length = kernel().events(cell, number, 0)[-1]["rounds"]
        start = notation.state_after(cell, number, 0, ["random"] * players, chance.randrange(length))
        session = notation.read(cell, start, log=True)
        if not session.table["n_deck"]:
            continue
        events = play_as(session, 0, number)
        if any(e["event"] in ("draw", "shuffle", "no_more_draws") for e in events):
            continue
        state = next(e for e in events if e["event"] == "state")
        for shift in range(1, players):
            moved = play_as(notation.read(cell, rotated(start, players, shift), log=True), shift, number)
            told = next(e for e in moved if e["event"] == "state")
            assert [told["seats"][(seat + shift) % players] for seat in range(players)] == state["seats"]
        compared += 1
    assert compared >= 10, compared
