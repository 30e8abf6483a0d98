"""What hangs on facts in doubt: a planted reading that breaks the game, cards that change their rank."""

from dataclasses import replace

import pytest

from balance.errors import UsageError
from balance.experiments import contested as analysis
from balance.experiments.contested import contested
from balance.experiments.contested_answer import LEVEL, Doubted, MovedVerdict, Variation, Worth
from balance.stats.corrections import benjamini_yekutieli

RUMOUR = """
[[twist]]
id = "rumour"
name = "Rumour"
editions = ["ascora-2011"]
add = { goal = 1 }
confidence = "contested"
note = "one transcription has 100"
alternatives = [{ add = { goal = 100 } }]

[[invention]]
id = 1001
name = "Hearsay"
cost = 12
vp = 5
confidence = "contested"
note = "one transcription has cost 0"
alternatives = [{ cost = 0 }]
"""


@pytest.fixture(scope="module")
def planted(tmp_path_factory):
    """A twist and a card with another reading each, which change a lot."""
    file = tmp_path_factory.mktemp("rumour") / "rumour.toml"
    file.write_text(RUMOUR)
    return contested(["Rumour", "Hearsay"], catalog=[file], deals=60, combinations=2)


def test_a_reading_that_breaks_the_game_changes_verdicts(planted):
    twist = planted.entries[1]
    assert (twist.kind, twist.id, twist.confidence) == ("twist", "rumour", "contested")
    (reading,) = twist.variations
    assert (reading.sensitivity, reading.judged, reading.own) == (False, 2, None)
    assert [(moved.after, moved.crosses) for moved in reading.verdicts] == [("broken", True)] * 2
    again = sum(moved.again for moved in reading.verdicts)
    assert again >= 1  # 60 deals leave the printed side near a threshold of one of the two
    assert all("rumour" in moved.variants for moved in reading.verdicts)
    assert reading.changes
    said = f"2 of 2 verdicts cross their thresholds, {again} of them again on fresh seeds ("
    assert said in reading.sentence()


def test_a_reading_of_a_card_changes_its_value_and_rank(planted):
    (reading,) = planted.entries[0].variations
    own = reading.own
    assert (own.id, own.name, reading.reading) == (1001, "Hearsay", "Cost 0")
    assert own.change_low > 0.5
    assert (own.rank_then, own.rank > 1) == (1, True)
    assert own.value_then - own.value == pytest.approx(own.change, abs=1e-5)
    assert "its value goes from" in reading.sentence()
    said = "2 entries with another reading, 2 played: a verdict crosses its threshold in "
    assert planted.sentences()[0].startswith(said)


def test_all_values_that_were_compared_are_one_family_and_its_size_is_told(planted):
    """65 cards, of both readings: the card itself is one of them."""
    assert planted.tests == 2 * 65
    told = [
        worth
        for entry in planted.entries
        for variation in entry.variations
        for worth in (variation.own, *variation.others)
        if worth is not None
    ]
    assert all(worth.adjusted > worth.p and worth.told == (worth.adjusted <= LEVEL) for worth in told)
    assert planted.sentences()[-1] == (
        "Verdicts are those of 2 combinations of twists for each entry at 4 players; beyond noise is after "
        "correcting for all 130 values that were compared (Benjamini and Yekutieli, 5%)."
    )


def test_where_no_reading_is_known_it_is_a_sensitivity():
    """The tiny game: a charm with two readings, which chance deals to nobody, and a mood with one source."""
    found = contested(game="tiny", players=2, deals=40, jobs=1)
    charm, mood = found.entries
    assert [(v.reading, v.sensitivity, v.own) for v in charm.variations] == [("Cost 9", False, None)]
    assert [v.reading for v in mood.variations] == [
        "left out",
        "run_change -2 instead of -1",
        "run_change 0 instead of -1",
    ]
    assert all(v.sensitivity for v in mood.variations)
    assert sum(mood.variations[0].gone.values()) == 1  # the one combination with it
    assert contested(game="tiny", players=2, deals=40, jobs=3) == found


