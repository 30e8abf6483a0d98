"""What hangs on facts in doubt: a planted reading that breaks the game, cards that change their rank."""

import pytest

from balance.analysis.contested import Moved, Variation, Worth, contested
from balance.analysis.intervals import Interval
from balance.errors import UsageError

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
    assert [(moved.after, moved.clear) for moved in reading.verdicts] == [("broken", True)] * 2
    assert all("rumour" in moved.variants for moved in reading.verdicts)
    assert reading.changes
    assert "2 of 2 verdicts change (" in reading.sentence()


def test_a_reading_of_a_card_changes_its_value_and_rank(planted):
    (reading,) = planted.entries[0].variations
    own = reading.own
    assert (own.id, own.name, reading.text) == (1001, "Hearsay", "Cost 0")
    assert own.change.low > 0.5
    assert (own.rank_after, own.rank_before > 1) == (1, True)
    assert own.after - own.before == pytest.approx(own.change.value, abs=1e-5)
    assert "its value goes from" in reading.sentence()
    said = "2 entries with another reading, 2 played: verdicts change clearly in "
    assert planted.sentences()[0].startswith(said)


def test_where_no_reading_is_known_it_is_a_sensitivity():
    """The tiny game: a charm with two readings, which chance deals to nobody, and a mood with one source."""
    found = contested(game="tiny", players=2, deals=40, jobs=1)
    charm, mood = found.entries
    assert [(v.text, v.sensitivity, v.own) for v in charm.variations] == [("Cost 9", False, None)]
    assert [v.text for v in mood.variations] == [
        "left out",
        "run_change -2 instead of -1",
        "run_change 0 instead of -1",
    ]
    assert all(v.sensitivity for v in mood.variations)
    assert sum(count for _, count in mood.variations[0].gone) == 1  # the one combination with it
    assert contested(game="tiny", players=2, deals=40, jobs=3) == found


def test_what_is_on_the_edge_is_no_change():
    edge = Moved(("a", "b"), "broken", "undecided", clear=False)
    none = Variation("Cost 1", False, 12, (edge,), (), None, ())
    assert not none.changes
    assert none.sentence() == "Cost 1: none of 12 verdicts changes, 1 more on the edge."
    noise = Worth(1, "Chalk", 0.1, 0.12, Interval(0.02, -0.1, 0.14), 3, 2)
    same = Variation("Cost 1", False, 12, (), (), noise, ())
    assert not same.changes
    assert "does not change beyond noise, +0.02 (-0.10 to +0.14)" in same.sentence()


def test_what_is_not_in_doubt_is_refused():
    with pytest.raises(UsageError, match="did you mean"):
        contested(["Moon Bose"])
    with pytest.raises(UsageError, match="Grants is not in doubt"):
        contested(["grants"])
    with pytest.raises(UsageError, match="at least 20"):
        contested(deals=3)
    with pytest.raises(UsageError, match="at least 1"):
        contested(combinations=0)
