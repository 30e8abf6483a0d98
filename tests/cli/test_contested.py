"""`balance contested`, as a user calls it, with the tiny game."""

import csv
import io
import json

import pytest

from balance import games
from balance.cli.app import run
from tests.games.tiny import GAME

TINY = ["--of", "tiny", "--players", "2", "--games", "30"]


@pytest.fixture
def call(capfd, monkeypatch, tmp_path):
    """Run `balance contested ARGS` in this process; return exit code, stdout and stderr."""
    monkeypatch.chdir(tmp_path)

    def ask(*args):
        code = run(["contested", *map(str, args)])
        return code, *capfd.readouterr()

    with games.registered(GAME):
        yield ask


def test_every_doubt_is_told_with_what_was_played(call, tmp_path):
    code, out, err = call(*TINY)
    assert (code, err) == (0, "")
    assert "Pebble (charm 5), contested" in out
    assert "one scribe writes 9" in out
    assert "If it reads: Cost 9" in out
    assert "Windy (mood windy), one" in out
    assert "No other reading is known." in out
    assert "30 deals of each of up to 12 combinations" in " ".join(out.split())
    assert max(map(len, out.splitlines())) <= 80
    assert list(tmp_path.iterdir()) == []  # nothing is left behind


def test_for_programs(call):
    code, out, _ = call(*TINY, "--json")
    found = json.loads(out)
    assert (code, found["edition"], found["deals"]) == (0, "classic", 30)
    assert found["combinations"] == 12
    assert [entry["id"] for entry in found["in_doubt"]] == ["5", "windy"]
    assert [reading["id"] for reading in found["readings"]] == ["5"]
    assert call(*TINY, "--json", "--jobs", 1)[1] == out
    _, out, _ = call(*TINY, "Pebble", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert [row["reading"] for row in rows] == ["Cost 9"]
    assert [(row["broken_now"], row["verdicts_moved"]) for row in rows] == [("0", "0")]


def test_as_a_page(call, tmp_path):
    code, out, _ = call(*TINY, "--format", "html", "--out", str(tmp_path / "doubts.html"))
    assert (code, out) == (0, "")
    page = (tmp_path / "doubts.html").read_text()
    assert "Pebble (charm 5), contested" in page
    assert "balance contested" in page


def test_mistakes_are_told(call):
    code, _, err = call(*TINY, "Crown")
    assert (code, "Crown is not in doubt" in err) == (2, True)
    code, _, err = call(*TINY, "--combinations", 0)
    assert (code, "at least 1" in err) == (2, True)
    code, _, err = call("--edition", "magelan-2014")
    assert (code, "magellan-2014" in err) == (2, True)
