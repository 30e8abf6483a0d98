"""stderr and exit codes: whatever happens becomes one message and one number."""

import os
import pty
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import polars as pl
import pytest
import typer

from balance.cli import diagnostics
from balance.errors import CatalogError, DataError, Failed, Problem, UsageError


def raising(problem):
    def command():
        raise problem

    return command


@pytest.mark.parametrize(
    ("problem", "code", "message"),
    [
        (Failed("limit exceeded"), 1, "error: limit exceeded\n"),
        (UsageError("bad option"), 2, "error: bad option\n"),
        (
            UsageError("games_per_cell 0: too few", parameter="games_per_cell"),
            2,
            "error: --games 0: too few\n",
        ),
        (
            UsageError("seed and game differ", parameter=("seed", "game")),
            2,
            "error: --seed and --of differ\n",
        ),
        (DataError("run is damaged"), 3, "error: run is damaged\n"),
        (PermissionError(13, "Permission denied", "/x"), 1, "error: /x: Permission denied\n"),
        (MemoryError(), 1, "error: out of memory\n"),
        (KeyboardInterrupt(), 130, "error: interrupted\n"),
        (BrokenPipeError(), 0, ""),
        (typer.Exit(4), 4, ""),
    ],
)
def test_every_end_has_its_code_and_its_message(problem, code, message, capsys):
    assert diagnostics.run(raising(problem)) == code
    assert capsys.readouterr().err == message


def test_every_problem_of_a_catalog_is_one_error(capsys):
    problems = [Problem("a.toml", "x", "cost", "too high"), Problem("a.toml", "y", "vp", "too low")]
    assert diagnostics.run(raising(CatalogError(problems))) == 2
    assert capsys.readouterr().err == "error: a.toml: x: cost: too high\nerror: a.toml: y: vp: too low\n"


def test_a_bug_is_one_line_with_the_way_to_the_traceback(capsys):
    assert diagnostics.run(raising(ValueError("odd\nsecond line"))) == 1
    expected = "error: unexpected ValueError: odd (-v or BALANCE_DEBUG=1 shows the traceback)\n"
    assert capsys.readouterr().err == expected


def test_a_panic_of_polars_is_one_line(capsys):
    panic = pl.exceptions.PanicException("threads")
    assert not isinstance(panic, Exception)
    assert diagnostics.run(raising(panic)) == 1
    assert capsys.readouterr().err.startswith("error: unexpected PanicException: threads (-v")


def test_debug_shows_the_traceback(capsys, monkeypatch):
    monkeypatch.setenv("BALANCE_DEBUG", "1")
    diagnostics.run(raising(ValueError("odd")))
    assert "Traceback (most recent call last)" in capsys.readouterr().err


def test_a_message_cannot_steer_the_terminal(capsys):
    diagnostics.run(raising(UsageError("unknown twist '\x1b[2J'")))
    assert capsys.readouterr().err == "error: unknown twist '\\x1b[2J'\n"


def test_nobody_listening_is_no_error(monkeypatch):
    monkeypatch.setattr("sys.stderr", None)
    assert diagnostics.run(raising(UsageError("x"))) == 2


@pytest.mark.parametrize(
    ("option", "expected"),
    [([], "said\nwarning: warned\n"), (["-q"], ""), (["-v"], "said\nwarning: warned\n")],
)
def test_quiet_and_verbose_work_before_and_after_the_command(option, expected, capsys, monkeypatch):
    from balance.cli import app, doctor

    def talk(*args):
        diagnostics.say("said")
        diagnostics.warn("warned")

    monkeypatch.setattr(doctor.output, "rows", talk)
    assert app.run([*option, "doctor"]) == 0
    assert capsys.readouterr().err == expected
    assert app.run(["doctor", *option]) == 0
    assert capsys.readouterr().err == expected


