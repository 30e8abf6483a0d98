"""The prompt of `balance sql`, on a terminal of 80 columns."""

import os
import pty
import re
import select
import signal
import subprocess
import sys
import termios
import time

import pytest

import balance
from balance import games
from tests.games.tiny import GAME
from tests.processes import wait_until_busy

SCRIPT = """
import sys
from balance import games
from tests.games.tiny import GAME
games.register(GAME)
from balance.__main__ import main
main()
"""
PROMPT = "balance> "
SLOW = "select count(*) from range(1000000) a, range(1000000) b where hash(a, b) = 7;"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    with games.registered(GAME):
        return balance.simulate(tmp_path_factory.mktemp("shell") / "run", game="tiny", games_per_cell=3).path


class Terminal:
    """A process on a terminal."""

    def __init__(self, args, checkout, **env):
        self.ours, theirs = pty.openpty()
        termios.tcsetwinsize(theirs, (24, 80))
        self.process = subprocess.Popen(
            [sys.executable, "-c", SCRIPT, "sql", *args],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            cwd=checkout,
            env=os.environ
            | {"TERM": "xterm", "NO_COLOR": "1", "INPUTRC": "/dev/null", "PYTHONPATH": str(checkout)}
            | env,
            preexec_fn=self._own_terminal(theirs),  # noqa: PLW1509 - Ctrl-C needs a controlling terminal
        )
        os.close(theirs)
        self.seen = ""

    @staticmethod
    def _own_terminal(theirs):
        def become():
            os.setsid()
            signal.signal(signal.SIGQUIT, signal.SIG_DFL)  # ignored if the tests run in the background
            import fcntl

            fcntl.ioctl(theirs, termios.TIOCSCTTY, 0)

        return become

    def until(self, text, seconds=60):
        """Read until the terminal shows a text; return what it showed since the last time."""
        limit = time.monotonic() + seconds
        while text not in self.seen:
            ready, _, _ = select.select([self.ours], [], [], max(0, limit - time.monotonic()))
            assert ready, f"waited for {text!r}, saw {self.seen!r}"
            try:
                part = os.read(self.ours, 65536)
            except OSError:
                part = b""
            assert part, f"the end, waiting for {text!r}; saw {self.seen!r}"
            self.seen += (
                re.sub(r"\x1b\[\?2004[hl]", "", part.decode()).replace("\r\n", "\n").replace("\r", "")
            )
        shown, _, self.seen = self.seen.partition(text)
        return shown

    def until_connected(self, temporary, seconds=60):
        """Wait for the folder of the connection, the only one among the temporary ones."""
        limit = time.monotonic() + seconds
        while not list(temporary.glob("balance-sql-*")):
            assert time.monotonic() < limit
            time.sleep(0.05)
        assert len(list(temporary.iterdir())) == 1

    def type(self, text):
        os.write(self.ours, text.encode())

    def ask(self, line):
        """Type a line, and return what is shown up to the next prompt."""
        self.type(f"{line}\n")
        return self.until(PROMPT).removeprefix(f"{line}\n")

    def end(self):
        return self.process.wait(timeout=60)

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self.ours)


@pytest.fixture
def shell(folder, checkout, tmp_path):
    opened = []

    def start(*args, **env):
        terminal = Terminal(
            [str(folder), *args],
            checkout,
            **{"TMPDIR": str(tmp_path), "PATH": "/nowhere", **env},
        )
        opened.append(terminal)
        return terminal

    yield start
    for terminal in opened:
        terminal.close()


