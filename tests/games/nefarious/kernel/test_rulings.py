"""What the rules page marks as a ruling, at a table of its own each (docs/games/nefarious.md).

The rulings inside the row of one twist are in test_twists.py; the round limit is in test_laws.py.
"""

from itertools import permutations

import pytest

from balance.errors import UsageError
from balance.games.nefarious.catalog.loading import load_catalog
from balance.games.nefarious.rules import compile_cell
from balance.games.nefarious.session import Session
from tests.games.nefarious.tables_builder import (
    ASCORA,
    CATALOG,
    EDITIONS,
    MAGELLAN,
    MOSIGRA,
    Seat,
    card,
    play_round,
    round_of,
    table,
)

# --- sections 1 to 4 --------------------------------------------------------------------------------------


def test_hands_are_dealt_seat_by_seat():
    session = Session(compile_cell(CATALOG, ASCORA, 3), seed=5, game_index=1)
    for seat in range(3):
        dealt = session.opening_deck[3 * seat : 3 * seat + 3]
        assert [session.cell.cards[c].id for c in session.state["hand"][seat][:3]] == sorted(dealt)


def test_placements_of_r4_are_decided_on_the_state_at_its_start():
    played = round_of(Seat("S"), Seat("S"), Seat("S"), place={0: ["W"], 1: ["I"]})
    places = [i for i, q in enumerate(played.asked) if q.kind == "place"]
    assert len(places) == 3
    assert played.told() == ["place W", "place I", "place S"], "asked one after the other, then executed"
    poor = round_of(Seat("S", 1), Seat("W"))
    assert poor.asked[-1].options == ("speculate", "research", "work"), "what cannot be paid cannot be picked"


def test_builds_of_r5_are_decided_before_anything_is_revealed():
    played = round_of(Seat("I", hand=["Flying Car"]), Seat("I", 5, hand=["Beast-man"], on="S"))
    assert played.told(1) == ["unaffordable", "+2"], "the 2 come after it was revealed"


def test_a_per_amount_is_counted_once_when_the_line_starts():
    """Brain Swapper: as many discards as built inventions, whatever was really drawn."""
    hand = ["Brain Swapper", 1, 2]
    played = round_of(
        Seat("I", hand=hand, built=[14]), Seat(), deck=[3], build={0: ["Brain Swapper"]}, edition=MAGELLAN
    )
    assert played.told(0) == ["built", "draw 1", "discard 1", "discard 1"]
    robots = round_of(Seat("I", 12, hand=["Robot Doubles"], built=[14, 18]), Seat())
    assert robots.told(0) == ["built", "place S", "place S", "place S"]


def test_a_new_card_has_left_the_hand_and_is_built_at_once():
    specs = round_of(Seat("I", hand=["X-Ray Specs", 1, 2]), Seat(), build={0: ["X-Ray Specs"]})
    assert specs.told(0) == ["built", "+2"]
    helpful = round_of(Seat("I", hand=["Helpful Robot"]), Seat())
    assert helpful.told(0) == ["built", "draw 1"]


def test_secret_lair_is_a_value_and_no_effect():
    cancelled = round_of(Seat("I", 12, hand=["Secret Lair"]), Seat(), twists=["security-measures"])
    doubled = round_of(Seat("I", 12, hand=["Secret Lair"]), Seat(), twists=["quantum-relativity"])
    assert cancelled.of("vp")[0] == doubled.of("vp")[0] == 1


def test_all_or_nothing_one_pass_of_research_is_one_instruction():
    seats = [Seat("R"), Seat("R")]
    closed = round_of(*seats, deck=[1])
    assert closed.told() == ["+2", "+2", "no_more_draws"]
    under = round_of(*seats, deck=[1], pile=[2, 3])
    assert under.told() == ["+2", "+2", "shuffle", "draw 1", "draw 1"]
    assert under.of("hand")[0] == [1], "the shuffled cards went under the deck"
    enough = round_of(*seats, deck=[1, 2], pile=[3])
    assert enough.told() == ["+2", "+2", "draw 1", "draw 1"], "strictly fewer"


