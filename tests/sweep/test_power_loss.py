"""Power loss: what the ledger names is always whole, whichever write, fsync or rename was the last.

A layer records every call that changes the disk. A crash at any of them leaves what was synced, and any part
of the rest; the harshest case is played: nothing that was not synced is there.
"""

import json
import os
import shutil
from pathlib import Path

import pytest

import balance
from balance import games
from balance.dataset.manifest import STATE, read_state
from balance.errors import BalanceError
from balance.sweep import simulation
from tests.games.tiny import GAME


@pytest.fixture(autouse=True)
def _tiny():
    with games.registered(GAME):
        yield


class DiskError(OSError):
    """The disk fails."""


class Writer:
    """A file whose writes count; one that fails has written half."""

    def __init__(self, file, disk):
        self.file, self.disk = file, disk

    def __getattr__(self, name):
        return getattr(self.file, name)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.file.close()

    def write(self, content):
        try:
            self.disk.count("write of a data file")
        except DiskError:
            self.file.write(content[: len(content) // 2])
            self.file.flush()
            raise
        return self.file.write(content)


class Disk:
    """Counts the calls that change the disk, fails at one of them, and knows what survives without power."""

    def __init__(self, monkeypatch, top):
        self.top, self.calls, self.fail_at = Path(top), 0, None
        self.synced_files = {}
        """Content by inode."""
        self.synced_names = {}
        """Names by folder, each with its inode."""
        self.log = []
        for name in ("write", "fsync", "rename", "replace", "link", "mkdir"):
            monkeypatch.setattr(os, name, self._wrapped(name, getattr(os, name)))
        opened = Path.open
        monkeypatch.setattr(Path, "open", lambda *args, **kwargs: Writer(opened(*args, **kwargs), self))

    def count(self, name):
        self.calls += 1
        if self.calls == self.fail_at:
            raise DiskError(5, f"the disk fails at {name}")

    def _wrapped(self, name, call):
        def wrapper(*args, **kwargs):
            self.count(name)
            result = call(*args, **kwargs)
            if name == "fsync":
                self._sync(args[0])
            return result

        return wrapper

    def _sync(self, handle):
        path = Path(f"/proc/self/fd/{handle}").readlink()
        if path.is_dir():
            self.synced_names[path] = {entry.name: entry.inode() for entry in os.scandir(path)}
        else:
            self.synced_files[os.fstat(handle).st_ino] = path.read_bytes()

    def after_loss(self, target):
        """Write what a loss of power leaves of the top folder: synced names with their synced content."""
        waiting = [(self.top, target)]
        while waiting:
            folder, copy = waiting.pop()
            copy.mkdir(parents=True, exist_ok=True)
            for name, inode in self.synced_names.get(folder, {}).items():
                if (folder / name).is_dir():
                    waiting.append((folder / name, copy / name))
                elif inode in self.synced_files:
                    (copy / name).write_bytes(self.synced_files[inode])
                else:
                    (copy / name).write_bytes(b"")


def check_ledger(folder, plan):
    """Assert that every file that the ledger names is there, whole."""
    import hashlib

    for name, record in read_state(folder, plan).files().items():
        content = (folder / name).read_bytes()
        assert (len(content), hashlib.sha256(content).hexdigest()) == (record.size, record.sha256), name


def play(folder):
    return balance.simulate(folder, game="tiny", games_per_cell=2, players="2", jobs=1)


def test_every_call_may_be_the_last(tmp_path, monkeypatch):
    with monkeypatch.context() as patched:
        (tmp_path / "whole").mkdir()
        disk = Disk(patched, tmp_path / "whole")
        expected = play(tmp_path / "whole" / "deep" / "run")
        total = disk.calls
    assert total > 20
    survived = set()
    for number in range(1, total + 1):
        top = tmp_path / str(number)
        top.mkdir()
        with monkeypatch.context() as patched:
            disk = Disk(patched, top)
            disk.fail_at = number
            with pytest.raises((BalanceError, OSError)):
                play(top / "deep" / "run")
        if (top / "deep" / "run" / STATE).exists():  # a failed call alone
            check_ledger(top / "deep" / "run", expected.plan)
        lost = tmp_path / f"{number}-lost"
        disk.after_loss(lost)
        if (lost / "deep" / "run" / STATE).exists():  # and the power with it
            check_ledger(lost / "deep" / "run", expected.plan)
        files = {file for file in lost.rglob("*") if file.is_file()}
        left = frozenset((file.relative_to(lost), file.read_bytes()) for file in files)
        if left not in survived:  # most calls leave what the one before has left
            survived.add(left)
            again = play(lost / "deep" / "run")  # which goes on where it was
            for file in expected.path.rglob("*.parquet"):
                assert (again.path / file.relative_to(expected.path)).read_bytes() == file.read_bytes()
        shutil.rmtree(top)
        shutil.rmtree(lost)
    assert len(survived) > 5


def test_a_finished_run_survives(tmp_path, monkeypatch):
    with monkeypatch.context() as patched:
        disk = Disk(patched, tmp_path / "top")
        (tmp_path / "top").mkdir()
        play(tmp_path / "top" / "run")
        disk.after_loss(tmp_path / "lost")
    run = balance.open_run(tmp_path / "lost" / "run")
    assert json.loads((run.path / "run.json").read_text())["games"] == run.plan.games
    assert simulation.prepare_repair(run.path).again == ()
