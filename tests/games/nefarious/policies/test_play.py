"""How the players decide: on what they may know, by the rules, the same game however it is played."""

import random
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from balance import games
from balance.games.lineup import parse_lineup
from balance.games.nefarious.catalog.loading import load_catalog
from balance.games.nefarious.kernel import batch
from balance.games.nefarious.kernel import codes as c
from balance.games.nefarious.policies.names import FIELD
from balance.games.nefarious.session import Session, policy_codes
from tests.games.nefarious.laws import broken_laws
from tests.games.nefarious.tables_builder import Seat, card, table

GAME = games.get("nefarious")
CATALOG = load_catalog([Path(__file__).parents[3] / "data" / "custom_twists.toml"])
ASCORA, MAGELLAN = "ascora-2011", "magellan-2014"
# Between them every kind of decision comes up, several actions a round, resting actions, a committed card.
CELLS = [
    (3, ("long-term-plans", "geeks"), ASCORA),
    (2, ("perpetual-motion", "parallel-universe"), ASCORA),
    (4, ("unions", "age-of-boredom"), ASCORA),
    (3, ("academics", "forgotten-epiphanies"), MAGELLAN),
    (4, ("custom-handicap", "custom-envy"), ASCORA),
]


def session_of(players, twists, edition=ASCORA, seed=5, game=1):
    return Session(GAME.compile(CATALOG, edition, players, twists), seed, game)


def answer_of(session, policy):
    """What a policy answers to the open question, read off the tape of a copy."""
    twin, question = session.copy(), session.question()
    place = int(twin.deciders[0]["n_tape"])
    twin.answer_by(policy_codes([policy] * twin.cell.players))
    batch.play_one_round(twin.cell.rules, twin.states, twin.deciders, twin.log)
    return twin._word(question.kind, int(twin.deciders[0]["tape"][place]))


# --- only what a player at the table may know -------------------------------------------------------------


def clutter(record):
    """Write what another decision could have left behind into every field of a record."""
    for name in record.dtype.names:
        if record.dtype[name].names:
            clutter(record[name])
        else:
            floats = np.issubdtype(record.dtype[name].base, np.floating)
            record[name] = 50 if floats else 3  # a worth of 50 VP would change much


def hide_anew(session, chance):
    """A copy in which the cards that the seat has not seen lie elsewhere; None if there are less than two.

    What is left in its mind from earlier decisions, maybe those of other seats, is other too. Cards that
    somebody has decided about in this round stay where they are: the decisions are on the tape.
    """
    other = session.copy()
    clutter(other.deciders[0]["mind"])
    g, t, p = other.state, other.table, other.deciders[0]
    known = {k for k in range(128) if int(p["known"][k >> 6]) >> (k & 63) & 1}
    on_tape = set(p["tape"][: int(p["n_tape"])].tolist())
    fixed = known | on_tape | {int(k) for k in g["committed"][: other.cell.players]}
    hands = [(g["hand"][s], i) for s in range(other.cell.players) for i in range(int(t["n_hand"][s]))]
    deck = [(g["deck"], int(g["deck_top"]) + i) for i in range(int(t["n_deck"]))]
    places = [(cards, i) for cards, i in hands + deck if int(cards[i]) not in fixed]
    cards = [int(where[i]) for where, i in places]
    if len(cards) < 2:
        return None
    chance.shuffle(cards)
    for (where, i), moved in zip(places, cards, strict=True):
        where[i] = moved
    for s in range(other.cell.players):
        n = int(t["n_hand"][s])
        g["hand"][s, :n] = np.sort(g["hand"][s, :n])
    return other


def check_blind(policy, players, twists, edition, most):
    """Ask a policy the same question while hidden cards lie otherwise; return the kinds that were asked."""
    session = session_of(players, twists, edition)
    chance = random.Random(3)
    asked = dict.fromkeys(c.DECISIONS, 0)
    while (question := session.advance()) is not None:
        if len(question.options) > 1 and asked[question.kind] < most:
            other = hide_anew(session, chance)
            if other is not None:
                assert other.advance() == question
                assert answer_of(other, policy) == answer_of(session, policy), (question, twists)
                asked[question.kind] += 1
        session.answer_by(policy_codes(["random"] * players))
    return {kind for kind, times in asked.items() if times}