def test_all_or_nothing_closes_the_deck_for_the_rest_of_the_game():
    session = table(Seat(hand=["Virus", 63]), Seat(hand=[6]), Seat(), deck=[4], pile=[5])
    first = play_round(session, ["R", "R", "R"])
    assert first.told() == ["+2", "+2", "+2", "shuffle", "no_more_draws"]
    second = play_round(session, ["R", "I", "W"], {"discard": {}})
    assert second.told(0) == ["+2"], "not even for one who would find a card"
    assert second.told(1) == ["built"], "nothing is drawn, and nothing there to discard"
    assert second.state["deck"] == 2, "the shuffled cards stay under the deck"


def test_all_or_nothing_discards_of_the_same_effect_still_happen():
    played = round_of(Seat("I", hand=["Nanobots", 1, 2]), Seat(), deck=[3], build={0: ["Nanobots"]})
    assert played.told() == ["built", "no_more_draws", "discard 1", "discard 1", "+4"]


def test_all_or_nothing_two_passes_of_research_are_two_instructions():
    played = round_of(Seat("R"), Seat("R"), deck=[1, 2], twists=["parallel-universe"])
    assert played.told() == ["+2", "+2", "draw 1", "draw 1", "+2", "+2", "no_more_draws"]


def test_all_or_nothing_a_twist_at_r8_is_one_instruction_for_all():
    played = round_of(Seat("I"), Seat("I"), deck=[1], twists=["philanthropy"])
    assert played.told() == ["no_more_draws"]


def test_all_or_nothing_a_line_is_one_instruction_of_one_player():
    played = round_of(
        Seat("I", hand=["Particle Accelerator"]), Seat("I", hand=["Tesla Shocker"]), deck=[1], pile=[]
    )
    assert played.told() == ["built", "built", "draw 1", "no_more_draws", "discard 1"]


def test_an_instruction_that_needs_no_card_triggers_nothing():
    played = round_of(Seat("W", hand=[1]), Seat("W", hand=[2]), deck=[], twists=["philanthropy"])
    assert "no_more_draws" not in played.told()


@pytest.mark.parametrize("edition", [MAGELLAN, MOSIGRA])
def test_reshuffle_draws_card_by_card(edition):
    seats = [Seat("R"), Seat("R"), Seat("R")]
    played = round_of(*seats, deck=[1], pile=[2], edition=edition)
    assert played.told()[3:] == ["draw 1", "shuffle", "draw 1"], "both empty: no card"
    split = round_of(Seat("I", hand=[1]), Seat(), deck=[2], pile=[3, 4], edition=edition)
    assert split.told(0) == ["built", "draw 1", "draw 1"], "a draw is split where a shuffle falls"


# --- section 6, further rulings ---------------------------------------------------------------------------


def test_bonus_vp_come_and_go_with_the_state():
    session = table(Seat("R", on="S"), Seat("S"), twists=["inspiration"])
    assert play_round(session, ["R", "W"]).of("vp") == [0, 3]
    assert play_round(session, ["R", "S"]).of("vp") == [0, 0]


@pytest.mark.parametrize("order", list(permutations(["unions", "bigger-and-better"])))
def test_r5_unions_removal_and_bigger_and_better_in_twist_order(order):
    played = round_of(Seat("I", hand=["Addictive Video Game"], on="W"), Seat(), twists=order)
    step = {"unions": "remove W", "bigger-and-better": "+2"}
    assert played.told(0) == ["+2", "built", step[order[0]], step[order[1]], "+4"]


