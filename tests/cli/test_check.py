"""`balance check`, as a user calls it: with the tiny game, whose fever breaks it, and with Nefarious once."""

import json
import re

import pytest

import balance
from balance import games
from balance.cli.app import run
from tests.games.tiny import GAME

TINY = ["--of", "tiny", "--players", "3"]


@pytest.fixture(autouse=True)
def _tiny(monkeypatch, tmp_path):
    monkeypatch.setitem(games._registered, "tiny", GAME)
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def check(capfd):
    def call(*args):
        code = run(["check", *args])
        return code, *capfd.readouterr()

    return call


@pytest.fixture
def strict(tmp_path):
    """Thresholds that every game with a mood breaks, beyond doubt."""
    file = tmp_path / "strict.toml"
    file.write_text(
        '[[threshold]]\nid = "length"\nlow = 60\nhigh = 90\nreason = "Games are never so long."\n'
    )
    return ["--thresholds", str(file)]


def test_the_verdict_comes_first_then_the_reasons_with_numbers(check, strict):
    code, out, _ = check("windy", *TINY, *strict)
    assert code == 4
    lines = out.splitlines()
    assert lines[0] == "BROKEN: Windy (classic)"
    assert lines[1].startswith("Broken at 3 players (in ")
    assert re.search(r"3 players, [\w: ]+: Games last \d+ \(\d+ to \d+\) rounds", out)
    assert "without: " in out
    assert "Accepted: at least 60." in " ".join(out.split())
    assert "corrected together" in " ".join(out.split())
    assert max(map(len, lines)) <= 80


def test_the_game_that_it_names_replays(check, strict, capfd):
    _, out, _ = check("windy", *TINY, *strict)
    command = next(line for line in out.splitlines() if line.startswith("  balance replay"))
    assert run(command.split()[1:]) == 0
    assert "3 players, windy" in capfd.readouterr().out


def test_games_are_played_once(check):
    first = check("windy", *TINY)
    again = check("Windy", *TINY)
    assert first[:2] == again[:2]
    assert "data/runs/tiny-classic-" in first[1]


def test_json_holds_everything(check, strict):
    code, out, _ = check("windy", *TINY, *strict, "--json")
    found = json.loads(out)
    assert code == 4
    assert (found["verdict"], found["variants"], found["seed"]) == ("broken", ["windy"], 0)
    assert [one["players"] for one in found["players"]] == [3]
    broken = [f for f in found["findings"] if f["broken"]]
    assert {f["metric"] for f in broken} == {"length"}
    assert all(f["low"] <= f["value"] <= f["high"] < f["bound"] for f in broken)
    assert found["family"]["correction"] == "Benjamini-Yekutieli"
    assert found["family"]["cells"] == len({f["lineup"] for f in found["findings"]})


def test_csv_is_one_row_per_finding(check, strict):
    _, out, _ = check("windy", *TINY, *strict, "--format", "csv")
    assert out.splitlines()[0].startswith("players,lineup,strength,metric,of,value,low,high,n,bound,end,")


def test_games_of_a_run_are_judged_as_they_are(check, tmp_path):
    made = balance.simulate(tmp_path / "run", game="tiny", games_per_cell=60)
    code, out, _ = check("windy", "--run", str(made.path), "--players", "2")
    assert code in (0, 4)
    assert f"in {made.path}." in " ".join(out.split())
    assert not (tmp_path / "data").exists()  # nothing was played
    code, _, err = check("windi", "--run", str(made.path))
    assert code == 2
    assert "did you mean 'windy'" in err


def test_a_run_in_a_folder_whose_name_means_something_to_sql(check, tmp_path):
    made = balance.simulate(tmp_path / "it's [1] players=9" / "run*", game="tiny", games_per_cell=30)
    code, out, err = check("windy", "--run", str(made.path), "--players", "2")
    assert code in (0, 4), err
    assert "2 players" in out


def test_the_same_thresholds_without_failing(check, strict):
    assert check("windy", *TINY, *strict, "--fail-on", "none")[0] == 0


def test_styles_that_survive_are_told_if_there_are_enough_games(check, monkeypatch):
    _, out, _ = check("windy", *TINY)
    assert "Too few games to say: that takes 5,000 of mixed company" in out
    monkeypatch.setattr("balance.analysis.equilibrium.FEWEST_GAMES", 300)
    _, out, _ = check("windy", *TINY)
    assert re.search(r"Windy, 3 players: \w+ \d+%.*; as diverse as [\d.]+ equally", " ".join(out.split()))
    (found,) = json.loads(check("windy", *TINY, "--json")[1])["styles"]
    assert found["variants"] == ["windy"]
    assert sum(found["mix"].values()) == pytest.approx(1)
    assert 1 <= found["low"] <= found["styles"] <= found["high"] <= len(found["mix"])
    assert found["n"] >= 300