# --- as the user sees it


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["docter"], "error: unknown command 'docter'; did you mean 'doctor'?\nTry 'balance --help'.\n"),
        (["doctor", "--jsn"], "error: unknown option '--jsn'; did you mean '--json'?\n"),
        (
            ["check", "--players", "4", "--twists", "unions"],
            "error: there is no option --twists: balance check takes [NAME]... without it\n",
        ),
        (
            ["price", "--invention", "46"],
            "error: there is no option --invention: balance price takes [ITEM]... without it\n",
        ),
        (["doctor", "--format", "xls"], "error: Invalid value for '--format': 'xls' is not one of 'table'"),
        (["doctor", "--out"], "error: Option '--out' requires an argument"),
        (["doctor", "a", "surplus"], "error: Got unexpected extra argument"),
        (["doctor", "--json", "--format", "csv"], "error: --json and --format csv contradict"),
        (["doctor", "a", "\x1b[2J"], "error: Got unexpected extra argument"),
        ([], "Example: balance"),
    ],
)
def test_wrong_usage_exits_2_and_helps(args, message, command):
    done = command(*args)
    assert done.returncode == 2
    assert done.stderr.startswith(message)
    assert done.stdout == ""
    assert "\x1b" not in done.stderr


@pytest.mark.parametrize("option", ["-h", "--help"])
def test_help_is_data(option, command):
    done = command(option)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("Example: balance")
    assert max(map(len, done.stdout.splitlines())) <= 80


def test_the_version(cli):
    import balance

    assert cli("--version").stdout == f"balance {balance.__version__}\n"


@pytest.mark.parametrize("args", [["--help"], ["--version"], ["doctor"], ["doctor", "--json"]])
def test_a_closed_pipe_is_quiet(args):
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run([sys.executable, "-m", "balance", *args], stdout=writer, stderr=subprocess.PIPE)
    os.close(writer)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
def test_a_full_disk_is_told():
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "balance", "doctor"], stdout=full, stderr=subprocess.PIPE, text=True
        )
    assert (done.returncode, done.stderr) == (1, "error: No space left on device\n")


def test_ctrl_c_is_one_line():
    script = (
        "import time, sys\n"
        "from balance.cli import app, doctor\n"
        "def wait(*args):\n"
        "    print('ready', file=sys.stderr, flush=True)\n"
        "    time.sleep(30)\n"
        "doctor.output.rows = wait\n"
        "sys.argv = ['balance', 'doctor']\n"
        "from balance.__main__ import main\n"
        "main()\n"
    )
    child = subprocess.Popen([sys.executable, "-c", script], stderr=subprocess.PIPE, text=True)
    assert child.stderr.readline() == "ready\n"
    child.send_signal(signal.SIGINT)
    assert child.stderr.read() == "error: interrupted\n"
    assert child.wait(60) == 130


def test_shell_completion_knows_commands_and_formats(cli):
    completing = {"_BALANCE_COMPLETE": "complete_bash", "COMP_CWORD": "1", "COMP_WORDS": "balance doc"}
    assert cli(env=completing).stdout.split() == ["doctor"]
    completing |= {"COMP_CWORD": "3", "COMP_WORDS": "balance doctor --format js"}
    assert cli(env=completing).stdout.split() == ["json", "jsonl"]


# --- progress


def progress_on(stream, monkeypatch):
    monkeypatch.setattr("sys.stderr", stream)
    with diagnostics.progress("games", 4) as advance:
        for _ in range(4):
            advance()


def test_progress_is_silent_in_a_pipe(monkeypatch, tmp_path):
    with (tmp_path / "log").open("w+") as log:
        progress_on(log, monkeypatch)
        assert log.tell() == 0


def test_a_long_note_leaves_bar_percent_and_time_in_80_columns(monkeypatch):
    controller, side = pty.openpty()
    monkeypatch.setenv("COLUMNS", "80")
    with os.fdopen(side, "w") as stream:
        monkeypatch.setattr("sys.stderr", stream)
        with diagnostics.progress("playing", 4, "compiling first") as advance:
            advance(1, "123,456 games/s, 10 of 20 shards, " + "a long name of a cell " * 5)
        time.sleep(0.05)
        seen = os.read(controller, 100_000).decode()
    os.close(controller)
    first, *_, last = [re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", part) for part in seen.split("playing")[1:]]
    assert "compiling first" in first
    assert re.match(r" \S{12}  25% 0:00:00 left \S+ 123,456 games/s, 10 of 20 shards,", last)
    assert max(len("playing" + line) for line in last.splitlines()) <= 80


def test_progress_shows_on_a_terminal_and_wipes_itself(monkeypatch):
    controller, side = pty.openpty()
    with os.fdopen(side, "w") as stream:
        progress_on(stream, monkeypatch)
        time.sleep(0.05)
        seen = os.read(controller, 10_000).decode()
    os.close(controller)
    assert "games" in seen
    assert seen.endswith("\r\x1b[1A\x1b[2K")