@pytest.mark.parametrize("order", list(permutations(["unions", "hyperinflation"])))
def test_r5_hyperinflation_comes_directly_after_paying(order):
    played = round_of(Seat("I", 9, hand=["Addictive Video Game"], on="S"), Seat(), twists=order)
    assert played.told(0) == ["built", "-9", "remove S", "+4"]


def test_r5_the_test_of_unions_comes_before_the_price_is_looked_at():
    played = round_of(Seat("I", 0, hand=[63]), Seat(), twists=["unions", "hyperinflation"])
    assert played.told(0) == ["unions", "place S"]


def test_r5_everybody_pays_before_any_effect():
    """Seat 0's Blinding Ray takes 3 of everybody, but the neighbour has paid by then."""
    played = round_of(Seat("I", 13, hand=["Blinding Ray"]), Seat("I", 5, hand=["Virus"]), place={1: ["R"]})
    assert played.told() == ["built", "built", "place R"]
    removal = round_of(
        Seat("I", hand=["Tesla Shocker"], on="S"), Seat("I", hand=["Virus", 1], on="S"), twists=["unions"],
        build={1: ["Virus"]},
    )  # fmt: skip
    assert removal.told()[:4] == ["built", "remove S", "built", "remove S"]


def test_r5_with_an_empty_hand_nothing_at_all_happens():
    assert round_of(Seat("I"), Seat("I"), twists=["unions", "hyperinflation"]).told() == []


@pytest.mark.parametrize("order", list(permutations(["recycling", "forgotten-epiphanies"])))
def test_added_lines_come_after_the_printed_ones_in_twist_order(order):
    played = round_of(Seat("I", hand=["Love Potion", 1]), Seat(), twists=order, build={0: ["Love Potion"]})
    step = {"recycling": "draw 1", "forgotten-epiphanies": "discard 1"}
    assert played.told(0) == ["built", "+8", step[order[0]], step[order[1]]]


def test_placements_of_mad_broker_and_unions_are_placements_for_rigged_investments():
    broker = round_of(Seat("R", on="RR"), Seat("I", on="RRR"), twists=["mad-broker", "rigged-investments"])
    assert broker.told(0)[:2] == ["place R", "+5"], "as the round began, before seat 1's three left"
    seats = [Seat("I", hand=["Virus"]), Seat("I", on="SS")]
    unions = round_of(*seats, twists=["unions", "rigged-investments"])
    assert unions.told(0) == ["unions", "place S", "+2"]
    mosigra = round_of(*seats, twists=["unions", "rigged-investments"], edition=MOSIGRA)
    assert mosigra.told(0) == ["unions", "place S"]


def test_placements_of_unions_are_placements_for_academics():
    played = round_of(Seat("I", hand=["Virus"]), Seat(), twists=["unions", "academics"], edition=MAGELLAN)
    assert played.told(0) == ["unions", "place S", "draw 1"]


def test_perpetual_motion_with_age_of_boredom_leaves_the_other_two():
    played = round_of(
        Seat("SW", before="IR"),
        Seat("SI", before="RW"),
        twists=["perpetual-motion", "age-of-boredom"],
        after=1,
    )
    assert [question.options for question in played.asked[:2]] == [
        (("speculate", "work"),),
        (("speculate", "invent"),),
    ]


@pytest.mark.parametrize("order", list(permutations(["game-theory", "insider-trading"])))
def test_game_theory_doubles_insider_trading(order):
    played = round_of(Seat("R", on="RW"), Seat("W"), Seat("I"), twists=order)
    assert played.income[0] == 2 * (1 + 1)


def test_game_theory_does_not_double_focus_groups():
    played = round_of(
        Seat("R", on="RW"), Seat("W"), Seat("I"), twists=["game-theory", "focus-groups"], edition=MAGELLAN
    )
    assert (played.income[0], played.moved("twist:focus-groups")[0]) == (2, 2)


def test_cyber_spies_does_not_stop_focus_groups():
    played = round_of(Seat("W", on="W"), Seat("W"), twists=["cyber-spies", "focus-groups"], edition=MAGELLAN)
    assert (played.income, played.moved("twist:focus-groups")) == ([0, 0], [2, 0])


