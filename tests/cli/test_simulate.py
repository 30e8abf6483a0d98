"""`balance simulate`, as a user calls it."""

import json
import os
import pty
import re
import subprocess
import sys

import pytest

import balance
from balance import games
from balance.cli.app import run
from tests.games.tiny import GAME


@pytest.fixture(autouse=True)
def _tiny():
    with games.registered(GAME):
        yield


@pytest.fixture
def simulate(capfd):
    """Run `balance simulate ARGS` in this process; return exit code, stdout and stderr."""

    def call(*args):
        code = run(["simulate", *args])
        return code, *capfd.readouterr()

    return call


TINY = ["--of", "tiny", "--games", "5"]


def test_it_prints_the_folder_and_one_line_of_summary(simulate, tmp_path):
    code, out, err = simulate(*TINY, "--out", str(tmp_path / "run"))
    assert (code, out) == (0, f"{tmp_path / 'run'}\n")
    (line,) = err.splitlines()
    assert line.startswith("played 80 games in ")
    assert " games/s): 80 games in 2 shards, " in line
    assert balance.open_run(tmp_path / "run").plan.games == 80


def test_quiet_is_quiet(simulate, tmp_path):
    assert simulate(*TINY, "-q", "-o", str(tmp_path / "run")) == (0, f"{tmp_path / 'run'}\n", "")


def test_without_a_folder_it_lies_below_data_runs_under_a_name_of_the_plan(simulate, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    _, out, _ = simulate(*TINY)
    folder = out.strip()
    assert folder.startswith("data/runs/tiny-classic-")
    assert simulate(*TINY)[1] == out
    assert simulate(*TINY, "--seed", "1")[1] != out
    assert len(list((tmp_path / "data" / "runs").iterdir())) == 2


def test_the_options_of_the_issue_in_one_command(simulate, tmp_path):
    code, _, err = simulate(
        *["--of", "nefarious", "--edition", "magellan-2014", "--players", "2-3", "--twists", "none"],
        *["--twists", "unions,academics", "--games", "20", "--replicates", "2", "--lineup", "mirror:random"],
        *["--seed", "9", "--jobs", "1", "--out", str(tmp_path / "run")],
    )
    assert code == 0, err
    made = balance.open_run(tmp_path / "run")
    assert made.plan.games == 2 * 2 * 20 * 2
    assert made.cells.select("players", "pair_a", "pair_b").rows() == [
        (2, None, None),
        (2, "academics", "unions"),
        (3, None, None),
        (3, "academics", "unions"),
    ]
    played = made.games.filter(players=3).select("twist_1").unique().collect()["twist_1"].to_list()
    assert set(played) == {None, "academics", "unions"}


def test_an_overlay_is_played_and_kept(simulate, tmp_path):
    overlay = tmp_path / "mine.toml"
    overlay.write_text('[[mood]]\nid = "sleepy"\nname = "Sleepy"\neditions = ["classic"]\nrun_change = -2\n')
    args = [*TINY, "--moods", "sleepy", "--catalog", str(overlay), "--out", str(tmp_path / "run")]
    assert simulate(*args)[0] == 0
    assert 'id = "sleepy"' in (tmp_path / "run" / "catalog.toml").read_text()


# --- extend and repair


def test_extend_and_repair(simulate, tmp_path):
    first, more = str(tmp_path / "first"), str(tmp_path / "more")
    assert simulate(*TINY, "--out", first)[0] == 0
    code, out, err = simulate("--extend", first, "--games", "3", "--out", more)
    assert (code, out) == (0, f"{more}\n"), err
    assert [run.plan.games for run in balance.open_runs([first, more])] == [80, 48]
    next((tmp_path / "more" / "seats").rglob("*.parquet")).unlink()
    code, out, err = simulate("--repair", more)
    assert (code, out) == (0, f"{more}\n"), err
    assert "24 of 48 games are still to be played" in err
    code, _, err = simulate("--repair", more)
    assert (code, "nothing was played" in err) == (0, True)


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--extend", "first"], "--extend needs --name or --out, a new folder: a finished run never changes"),
        (["--extend", "x", "--seed", "1"], "--extend takes this from the run; it does not go with --seed"),
        (
            ["--repair", "x", "--games", "1"],
            "--repair takes everything from the run; it does not go with --games",
        ),
        (["--repair", "x", "--out", "y"], "does not go with --out"),
        (["--jobs", "0"], "--jobs 0: 1 to 1000 are possible"),
        (["--jobs", "1000000"], "--jobs 1000000: 1 to 1000 are possible"),
        (["--twists", "unons"], "unknown twist 'unons'"),
        (["--players", "9"], "--players 9: Nefarious is for 2 to 6 players"),
        (["--lineup", "mirror:randon"], "unknown policy 'randon'"),
        (["--of", "chess"], "unknown game 'chess'"),
        (["--game", "chess"], "there is no option --game here; --of NAME names the game"),
    ],
)
def test_a_mistake_is_one_clear_line(simulate, tmp_path, monkeypatch, args, message):
    monkeypatch.chdir(tmp_path)
    if not {"--of", "--game"} & {*args} and "--extend" not in args and "--repair" not in args:
        args = [*args, "--games", "1"]
    code, out, err = simulate(*args)
    assert (code, out) == (2, "")
    assert message in err.splitlines()[0]
    hints = err.splitlines()[1:]  # of an option that does not exist
    assert hints == (["Try 'balance simulate --help'."] if "--game" in args else [])
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("option", ["--extend", "--repair"])
def test_a_run_that_is_not_there(simulate, tmp_path, option):
    args = [option, str(tmp_path / "nowhere")] + (
        ["--out", str(tmp_path / "x")] if option == "--extend" else []
    )
    code, out, err = simulate(*args)
    assert (code, out) == (3, "")
    assert "there is no run in" in err
    assert list(tmp_path.iterdir()) == []


