"""What hangs on facts in doubt, as it ships: it is of this version, and nonsense is refused."""

import json

import pytest

from balance import games
from balance.analysis.hanging import FILE, measured_doubts
from balance.analysis.strength import stamp
from balance.errors import DataError
from tests.games.tiny import GAME

NEFARIOUS = games.get("nefarious")


def test_what_ships_is_of_the_present_players_and_cards():
    found = measured_doubts(NEFARIOUS)
    now = stamp(NEFARIOUS, NEFARIOUS.load_catalog())
    assert found.stale(now) == ()
    assert found.stale(now | {"catalog": "another"}) == ("catalog",)
    doubts = NEFARIOUS.doubts(NEFARIOUS.load_catalog(), found.edition)
    assert {one.name for one in found.readings} == {doubt.entry.name for doubt in doubts}
    assert found.command == (
        "balance contested --edition ascora-2011 --players 4 --games 400 --combinations 12 --seed 0"
    )
    assert f"correcting for all {found.tests:,} values" in found.sentences[-1]
    assert found.sentences[-1].startswith(
        "Verdicts are those of 12 combinations of twists for each entry at 4"
    )
    assert measured_doubts(GAME) is None


def test_other_files_are_refused(checkout, tmp_path):
    content = json.loads((checkout / "data" / "nefarious" / FILE).read_text("utf-8"))
    file = tmp_path / FILE
    file.write_text(json.dumps(content | {"game": "chess"}))
    with pytest.raises(DataError, match="not of nefarious"):
        measured_doubts(NEFARIOUS, file)
    file.write_text('{"game": "nefarious"}')
    with pytest.raises(DataError, match="not what `balance contested --json` prints"):
        measured_doubts(NEFARIOUS, file)
