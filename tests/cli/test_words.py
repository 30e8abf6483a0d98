"""Odd input ends in one line and the right exit code."""

import resource
import shutil
import subprocess
import sys

import pytest

import balance
from balance import games
from balance.cli.app import run as command
from tests.games.tiny import GAME


@pytest.fixture(autouse=True)
def _tiny():
    with games.registered(GAME):
        yield


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    with games.registered(GAME):
        return balance.simulate(tmp_path_factory.mktemp("words") / "run", game="tiny", games_per_cell=3).path


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
    assert command(args) == 2
    assert capsys.readouterr().err == "error: a\\x00b does not name a folder: embedded null byte\n"


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
        timeout=300,
    )
    assert done.returncode == 1
    assert done.stderr == (
        "error: the address space of this process is limited to 1,000 MB (ulimit -v); "
        f"balance {words[0]} needs 2,500 MB\n"
    )


INTERRUPTED = """
import os, runpy, signal, sys
module = sys.argv.pop(1)

def interrupt(event, arguments):
    if event == "import" and arguments[0] == module:
        os.kill(os.getpid(), signal.SIGINT)

sys.addaudithook(interrupt)
runpy.run_module("balance", run_name="__main__")
"""


@pytest.mark.parametrize("module", ["balance.cli.app", "typer", "tomllib"])
def test_ctrl_c_while_a_module_is_imported(checkout, module):
    """The first import of ours is struck already, so that no moment is too early for one line."""
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, module, "catalog", "list", "twists"],
        cwd=checkout, capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "error: interrupted\n")
