"""The limits of a query: time and memory, and how much memory the process uses."""

from __future__ import annotations

import math
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from balance.errors import UsageError

_LONGEST: Final = 366 * 86_400
_UNITS: Final = {
    "b": 1,
    "kb": 10**3,
    "mb": 10**6,
    "gb": 10**9,
    "tb": 10**12,
    "kib": 2**10,
    "mib": 2**20,
    "gib": 2**30,
    "tib": 2**40,
}


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of a query."""

    memory: str = "2GB"
    seconds: float = 300.0
    """The time of one query; 0 means no limit."""
    watch_memory: bool = False
    """Whether to stop a query when the whole process grows beyond the limit: memory inside one call of a
    function is not counted by DuckDB. Not for a process in which other threads work too."""

    @property
    def bytes(self) -> int:
        """The memory limit as a number; UsageError if it is not one."""
        match = re.fullmatch(r"(\d{1,9}(?:\.\d{1,3})?)\s*([a-z]+)", self.memory.strip().lower(), re.ASCII)
        if not match or not 10**6 <= float(match[1]) * _UNITS.get(match[2], 0) <= 2**60:
            raise UsageError(
                f"memory {self.memory}: write it like 500MB or 2GB, at least 1MB", parameter="memory"
            )
        return int(float(match[1]) * _UNITS[match[2]])

    def check(self) -> None:
        """Refuse limits that make no sense."""
        if not (math.isfinite(self.seconds) and 0 <= self.seconds <= _LONGEST):
            raise UsageError(
                f"seconds {self.seconds}: expected 0 to {_LONGEST}; 0 means no limit", parameter="seconds"
            )
        _ = self.bytes


def resident() -> int:
    """Return how many bytes of memory this process uses; 0 where that is not known."""
    try:
        pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[1]
        return int(pages) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return 0
