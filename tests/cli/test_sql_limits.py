"""Limits hold inside one call of a function: DuckDB cannot interrupt it, so the process ends."""

import os
import signal
import subprocess
import sys
import time

import pytest

import balance
from balance import games
from balance.dataset.connection import connect
from balance.dataset.limits import Limits
from balance.errors import Failed
from tests.games.tiny import GAME
from tests.processes import wait_until_busy

ENDLESS = "select levenshtein(repeat('a', 400000), repeat('b', 400000))"
HUGE = "select length(repeat('x', 4000000000))"
SCRIPT = """
import sys
from balance import games
from tests.games.tiny import GAME
games.register(GAME)
from balance.__main__ import main
main()
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    with games.registered(GAME):
        return balance.simulate(tmp_path_factory.mktemp("limits") / "run", game="tiny", games_per_cell=3).path


@pytest.fixture
def start(folder, checkout, tmp_path):
    def call(*args):
        return subprocess.Popen(
            [sys.executable, "-c", SCRIPT, "sql", str(folder), *args],
            cwd=checkout,
            env=os.environ | {"TMPDIR": str(tmp_path), "PYTHONPATH": str(checkout)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    return call


def wait_until_it_works(process, tmp_path):
    """Wait until the connection is open and the query has begun."""
    deadline = time.monotonic() + 60
    while not any(tmp_path.glob("balance-sql-*")):
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.05)
    wait_until_busy(process)


def test_time(start, tmp_path):
    process = start(ENDLESS, "--timeout", "1")
    _, err = process.communicate(timeout=60)
    assert (process.returncode, "longer than the time limit of 1 s" in err) == (1, True)
    assert list(tmp_path.iterdir()) == []


def test_ctrl_c(start, tmp_path):
    process = start(ENDLESS)
    wait_until_it_works(process, tmp_path)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)  # the query would take minutes
    assert (process.returncode, out, err) == (130, "", "error: interrupted\n")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_memory(start):
    process = start(HUGE, "--memory", "100MB")
    _, err = process.communicate(timeout=60)
    assert (process.returncode, "needs more than the memory limit of 100MB" in err) == (1, True)


def test_bytes_on_the_disk(folder, monkeypatch):
    monkeypatch.setattr("balance.dataset.connection._DISK", 20 * 10**6)
    query = "select range, hash(range) as h from range(9000000) order by h"
    with (
        games.registered(GAME),
        connect([balance.open_run(folder)], Limits(memory="60MB")) as con,
        pytest.raises(Failed, match=r"memory limit of 60MB|writes more than"),
    ):
        con.frame(f"select max(h) from ({query} limit 8000000)")


def test_in_a_notebook_the_connection_is_given_up(folder):
    """The thread goes on by itself; whoever called is free again, and told so next time."""
    slow = "select levenshtein(repeat('a', 60000), repeat('b', 60000))"  # some seconds, so that the test ends
    for seconds in (0.2, 1, 3):  # a busy machine may stop the query before the function is called
        with games.registered(GAME), connect([balance.open_run(folder)], Limits(seconds=seconds)) as con:
            with pytest.raises(Failed, match="time limit"):
                con.frame(slow)
            if con._worker.stuck:
                with pytest.raises(Failed, match="an earlier query of this connection could not be stopped"):
                    con.frame("select 1")
                return
    pytest.fail("the function was never interrupted")
