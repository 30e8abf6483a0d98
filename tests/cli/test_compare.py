"""`balance compare`, as a user calls it: with the tiny game, and with a changed card of Nefarious."""

import csv
import io
import json
import re
from pathlib import Path

import polars as pl
import pytest

import balance
from balance import games
from balance.cli.app import run
from balance.experiments.compare import measured as comparing
from tests.games.tiny import GAME

CROWN = "[[charm]]\nid = 3\ncost = 1\npoints = 9\n"
SAME = '[[mood]]\nid = "windy"\nrun_change = -1\n'
TINY = ["--of", "tiny", "--players", "3", "--games", "120"]
STORM = '[[mood]]\nid = "windy"\nrun_change = -2\n'


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    return tmp_path_factory.mktemp("comparing")


@pytest.fixture(autouse=True)
def _tiny(monkeypatch, shared):
    """In one folder for all: what one test has played, the next one finds."""
    monkeypatch.chdir(shared)
    with games.registered(GAME):
        yield


@pytest.fixture
def own_folder(_tiny, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def compare(capfd):
    def call(*args):
        code = run(["compare", *map(str, args)])
        return code, *capfd.readouterr()

    return call


@pytest.fixture
def overlay():
    def write(text, name="mine.toml"):
        Path(name).write_text(text)
        return name

    return write


def told(out):
    """A text without its line breaks."""
    return " ".join(out.split())


# --- what is found


def test_a_planted_change_is_found_and_named(compare, overlay):
    code, out, _ = compare("official", overlay(STORM), *TINY, "--fail-on", "none")
    assert code == 0
    lines = out.splitlines()
    assert lines[0].startswith("BROKEN NOW: official -> mine.toml (classic). ")
    assert any(line.startswith("- Length: Windy, 3 players: mean length in rounds ") for line in lines)
    assert "- Who wins: no clear change (a change of " in told(out)
    assert "- Verdicts: 1 undecided -> broken." in lines
    assert out.count("mean length in rounds") == 1  # and not again below
    assert out.index("What changed for players") < out.index("- mood Windy: run_change -2 instead of -1")
    assert "3 combinations without a changed mood cannot differ" in told(out)
    assert "corrected together (Benjamini-Yekutieli" in told(out)
    assert max(map(len, lines)) <= 80


def test_a_new_variant_is_judged_elsewhere(compare, overlay):
    name = overlay('[[mood]]\nid = "icy"\nname = "Icy"\neditions = ["classic"]\nrun_change = -1\n')
    code, out, err = compare("official", name, *TINY, "--moods", "icy")
    assert (code, out.startswith("SAME: ")) == (0, True)
    assert err == "icy is new; to judge it: balance check icy --catalog mine.toml\n"


def test_the_same_as_data(compare, overlay):
    _, out, _ = compare("official", overlay(STORM), *TINY, "--json")
    found = json.loads(out)
    (difference,) = found["differences"]
    assert (difference["id"], difference["field"]) == ("windy", "run_change")
    assert (difference["old"], difference["new"]) == (-1, -2)
    assert found["combinations"] == 1
    assert found["games"] == 2 * 2 * 120
    longer = next(c for c in found["changes"] if c["metric"] == "mean_length" and c["variants"] == ["windy"])
    assert longer["level"] == "combination"
    assert longer["low"] > 0
    assert longer["candidate"] - longer["base"] == pytest.approx(longer["difference"])
    assert all(change["changed"] for change in found["changes"])
    assert {tuple(change["variants"]) for change in found["changes"]} == {("windy",)}
    assert found["family"]["tests"] == sum(found["family"]["levels"].values())


def test_what_did_not_change_is_listed_if_asked(compare, overlay):
    mine = overlay(STORM)
    _, some, _ = compare("official", mine, *TINY, "--format", "csv")
    _, every, _ = compare("official", mine, *TINY, "--format", "csv", "--all")
    few, many = (list(csv.DictReader(io.StringIO(text))) for text in (some, every))
    assert 0 < len(few) < len(many)
    assert {row["changed"] for row in few} == {"true"}


def test_nothing_is_named_when_only_words_changed(compare, overlay):
    mine = overlay('[[mood]]\nid = "windy"\nnote = "Other words."\n')
    code, out, _ = compare("official", mine, *TINY, "--fail-on", "changed")
    assert code == 0
    assert out.startswith("NO CLEAR CHANGE: ")
    assert "No verdict changed." in out


def test_a_candidate_equal_to_the_base(compare, overlay):
    code, out, err = compare("official", overlay(SAME), *TINY, "--fail-on", "changed")
    assert (code, err) == (0, "")
    assert told(out).startswith(
        "SAME: official -> mine.toml (classic). The candidate equals the base: nothing was played. "
    )
    assert json.loads(compare("official", "official", *TINY, "--json")[1])["same"]


def test_what_only_the_candidate_has_cannot_be_compared(compare, overlay):
    mine = overlay('[[mood]]\nid = "calm"\nname = "Calm"\neditions = ["classic"]\n')
    code, out, _ = compare("official", mine, *TINY)
    assert code == 0
    assert "Nothing that both have can differ" in out
    assert "1 combination that only the candidate has: calm" in told(out)


def test_editions_are_compared_in_what_both_have(compare):
    code, out, _ = compare("classic", "brisk", *TINY, "--fail-on", "none", "--json")
    assert code == 0
    found = json.loads(out)
    assert [side["edition"] for side in (found["base"], found["candidate"])] == ["classic", "brisk"]
    assert found["combinations"] == 3  # none, windy, festive
    assert [(one["count"], one["named"]) for one in found["uncompared"]] == [(1, ["feverish"])]
    whole = next(c for c in found["changes"] if c["level"] == "all" and c["metric"] == "mean_length")
    assert whole["high"] < 0  # the way is shorter


def test_several_numbers_of_players_are_also_told_together(compare, overlay):
    _, out, _ = compare("official", overlay(CROWN), "--of", "tiny", "--games", "60", "--json")
    lengths = [c for c in json.loads(out)["changes"] if (c["level"], c["metric"]) == ("all", "mean_length")]
    by_players = {change["players"]: change["difference"] for change in lengths}
    assert set(by_players) == {None, 2, 3}
    assert by_players[None] == pytest.approx((by_players[2] + by_players[3]) / 2)


# --- verdicts and exit codes


@pytest.fixture
def short(overlay):
    """Thresholds that games without the storm keep beyond doubt, and games with it do not."""
    length = '[[threshold]]\nid = "length"\nlow = 2\nhigh = 14\nreason = "Nobody sits longer."\n'
    others = ("length_ratio", "stalls", "seat", "action", "win_points")
    gone = "".join(f'[[threshold]]\nid = "{name}"\nremove = true\n' for name in others)
    return ["--thresholds", overlay(length + gone, "short.toml")]


def test_what_was_fine_and_is_broken_now_exits_with_4(compare, overlay, short):
    mine = overlay(STORM)
    code, out, _ = compare("official", mine, *TINY, *short)
    assert code == 4
    assert out.startswith("BROKEN NOW: ")
    assert "1 combination is broken now by what was changed, confirmed on fresh deals." in told(out)
    assert re.search(r"Windy +3 +× broken +✓ fine +confirmed", out)
    family = "4 tests of 1 metrics in 2 cells, 4 of what breaks the game"
    assert f"Verdicts of either side: {family}, " in told(out)
    assert "Accepted: at most 14." in told(out)
    assert compare("official", mine, *TINY, *short, "--fail-on", "none")[0] == 0
    assert compare(mine, "official", *TINY, *short)[0] == 0  # the other way round it is mended
    assert compare(mine, "official", *TINY, *short, "--fail-on", "changed")[0] == 4


def test_what_fresh_deals_do_not_confirm_is_listed_and_stops_nothing(compare, overlay, short):
    few = ["--of", "tiny", "--players", "3", "--games", "40", "--seed", "4"]  # where chance has helped
    code, out, _ = compare("official", overlay(STORM), *few, *short)
    assert code == 0
    assert out.startswith("CHANGED: ")
    assert re.search(r"Windy +3 +× broken +✓ fine +not confirmed", out)
    code, out, _ = compare("official", "mine.toml", *few, *short, "--json", "--fail-on", "changed")
    assert code == 4
    (verdict,) = json.loads(out)["verdicts"]
    assert (verdict["newly_broken"], verdict["again"]) == (False, "not confirmed on fresh deals")
    families = json.loads(out)["verdict_families"]
    assert [(one["tests"], one["cells"]) for one in families] == [(4, 2), (4, 2)]


def test_what_is_left_out_on_fresh_deals_is_not_called_broken_now(compare, overlay, short, monkeypatch):
    monkeypatch.setattr(comparing, "HEADLINE", 0)
    code, out, _ = compare("official", overlay(STORM), *TINY, *short)
    assert (code, out[:8]) == (0, "CHANGED:")
    assert re.search(r"Windy +3 +× broken +✓ fine +not measured", out)


def test_broken_by_the_change_counts_even_if_it_was_only_undecided_before(compare, overlay):
    code, out, _ = compare("official", overlay(STORM), *TINY, "--json")
    assert code == 4
    (verdict,) = json.loads(out)["verdicts"]
    assert (verdict["before"], verdict["after"], verdict["newly_broken"]) == ("undecided", "broken", True)


# --- output


def test_the_same_bytes_twice_and_nothing_played_the_second_time(own_folder, compare, overlay):
    mine = overlay(STORM)
    runs = Path("data/runs")
    for form in (["--json"], ["--format", "markdown"], []):
        first = compare("official", mine, *TINY, *form)
        written = {path: path.stat().st_mtime_ns for path in runs.rglob("*")}
        assert compare("official", mine, *TINY, *form, "--jobs", "1")[:2] == first[:2]
        assert {path: path.stat().st_mtime_ns for path in runs.rglob("*")} == written
    assert len(list(runs.iterdir())) == 4  # both sides, and what is named again on fresh deals


def test_markdown_is_ready_for_a_pull_request(compare, overlay):
    _, out, _ = compare("official", overlay(STORM), *TINY, "--format", "markdown")
    lines = out.splitlines()
    assert lines[0] == "# official -\\> mine.toml (classic)"
    assert "BROKEN NOW: " in lines[4]
    assert "## Verdicts" in lines
    assert "| Where | What | official | mine.toml | Difference | On fresh deals |" in lines
    assert any(line.startswith("- Length: Windy, 3 players: mean length in rounds ") for line in lines)


def test_rows_as_parquet(compare, overlay):
    code, out, _ = compare("official", overlay(STORM), *TINY, "--format", "parquet", "-o", "rows.parquet")
    assert (code, out) == (4, "")
    rows = pl.read_parquet("rows.parquet")
    assert "mean_length" in rows["metric"].to_list()


def test_it_can_be_a_page(compare, overlay, shared):
    mine = overlay(STORM)
    assert compare("official", shared / mine, *TINY, "--format", "html", "--out", "page.html")[0] == 4
    page = Path("page.html").read_text("utf-8")
    assert "official -&gt; mine.toml" in page
    assert "Windy, 3 players" in page
    assert str(shared) not in page
    assert compare("official", mine, *TINY, "--format", "pdf", "--out", "page.pdf")[0] == 4
    assert Path("page.pdf").read_bytes().startswith(b"%PDF")


# --- runs


@pytest.fixture
def runs(own_folder, tmp_path, overlay):
    options = {"game": "tiny", "players": 3, "lineups": "mirror:random", "games_per_cell": 60}
    mine = overlay(STORM)
    before = balance.simulate(tmp_path / "before", **options)
    after = balance.simulate(tmp_path / "after", **options, catalog=[mine])
    return before, after, options


def test_two_runs_need_nothing_to_be_played(compare, runs, tmp_path):
    code, out, _ = compare("before", "after", "--json", "--fail-on", "none")
    assert code == 0
    found = json.loads(out)
    assert found["base"]["run"] == "before"
    assert found["games"] == 2 * 2 * 60
    assert {c["metric"] for c in found["changes"]} >= {"mean_length"}
    assert not (tmp_path / "data").exists()


def test_a_run_and_an_overlay_play_the_same_deals(compare, runs):
    one = json.loads(compare("before", "after", "--json")[1])
    two = json.loads(compare("before", "mine.toml", "--json")[1])
    assert [{**c, "sentence": ""} for c in two["changes"]] == [{**c, "sentence": ""} for c in one["changes"]]
    assert one["fresh"] == []  # nothing is played where both are runs
    assert "on fresh deals" in two["changes"][0]["sentence"]
    assert two["candidate"]["run"] not in (None, "before")
    few = json.loads(compare("before", "mine.toml", "--games", "20", "--json")[1])
    assert few["games"] == 2 * 2 * 20


def test_what_two_runs_say_is_broken_now_counts_unconfirmed(compare, runs, short, tmp_path):
    options = {**runs[2], "games_per_cell": 120}
    balance.simulate(tmp_path / "one", **options)
    balance.simulate(tmp_path / "two", **options, catalog=["mine.toml"])
    code, out, _ = compare("one", "two", *short, "--json")
    assert code == 4
    again = "not confirmed on fresh deals, as nothing is played where both sides are runs"
    assert [(v["newly_broken"], v["again"]) for v in json.loads(out)["verdicts"]] == [(True, again)]


def test_a_longer_run_is_judged_by_the_deals_that_both_have(compare, runs, overlay, tmp_path):
    _, _, options = runs
    balance.simulate(tmp_path / "long", **{**options, "games_per_cell": 600}, catalog=["mine.toml"])
    one, two = (json.loads(compare("before", other, "--json")[1]) for other in ("after", "long"))
    for name in ("games", "counts", "verdicts", "changes"):
        assert one[name] == two[name], name
    words = overlay('[[mood]]\nid = "windy"\nnote = "Other words."\n', "words.toml")
    balance.simulate(tmp_path / "words", **{**options, "games_per_cell": 600}, catalog=[words])
    code, out, _ = compare("before", "words", "--fail-on", "changed")
    assert (code, "No verdict changed." in out) == (0, True)
    code, out, _ = compare("long", "official", "--games", "25", "--json", "--fail-on", "none")
    (counts,) = json.loads(out)["counts"]
    assert (
        counts["before"]
        == json.loads(compare("mine.toml", "official", *TINY[:-1], "25", "--json")[1])["counts"][0]["before"]
    )


def test_cells_that_one_run_lacks_are_listed(compare, runs, tmp_path):
    _, _, options = runs
    balance.simulate(tmp_path / "part", **options, catalog=["mine.toml"], variants=["windy", "none"])
    found = json.loads(compare("before", "part", "--json")[1])
    assert found["uncompared"][0] == {
        "count": 2,
        "unit": "cells",
        "why": "that only the run of the base has",
        "named": ["3 players, festive, mirror:random", "3 players, feverish, mirror:random"],
    }
    assert found["combinations"] == 1
    code, out, _ = compare("before", "part", "--moods", "festive")
    assert code == 0
    assert "1 cell that only the run of the base has: 3 players, festive, mirror:random." in told(out)


def test_runs_that_do_not_meet_are_refused(compare, runs, tmp_path, monkeypatch):
    _, _, options = runs
    balance.simulate(tmp_path / "other", **{**options, "games_per_cell": 5}, seed=7)
    code, out, err = compare("before", "other")
    assert (code, out) == (2, "")
    assert "their seeds are 0 and 7" in err
    with monkeypatch.context() as older:
        older.setattr(type(GAME), "engine_hash", lambda _: "0" * 64)
        balance.simulate(tmp_path / "older", **{**options, "games_per_cell": 5})
    code, _, err = compare("before", "older")
    assert code == 3
    assert "different engines" in err
    (tmp_path / "after" / "shards.jsonl").unlink()
    assert compare("before", "after")[0] == 3


def test_runs_of_different_games_are_refused(compare, runs, tmp_path):
    balance.simulate(
        tmp_path / "cards", players=2, variants="none", lineups="mirror:random", games_per_cell=5
    )
    code, _, err = compare("before", "cards")
    assert code == 2
    assert "runs of different games, tiny and nefarious" in err
    assert compare("before", "mine.toml", "--of", "nefarious")[0] == 2


# --- bad input


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        (["official", "offical"], 2, "did you mean 'official'"),
        (["clasic", "brisk"], 2, "did you mean 'classic'"),
        (["official", "nowhere/run"], 3, "there is no run or overlay at nowhere/run"),
        (["official", "nowhere.toml"], 3, "there is no run or overlay at nowhere.toml"),
        (["classic", "brisk", "--edition", "classic"], 2, "--edition does not go with"),
        (["classic", "brisk", "--fail-on", "x"], 2, "--fail-on x: expected broken, changed or none"),
        (["classic", "brisk", "--players", "9"], 2, "for 2 to 3 players"),
        (["classic", "brisk", "--moods", "wndy"], 2, "did you mean 'windy'"),
        (["classic", "brisk", "--games", "0"], 2, "a cell has at least one game"),
        (["classic", "brisk", "--games", "5", "--precision", "1pp"], 2, "contradict each other"),
        (["classic", "brisk", "--lineup", "mirror:greed"], 2, "unknown policy"),
    ],
)
def test_wrong_usage(compare, args, code, message):
    found, out, err = compare(*args, "--of", "tiny")
    assert (found, out) == (code, "")
    assert message in err