def test_all_ranks_everything_and_confirms_the_worst_on_fresh_seeds(check, strict, tmp_path):
    made = balance.simulate(tmp_path / "run", game="tiny", games_per_cell=60)
    code, out, err = check("--all", str(made.path), *strict, "--json")
    rows = json.loads(out)
    assert code == 0
    assert [row["rank"] for row in rows] == list(range(1, len(rows) + 1))
    judged = {(row["players"], row["variants"]) for row in rows}
    assert len(judged) == len(rows) == 2 * 3  # 2 and 3 players; three moods
    assert {row["verdict"] for row in rows} == {"broken"}
    assert [row["fresh"] for row in rows] == ["holds"] * 6
    assert check("--all", str(made.path), *strict, "--json", "--fail-on", "broken")[0] == 4
    code, _, err = check("--all", str(made.path), *strict)
    assert "2 players: 3 broken, 0 undecided, 0 fine" in err
    assert "threshold length (60 to 90): 3 broken; 20% tighter " in err


def test_until_decided_puts_games_where_verdicts_are_open(check, tmp_path):
    made = balance.simulate(tmp_path / "run", game="tiny", games_per_cell=30)
    before = sorted(p.name for p in made.path.rglob("*"))
    code, out, err = check(
        *["--all", str(made.path), "--players", "3", "--until-decided", "--budget", "6000"],
        *["--extensions", str(tmp_path / "more"), "--json"],
    )
    assert code == 0, err
    looks = [line for line in err.splitlines() if line.startswith("look ")]
    assert len(looks) >= 2
    assert sorted(p.name for p in made.path.rglob("*")) == before
    extensions = sorted((tmp_path / "more").iterdir())
    assert extensions
    runs = balance.open_runs([made.path, *extensions])
    assert sum(r.plan.games for r in runs[1:]) <= 6000
    decided = [row for row in json.loads(out) if row["verdict"] != "undecided"]
    first = json.loads(check("--all", str(made.path), "--players", "3", "--json")[1])
    assert len(decided) >= len([row for row in first if row["verdict"] != "undecided"])


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ([], "name at least one variant"),
        (["wndy"], "did you mean 'windy'"),
        (["windy", "--strength", "huge"], "expected quick, normal or expert"),
        (["windy", "--fail-on", "x"], "--fail-on x"),
        (["--all"], "--all needs a run"),
        (["windy", "--until-decided"], "goes with --all"),
        (["windy", "--players", "9"], "for 2 to 3 players"),
    ],
)
def test_wrong_usage(check, args, message):
    code, out, err = check(*args, "--of", "tiny")
    assert (code, out) == (2, "")
    assert message in err


def test_a_run_that_is_not_there(check):
    assert check("--all", "nowhere")[0] == check("--all", "--run", "nowhere")[0] == 3


def test_a_pair_of_nefarious_with_both_twists_alone_beside_it(check):
    code, out, _ = check("Private Funding", "Parallel Universe", "--players", "2", "--json")
    assert code in (0, 4)
    found = json.loads(out)
    assert found["variants"] == ["parallel-universe", "private-funding"]
    assert found["games"] == 2 * 4 * 400  # both lineups; the pair, each alone, none
    assert {f["lineup"] for f in found["findings"]} == {"field", "mirror:adaptive"}
    assert found["family"]["cells"] == 2 * 3
    length = [i for i in found["interactions"] if i["measure"] == "length"]
    assert [i["scale"] for i in length] == ["log", "log"]
    again = check("parallel-universe", "private-funding", "--players", "2", "--json")
    assert again[:2] == (code, out)


def test_a_quick_check_that_is_undecided_says_how_to_go_on(check):
    hint = "--strength normal plays about 18 times as many"
    told = " ".join(check("parallel-universe", "private-funding", "--players", "2")[1].split())
    assert told.startswith("UNDECIDED")
    assert hint in told


def test_a_card_that_decides_the_game_is_named(check, checkout):
    card = str(checkout / "tests" / "analysis" / "planted_card.toml")
    code, out, _ = check("philanthropy", "--players", "4", "--catalog", card)
    told = " ".join(out.split())
    assert code == 4
    assert "A seat that was dealt Planted Victory gets " in told
    assert "Not looked at: win_points (no style was tuned for what is in force), luck (needs" in told


def test_all_says_what_it_does_not_look_at(check, tmp_path):
    made = balance.simulate(tmp_path / "run", game="tiny", games_per_cell=30)
    file = tmp_path / "luck.toml"
    file.write_text('[[threshold]]\nid = "luck"\nhigh = 0.5\nreason = "Dice are not everything."\n')
    _, _, err = check("--all", str(made.path), "--thresholds", str(file))
    assert "not looked at: luck (needs --replicates)" in err


@pytest.mark.parametrize("command", [["check", "windy", "--run"], ["check", "--all"], ["report"]])
def test_wrong_bytes_are_refused_before_anything_is_said(capfd, tmp_path, command):
    made = balance.simulate(tmp_path / "run", game="tiny", games_per_cell=30)
    file = made.files("games")[0]
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 0xFF
    file.chmod(0o644)
    file.write_bytes(content)
    assert run([*command, str(made.path)]) == 3
    assert "the content is not what was written; balance doctor" in capfd.readouterr().err
    assert not (tmp_path / "reports").exists()
