"""`balance check`, as a user calls it: with the tiny game, whose fever breaks it, and with Nefarious once."""

import json
import re
import shlex

import pytest

import balance
from balance import games
from balance.cli.app import run
from tests.games.tiny import GAME

TINY = ["--of", "tiny", "--players", "3"]


@pytest.fixture(autouse=True)
def _tiny(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    with games.registered(GAME):
        yield


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A run of the tiny game: every mood, 2 and 3 players."""
    with games.registered(GAME):
        return balance.simulate(tmp_path_factory.mktemp("made") / "run", game="tiny", games_per_cell=60)


@pytest.fixture
def check(capfd):
    def call(*args):
        code = run(["check", *args])
        return code, *capfd.readouterr()

    return call


@pytest.fixture(scope="module")
def strict(tmp_path_factory):
    """Thresholds that every game with a mood breaks, beyond doubt."""
    file = tmp_path_factory.mktemp("strict") / "strict.toml"
    file.write_text(
        '[[threshold]]\nid = "length"\nlow = 60\nhigh = 90\nreason = "Games are never so long."\n'
    )
    return ["--thresholds", str(file)]


@pytest.fixture(scope="module")
def answers():
    return {}


@pytest.fixture
def windy(check, answers):
    """Check Windy with 3 players; an answer that another test has asked for is there."""

    def call(*args):
        if args not in answers:
            answers[args] = check("windy", *TINY, *args)
        return answers[args]

    return call


def widest(lines, folder):
    """Return the length of the longest line that does not hold a path, which cannot be broken."""
    return max(len(line) for line in lines if str(folder) not in line)


def test_the_verdict_comes_first_then_the_reasons_with_numbers(windy, strict, tmp_path):
    code, out, _ = windy(*strict)
    assert code == 4
    lines = out.splitlines()
    assert lines[0].startswith("BROKEN: Windy (classic). Broken at 3 players (in ")
    told = " ".join(out.split())
    assert re.search(r"- Breaks it: Games last \d+ \(\d+ to \d+\) rounds", told)
    assert "without: " in out
    assert "Accepted: at least 60." in " ".join(out.split())
    assert "corrected together" in " ".join(out.split())
    assert widest(lines, tmp_path.parent) <= 80


def test_the_game_that_it_names_replays(windy, strict, capfd):
    _, out, _ = windy(*strict)
    command = next(line for line in out.splitlines() if line.startswith("  balance replay"))
    assert run(command.split()[1:]) == 0
    assert "3 players, windy" in capfd.readouterr().out


@pytest.mark.slow
def test_the_command_that_it_prints_gives_the_same_answer(check, strict, tmp_path, capfd):
    (tmp_path / "my mood.toml").write_text(
        '[[mood]]\nid = "mine"\nname = "Mine"\neditions = ["brisk"]\ngoal_change = 2\n'
    )
    _, out, _ = check(
        *("mine", *TINY, *strict, "--seed", "5", "--edition", "brisk", "--catalog", "my mood.toml"),
        *("--accept", "action:run:high", "--json"),
    )
    (command,) = json.loads(out)["provenance"]["commands"]
    assert command == (
        "balance check mine --of tiny --edition brisk --players 3 --seed 5 --catalog 'my mood.toml' "
        f"--thresholds {strict[1]} --accept action:run:high"
    )
    assert run([*shlex.split(command)[1:], "--json"]) == 4
    assert capfd.readouterr().out == out


def test_every_verdict_ends_with_what_to_do_next(check, windy, strict):
    assert json.loads(windy("--json")[1])["next"] == ["Allow it."]
    mend, allow = json.loads(windy(*strict, "--json")[1])["next"]
    assert mend.startswith("To mend it: balance check windy --of tiny --players 3 --thresholds ")
    assert allow.endswith("strict.toml --accept length:low gives the verdict without what breaks it.")
    command = shlex.split(
        allow.removeprefix("To allow it: balance ").removesuffix(" gives the verdict without what breaks it.")
    )
    assert check(*command[1:])[0] == 0


def test_the_replay_stands_with_the_finding(windy, strict):
    _, out, _ = windy(*strict)
    assert out.index("Why\n") < out.index("  balance replay ") < out.index("Verdicts\n")


@pytest.mark.slow
def test_games_are_played_once(check):
    first = check("windy", *TINY, "--save-run", "kept")
    again = check("Windy", *TINY, "--save-run", "kept")
    assert first[:2] == again[:2]
    assert ", in kept." in " ".join(first[1].split())


def test_json_holds_everything(windy, strict):
    code, out, _ = windy(*strict, "--json")
    found = json.loads(out)
    assert code == 4
    assert (found["verdict"], found["variants"], found["seed"]) == ("broken", ["windy"], 0)
    assert [one["players"] for one in found["verdicts"]] == [3]
    broken = [f for f in found["findings"] if f["broken"]]
    assert {f["metric"] for f in broken} == {"length"}
    assert all(f["low"] <= f["value"] <= f["high"] < f["threshold"] for f in broken)
    assert found["family"]["correction"].startswith("Benjamini-Hochberg")
    assert found["family"]["cells"] == len({f["lineup"] for f in found["findings"]})


def test_csv_is_one_row_per_finding(check, strict):
    _, out, _ = check("windy", *TINY, *strict, "--format", "csv")
    assert out.splitlines()[0].startswith(
        "players,variants,lineup,strength,metric,of,class,end,threshold,value,low,high,n,"
    )


@pytest.mark.slow
@pytest.mark.parametrize("format_", ["table", "csv", "json", "jsonl", "parquet", "markdown", "html", "pdf"])
@pytest.mark.parametrize("what", [["windy"], [], ["--all"]])
def test_every_answer_has_every_format(check, made, tmp_path, what, format_):
    code, out, err = check(*what, "--run", str(made.path), "--format", format_, "--out", "answer")
    assert (code, out) == (0, ""), err
    assert (tmp_path / "answer").stat().st_size > 500
    if format_ in ("html", "pdf"):
        assert str(made.path.parent).encode() not in (tmp_path / "answer").read_bytes()


def test_from_python_the_answer_is_the_same(windy, tmp_path):
    answer = balance.check(["windy"], game="tiny", players=3)
    assert repr(answer) == "<Answer (pair): FINE: Windy (classic). Fine at 3 players.>"
    assert str(answer) == windy()[1]
    assert answer.json() == json.loads(windy("--json")[1])
    assert answer.verdict == "fine"
    assert answer.save(tmp_path / "windy.html").read_text().startswith("<!doctype html>")


def test_games_of_a_run_are_judged_as_they_are(check, made, tmp_path):
    code, out, _ = check("windy", "--run", str(made.path), "--players", "2")
    assert code == 0
    assert f"in {made.path}." in " ".join(out.split())
    assert not (tmp_path / "data").exists()  # nothing was played
    code, _, err = check("windi", "--run", str(made.path))
    assert code == 2
    assert "did you mean 'windy'" in err


def test_a_run_in_a_folder_whose_name_means_something_to_sql(check, tmp_path):
    made = balance.simulate(tmp_path / "it's [1] players=9" / "run*", game="tiny", games_per_cell=30)
    code, out, err = check("windy", "--run", str(made.path), "--players", "2")
    assert code == 0, err
    assert "2 players" in out


def test_the_same_thresholds_without_failing(check, strict):
    assert check("windy", *TINY, *strict, "--fail-on", "none")[0] == 0


@pytest.mark.slow
def test_what_bends_the_game_fails_only_if_asked(check, strict, tmp_path):
    bending = tmp_path / "bending.toml"
    bending.write_text('[[threshold]]\nid = "length"\nclass_low = "bends"\nclass_high = "bends"\n')
    lay = [*strict, "--thresholds", str(bending)]
    found = json.loads(check("windy", *TINY, *lay, "--json")[1])
    assert found["verdict"] in ("bent", "undecided")
    bent = [f for f in found["findings"] if f["bent"]]
    assert {(f["metric"], f["class"], f["outside"], f["broken"]) for f in bent} == {
        ("length", "bends", True, False)
    }
    assert check("windy", *TINY, *lay)[0] == 0
    assert check("windy", *TINY, *lay, "--fail-on", "bent")[0] == (4 if found["verdict"] == "bent" else 0)


@pytest.mark.slow
@pytest.mark.parametrize("accepted", ["length", "length:low"])
def test_what_is_accepted_stays_listed(check, strict, accepted):
    code, out, _ = check("windy", *TINY, *strict, "--accept", accepted, "--json")
    found = json.loads(out)
    assert (code, found["verdict"] != "broken") == (0, True)
    listed = [f for f in found["findings"] if f["outside"]]
    assert {(f["metric"], f["accepted"], f["broken"]) for f in listed} == {("length", True, False)}
    assert "accepted by you" in found["verdicts"][0]["accepted"][0]
    assert check("windy", *TINY, *strict, "--accept", "length:high")[0] == 4


def test_without_names_the_game_itself_is_judged(check, strict):
    code, out, _ = check(*TINY, *strict)
    assert code == 4
    assert out.startswith("BROKEN: Tiny race without moods (classic)")
    assert "without: " not in out


def test_win_points_of_every_policy_at_mixed_tables(windy):
    _, out, _ = windy()
    assert re.search(r"Strategy +3 players\n[- ]+\nrandom +\d.*\nthrifty +\d", out)
    rows = json.loads(windy("--json")[1])["win_points"]
    assert {(row["lineup"], row["policy"]) for row in rows} == {("field", "random"), ("field", "thrifty")}
    assert all(row["low"] <= row["value"] <= row["high"] for row in rows)


@pytest.mark.slow
def test_all_ranks_everything_and_confirms_the_worst_on_fresh_seeds(check, strict, made):
    code, out, _ = check("--all", str(made.path), *strict, "--json")
    rows = json.loads(out)
    assert code == 0
    judged = {(row["rank"], row["players"], row["variants"]) for row in rows}
    assert sorted(rank for rank, *_ in judged) == list(range(1, 2 * 3 + 1))  # 2 and 3 players; three moods
    assert {row["verdict"] for row in rows} == {"broken"}
    assert [row["fresh"] for row in rows if row["fresh"]] == ["holds"] * 6
    assert all(row["high"] < row["threshold"] == 60 for row in rows if row["metric"] == "length")
    assert {row["class"] for row in rows if row["metric"] == "length"} == {"breaks"}
    assert len({(row["rank"], row["lineup"], row["metric"], row["of"], row["end"]) for row in rows}) == len(
        rows
    )
    code, out, _ = check("--all", str(made.path), *strict, "--fail-on", "broken")
    assert code == 4
    assert sum("× broken" in line for line in out.splitlines()) == 6
    assert "2 players: 3 broken, 0 undecided, 0 bent, 0 fine" in out
    assert "Holds on fresh games." in " ".join(out.split())


@pytest.mark.slow
def test_the_worst_fit_on_one_screen_a_line_each(check, strict, made, tmp_path):
    luck = tmp_path / "luck.toml"
    luck.write_text('[[threshold]]\nid = "luck"\nhigh = 0.5\nreason = "Deals do not decide."\n')
    strict = [*strict, "--thresholds", str(luck)]
    _, out, _ = check("--all", str(made.path), *strict, "--top", "2")
    lines = out.splitlines()
    rows = [line for line in lines if re.match(r" *\d+  × ", line)]
    assert len(rows) == 2
    assert re.fullmatch(r"1  × +\w+ +[23] +length \d+ +\d+", rows[0])  # the last is on fresh games
    assert "... and 4 more: --top 0, or --format csv. Not looked at: luck" in " ".join(out.split())
    assert (widest(lines, tmp_path.parent) <= 80, len(lines) <= 24) == (True, True)
    _, out, _ = check("--all", str(made.path), *strict, "--top", "10", "--players", "3")
    assert "The 3 worst at 3 players" in out
    assert "- 3 players: about 3 broken (3 to 3), 0 bent (0 to 0), 0 fine (0 to 0)\n" in out
    assert re.search(r"^1  × +\w+ +length \d+ +\d+$", out, re.MULTILINE)
    assert "Not looked at: " in out


@pytest.mark.slow
def test_until_decided_puts_games_where_verdicts_are_open(check, tmp_path):
    made = balance.simulate(tmp_path / "run", game="tiny", games_per_cell=30)
    before = sorted(p.name for p in made.path.rglob("*"))
    code, out, err = check(
        *["--all", str(made.path), "--players", "3", "--until-decided", "--budget", "6000", "--json"],
    )
    assert code == 0, err
    looks = [line for line in err.splitlines() if line.startswith("look ")]
    assert len(looks) >= 2
    said = re.search(
        r"about ([\d,]+) games would decide (\d+) of (\d+) open verdicts(; \d+ are too close)?", err
    )
    assert said is not None
    assert err.index(said[0]) < err.index("look 1 of ")
    assert err.index("the budget is 6,000") < err.index("look 1 of ")
    assert sorted(p.name for p in made.path.rglob("*")) == before
    extensions = sorted((tmp_path / "run-more").iterdir())
    assert extensions
    runs = balance.open_runs([made.path, *extensions])
    assert sum(r.plan.games for r in runs[1:]) <= 6000
    decided = [row for row in json.loads(out) if row["verdict"] != "undecided"]
    first = json.loads(check("--all", str(made.path), "--players", "3", "--json")[1])
    assert len(decided) >= len([row for row in first if row["verdict"] != "undecided"])


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["windy", "--accept", "lenght"], "did you mean 'length'"),
        (["windy", "--accept", "length:middle"], "is one number"),
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


@pytest.mark.slow
def test_a_pair_of_nefarious_with_both_twists_alone_beside_it(check):
    kept = ["--players", "2", "--save-run", "kept", "--json"]
    code, out, _ = check("Private Funding", "Parallel Universe", *kept)
    assert code == 0
    found = json.loads(out)
    assert found["variants"] == ["parallel-universe", "private-funding"]
    deals = {"mirror:learned": 400, "one:learned,casual": 2 * 16, "one:field+skilled+casual,learned": 2 * 32}
    deals["drawn:learned,skilled,casual"] = 2 * 40
    once = 4 * sum(deals.values())  # the pair, each alone, none
    assert found["games"] in (once, 2 * once, 4 * once)
    assert {f["lineup"] for f in found["findings"]} == set(deals)
    assert found["family"]["cells"] == 4 * 3
    length = [i for i in found["interactions"] if i["measure"] == "mean_length"]
    assert [i["scale"] for i in length] == ["log"] * 4
    again = check("parallel-universe", "private-funding", *kept)
    assert again[:2] == (code, out)


@pytest.mark.slow
def test_a_quick_check_that_is_undecided_says_how_to_go_on(check, tmp_path):
    file = tmp_path / "sure.toml"
    file.write_text('[[threshold]]\nid = "stalls"\nhigh = 0.0005\n')  # more than 400 games can show
    hint = "--strength normal plays about five times as many"
    pair = ["parallel-universe", "private-funding", "--players", "2"]
    told = " ".join(check(*pair, "--thresholds", str(file))[1].split())
    assert told.startswith("UNDECIDED")
    assert hint in told


def test_a_card_that_decides_the_game_is_named(check, checkout):
    card = str(checkout / "tests" / "judge" / "planted_card.toml")
    code, out, _ = check("philanthropy", "--players", "4", "--catalog", card)
    told = " ".join(out.split())
    assert code == 4
    assert "A seat that was dealt Planted Victory gets " in told
    assert "Not looked at" not in told


def test_all_says_what_it_does_not_look_at(check, tmp_path):
    made = balance.simulate(tmp_path / "run", game="tiny", games_per_cell=30)
    file = tmp_path / "luck.toml"
    file.write_text('[[threshold]]\nid = "luck"\nhigh = 0.5\nreason = "Dice are not everything."\n')
    _, out, _ = check("--all", str(made.path), "--thresholds", str(file))
    assert "Not looked at: luck (needs deals that are played more than once)" in " ".join(out.split())


@pytest.mark.parametrize("command", [["check", "windy", "--run"], ["check", "--all"], ["report"]])
def test_wrong_bytes_are_refused_before_anything_is_said(capfd, tmp_path, command):
    made = balance.simulate(tmp_path / "run", game="tiny", games_per_cell=30)
    file = made.files("games")[0]
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 0xFF
    file.chmod(0o644)
    file.write_bytes(content)
    assert run([*command, str(made.path)]) == 3
    assert "changed: " in capfd.readouterr().err
    assert not (tmp_path / "reports").exists()