def test_a_committed_card_counts_as_in_hand():
    plans = {"hand": [1, 2, 3, 4, 5], "committed": 5}
    played = round_of(Seat(**plans), Seat(), twists=["long-term-plans", "better-left-unknown"])
    assert played.of("vp")[0] == 5
    both = round_of(Seat(hand=[1, 2], committed=2), Seat(), twists=["long-term-plans", "overpopulation"])
    assert both.of("hand")[0] == [2], "with two cards one is discarded, not the committed one"


def test_the_whole_hand_is_discarded_but_for_the_committed_card(overlay):
    """Only a card that hits others can do this: who builds has nothing committed any more."""
    flood = load_catalog([overlay("[[invention]]\nid = 63\ncost = 0\nothers = ['-all card']")])
    played = round_of(
        Seat("I", hand=[63]),
        Seat("W", hand=[1, 2, 3], committed=2),
        twists=["long-term-plans"],
        catalog=flood,
    )
    assert played.of("hand")[1] == [2]


def test_long_term_plans_with_nothing_committed_the_build_is_free():
    hand = ["Addictive Video Game", "Buttered Cat Array", "Robotic Pet"]
    played = round_of(
        Seat("I", hand=hand, committed=hand[1]), Seat(), twists=["parallel-universe", "long-term-plans"],
        build={0: [hand[1], hand[2]]},
    )  # fmt: skip
    builds = [question.options for question in played.asked if question.kind == "build"]
    assert builds == [(card(hand[1]),), (card(hand[0]), card(hand[2]))]
    session = table(Seat(), Seat(), twists=["long-term-plans", "perpetual-motion"])
    empty = play_round(session, ["IR", "IR"])
    assert "commit" not in empty.told(), "an empty hand at R0"


def test_research_money_then_draws_then_discards():
    played = round_of(Seat("R"), Seat("R"), twists=["focused-research", "forgotten-epiphanies"])
    assert played.told() == ["+2", "+2", "draw 3", "draw 3", "discard 1", "discard 1"]


def test_parallel_universe_repeats_what_belongs_to_an_action():
    hand = ["Addictive Video Game", "Buttered Cat Array"]
    bigger = round_of(Seat("I", hand=hand), Seat(), twists=["parallel-universe", "bigger-and-better"])
    assert bigger.moved("twist:bigger-and-better")[0] == 4, "1 VP, then 2"
    unions = round_of(Seat("I", hand=hand, on="SS"), Seat(), twists=["parallel-universe", "unions"])
    assert unions.told(0) == ["built", "remove S", "+4", "built", "remove S"]
    hyper = round_of(Seat("I", 9, hand=hand), Seat(), twists=["hyperinflation", "parallel-universe"])
    assert hyper.told(0) == ["built", "-9", "+4", "built", "-4"]
    added = round_of(Seat("I", hand=hand), Seat(), twists=["recycling", "parallel-universe"], build={0: hand})
    assert added.told(0) == ["built", "+4", "draw 1", "built", "draw 1"]
    rigged = round_of(Seat("S", on="SS"), Seat("I"), twists=["rigged-investments", "parallel-universe"])
    assert rigged.told(0) == ["place S", "+2", "place S", "+2"], "the same count as the round began"


def test_parallel_universe_does_not_repeat_what_happens_at_r0_r2_r3_or_r8():
    radio = round_of(Seat("I"), Seat("I"), twists=["parallel-universe", "free-radio"])
    broker = round_of(Seat("I"), Seat("I"), twists=["parallel-universe", "mad-broker"])
    mob = round_of(Seat("I"), Seat("I"), twists=["parallel-universe", "mob-influence"])
    assert (radio.money, broker.on(0), mob.money) == ([12, 12], "I", [9, 9])


