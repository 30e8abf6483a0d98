"""`balance bench`, as a user calls it; nothing here looks at the clock."""

import json

import pytest

import balance
from balance import bench, games, machine
from balance.cli.app import run
from balance.dataset.questions import questions
from balance.games.contract import Throughput
from tests.games.tiny import Tiny

SMALL = ["--games", "60", "--repeats", "1", "--no-compile", "--no-sweep", "--lineup", "mirror:random"]
COLUMNS = ["measure", "lineup", "players", "variants", "threads"]
COLUMNS += ["median", "low", "high", "unit", "n", "repeats"]


@pytest.fixture(autouse=True)
def _two_cores(monkeypatch):
    monkeypatch.setattr(machine, "cores", lambda: machine.Capacity(2, "this test"))


@pytest.fixture
def call(capfd):
    """Run `balance bench ARGS` in this process; return exit code, stdout and stderr."""

    def ask(*args):
        code = run(["bench", *args])
        return code, *capfd.readouterr()

    return ask


def test_one_row_per_figure(call):
    code, out, _ = call(*SMALL, "--json")
    assert code == 0
    rows = json.loads(out)
    assert all(list(row) == COLUMNS for row in rows)
    speeds = {"games/s": "1/s", "rounds/s": "1/s", "decision": "ns"}
    assert [
        (row["players"], row["variants"], row["threads"], row["measure"])
        for row in rows
        if row["measure"] in speeds
    ] == [
        (players, variants, threads, measure)
        for players in (2, 4, 6)
        for variants in ("none", "50 pairs")
        for threads in (1, 2)
        for measure in speeds
    ]
    assert [
        (row["players"], row["variants"], row["unit"]) for row in rows if row["measure"] == "speed-up"
    ] == [(players, variants, "x") for players in (2, 4, 6) for variants in ("none", "50 pairs")]
    assert all(row["unit"] == speeds.get(row["measure"], "x") for row in rows)
    assert {(row["variants"], row["n"]) for row in rows} == {("none", 60), ("50 pairs", 100)}  # 2 of each
    assert {(row["lineup"], row["repeats"]) for row in rows} == {("mirror:random", 1)}
    assert all(0 < row["low"] <= row["median"] <= row["high"] for row in rows)


def test_the_table_fits_80_columns_and_says_on_stderr_who_plays(call):
    code, out, err = call(*SMALL, "--players", "2")
    assert code == 0
    head, _, *lines = out.splitlines()
    assert head.split() == [name for name in COLUMNS if name not in ("lineup", "repeats")]
    assert len(lines) == 2 * 2 * 3 + 2
    assert max(map(len, out.splitlines())) <= 80
    assert "Nefarious, mirror:random: 4 measurements of 60 games, 2 cores" in err


def test_it_is_quiet_and_writes_a_file(call, tmp_path):
    file = tmp_path / "bench.csv"
    code, out, err = call(*SMALL, "--players", "3", "-q", "--format", "csv", "-o", str(file))
    assert (code, out, err) == (0, "", "")
    assert file.read_text().splitlines()[0] == ",".join(COLUMNS)


def test_starts_come_last_and_are_told(call, monkeypatch):
    monkeypatch.setattr(bench, "_seconds", lambda arguments, cache: 1.23456)
    code, out, err = call(
        "--games",
        "5",
        "--repeats",
        "2",
        "--players",
        "2",
        "--json",
        "--no-sweep",
        "--lineup",
        "mirror:random",
    )
    assert code == 0
    assert [
        (row["measure"], row["median"], row["unit"], row["n"], row["repeats"]) for row in json.loads(out)[-5:]
    ] == [
        ("cold", 1.235, "s", 1, 1),
        ("cold players", 1.235, "s", 1, 1),
        ("cold replay", 1.235, "s", 1, 1),
        ("warm", 1.235, "s", 1, 2),
        ("replay", 1.235, "s", 1, 2),
    ]
    assert "compiling into an empty cache" in err


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--lineup", "mirror:randon"], "unknown policy 'randon'"),
        (["--lineup", "random,random", "--players", "3"], "seats 2, but 3 play"),
        (["--players", "7"], "7"),
        (["--games", "0"], "--games"),
        (["--repeats", "0"], "--repeats"),
        (["--of", "chess"], "unknown game 'chess'"),
    ],
)
def test_what_cannot_be_measured_is_refused(call, args, message):
    code, out, err = call(*SMALL, *args)
    assert (code, out) == (2, "")
    assert message in err
    assert "Traceback" not in err


def test_a_game_that_does_not_count_what_it_plays_is_refused(call, monkeypatch):
    monkeypatch.setitem(games._registered, "tiny", Tiny())
    code, out, err = call(*SMALL, "--of", "tiny")
    assert (code, out) == (2, "")
    assert "the game tiny does not count what it plays" in err


def test_the_table_of_a_much_faster_machine_fits_too(call, monkeypatch):
    def fast(*_):
        return Throughput(60_000, 2_000_000, 10_000_000, 0.05)

    monkeypatch.setattr(bench, "_play", fast)
    code, out, _ = call("--no-compile", "--no-sweep")
    assert code == 0
    assert "40000000" in out
    assert len(out.splitlines()) == 2 + 4 * 6 * (2 * 3 + 1)
    assert max(map(len, out.splitlines())) <= 80


def test_a_sweep_is_measured_against_the_engine_alone(call):
    code, out, err = call("--games", "4000", "--repeats", "2", "--players", "3", "--no-compile", "--json")
    assert code == 0
    rows = [row for row in json.loads(out) if row["variants"] == "2 pairs"]
    assert [(row["measure"], row["threads"], row["unit"]) for row in rows] == [
        ("sweep", 1, "1/s"),
        ("sweep", 2, "1/s"),
        ("sweep/kernel", 2, "x"),
        ("sweep gain", 2, "x"),
        ("games size", 2, "B"),
        ("seats size", 2, "B"),
        ("builds size", 2, "B"),
        ("rounds size", 2, "B"),
    ]
    assert {(row["players"], row["n"]) for row in rows} == {(3, 4000)}
    assert all(0 < row["low"] <= row["median"] <= row["high"] for row in rows)
    assert "sweeping 2 pairs with 3 players" in err


def test_answers_over_a_run_are_measured_each_in_a_process_of_its_own(call, tmp_path, monkeypatch):
    assert len(questions(game="nefarious")) >= 20
    some = {k: v for k, v in questions(game="nefarious").items() if "interaction" in k or k == "tension"}
    monkeypatch.setattr("balance.answering.questions", lambda game: some)
    made = balance.simulate(
        tmp_path / "a run", variants=["none", "unions", "geeks", "geeks,unions"], players=[2, 3],
        lineups=["mirror:random", "field"], games_per_cell=20,
    )  # fmt: skip
    code, out, err = call("--run", str(made.path), "--repeats", "1", "--json")
    assert code == 0, err
    rows = json.loads(out)
    names = [row["answer"] for row in rows]
    assert names == [
        "reading everything once",
        *(f"@{name}" for name in some),
        "check --all",
    ]
    assert all(0 < row["low"] == row["seconds"] == row["high"] for row in rows)
    assert rows[0]["scans"] == 1
    assert all(row["megabytes"] > 10 for row in rows)
    assert call("--run", str(tmp_path / "nowhere"))[0] == 3
