"""Memory stays under 2 GB however long the sweep: one shard per worker is held, and shards have a limit."""

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="only Linux tells"),
]

SCRIPT = """
import re, sys
from pathlib import Path
import balance
from balance.dataset import shards
shards.WANTED = 1  # as in a very long run: shards as large as they get
run = balance.simulate(sys.argv[1], players=6, variants="none", lineups="mirror:random", jobs=2,
                       games_per_cell=int(sys.argv[2]))
# of this process alone: getrusage would count what its parent had when it was started
most = re.search(r"VmHWM:\\s+(\\d+) kB", Path("/proc/self/status").read_text())
print(run.plan.shards, int(most[1]) // 1024)
"""


def peak(folder, games):
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(folder), str(games)], capture_output=True, text=True, check=True
    )
    return tuple(map(int, done.stdout.split()))


def test_the_largest_shards_on_two_workers_and_then_as_many_again(tmp_path):
    shards, memory = peak(tmp_path / "short", 150_000)
    assert shards == 2
    assert memory < 1500  # 1,154 on two cores
    shards, longer = peak(tmp_path / "long", 450_000)
    assert shards == 6
    assert longer < 1500
    assert longer < memory * 1.4