def test_rigged_investments_of_mosigra_counts_anew_in_each_half():
    played = round_of(
        Seat("S", 0, on="WW"), Seat("S", 0, on="SSSSS"), twists=["parallel-universe", "rigged-investments"],
        edition=MOSIGRA, place={0: ["I"]},
    )  # fmt: skip
    gains = [e["amount"] for e in played.events if e.get("cause") == "twist:rigged-investments"]
    assert gains == [7, 8], "and nothing for seat 1, who has no reserve"


def test_rigged_investments_of_mosigra_pays_before_the_price():
    seats = [Seat("S", 0, on="W"), Seat("W", on="R")]
    mosigra = round_of(*seats, twists=["rigged-investments"], edition=MOSIGRA, place={0: ["I"]})
    assert mosigra.asked[-1].options == ("speculate", "invent", "research", "work")
    magellan = round_of(*seats, twists=["rigged-investments"], edition=MAGELLAN)
    earned = magellan.income[0]
    assert earned == 2
    assert magellan.asked[-1].options == ("speculate", "invent", "research", "work")
    broke = round_of(Seat("S", 0), Seat("I", on="R"), twists=["rigged-investments"], edition=MAGELLAN)
    assert broke.asked[-1].options == ("speculate", "research"), "only what is payable without the gain"


def test_alien_contact_does_not_count_a_kept_committed_card(overlay):
    """Who has built has built the committed card; so a card must be committed between R5 and R8."""
    lines = '[{ when = "end", if = "committed == 0", do = "+1 commit" }]'
    twist = f'[[twist]]\nid = "late-plans"\nname = "Late Plans"\neditions = ["{ASCORA}"]\nlines = {lines}'
    played = round_of(
        Seat("I", hand=["Buttered Cat Array", 1, 2, 5]), Seat(), twists=["late-plans", "alien-contact"],
        catalog=load_catalog([overlay(twist)]), build={0: ["Buttered Cat Array"]}, commit={0: [5]},
    )  # fmt: skip
    assert played.told(0) == ["built", "commit", "discard 2", "draw 2"]
    assert 5 in played.of("hand")[0]


def test_four_pairs_never_meet():
    sets = {edition: {twist.id for twist in CATALOG.twists_of(edition)} for edition in EDITIONS}
    for old in ("mad-broker", "overpopulation"):
        for new in ("academics", "focus-groups"):
            assert not any({old, new} <= here for here in sets.values())
            for edition in EDITIONS:
                with pytest.raises(UsageError, match="is not in edition"):
                    compile_cell(CATALOG, edition, 4, [old, new])


def test_geeks_with_six_players_leaves_four_cards():
    session = Session(compile_cell(CATALOG, ASCORA, 6, ["geeks"]), seed=1, game_index=0, log=True)
    assert session.table["n_deck"] == 4
    assert "no_more_draws" in play_round(session, ["R"] * 6).told(), "six researchers close the deck at once"


# --- the order of the twists ------------------------------------------------------------------------------


def test_at_r0_the_twists_act_in_the_order_in_which_they_were_turned_over():
    seats = [Seat("I", 14), Seat("I", 14)]
    assert round_of(*seats, twists=["free-radio", "embezzling-minions"]).money == [15, 15]
    assert round_of(*seats, twists=["embezzling-minions", "free-radio"]).money == [12, 12]


def test_at_r8_too():
    seats = [Seat("W", 1 - 1, hand=[1]), Seat("W", 0, hand=[2])]
    first = round_of(*[Seat("I", 1), Seat("I", 1)], twists=["mob-influence", "philanthropy"])
    second = round_of(*[Seat("I", 1), Seat("I", 1)], twists=["philanthropy", "mob-influence"])
    assert (first.money, second.money) == ([2, 2], [0, 0])
    assert round_of(*seats, twists=["philanthropy", "mob-influence"]).money == [3, 3]
