"""Timing whole processes of our own interpreter, as a user starts them: for benchmarks.

Prints nothing. What such a process takes includes Python's start and every import.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass

from balance.errors import Failed

__all__ = ["Timed", "timed"]


@dataclass(frozen=True, slots=True)
class Timed:
    """One process: how long, and the most memory it had."""

    seconds: float
    megabytes: float


def timed(what: str, arguments: Sequence[str], **environment: str) -> Timed:
    """Run Python with these arguments, its output thrown away; Failed with its last words if it fails.

    `environment` is laid over ours.
    """
    # without it a process compiles all of Python's modules again, which nobody waits for twice
    ours = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    begun = time.perf_counter()
    process = subprocess.Popen(  # noqa: S603 - our own interpreter with our own program
        [sys.executable, *arguments],
        env=ours | environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    assert process.stderr is not None
    with process.stderr as stream:
        said = stream.read().decode(errors="replace")
    _, status, used = os.wait4(process.pid, 0)
    taken = time.perf_counter() - begun
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        last = (said.strip().splitlines() or ["no message"])[-1]
        raise Failed(f"{what} ended with exit code {process.returncode}: {last}")
    # Linux counts kilobytes, macOS bytes
    return Timed(taken, used.ru_maxrss / (1024 * 1024 if sys.platform == "darwin" else 1024))
