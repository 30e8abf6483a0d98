"""What the tests of sweeps share: small runs of both games, and folders as digests."""

import hashlib
from pathlib import Path

import pytest

import balance
from balance import games
from balance.dataset import manifest, shards
from tests.games.tiny import GAME

NOT_PROMISED = {manifest.LOG, manifest.STATE}
"""The two files that may differ between two correct runs: when it happened, and in which order."""


@pytest.fixture
def digests():
    """Return every file of a run's folder, but for the log and the state of shards, with its digest."""

    def of(folder: Path) -> dict[str, str]:
        return {
            path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in sorted(folder.rglob("*"))
            if path.is_file() and path.name not in NOT_PROMISED
        }

    return of


@pytest.fixture(autouse=True)
def _tiny():
    with games.registered(GAME):
        yield


@pytest.fixture
def small_shards(monkeypatch):
    """Cut also small runs into several shards."""
    monkeypatch.setattr(shards, "FEWEST_SEATS", 60)
    monkeypatch.setattr(shards, "WANTED", 8)


@pytest.fixture
def tiny_run(tmp_path, small_shards):
    """Simulate the tiny game into a new folder; 80 games per cell of 16 cells unless told otherwise."""
    made = 0

    def make(out=None, **options):
        nonlocal made
        made += 1
        options = {"games_per_cell": 8, "jobs": 2} | options
        return balance.simulate(out or tmp_path / f"tiny-{made}", game="tiny", **options)

    return make
