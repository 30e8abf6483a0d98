"""`balance price`, as a user calls it: with a race in which charms are dealt, and with Nefarious once."""

import csv
import io
import json

import pytest

from balance import games
from balance.cli.app import run
from tests.games import dealt

DEALT = ["--of", "dealt", "--players", "2", "--games", "400", "--catalog", "gift.toml"]


@pytest.fixture
def call(capfd, monkeypatch, tmp_path):
    """Run `balance price ARGS` in this process; return exit code, stdout and stderr."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gift.toml").write_text("[[charm]]\nid = 3\ncost = 0\npoints = 9\n")

    def ask(*args):
        code = run(["price", *map(str, args)])
        return code, *capfd.readouterr()

    with games.registered(dealt.GAME):
        yield ask


def test_prices_come_with_a_proposal_and_what_it_rests_on(call):
    code, out, err = call(*DEALT)
    assert (code, err) == (0, "")
    assert out.startswith("Of 5 charms, ")
    told = " ".join(out.split())
    assert " clearly off after correcting for 10 tests, " in told
    assert " of them by 2 or more with the whole 95% interval of the price (3 moods). " in told
    assert "Values on fresh games, 3 moods" in told
    assert "value as proposed" in out
    assert "what the average charm is worth cannot be excluded" in told
    assert "price, no mood" in out
    assert "price, 3 moods" in out
    assert "games of 2 players (mirror:thrifty), classic, seed 0; 400 deals of each kind" in told
    assert max(map(len, out.splitlines())) <= 80


def test_the_same_options_give_the_same_bytes(call):
    assert call(*DEALT, "Crown", "--jobs", 1) == call(*DEALT, "Crown", "--jobs", 2)


def test_json_holds_everything(call):
    code, out, _ = call(*DEALT, "--json")
    found = json.loads(out)
    assert code == 0
    assert [row["under"] for row in found["prices"]] == ["no mood"] * 5 + ["3 moods"] * 5
    assert {row["id"]: row["proposed"] for row in found["prices"] if row["proposed"] is not None} == {
        int(item): cost for item, cost in found["proposal"].items()
    }
    assert found["proposal"]["3"] > 0
    assert found["tests"] == 10
    for row in found["prices"]:
        assert ("fresh" in row) == (row["proposed"] is not None)
        if row["id"] == 3:
            assert row["fresh_low"] <= row["fresh"] <= row["fresh_high"]
            assert abs(row["fresh_proposed"]) < abs(row["fresh"])


def test_csv_is_one_row_per_card_and_context(call):
    _, out, _ = call(*DEALT, "Pebble", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert [(row["name"], row["under"]) for row in rows] == [("Pebble", "no mood"), ("Pebble", "3 moods")]
    for row in rows:
        assert (row["beyond"] == "") == (row["price"] != "")
        assert row["cost"] == "1"
    _, out, _ = call(*DEALT, "Pebble", "--format", "markdown")
    assert "| id | name | cost | price, no mood |" in out


def test_the_proposal_is_written_as_an_overlay_and_never_over_a_file(call, tmp_path):
    fair = tmp_path / "fair.toml"
    code, _, err = call(*DEALT, "--write", fair)
    assert code == 0
    assert f"new costs are in {fair}" in err
    text = fair.read_text()
    assert text.startswith("# Costs proposed by balance price: classic, 2 players, mirror:thrifty, seed 0,")
    gift = dealt.GAME.load_catalog(["gift.toml"])
    changed = dealt.GAME.diff(gift, dealt.GAME.load_catalog(["gift.toml", fair]))
    assert "Crown" in [change.name for change in changed]
    assert {change.field for change in changed} == {"cost"}
    code, out, err = call(*DEALT, "--write", fair)
    assert (code, out) == (2, "")  # before anything is played
    assert f"--write {fair}: exists already; --force replaces it" in err
    assert call(*DEALT, "--write", fair, "--force")[0] == 0
    assert fair.read_text() == text


def test_nothing_is_written_if_nothing_is_proposed(call, tmp_path):
    fair = tmp_path / "fair.toml"
    code, _, err = call(*DEALT, "--games", 200, "--lineup", "mirror:random", "Kite", "--write", fair)
    assert code == 0
    assert "nothing is proposed" in err
    assert not fair.exists()


def test_mistakes_are_told(call):
    code, _, err = call("Moon Bass")
    assert code == 2
    assert "did you mean 'Moon Base'" in err
    code, _, err = call("unions")
    assert (code, "'unions' is not one of the inventions" in err) == (2, True)
    code, _, err = call("--players", 9)
    assert (code, "2 to 6" in err or "2..6" in err) == (2, True)
    code, _, err = call("--games", 5)
    assert (code, "at least 200" in err) == (2, True)


def test_a_card_of_nefarious(call):
    code, out, _ = call("Hypnotic Ray", "--games", 600, "--json")
    alone, pairs = json.loads(out)["prices"]
    assert (code, alone["id"], alone["cost"], pairs["under"]) == (0, 15, 1, "60 pairs of twists")
    assert alone["low"] > 1  # the strongest card of the deck costs next to nothing