def test_what_a_seat_has_seen_is_its_hand_and_what_lies_open():
    session = session_of(3, ())
    question = session.advance()
    known = session.deciders[0]["known"]
    hand = session.state["hand"][question.seat, : int(session.table["n_hand"][question.seat])]
    assert sum(int(word).bit_count() for word in known) == hand.size
    assert all(int(known[k >> 6]) >> (k & 63) & 1 for k in hand.tolist())


@pytest.mark.parametrize("policy", ["random", "learned", *FIELD])
def test_what_is_hidden_cannot_change_a_decision(policy):
    kinds = set()
    for players, twists, edition in CELLS:
        kinds |= check_blind(policy, players, twists, edition, most=12)
    assert kinds == set(c.DECISIONS)


def test_what_is_hidden_cannot_change_a_decision_of_search():
    kinds = set()
    for players, twists, edition in CELLS:
        kinds |= check_blind("search:3", players, twists, edition, most=2)
    assert kinds == set(c.DECISIONS)


# --- the same game however it is played -------------------------------------------------------------------


@cache
def seated(lineup, players, games_):
    made = parse_lineup(lineup, players, GAME)
    return made, made.seated(7, np.arange(games_))


LINEUPS = [
    ("field", 4),
    ("adaptive,greedy,random", 3),
    ("search:3,adaptive", 2),
    ("random,search:2,saver", 3),
]


@pytest.mark.parametrize(("lineup", "players"), LINEUPS)
def test_a_replay_tells_the_game_whose_rows_a_batch_wrote(lineup, players):
    for twists in ((), ("long-term-plans", "unions")):
        cell = GAME.compile(CATALOG, ASCORA, players, twists)
        made, who = seated(lineup, players, 2)
        for index in range(2):
            columns = GAME.play(cell, 7, [index], who[index : index + 1])
            events = GAME.replay(cell, 7, index, made.names(7, index, 0))
            assert broken_laws(cell, events) == []
            told = GAME.rows_of(cell, events)
            assert told.keys() == columns.keys() >= {"games", "seats"}
            for name, table_ in columns.items():
                names = list(table_)
                rows = [dict(zip(names, row, strict=True)) for row in zip(*table_.values(), strict=True)]
                assert told[name] == rows, name


@pytest.mark.parametrize(("lineup", "players"), LINEUPS)
def test_the_same_games_whatever_the_size_of_a_batch(lineup, players):
    cell = GAME.compile(CATALOG, ASCORA, players, ("geeks", "perpetual-motion"))
    _, who = seated(lineup, players, 3)
    together = GAME.play(cell, 7, [0, 1, 2], who)["seats"]
    alone = [GAME.play(cell, 7, [i], who[i : i + 1])["seats"] for i in (2, 0, 1)]
    assert {"won", "vp"} <= together.keys()
    for name in together:
        if name != "game":
            parts = np.concatenate([alone[1][name], alone[2][name], alone[0][name]])
            assert np.array_equal(together[name], parts), name


@pytest.mark.parametrize("block", range(4))
def test_search_plays_by_the_rules_under_any_pair(block):
    """The ledger follows the log: whatever a search answers must have been an option."""
    chance = random.Random(f"search {block}")
    for _ in range(12):
        edition = chance.choice([edition.id for edition in CATALOG.editions])
        twists = chance.sample([twist.id for twist in CATALOG.twists_of(edition)], 2)
        cell = GAME.compile(CATALOG, edition, 2, twists)
        who = ["search:2", chance.choice(FIELD)]
        events = GAME.replay(cell, chance.randrange(2**63), chance.randrange(2**32), who)
        assert broken_laws(cell, events) == [], (edition, twists)


# --- who they are ----------------------------------------------------------------------------------------


def greedy_at(*hand, money, twists=()):
    """What `greedy` does with these cards and coins: its action, and the card if it is Invent."""
    session = table(Seat(hand=hand, money=money), Seat(), twists=twists)
    assert session.advance().seat == 0
    action = answer_of(session, "greedy")
    session.answer(action)
    session.advance()
    session.answer(("work",))
    if action != ("invent",):
        return action[0]
    question = session.advance()
    assert (question.kind, question.seat) == ("build", 0)
    return answer_of(session, "greedy")


