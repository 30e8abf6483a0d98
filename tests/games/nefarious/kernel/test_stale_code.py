"""Stale machine code is a correctness bug: an edited rule must be played, whatever lies in the cache."""

import json
import shutil
import subprocess
import sys

PLAY = """
import json
from balance import games
game = games.get("nefarious")
cell = game.compile(game.load_catalog(), "ascora-2011", 2)
events = game.replay(cell, 1, 0, ["random"] * 2)
print(json.dumps(sorted({e["amount"] for e in events if e.get("cause") == "work"})))
"""


def pay_of_work(folder):
    """Return what Work pays in a game played by the sources in a folder, with everybody's cache."""
    done = subprocess.run(
        [sys.executable, "-c", PLAY], cwd=folder, capture_output=True, text=True, check=True, timeout=600
    )
    return json.loads(done.stdout)


def test_an_edited_kernel_source_is_played(checkout, tmp_path):
    assert pay_of_work(checkout) == [4]
    for name in ("balance", "data"):
        ignored = shutil.ignore_patterns("__pycache__", "runs")
        shutil.copytree(checkout / name, tmp_path / name, ignore=ignored)
    work = tmp_path / "balance/games/nefarious/kernel/work.py"
    text = work.read_text("utf-8")
    assert text.count("r.work_money *") == 1
    # the function is compiled into a round of another file, which is not touched
    work.write_text(text.replace("r.work_money *", "2 * r.work_money *"), "utf-8")
    assert pay_of_work(tmp_path) == [8]
