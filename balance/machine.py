"""What this machine offers to a sweep: cores and memory, each with where the number comes from.

Containers lie to the naive question: the limits of the process count, not those of the hardware.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

__all__ = ["Capacity", "cores", "memory"]

_CGROUP_MEMORY = Path("/sys/fs/cgroup/memory.max")


class Capacity(NamedTuple):
    """A number and where it came from; `amount` 0 means unknown."""

    amount: int
    source: str


def cores() -> Capacity:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return Capacity(len(os.sched_getaffinity(0)), "CPU affinity of this process")
    return Capacity(os.cpu_count() or 1, "number of CPUs")


def memory() -> Capacity:
    """Return how many bytes of memory this process may use."""
    try:
        installed = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        installed = 0
    try:
        limit = int(_CGROUP_MEMORY.read_text())
    except (OSError, ValueError):  # no such file, or the word "max"
        limit = 0
    if limit and (limit < installed or not installed):
        return Capacity(limit, "limit of the container")
    return Capacity(max(installed, 0), "installed memory" if installed > 0 else "unknown")