# 5 VP for 12 coins, 6 for 16, 8 for 22
FIVE, SIX, EIGHT = (card(name) for name in ("Earthquake Generator", "Snow Machine", "Doomsday Machine"))


def test_greedy_builds_the_best_card_that_it_can_pay():
    assert greedy_at(FIVE, SIX, EIGHT, money=30) == EIGHT
    assert greedy_at(FIVE, SIX, EIGHT, money=21) == SIX
    assert greedy_at(FIVE, SIX, EIGHT, money=15) == FIVE


def test_greedy_works_towards_the_next_card_if_it_can_pay_none():
    assert greedy_at(FIVE, SIX, EIGHT, money=3) == "work"


def test_greedy_looks_for_cards_if_it_has_none():
    assert greedy_at(money=10) == "research"


def test_greedy_looks_for_other_cards_if_saving_will_never_pay_those_it_has():
    """Embezzling Minions take what is above a multiple of 5, so the 4 coins of Work never last."""
    assert greedy_at(FIVE, money=3) == greedy_at(EIGHT, money=15) == "work"
    assert greedy_at(FIVE, money=3, twists=["embezzling-minions"]) == "research"
    assert greedy_at(EIGHT, money=15, twists=["embezzling-minions"]) == "research"
    assert greedy_at(FIVE, EIGHT, money=15, twists=["embezzling-minions"]) == FIVE


@pytest.mark.parametrize("twist", ["mad-broker", "embezzling-minions", "hyperinflation", "mob-influence"])
def test_players_among_their_own_kind_come_to_an_end(twist):
    """Twists under which a player who counts on income without end never spends it.

    `saver` may wait for ever where Work does not pay (docs/policies.md).
    """
    for policy in set(FIELD) - ({"saver"} if twist == "embezzling-minions" else set()):
        cell = GAME.compile(CATALOG, "ascora-2011", 4, [twist])
        indices = np.arange(60)
        rows = GAME.play(cell, 5, indices, parse_lineup(f"mirror:{policy}", 4, GAME).seated(5, indices))
        assert rows["games"]["stalled"].sum() <= 1, policy


# --- equal rules, equal games -----------------------------------------------------------------------------

EDITION = '[[edition]]\nid = "home"\nname = "Home"\ndeck = "reshuffle"\nset = { %s }\n'
TWISTS = """
[[twist]]
id = "mine"
name = "Mine"
editions = ["home"]
set = { %s }

[[twist]]
id = "idle"
name = "Idle"
editions = ["home"]
"""


def games_of(catalog, edition, twists, count=40):
    """The rules as compiled, and what becomes of games of `adaptive`."""
    cell = GAME.compile(catalog, edition, 4, twists)
    logs = [GAME.replay(cell, 7, index, ["adaptive"] * 4) for index in range(count)]
    return cell.rules.tobytes(), [[event for event in log if event["event"] != "setup"] for log in logs]


def test_what_a_twist_overrides_does_not_change_how_players_play(overlay):
    """An edition in which Work pays 3, and a twist that sets it to 6 in every edition."""
    prices = "price_invent = 2, price_research = 1, price_work = 1"
    text = f'[[edition]]\nid = "{ASCORA}"\nset = {{ {prices}, work_money = 3 }}\n'
    twists = ["blood-sweat-and-mice"]
    assert games_of(load_catalog([overlay(text)]), ASCORA, twists) == games_of(CATALOG, ASCORA, twists)


@pytest.mark.parametrize(
    "change",
    ["work_money = 6", "research_money = 0", "actions = 2", "action_repeats = 2", "cost_divisor = 2"],
)
def test_it_does_not_matter_whether_an_edition_or_a_twist_says_it(overlay, change):
    by_edition = overlay(EDITION % change + TWISTS % "")
    found = games_of(load_catalog([by_edition]), "home", ["mine"], 8)
    by_twist = overlay(EDITION % "" + TWISTS % change)
    assert games_of(load_catalog([by_twist]), "home", ["mine"], 8) == found
