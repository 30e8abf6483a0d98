"""Memory stays under 2 GB however long the sweep: one shard per worker is held, and shards have a limit."""

import subprocess
import sys
from pathlib import Path

import pytest

from balance.dataset.plan import MOST_SEATS

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
shards.MOST_SEATS = int(sys.argv[2])
run = balance.simulate(sys.argv[1], players=6, variants="none", lineups="mirror:random", jobs=2,
                       games_per_cell=int(sys.argv[3]))
# of this process alone: getrusage would count what its parent had when it was started
most = re.search(r"VmHWM:\\s+(\\d+) kB", Path("/proc/self/status").read_text())
print(run.plan.shards, int(most[1]) // 1024)
"""


def peak(folder, seats, games):
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(folder), str(seats), str(games)],
        capture_output=True,
        text=True,
        check=True,
    )
    return tuple(map(int, done.stdout.split()))


@pytest.mark.parametrize(
    ("seats", "most"),
    [(90_000, 900), pytest.param(MOST_SEATS, 1500, marks=pytest.mark.soak)],  # 1,154 on two cores
)
def test_shards_on_two_workers_and_then_twice_as_many_more(tmp_path, seats, most):
    peak(tmp_path / "compiled", seats, 1)  # which takes memory of its own
    shards, memory = peak(tmp_path / "short", seats, seats // 3)
    assert shards == 2
    assert memory < most
    shards, longer = peak(tmp_path / "long", seats, seats)
    assert shards == 6
    assert longer < most
    assert longer < memory * 1.4