def test_a_conversation(shell):
    terminal = shell()
    greeting = terminal.until(PROMPT).replace("\n", " ")
    assert "tables: games, seats, buys, " in greeting
    assert " games," in greeting
    answer = terminal.ask("select players, count(*) as n from games group by all order by all;")
    assert answer.startswith("players   n\n-------  --\n      2  24\n      3  24\n")
    assert terminal.ask("select 1 as a; select 2 as b;") == "a\n-\n1\nb\n-\n2\n"
    terminal.type("select ';'\n")
    terminal.until("    ...> ")
    assert terminal.ask("  as c;") == "c\n-\n;\n"
    assert 'Did you mean "games"?' in terminal.ask("from gams;")
    assert "COPY is refused" in terminal.ask("copy games to 'x';")
    assert terminal.ask("select 3 as d;") == "d\n-\n3\n"
    terminal.type("\x04")
    assert terminal.end() == 0


def test_ctrl_c_cancels_the_query_and_not_the_shell(shell):
    terminal = shell()
    terminal.until(PROMPT)
    terminal.type(f"{SLOW}\n")
    wait_until_busy(terminal.process)
    terminal.type("\x03")
    assert "cancelled" in terminal.until(PROMPT)
    assert terminal.ask("select 4 as a;").startswith("a\n-\n4\n")


def test_ctrl_c_forgets_what_was_begun(shell):
    terminal = shell()
    terminal.until(PROMPT)
    terminal.type("select 5\n")
    terminal.until("    ...> ")
    terminal.type("as x")
    terminal.until("as x")
    terminal.type("\x03")
    terminal.until(PROMPT)
    assert terminal.ask("select 6 as y;").startswith("y\n-\n6\n")


def test_ctrl_d_leaves(shell):
    terminal = shell()
    terminal.until(PROMPT)
    terminal.type("\x04")
    assert terminal.end() == 0


def test_ctrl_c_ends_a_query_of_the_command_line(shell, tmp_path):
    terminal = shell(SLOW)
    terminal.until_connected(tmp_path)
    wait_until_busy(terminal.process)
    terminal.process.send_signal(signal.SIGINT)
    terminal.until("error: interrupted")
    assert terminal.end() == 130


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT])
@pytest.mark.parametrize("args", [[SLOW], []])
def test_nothing_is_left_behind_by_a_process_that_is_told_to_end(shell, tmp_path, number, args):
    (tmp_path / "temporary").mkdir()
    terminal = shell(*args, TMPDIR=str(tmp_path / "temporary"))
    if SLOW not in args:
        terminal.until(PROMPT)
    terminal.until_connected(tmp_path / "temporary")
    if SLOW in args:
        wait_until_busy(terminal.process)
    terminal.process.send_signal(number)
    assert terminal.end() == 128 + number
    assert list((tmp_path / "temporary").iterdir()) == []


def test_a_time_limit_does_not_end_the_shell(shell):
    terminal = shell("--timeout", "0.3")
    terminal.until(PROMPT)
    assert "longer than the time limit of 0.3 s" in terminal.ask(SLOW)
    for _ in range(20):  # a busy machine may need longer than that for any query
        answer = terminal.ask("select 7 as a;")
        if "time limit" not in answer:
            break
    assert answer.startswith("a\n-\n7\n")


def test_a_query_that_cannot_be_stopped_ends_the_shell(shell):
    """It would go on behind the prompt: over a limit of 200 MB it took 2 GB."""
    terminal = shell("--timeout", "0.3")
    terminal.until(PROMPT)
    terminal.type("select levenshtein(repeat('a', 400000), repeat('b', 400000));\n")
    terminal.until("the query cannot be stopped; the prompt ends with it")
    terminal.until("error: the query was stopped: it took longer than the time limit of 0.3 s")
    assert terminal.end() == 1


def test_an_error_and_wide_rows_fit_into_80_columns(shell):
    terminal = shell(PAGER="")
    terminal.until(PROMPT)
    answer = terminal.ask("select * from games order by game_id limit 1;")
    assert max(map(len, answer.splitlines())) <= 80
    assert "mood_1_name" in answer


def test_an_output_file_needs_a_query(shell, tmp_path):
    terminal = shell("-o", str(tmp_path / "x"))
    terminal.until("--out and --format parquet need a query")
    assert terminal.end() == 2