def test_a_folder_of_another_plan(simulate, tmp_path):
    assert simulate(*TINY, "--out", str(tmp_path / "run"))[0] == 0
    code, out, err = simulate(*TINY, "--out", str(tmp_path / "run"), "--seed", "4")
    assert (code, out) == (2, "")
    assert "holds another run (seed: 0 there, 4 here)" in err


# --- the terminal


@pytest.mark.slow
def test_progress_on_a_terminal_names_speed_and_shards(tmp_path, checkout):
    ours, theirs = pty.openpty()
    args = ["--players", "2", "--twists", "singles", "--lineup", "mirror:random", "--games", "4000"]
    process = subprocess.Popen(
        [sys.executable, "-m", "balance", "simulate", *args, "--out", str(tmp_path / "run")],
        stdout=subprocess.PIPE,
        stderr=theirs,
        env=os.environ | {"COLUMNS": "80"},
        cwd=checkout,
    )
    os.close(theirs)
    seen = b""
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:
            break
        if not part:
            break
        seen += part
    process.communicate(timeout=300)
    assert process.returncode == 0
    text = seen.decode()
    assert "playing " in text
    assert re.search(r" games/s, \d of \d+ shards ", text)
    assert "…" not in text
    assert re.search(r"\d:\d\d:\d\d", text)  # time left


# --- replay RUN GAME_ID


def test_a_game_of_a_run_is_told_and_printed_as_usual(tmp_path, capfd):
    made = balance.simulate(
        tmp_path / "run",
        players=4,
        variants="unions,parallel-universe",
        lineups="mirror:random",
        games_per_cell=20,
    )
    row = made.games.collect().row(7, named=True)
    number = str(row["game_id"])
    assert run(["replay", str(made.path), number, "--json"]) == 0
    events = [json.loads(line) for line in capfd.readouterr().out.splitlines()]
    assert events[0]["twists"] == [row["twist_1"], row["twist_2"]]
    assert events[0]["game_index"] == row["game_index"]
    assert events[-1] == {
        "event": "end",
        "winner": row["winner_seat"],
        "rounds": row["rounds"],
        "stalled": row["stalled"],
    }
    assert run(["replay", str(made.path), number, "--state", "2"]) == 0
    assert "seat 3 " in capfd.readouterr().out
    twists = f"{row['twist_1']},{row['twist_2']}"
    named = ["--players", "4", "--twists", twists, "--game", str(row["game_index"]), "--json"]
    assert run(["replay", *named, "--lineup", "mirror:random"]) == 0
    assert [json.loads(line) for line in capfd.readouterr().out.splitlines()] == events


def test_a_game_that_is_not_in_the_run(tmp_path, capfd):
    made = balance.simulate(tmp_path / "run", game="tiny", games_per_cell=2)
    assert run(["replay", str(made.path), "2000"]) == 2
    assert "has no game 2000: it does not play cell 0, index 2, replicate 0" in capfd.readouterr().err
    assert run(["replay", str(tmp_path), "2000"]) == 3
    assert "there is no run in" in capfd.readouterr().err
