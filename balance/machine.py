"""What this machine offers to a sweep: cores and memory, each with where the number comes from.

In a container the limits of its control group count, not the hardware. Both versions of the kernel's
interface are read: v2 has one folder, v1 a folder for each controller.
"""

from __future__ import annotations

import os
import resource
from pathlib import Path
from typing import NamedTuple

from balance.errors import Failed, UsageError

_CGROUP = Path("/sys/fs/cgroup")
_CONTAINER = "limit of the container"
_ADDRESS_SPACE = 2_500_000_000
MOST_THREADS = 1_000


class Capacity(NamedTuple):
    """A number and where it came from; `amount` 0 means unknown."""

    amount: int
    source: str


def cores() -> Capacity:
    """Return how many cores this process may use; a quota of one and a half counts as two."""
    if hasattr(os, "sched_getaffinity"):
        found = Capacity(len(os.sched_getaffinity(0)), "CPU affinity of this process")
    else:
        found = Capacity(os.cpu_count() or 1, "number of CPUs")
    quota = _quota()
    return Capacity(quota, _CONTAINER) if quota and quota < found.amount else found


def threads(asked: int | None, most: int | None = None) -> int:
    """Return how many threads work: as many as asked for, by default one a core, and then at `most` some."""
    if asked is None:
        return min(cores().amount, most or MOST_THREADS)
    if not 1 <= asked <= MOST_THREADS:
        raise UsageError(f"jobs {asked}: 1 to {MOST_THREADS} are possible", parameter="jobs")
    return asked


def _quota() -> int:
    """Return the cores that the container may use, rounded up; 0 if it sets no limit."""
    quota, _, period = _read("cpu.max").partition(" ")
    if not period:
        quota, period = _read("cpu/cpu.cfs_quota_us"), _read("cpu/cpu.cfs_period_us")
    return -(-int(quota) // int(period)) if quota.isdecimal() and period.isdecimal() and int(period) else 0


def _read(name: str) -> str:
    """Return what a file of the control group holds; empty if it cannot be read."""
    try:
        return (_CGROUP / name).read_text(encoding="ascii").strip()
    except (OSError, ValueError):
        return ""


def memory() -> Capacity:
    """Return how many bytes of memory this process may use."""
    try:
        installed = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        installed = 0
    text = _read("memory.max") or _read("memory/memory.limit_in_bytes")
    limit = int(text) if text.isdecimal() else 0  # v2 has the word "max", v1 a huge number
    if limit and (limit < installed or not installed):
        return Capacity(limit, _CONTAINER)
    return Capacity(max(installed, 0), "installed memory" if installed > 0 else "unknown")


def require_address_space(command: str) -> None:
    """Refuse to begin where libraries would abort: they reserve memory and answer a refusal with the end."""
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit not in (resource.RLIM_INFINITY, -1) and limit < _ADDRESS_SPACE:
        raise Failed(
            f"the address space of this process is limited to {limit / 1e6:,.0f} MB (ulimit -v); "
            f"balance {command} needs {_ADDRESS_SPACE / 1e6:,.0f} MB"
        )
