"""`balance check --suggest`, as a user calls it: with a mood of the tiny game whose goal is too far."""

import json
import sys

import pytest

import balance
from balance import games
from balance.cli import output
from balance.cli.app import run
from balance.experiments import suggest as remedies
from tests.games.tiny import GAME

TINY = ["--of", "tiny", "--players", "3"]


@pytest.fixture(autouse=True)
def _tiny(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    with games.registered(GAME):
        yield


@pytest.fixture
def check(capfd):
    def call(*args):
        code = run(["check", *args])
        return code, *capfd.readouterr()

    return call


@pytest.fixture
def endless(tmp_path, monkeypatch):
    """A mood whose goal lies too far away; few games judge what would mend it."""
    monkeypatch.setattr(remedies, "JUDGED_PRECISION", "5pp")
    monkeypatch.setattr(remedies, "SCREENED", 100)
    (tmp_path / "endless.toml").write_text(
        '[[mood]]\nid = "endless"\nname = "Endless"\neditions = ["classic"]\ngoal_change = 6\n'
    )
    rest = "".join(
        f'[[threshold]]\nid = "{name}"\nremove = true\n'
        for name in ("length_ratio", "stalls", "seat", "action", "win_points")
    )
    (tmp_path / "short.toml").write_text(
        '[[threshold]]\nid = "length"\nlow = 1\nhigh = 11.5\nreason = "A short race."\n' + rest
    )
    files = ["--catalog", "endless.toml", "--thresholds", "short.toml"]
    return ["endless", "--of", "tiny", "--players", "2", *files]


def test_what_mends_it_is_suggested_with_the_overlay_to_try_it(check, endless, tmp_path):
    code, out, _ = check(*endless, "--suggest", "--json")
    assert code == 4  # it is broken all the same
    asked = {"game": "tiny", "players": 2, "catalog": ["endless.toml"], "thresholds": ["short.toml"]}
    assert balance.suggest(["endless"], **asked).json() == json.loads(out)
    found = json.loads(out)["suggestion"]
    assert found["sentences"][0].startswith("Change goal_change of endless from 6 to ")
    assert (found["change"]["number"], found["tried"][-1]["fresh"]) == ("goal_change", "fine")
    (tmp_path / "mended.toml").write_text(found["overlay"])
    assert check(*endless, "--catalog", "mended.toml")[0] == 0


@pytest.fixture
def generous(endless, tmp_path):
    """The same mood with a second rule, which is harmless."""
    mood = tmp_path / "endless.toml"
    mood.write_text(mood.read_text() + "round_coins = 1\n")
    return endless


def test_causes_are_named_if_they_are_wanted(check, generous, tmp_path):
    _, out, _ = check(*generous, "--why", "--json")
    (cause,) = json.loads(out)["causes"]["rules"]
    assert (cause["variant"], cause["rule"], cause["gone"]) == ("endless", "goal_change: +6.", True)
    _, out, _ = check(*generous, "--why")
    assert '\nCauses\n------\n- Without "goal_change: +6" (Endless) games last ' in out
    code, out, _ = check(*generous)
    assert (code, "Causes" in out) == (4, False)
    page = tmp_path / "sheet.html"
    check(*generous, "--why", "--format", "html", "-o", str(page))
    assert "(Endless) games last " in page.read_text()


def test_causes_from_python(generous):
    answer = balance.why(
        ["endless"], game="tiny", players=2, catalog=["endless.toml"], thresholds=["short.toml"]
    )
    assert [cause["rule"] for cause in answer.json()["causes"]["rules"]] == ["goal_change: +6."]
    assert answer.verdict == "broken"


def test_on_a_terminal_causes_follow_the_verdict(check, generous, monkeypatch):
    monkeypatch.setattr(output, "screen", lambda options: sys.stdout)
    _, out, _ = check(*generous)
    assert out.index("What to do next") < out.index("\nCauses\n")
    _, out, _ = check(*generous, "--no-why")
    assert "Causes" not in out


def test_games_of_another_engine_have_a_verdict_and_no_causes(check, generous, monkeypatch, tmp_path):
    short = tmp_path / "short.toml"
    short.write_text(short.read_text().replace("high = 11.5", "high = 5"))
    rest = generous[generous.index("--thresholds") :]
    with monkeypatch.context() as older:
        older.setattr(type(GAME), "engine_hash", lambda _: "0" * 64)
        assert check(*generous, "--save-run", "old")[0] == 4
    monkeypatch.setattr(output, "screen", lambda options: sys.stdout)
    code, out, err = check("endless", "--run", "old", *rest)
    assert (code, "BROKEN" in out, "no causes: old cannot be played exactly" in err) == (4, True, True)
    code, _, err = check("endless", "--run", "old", *rest, "--why")
    assert (code, "old cannot be played exactly as it was" in err) == (3, True)


def test_that_nothing_mends_it_is_said(check, endless, tmp_path):
    short = tmp_path / "short.toml"
    short.write_text(short.read_text().replace("high = 11.5", "high = 2"))
    mood = tmp_path / "endless.toml"
    mood.write_text(mood.read_text().replace("= 6", "= 1"))
    code, out, _ = check(*endless, "--suggest")
    told = " ".join(out.split("What would mend it")[1].split())
    assert code == 4
    assert "No change of one number that was tried mends it. Of 2 changes of one number 2 were " in told
    assert "[[mood]]" not in out
    assert max(len(line) for line in out.splitlines() if not line.startswith("  balance ")) <= 80


def test_what_is_not_broken_needs_no_suggestion(check):
    code, out, _ = check("festive", *TINY, "--suggest")
    assert (code, "not broken: there is nothing to mend" in out) == (0, True)
    assert json.loads(check("festive", *TINY, "--suggest", "--json")[1])["suggestion"] is None
    assert balance.suggest(["festive"], game="tiny", players=3).json()["suggestion"] is None


def test_a_suggestion_needs_games_of_its_own(check):
    code, _, err = check("windy", *TINY, "--suggest", "--run", "somewhere")
    assert (code, "--suggest goes with a combination that is played" in err) == (2, True)
