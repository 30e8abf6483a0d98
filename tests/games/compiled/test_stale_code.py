"""Stale machine code is a correctness bug: an edited rule must be played, whatever is in the cache."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

WORK = "from balance.games.compiled import jit\n\n@jit.jit\ndef pay(money):\n    return money * 1\n"
ROUND = """
from balance.games.compiled import jit
from mine.kernel.work import pay

@jit.entry
def play(money):
    return pay(money)
"""
PLAY = "from mine.kernel.round import play; print(play(4), sum(play.stats.cache_hits.values()))"


@pytest.mark.slow
def test_an_edited_source_is_played(checkout, tmp_path):
    kernel = tmp_path / "mine" / "kernel"
    kernel.mkdir(parents=True)
    sources = {"__init__.py": "", "work.py": WORK, "round.py": ROUND}
    (tmp_path / "mine" / "__init__.py").touch()
    for name, text in sources.items():
        (kernel / name).write_text(text)

    def played():
        paths = {"BALANCE_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": f"{tmp_path}:{checkout}"}
        done = subprocess.run(
            [sys.executable, "-c", PLAY], env=os.environ | paths, capture_output=True, text=True, check=True
        )
        return done.stdout.split()

    assert played() == ["4", "0"]
    assert played() == ["4", "1"]  # from the cache
    # the function is compiled into one of another file, which is not touched
    (kernel / "work.py").write_text(WORK.replace("* 1", "* 2"))
    assert played() == ["8", "0"]
    (kernel / "work.py").write_text(WORK)
    assert played() == ["4", "1"]


def test_everything_compiled_is_in_that_cache(checkout):
    for folder in ("compiled", "nefarious/kernel"):
        for file in Path(checkout, "balance/games", folder).glob("*.py"):
            assert file.name == "jit.py" or "njit" not in file.read_text("utf-8"), file