def test_an_overlay_that_breaks_the_catalog(own_folder, compare, overlay):
    mine = overlay('[[mood]]\nid = "windy"\nrun_change = 77\n')
    code, out, err = compare("official", mine, "--of", "tiny")
    assert (code, out) == (2, "")
    assert err.startswith("error: mine.toml: mood 'windy': run_change: ")
    assert not Path("data").exists()


def test_what_a_run_has_decided_cannot_be_asked_for(compare, runs):
    assert "--seed does not go with a run" in compare("before", "mine.toml", "--seed", "3")[2]
    assert "--games does not go with a run" in compare("before", "after", "--games", "3")[2]


def test_runs_with_equal_rules_and_no_cell_in_common_are_not_called_the_same(compare):
    balance.simulate("two", game="tiny", players=2, games_per_cell=10)
    balance.simulate("three", game="tiny", players=3, games_per_cell=10)
    code, out, err = compare("two", "three")
    assert (code, out) == (3, "")
    assert "no cell in common" in err
    assert compare("two", "two")[0] == 0


def test_a_damaged_run_is_refused(compare):
    made = balance.simulate("made", game="tiny", players=2, games_per_cell=10)
    file = made.files("seats")[0]
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 0xFF
    file.chmod(0o644)
    file.write_bytes(content)
    code, _, err = compare("made", "official")
    assert code == 3
    assert "the content is not what was written" in err
