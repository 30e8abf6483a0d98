"""A damaged cache of machine code is thrown away, with one line on stderr, and compiled again."""

import os
import subprocess
import sys

import pytest

MODULE = """
import numba
from balance.games.compiled import jit  # which installs the check
from balance.resources import cache_dir

numba.config.CACHE_DIR = str(cache_dir() / "numba" / "test")

@numba.njit(cache=True)
def add(a, b):
    return a + b
"""
SCRIPT = "import one; print(one.add(2, 3), sum(one.add.stats.cache_hits.values()))"


@pytest.fixture
def call(tmp_path, checkout):
    (tmp_path / "one.py").write_text(MODULE)

    def run():
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT],
            cwd=tmp_path,
            env=os.environ | {"BALANCE_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": str(checkout)},
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.split(), done.stderr.splitlines()

    return run


def flipped(content):
    place = len(content) * 2 // 3
    return content[:place] + bytes([content[place] ^ 4]) + content[place + 1 :]


DAMAGES = {
    "truncated": lambda content: content[: len(content) // 2],
    "empty": lambda _: b"",
    "garbage": lambda content: b"\x80\x04" + b"x" * len(content),
    "one bit": flipped,
}


def test_damage_is_noticed_and_mended(call, tmp_path):
    assert call() == (["5", "0"], [])
    assert call() == (["5", "1"], [])
    folder = tmp_path / "cache" / "numba" / "test"
    for name, damage in DAMAGES.items():
        for kind in ("nbi", "nbc"):
            (file,) = folder.rglob(f"*.{kind}")
            file.write_bytes(damage(file.read_bytes()))
            answer, told = call()
            assert answer == ["5", "0"], (name, kind)
            assert len(told) == 1
            assert f"the cached machine code {file.name} is damaged" in told[0]
            assert call() == (["5", "1"], [])


def test_a_cache_of_an_earlier_version_is_kept(call, tmp_path):
    call()
    for file in (tmp_path / "cache").rglob("*.sha256"):
        file.unlink()
    assert call() == (["5", "1"], [])
    assert len(list((tmp_path / "cache").rglob("*.sha256"))) == 2
    for file in (tmp_path / "cache").rglob("*.sha256"):
        file.unlink()
    (file,) = (tmp_path / "cache").rglob("*.nbc")
    file.write_bytes(b"")
    assert call()[0] == ["5", "0"]