def test_values_of_others_that_change_are_counted():
    other = Worth(2, "Virus", 0.2, 3, 0.0, 9, -0.2, -0.3, -0.1, 0.001, 0.01)
    assert (
        Variation("Cost 1", False, 12, others=(other,))
        .sentence("cards")
        .endswith("; the value of 1 of the cards changes: Virus -0.20.")
    )
    own = Worth(1, "Chalk", 0.1, 3)
    assert "the value of 1 of the other cards changes" in (
        Variation("left out", True, 12, own=own, others=(other,)).sentence("cards")
    )


def test_what_is_on_the_edge_is_no_change():
    edge = MovedVerdict(("a", "b"), "broken", "undecided", crosses=False)
    none = Variation("Cost 1", False, 12, (edge,))
    assert not none.changes
    said = "Cost 1: none of 12 verdicts crosses its threshold, 1 more on the edge."
    assert none.sentence() == said
    noise = Worth(1, "Chalk", 0.1, 3, 0.12, 2, 0.02, -0.1, 0.14, 0.7, 1.0)
    same = Variation("Cost 1", False, 12, own=noise)
    assert not same.changes
    assert "does not change beyond noise, +0.02 (-0.10 to +0.14)" in same.sentence()


def test_a_verdict_that_does_not_cross_again_is_told_and_is_no_change():
    once = MovedVerdict(("a", "b"), "fine", "broken", crosses=True, again=False)
    found = Variation("Cost 1", False, 12, (once,))
    assert not found.changes
    assert found.sentence() == (
        "Cost 1: 1 of 12 verdicts crosses its threshold, not again on fresh seeds (a + b fine to broken)."
    )
    twice = replace(found, verdicts=(replace(once, again=True),))
    assert twice.changes
    assert ", again on fresh seeds (" in twice.sentence()


def test_a_card_that_is_left_out_changes_nothing_by_that_alone():
    gone = Worth(1, "Chalk", 0.1, 3)
    left_out = Variation("left out", True, 12, own=gone)
    assert not left_out.changes
    assert "it was worth +0.10 win points (rank 3)" in left_out.sentence()


def test_the_correction_is_over_all_readings_with_the_card_itself():
    """A p-value that would do in a reading of its own does not do among those of all."""

    def worth(id_, p):
        return Worth(id_, f"card {id_}", 0.0, 2, 0.1, 1, 0.1, 0.05, 0.15, p, 1.0)

    gone = Worth(9, "gone", 0.0, 1)
    readings = [
        Variation("first", False, 1, own=worth(1, 0.02), others=(worth(2, 1e-6), worth(3, 0.9))),
        Variation("second", True, 1, own=gone, others=(worth(1, 0.01), worth(2, 0.8))),
    ]
    entry = Doubted("card", "1", "card 1", "one", "", "", tuple(readings))
    (found,), tests = analysis._corrected([entry])
    assert tests == 5  # what is not in the deck was not compared
    expected = benjamini_yekutieli([0.02, 1e-6, 0.9, 0.01, 0.8])
    first, second = found.variations
    assert (first.own.adjusted, first.own.told) == (expected[0], False)
    assert [(one.id, one.adjusted) for one in first.others] == [(2, expected[1])]
    assert (second.own, second.others) == (gone, ())
    assert first.changes
    assert not second.changes


def test_what_is_not_in_doubt_is_refused():
    with pytest.raises(UsageError, match="did you mean"):
        contested(["Moon Bose"])
    with pytest.raises(UsageError, match="Grants is not in doubt"):
        contested(["grants"])
    with pytest.raises(UsageError, match="at least 20"):
        contested(deals=3)
    with pytest.raises(UsageError, match="at least 1"):
        contested(combinations=0)
