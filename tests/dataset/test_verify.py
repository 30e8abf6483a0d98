"""Rot is noticed before an answer."""

import json
import os
import random
import shutil

import pytest

import balance
from balance import games
from balance.dataset import verify
from balance.errors import DataError
from tests.games.tiny import GAME


@pytest.fixture(autouse=True)
def _tiny(monkeypatch, tmp_path):
    monkeypatch.setenv("BALANCE_CACHE_DIR", str(tmp_path / "cache"))
    verify._verified.clear()
    with games.registered(GAME):
        yield


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    with games.registered(GAME):
        return balance.simulate(tmp_path_factory.mktemp("verify") / "run", game="tiny", games_per_cell=3).path


@pytest.fixture
def folder(original, tmp_path):
    return shutil.copytree(original, tmp_path / "run")


def flip(file, place, keep_times=True):
    before = file.stat()
    content = bytearray(file.read_bytes())
    content[place // 8] ^= 1 << place % 8
    with file.open("r+b") as open_:  # the same inode
        open_.write(content)
    if keep_times:
        os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))


def test_every_single_bit_is_noticed(folder):
    rng = random.Random(7)
    files = sorted(path for path in folder.rglob("*.parquet"))
    for _ in range(60):
        file = rng.choice(files)
        place = rng.randrange(file.stat().st_size * 8)
        flip(file, place)
        verify._verified.clear()
        with pytest.raises(DataError, match=r"changed: the content is not what was written") as caught:
            balance.open_run(folder)
        assert str(file) in str(caught.value)
        flip(file, place)
    assert balance.open_run(folder).plan.games == 48


def test_a_stamp_lives_in_the_cache_for_an_hour(folder, tmp_path, monkeypatch):
    balance.open_run(folder)
    (stamp,) = (tmp_path / "cache" / "verified").iterdir()
    hashed = []
    digest = verify.hashlib.file_digest
    monkeypatch.setattr(verify.hashlib, "file_digest", lambda *a: hashed.append(a) or digest(*a))
    balance.open_run(folder)  # this process knows
    verify._verified.clear()
    balance.open_run(folder)  # the stamp does
    assert hashed == []
    document = json.loads(stamp.read_text())
    stamp.write_text(json.dumps({name: (then - 3601, known) for name, (then, known) in document.items()}))
    verify._verified.clear()
    run = balance.open_run(folder)
    assert len(hashed) == len(run.state.files())


@pytest.mark.parametrize(
    "content", ["", "{", "[1]", '{"cells.parquet": ["x", 3]}', "[" * 100_000, '{"cells.parquet": [NaN, []]}']
)
def test_a_damaged_stamp_is_ignored(folder, tmp_path, content):
    balance.open_run(folder)
    (stamp,) = (tmp_path / "cache" / "verified").iterdir()
    stamp.write_text(content)
    verify._verified.clear()
    assert balance.open_run(folder).plan.games == 48


def test_a_touched_file_is_read_again(folder):
    balance.open_run(folder)
    flip(next(folder.rglob("*.parquet")), 800)
    with pytest.raises(DataError, match="changed"):
        balance.open_run(folder)
    assert balance.open_run(folder, verify=False).plan.games == 48


def test_nothing_is_written_into_the_run(folder):
    before = sorted(folder.rglob("*"))
    balance.open_run(folder)
    assert sorted(folder.rglob("*")) == before
