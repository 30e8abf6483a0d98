"""Processes that tests start."""

import os
import time
from pathlib import Path


def wait_until_busy(process, seconds=1.0, limit=120):
    """Wait until a process and its children have used this much more CPU time: they do what takes long.

    A pause would do on a quiet machine only; where there is no /proc it has to.
    """
    if not Path("/proc/self/stat").exists():
        time.sleep(3)
        return
    before, waited = used(process.pid), time.monotonic() + limit
    while used(process.pid) < before + seconds:
        assert process.poll() is None
        assert time.monotonic() < waited
        time.sleep(0.05)


def used(pid):
    """Return the seconds of CPU time of a process and its children, as far as they are still alive."""
    ticks = 0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:  # it has ended
            continue
        if pid in (int(stat.parent.name), int(fields[1])):
            ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")
