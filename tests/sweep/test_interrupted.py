"""Killed, interrupted, twice at once: what is finished stays, and the end is the same to the byte."""

import random
import re
import shlex
import signal
import subprocess
import sys
import time

import pytest

import balance
from balance.dataset import manifest, shards
from balance.dataset.run import read_plan

pytestmark = pytest.mark.slow

GAMES = 64_000
SHARDS = 16
SEATS = GAMES * 4 // SHARDS
ARGS = shlex.split(f"--players 4 --twists none --games {GAMES} --lineup mirror:random --seed 3")
JOBS = 2
SCRIPT = f"""
from balance.__main__ import main
from balance.dataset import shards
shards.FEWEST_SEATS = {SEATS}  # a short run in many shards
main()
"""


@pytest.fixture(scope="module", autouse=True)
def _small_shards():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shards, "FEWEST_SEATS", SEATS)
        yield


@pytest.fixture
def begin(tmp_path):
    """Start `balance simulate` into a folder, as a user would; returns the process once it plays."""
    running = []

    def start(out, *more):
        log = tmp_path / out / manifest.LOG
        before = lines(log)
        command = [sys.executable, "-c", SCRIPT, "simulate", *ARGS, "--jobs", str(JOBS)]
        process = subprocess.Popen(
            [*command, "--out", str(tmp_path / out), *more],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        running.append(process)
        while lines(log) == before and process.poll() is None:
            time.sleep(0.01)
        return process

    yield start
    for process in running:
        if process.poll() is None:
            process.kill()
        process.communicate()


def lines(file):
    return len(file.read_text().splitlines()) if file.exists() else 0


def finished(folder):
    if not (folder / manifest.RUN).exists():
        return set()
    return set(manifest.read_state(folder, read_plan(folder)).shards)


def begun(folder):
    """Return the shards of which at least one file has its name."""
    return {int(path.stem) for path in folder.rglob("*-players/*.parquet")}


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The same run, undisturbed."""
    run = balance.simulate(
        tmp_path_factory.mktemp("whole") / "run",
        players=4,
        variants="none",
        games_per_cell=GAMES,
        lineups="mirror:random",
        seed=3,
    )
    assert run.plan.shards == SHARDS
    return run.path


@pytest.fixture
def undisturbed(whole, digests):
    return digests(whole)


@pytest.mark.parametrize("kills", [4, pytest.param(10, marks=pytest.mark.soak)])
def test_killed_at_random_moments(begin, undisturbed, tmp_path, digests, kills):
    moments = random.Random(20)
    folder = tmp_path / "killed"
    kept = set()
    killed = 0
    while killed < kills:
        process = begin("killed")
        time.sleep(moments.uniform(0, 1 / kills))
        killed += process.poll() is None
        process.kill()
        process.communicate()
        now = finished(folder)
        assert now >= kept, "a finished shard was lost"
        # what had begun and is not finished has to be repeated: at most what each worker had in its hands
        assert len(begun(folder) - now) <= JOBS
        kept = now
        if len(kept) == SHARDS:
            break
    assert killed >= kills / 2
    last = begin("killed")
    _, err = last.communicate(timeout=300)
    assert last.returncode == 0, err
    assert digests(folder) == undisturbed
    assert not list(folder.rglob("*.tmp"))


def test_ctrl_c_ends_soon_and_says_how_to_go_on(begin, undisturbed, tmp_path, digests):
    folder = tmp_path / "stopped"
    process = begin(folder.name)
    while process.poll() is None and not finished(folder):
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, "")
    found = re.fullmatch(
        rf"error: interrupted; (\d+) of {SHARDS} shards are kept in (.*), and the same command resumes\n", err
    )
    assert found, err
    assert 1 <= int(found[1]) == len(finished(folder)) < SHARDS
    assert found[2] == str(folder)
    again = begin(folder.name)
    _, err = again.communicate(timeout=300)
    assert again.returncode == 0, err
    assert "games are still to be played" in err
    assert digests(folder) == undisturbed


def test_a_second_process_refuses_and_the_first_does_not_mind(begin, undisturbed, tmp_path, digests):
    first = begin("both")
    first.send_signal(signal.SIGSTOP)  # or it might be done before the second one has started
    second = begin("both")
    _, err = second.communicate(timeout=60)
    first.send_signal(signal.SIGCONT)
    assert second.returncode == 1
    assert err.endswith(f"error: another process is at work in {tmp_path / 'both'}; nothing was changed\n")
    _, err = first.communicate(timeout=300)
    assert first.returncode == 0, err
    assert digests(tmp_path / "both") == undisturbed


def test_a_finished_run_is_opened_and_not_touched(begin, whole):
    folder = whole
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*")}
    process = begin(folder)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (0, f"{folder}\n")
    assert err.startswith(f"{folder} is finished: {GAMES:,} games in {SHARDS} shards, ")
    assert err.endswith("; nothing was played\n")
    assert {path: path.stat().st_mtime_ns for path in folder.rglob("*")} == before
