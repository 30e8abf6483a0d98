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

@numba.njit(cache=True)
def double(a):
    return add(a, a)

@numba.njit(cache=True)
def half(a):
    return double(a) // 4
"""
SCRIPT = "import one; print(one.add(2, 3), sum(one.add.stats.cache_hits.values()))"


THREE = """
import one
calls = one.add(2, 3), one.double(4), one.half(8)
print(*calls, *(sum(f.stats.cache_hits.values()) for f in (one.add, one.double, one.half)))
"""


@pytest.fixture
def call(tmp_path, checkout):
    (tmp_path / "one.py").write_text(MODULE)

    def run(script=SCRIPT):
        done = subprocess.run(
            [sys.executable, "-c", script],
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
            (file,) = folder.rglob(f"one.add-*.{kind}")
            file.write_bytes(damage(file.read_bytes()))
            answer, told = call()
            assert answer == ["5", "0"], (name, kind)
            assert len(told) == 1
            assert f"the cached machine code {file.name} is damaged" in told[0]
            assert call() == (["5", "1"], [])


def swapped(files):
    contents = [file.read_bytes() for file in files]
    for file, content in zip(files, contents[1:] + contents[:1], strict=True):
        file.write_bytes(content)


def each(damage):
    return lambda files: [file.write_bytes(damage(file.read_bytes())) for file in files]


BOTH = ("nbi", "nbc")
SEVERAL = [*((each(damage), BOTH) for damage in DAMAGES.values()), (swapped, ("nbc",)), (swapped, ("nbi",))]
SEVERAL += [(each(DAMAGES["garbage"]), ("sha256",)), (each(DAMAGES["empty"]), (*BOTH, "sha256"))]


def test_damage_of_every_file_at_once(call, tmp_path):
    call(THREE)
    for damage, kinds in SEVERAL:
        for kind in kinds:
            files = sorted((tmp_path / "cache").rglob(f"*.{kind}"))
            assert len(files) >= 3
            damage(files)
        answer, told = call(THREE)
        assert answer == ["5", "8", "4", "0", "0", "0"]
        assert len(told) >= 3
        assert all("is damaged" in line for line in told)
    assert call(THREE) == (["5", "8", "4", "1", "1", "1"], [])


def test_a_cache_of_an_earlier_version_is_kept(call, tmp_path):
    call()
    for file in (tmp_path / "cache").rglob("*.sha256"):
        file.unlink()
    assert call() == (["5", "1"], [])
    assert len(list((tmp_path / "cache").rglob("one.add-*.sha256"))) == 2
    for file in (tmp_path / "cache").rglob("*.sha256"):
        file.unlink()
    (file,) = (tmp_path / "cache").rglob("one.add-*.nbc")
    file.write_bytes(b"")
    assert call()[0] == ["5", "0"]
