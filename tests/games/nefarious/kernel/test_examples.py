"""The worked examples of the rules page (docs/games/nefarious.md, section 8), played by the kernel."""

import pytest

from balance.games.nefarious.rules import compile_cell
from balance.games.nefarious.session import Session
from tests.games.nefarious.tables_builder import ASCORA, CATALOG, Seat, card, play_round, round_of, table


@pytest.mark.parametrize(("left", "earned"), [("W", 3), ("S", 4)])
def test_example_1_income_of_four_players(left, earned):
    """2 minions on Speculate, 1 on Work; right plays Speculate, the player opposite Work, R works."""
    played = round_of(Seat("W", on="SSW"), Seat(left), Seat("W"), Seat("S"))
    assert played.income == [earned, 0, 0, 0]


def test_example_2_two_players_earn_double():
    played = round_of(Seat("S", on="WWW"), Seat("W"))
    assert played.income == [6, 0]


def test_example_3_wendy_sam_jessie_nick():
    played = round_of(
        Seat("I", 30, hand=["Hypnotic Ray", 1]),
        Seat("I", 30, hand=["Shrinking Ray", 2]),
        Seat("S", 30, hand=[3], on="SSSSS"),
        Seat("I", 30, hand=["Space Elevator", 4]),
        build={0: ["Hypnotic Ray"], 1: ["Shrinking Ray"], 3: ["Space Elevator"]},
        place={0: ["R"]},
    )
    assert played.told(2) == ["draw 1", "discard 1"], "Jessie"
    assert played.told(3) == ["built", "draw 1", "discard 1"], "Nick"
    assert played.told(0) == ["built", "place R", "discard 1", "draw 1"], "Wendy"
    assert played.told(1) == ["built", "discard 1", "draw 1"], "Sam"


def test_example_4_anna_boris_ivan():
    played = round_of(
        Seat("I", 30, hand=["Cryochamber", 1]),
        Seat("I", 30, hand=["Anti-gravity Suit", 2]),
        Seat("I", 30, hand=["Space Elevator", 3]),
        build={0: ["Cryochamber"], 1: ["Anti-gravity Suit"], 2: ["Space Elevator"]},
        place={0: ["W"], 1: ["W"], 2: ["W"]},
    )
    assert played.told(0) == ["built", "place W", "discard 1", "draw 1"], "Anna"
    assert played.told(1) == ["built", "+4", "draw 1", "place W"], "Boris"
    assert played.told(2) == ["built", "draw 1", "place W", "discard 1"], "Ivan"


def test_example_5_what_cannot_be_done_in_full_is_done_as_far_as_possible():
    discards_two = round_of(Seat("I", hand=["Nanobots"]), Seat(), deck=["Virus"])
    assert discards_two.told(0) == ["built", "no_more_draws"][:1], "nothing drawn, nothing to discard"
    with_one_card = round_of(Seat("I", hand=["Nanobots", "Virus"]), Seat(), deck=[], build={0: ["Nanobots"]})
    assert with_one_card.told(0) == ["built", "discard 1"]
    loses_two = round_of(Seat("I", 8, hand=["Mutant Bindweed"]), Seat("I", 1))
    assert loses_two.money == [0, 0]
    assert loses_two.told(1) == ["-1"]
    all_out = round_of(Seat("I", hand=["Hypnotic Ray"], on="SIRWW"), Seat())
    assert all_out.told(0, "invention:15") == []
    assert all_out.on(0) == "SIRWW"


def test_example_6_secret_lair_grows_with_what_is_built():
    third = round_of(Seat("I", 12, hand=["Secret Lair"], built=["Virus", "Love Potion"]), Seat())
    assert third.of("vp")[0] == 2 + 2 + 3
    later = round_of(
        Seat(built=["Virus", "Love Potion", "Secret Lair", "Helpful Robot", "Particle Accelerator", 14]),
        Seat(),
    )
    assert later.of("vp")[0] == 5 * 2 + 6


def test_example_7_grants_with_game_theory():
    played = round_of(Seat("R", on="WW"), Seat("W"), Seat("S"), twists=["grants", "game-theory"])
    assert played.moved("twist:grants") == [2, 2, 2]
    assert played.income[0] == 4


def test_example_8_philanthropy_with_private_funding():
    twists = ["philanthropy", "private-funding"]
    start = Session(compile_cell(CATALOG, ASCORA, 3, twists), seed=1, game_index=0)
    assert [int(m) for m in start.table["money"][:3]] == [20, 20, 20]
    played = round_of(Seat("I", 0), Seat("I", 5), Seat("I", 0, hand=["Space Elevator"]), twists=twists)
    assert played.moved("twist:philanthropy") == [2, 0, 2]
    assert played.told(0) == ["+2", "draw 1"]
    assert played.told(1) == ["draw 1"]
    assert played.told(2) == ["unaffordable", "+2"]


