"""Odd input ends in one line and the right exit code."""

import os
import resource
import shutil
import signal
import subprocess
import sys
import time

import pytest

import balance
from balance import games
from balance.cli.app import run as command
from tests.games.tiny import GAME


@pytest.fixture(autouse=True)
def _tiny(monkeypatch):
    monkeypatch.setitem(games._registered, "tiny", GAME)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    games._registered["tiny"] = GAME
    try:
        return balance.simulate(tmp_path_factory.mktemp("words") / "run", game="tiny", games_per_cell=3).path
    finally:
        del games._registered["tiny"]


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["select '\udcff'"], 2, "is not valid UTF-8 text"),
        (["select $x", "x=\udcff"], 2, "is not valid UTF-8 text"),
        (["select \0"], 2, "the query contains a NUL character"),
        (["select " + "(" * 3000 + "1" + ")" * 3000], 2, "Max expression depth"),
        ([";select 1 as a"], 0, ""),
        (["select " + "||".join(["'a'"] * 400)], 0, ""),
        (["select length($x)", "x=" + "9" * 5000], 0, ""),
    ],
)
def test_queries(folder, words, code, message, capsys):
    assert command(["sql", str(folder), *words, "--format", "csv"]) == code
    err = capsys.readouterr().err
    assert message in err
    assert err.count("\n") <= 1
    assert "unexpected" not in err


def test_a_path_with_the_letters_of_patterns(folder, tmp_path, capsys):
    odd = shutil.copytree(folder, tmp_path / "a[b]*?")
    number = balance.open_run(odd).games.collect()["game_id"][0]
    assert command(["replay", str(odd), str(number)]) == 0
    assert command(["sql", str(odd), "select count(*) from seats"]) == 0
    assert command(["doctor", str(odd), "--replay", "2"]) == 0
    assert "Traceback" not in capsys.readouterr().err


@pytest.mark.parametrize("args", [["sql", "a\0b", "select 1"], ["replay", "a\0b", "1"], ["doctor", "a\0b"]])
def test_a_path_with_a_nul(args, capsys):
    assert command(args) in (2, 3)
    assert "unexpected" not in capsys.readouterr().err


@pytest.mark.parametrize("words", [["sql", "RUN", "select 1"], ["doctor", "RUN"]])
def test_a_low_limit_of_the_address_space(folder, checkout, words):
    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (1_000_000_000, resource.RLIM_INFINITY))

    done = subprocess.run(
        [sys.executable, "-m", "balance", *(str(folder) if word == "RUN" else word for word in words)],
        cwd=checkout,
        preexec_fn=limit,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 1
    assert done.stderr == (
        "error: the address space of this process is limited to 1,000 MB (ulimit -v); "
        f"balance {words[0]} needs 2,500 MB\n"
    )


@pytest.mark.parametrize("seconds", [0.08, 0.12, 0.2, 0.3])
def test_ctrl_c_from_the_first_moment_on(checkout, seconds):
    """Before Python runs our first line it is Python's own; after that there is one line at most."""
    process = subprocess.Popen(
        [sys.executable, "-X", "frozen_modules=on", "-m", "balance", "catalog", "list", "twists"],
        cwd=checkout,
        env=os.environ,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    time.sleep(seconds)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    if "balance" in err and "Traceback" in err:
        pytest.fail(err)
    assert process.returncode in (0, 130, -signal.SIGINT, 1)
