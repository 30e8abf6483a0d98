"""What hangs on facts in doubt: a planted reading that breaks the game, a card that is worth more."""

import pytest

from balance.errors import UsageError
from balance.experiments import contested as analysis
from balance.experiments.contested import contested
from balance.report.played_answers import contested_answer

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
def rumour(tmp_path_factory):
    """A twist and a card with another reading each, which change a lot."""
    file = tmp_path_factory.mktemp("rumour") / "rumour.toml"
    file.write_text(RUMOUR)
    return file


@pytest.fixture(scope="module")
def planted(rumour):
    """What both readings change."""
    return contested(["Rumour", "Hearsay"], catalog=[rumour], deals=300, combinations=2)


def test_a_reading_that_breaks_the_game_changes_verdicts(planted):
    doubt, (reading,) = planted.entries[1]
    assert (doubt.entry.kind, doubt.entry.id, doubt.confidence) == ("twist", "rumour", "contested")
    assert all("rumour" in moved.variants for moved in reading.verdicts)
    assert reading.newly_broken
    lengths = [c for c in reading.changed if c.metric == "mean_length"]
    assert lengths
    assert all(change.difference > 0 for change in lengths)


def test_a_reading_of_a_card_changes_what_it_is_worth(planted):
    doubt, (reading,) = planted.entries[0]
    assert (doubt.entry.name, reading.candidate.label) == ("Hearsay", "Cost 0")
    (dealt,) = [c for c in reading.changed if (c.level, c.metric) == ("item", "dealt")]
    assert (dealt.item, dealt.low > 0) == (1001, True)
    answer = contested_answer(planted)
    (row,) = [row for row in answer.findings if row["id"] == "1001"]
    assert any(said.startswith("Who wins: Hearsay") for said in row["sentences"])
    assert row["figures_changed"] == len(reading.changed)


def test_what_changes_is_corrected_over_all_readings(planted, rumour, monkeypatch):
    monkeypatch.setattr(analysis, "_corrected", lambda found, readings: found)
    (alone,) = contested(["Hearsay"], catalog=[rumour], deals=300, combinations=2).entries[0][1]
    together = planted.entries[0][1][0]
    assert [c.looked for c in together.changes] == [c.looked for c in alone.changes]
    assert [c.adjusted for c in together.changes] == [
        None if c.adjusted is None else min(1.0, 2 * c.adjusted) for c in alone.changes
    ]
    tests = sum(reading.family.tests for _, readings in planted.entries for reading in readings)
    first, second = planted.sentences()
    assert first.startswith("Of 2 other readings that are known, 2 would break a combination that is not ")
    assert second.startswith("2 of 2 entries in doubt have another reading that is known.")
    assert f"for all {tests:,} figures that were compared" in second


def test_where_no_reading_is_known_nothing_is_played():
    """The tiny game: a charm with two readings, which chance deals to nobody, and a mood with one source."""
    found = contested(game="tiny", players=2, deals=40, jobs=1)
    (_, readings), (mood, none) = found.entries
    assert [one.candidate.label for one in readings] == ["Cost 9"]
    assert (mood.entry.id, none) == ("windy", ())
    again = contested(game="tiny", players=2, deals=40, jobs=3)
    assert contested_answer(again).json() == contested_answer(found).json()
    alone = contested(["Windy"], game="tiny", players=2, deals=40)
    assert alone.games == 0
    assert list(alone.sentences()) == ["Of 1 entries in doubt no other reading is known: nothing was played."]


def test_what_is_not_in_doubt_is_refused():
    with pytest.raises(UsageError, match="did you mean"):
        contested(["Moon Bose"])
    with pytest.raises(UsageError, match="Grants is not in doubt"):
        contested(["grants"])
    with pytest.raises(UsageError, match="at least 20"):
        contested(deals=3)
    with pytest.raises(UsageError, match="at least 1"):
        contested(combinations=0)
