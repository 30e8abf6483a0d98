"""One process works, another waits for it: it says and clears up what the first cannot."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(not hasattr(signal, "sigtimedwait"), reason="macOS has one process")

SCRIPT = """
import os, signal, sys, tempfile, time
from balance import __main__ as program
from balance.cli import doctor
from balance.userfiles import temporary_prefix

def work(*_):
    with tempfile.TemporaryDirectory(prefix=temporary_prefix("test")):
        print(os.getpid(), file=sys.stderr, flush=True)
        {work}

doctor.output.rows = work
sys.argv = ["balance", "doctor"]
{before}
program.main()
"""
DEAF = "sum(range(10**12))  # which does not come back to Python"


@pytest.fixture
def start(tmp_path, checkout):
    started = []

    def start(work, before=""):
        process = subprocess.Popen(
            [sys.executable, "-c", SCRIPT.format(work=work, before=before)],
            cwd=checkout, env={**os.environ, "TMPDIR": str(tmp_path)}, stderr=subprocess.PIPE, text=True,
            start_new_session=True,
        )  # fmt: skip
        started.append((process, int(process.stderr.readline())))
        return started[-1]

    yield start
    for process, worker in started:
        process.kill()
        process.wait()
        assert not is_alive(worker)
    assert list(tmp_path.iterdir()) == []


def is_alive(pid):
    stat = Path(f"/proc/{pid}/stat")
    for _ in range(50):  # it ends with the process that waits for it, a moment later
        if not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] == "Z":
            return False
        time.sleep(0.1)
    return True


def end(process):
    begun = time.monotonic()
    said = process.communicate(timeout=60)[1]
    return process.returncode, said, time.monotonic() - begun


def test_a_library_that_crashes(start):
    process, _ = start("os.kill(os.getpid(), signal.SIGSEGV)")
    code, said, _ = end(process)
    assert (code, said) == (1, "error: a library has crashed, or the process was killed (signal 11)\n")


@pytest.mark.parametrize(("name", "code"), [("SIGINT", 130), ("SIGTERM", 143), ("SIGHUP", 129)])
def test_a_signal_while_a_library_calls_back(start, name, code):
    """Python drops exceptions there; LLVM calls back whenever rules are compiled or loaded."""
    work = f"""import ctypes
        ctypes.CFUNCTYPE(None)(lambda: (os.kill(os.getpid(), signal.{name}), time.sleep(0.01)))()
        time.sleep(60)"""
    process, _ = start(work)
    ended, said, took = end(process)
    assert (ended, said) == (code, "error: interrupted\n" if name == "SIGINT" else "")
    assert took < 30


def test_too_much_memory(start):
    process, _ = start("held = b'x' * (2**30 + 2**28); time.sleep(60)", "program._MOST_MEMORY = 0.01")
    code, said, _ = end(process)
    assert (code, said.startswith("error: out of memory: this takes more than 1 of the ")) == (1, True)


@pytest.mark.parametrize("group", [False, True], ids=["to one", "to both"])
@pytest.mark.parametrize("work", ["time.sleep(60)", DEAF], ids=["it notices", "it does not"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_to_end(start, number, work, group):
    process, _ = start(f"{work}")
    (os.killpg if group else os.kill)(process.pid, number)
    code, said, seconds = end(process)
    assert (code, said) == (128 + number, "error: interrupted\n" if number == signal.SIGINT else "")
    assert seconds < 30  # 1.1 on a quiet machine, 60 where it waits for the work


def test_a_signal_that_duckdb_calls_an_interruption(start):
    process, _ = start("""
        try:
            time.sleep(60)
        except SystemExit:
            raise RuntimeError("Query interrupted") from None""")
    process.send_signal(signal.SIGTERM)
    assert end(process)[0] == 143


def test_a_signal_that_is_ignored_stays_ignored(start):
    process, _ = start("time.sleep(1.5)", "signal.signal(signal.SIGHUP, signal.SIG_IGN)")
    process.send_signal(signal.SIGHUP)
    assert end(process)[:2] == (0, "")


def test_it_does_not_outlive_the_one_that_waits(start, tmp_path):
    process, worker = start("time.sleep(60)")
    process.kill()
    process.communicate()
    assert not is_alive(worker)
    for left in tmp_path.iterdir():  # nobody was there to clear up
        left.rmdir()