def test_example_9_embezzling_and_cheap_fusion():
    played = round_of(Seat("I", 14), Seat("I", 15), Seat("I", 3), twists=["embezzling-minions"])
    assert played.money == [10, 15, 3]
    cheap = round_of(Seat("I", 9, hand=["Growth Activator"]), Seat(), twists=["cheap-fusion-power"])
    assert CATALOG.invention("Growth Activator").cost == 9
    assert cheap.money[0] == 9 - 5


def test_example_10_mad_broker():
    fourth = round_of(Seat("R", on="RRR"), Seat("R"), Seat("W"), twists=["mad-broker"])
    assert fourth.on(0) == "RRRR"
    assert fourth.told(0)[:2] == ["place R", "+4"], "it arrives before income"
    leave = round_of(Seat("I", on="RRR"), Seat("R"), Seat("W"), twists=["mad-broker"])
    assert leave.told(0) == ["remove R", "remove R", "remove R", "place I"]
    assert leave.on(0) == "I"


def test_example_11_quantum_relativity_with_nanobots():
    played = round_of(Seat("I", hand=["Nanobots"]), Seat(), twists=["quantum-relativity"])
    assert played.told(0) == ["built", *["draw 2", "discard 1", "discard 1"] * 2]


def test_example_12_rigged_investments():
    played = round_of(
        Seat("S", on="III"), Seat("S", on="II"), Seat("R"),
        twists=["rigged-investments"], place={0: ["I"], 1: ["I"]},
    )  # fmt: skip
    assert played.moved("twist:rigged-investments") == [5, 5, 0]


def test_example_13_subliminal_and_double_work():
    subliminal = round_of(Seat("I", 14), Seat("I", 4), twists=["subliminal-advertising"])
    assert subliminal.of("vp") == [2, 0]
    double = round_of(Seat("W"), Seat("I"), twists=["parallel-universe", "blood-sweat-and-mice"])
    assert double.told(0) == ["+6", "+6"]
    assert double.money == [10 + 12, 10]


def test_example_14_security_measures_and_lingering_evil():
    safe = round_of(Seat("I", hand=["Nanobots"]), Seat("I"), twists=["security-measures", "stolen-parts"])
    assert safe.money == [10 - 5, 10]
    assert safe.told() == ["built"]
    blank = {"hand": ["Buttered Cat Array"], "built": ["Nanobots"]}
    inactive = round_of(Seat("I", **blank), Seat("I"), twists=["lingering-evil", "recycling"])
    assert inactive.told() == ["built", "draw 1"]
    alone = round_of(Seat("I", **blank), Seat("I"), twists=["lingering-evil"])
    assert alone.told() == ["built", "draw 2", "discard 1", "discard 1"]
    assert alone.told(cause=f"invention:{card('Nanobots')}") == ["draw 2", "discard 1", "discard 1"]


@pytest.mark.parametrize(
    ("twists", "kept"),
    [
        (["hyperinflation"], 4),
        (["hyperinflation", "bigger-and-better"], 4 + 2),
        (["bigger-and-better", "hyperinflation"], 4 + 2),
    ],
)
def test_example_15_hyperinflation_with_a_card_that_costs_nothing(twists, kept):
    played = round_of(Seat("I", 9, hand=["Addictive Video Game"]), Seat(), twists=twists)
    assert played.told(0)[:2] == ["built", "-9"]
    assert played.money[0] == kept


def test_example_16_sentient_ai():
    played = round_of(Seat("I", hand=["Sentient AI", 1, 2, 3]), Seat(), build={0: ["Sentient AI"]})
    assert played.told(0) == ["built", "draw 3"]


# --- the builder ------------------------------------------------------------------------------------------


def test_a_table_can_be_played_on_round_after_round():
    session = table(Seat(hand=["Virus"]), Seat())
    first = play_round(session, ["W", "W"])
    second = play_round(session, ["I", "R"])
    assert first.money == [14, 14]
    assert second.told(0) == ["built", "place S"]
    assert [event["round"] for event in second.events if event["event"] == "round"] == [2]


def test_an_answer_that_is_never_asked_for_is_a_mistake_of_the_test():
    with pytest.raises(AssertionError, match="never asked"):
        round_of(Seat("W"), Seat("W"), place={0: ["S"]})
