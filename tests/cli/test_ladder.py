"""`balance ladder`, on the tiny game: its formats, its promises, and what it refuses."""

import csv
import io
import json
import re
import signal
import subprocess
import sys

import polars as pl
import pytest

import balance
from balance import games
from balance.cli.app import run
from balance.errors import UsageError
from tests.games import tiny
from tests.processes import wait_until_busy

COLUMNS = ["measure", "policy", "against", "value", "low", "high", "games", "stalled"]
SMALL = ["--of", "tiny", "--players", "3", "--games", "120"]


@pytest.fixture(autouse=True)
def _tiny():
    with games.registered(tiny.GAME):
        yield


@pytest.fixture
def call(capfd):
    """Run `balance ladder ARGS` in this process; return exit code, stdout and stderr."""

    def ask(*args):
        code = run(["ladder", *args])
        return code, *capfd.readouterr()

    return ask


def test_from_python_the_answer_is_the_same(call):
    answer = balance.ladder(game="tiny", players=3, games_per_match=120, policies=["random", "thrifty"])
    _, out, _ = call(*SMALL, "--policies", "random,thrifty", "--json")
    assert json.loads(json.dumps(answer.findings)) == json.loads(out)
    assert answer.kind == "ladder"
    with pytest.raises(UsageError, match="a ladder needs two policies"):
        balance.ladder(game="tiny", players=2, policies=["random"])


def test_rows_for_programs(call):
    code, out, err = call(*SMALL, "--json")
    rows = json.loads(out)
    assert code == 0
    assert all(list(row) == COLUMNS for row in rows)
    assert [(row["measure"], row["policy"], row["against"]) for row in rows] == [
        ("mixed", "thrifty", "all"), ("mixed", "random", "all"),
        ("one", "thrifty", "random"), ("one", "random", "thrifty"),
    ]  # fmt: skip
    assert {row["games"] for row in rows if row["measure"] == "one"} == {120}
    assert "Tiny race, classic, 3 players, no moods: 480 games of 2 policies, seed 20261116" in err


def test_the_same_bytes_for_any_number_of_threads(call):
    assert call(*SMALL, "--json", "--jobs", "1")[1] == call(*SMALL, "--json", "--jobs", "3")[1]


def test_another_seed_gives_other_figures(call):
    assert call(*SMALL, "--json", "--seed", "1")[1] != call(*SMALL, "--json")[1]


def test_tables_for_people(call):
    code, out, _ = call(*SMALL)
    assert code == 0
    assert re.search(r"Win points of one against the rest\n\none +thrifty +random\n", out)
    assert max(map(len, out.splitlines())) <= 80
    assert "Win points of one against the rest\n\n| one |" in call(*SMALL, "--format", "markdown")[1]


def test_csv_and_parquet(call, tmp_path):
    rows = list(csv.DictReader(io.StringIO(call(*SMALL, "--format", "csv")[1])))
    assert list(rows[0]) == COLUMNS
    file = tmp_path / "ladder.parquet"
    assert call(*SMALL, "--format", "parquet", "-o", str(file), "-q") == (0, "", "")
    assert pl.read_parquet(file).columns == COLUMNS
    assert len(pl.read_parquet(file)) == len(rows)


@pytest.mark.parametrize("format_", ["html", "pdf", "markdown", "jsonl"])
def test_every_format(call, tmp_path, format_):
    file = tmp_path / "ladder"
    assert call(*SMALL, "--format", format_, "-o", str(file), "-q") == (0, "", "")
    assert file.stat().st_size > 300


def test_moods_named_or_sampled(call):
    assert "windy: 480 games" in call(*SMALL, "--moods", "windy", "--json")[2]
    assert "3 combinations of moods" in call(*SMALL, "--moods", "sample", "--json")[2]
    assert call(*SMALL, "--variants", "none", "--json")[1] == call(*SMALL, "--json")[1]


LONG = """
import sys
from balance import games
from balance.cli.app import run
from tests.games import tiny
from tests.processes import wait_until_busy
games.register(tiny.GAME)
sys.exit(run(["ladder", "--of", "tiny", "--games", "100000000", "--jobs", "2", "--players", "3"]))
"""


def test_ctrl_c_ends_it_soon_with_nothing_on_stdout(checkout):
    process = subprocess.Popen(
        [sys.executable, "-c", LONG], cwd=checkout, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        assert "400000004 games" in process.stderr.readline()
        wait_until_busy(process)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)  # the games would take hours
    finally:
        process.kill()
    assert (process.returncode, out, err) == (130, "", "error: interrupted\n")


def test_what_cannot_be_measured_is_refused(call):
    for args, message in [
        (["--policies", "random"], "a ladder needs two policies at least, not 1 (random)"),
        (["--policies", "random,thirfty"], "unknown policy 'thirfty'; did you mean 'thrifty'?"),
        (["--policies", ""], "unknown policy ''"),
        (["--players", "7"], "for 2 or 3 players, not 7"),
        (["--moods", "widny"], "unknown mood 'widny'; did you mean 'windy'?"),
        (["--games", "0"], "--games"),
        (["--jobs", "0"], "--jobs"),
        (["--seed", "-1"], "seed -1 is out of range"),
    ]:
        code, out, err = call(*SMALL, *args)
        assert (code, out) == (2, ""), args
        assert message in err
        assert "Traceback" not in err
