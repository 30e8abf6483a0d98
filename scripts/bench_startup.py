"""How long `balance --help` takes, in units of starting Python itself.

Seconds say more about the machine than about the code, so the figure is a ratio measured in one run.
"""

from __future__ import annotations

import subprocess
import sys
import time

ROUNDS = 10
COMMANDS = {
    "python": ["-c", "pass"],
    "import typer": ["-c", "import typer"],
    "balance --help": ["-m", "balance", "--help"],
}


def seconds(arguments: list[str]) -> float:
    """Return the wall time of one start."""
    start = time.perf_counter()
    subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def main() -> None:
    """Print the best of several rounds, taken in turns so that a busy moment hits all alike."""
    times = {name: [] for name in COMMANDS}
    for _ in range(ROUNDS):
        for name, arguments in COMMANDS.items():
            times[name].append(seconds(arguments))
    base = min(times["python"])
    for name, taken in times.items():
        print(f"{name:<16} {min(taken) * 1000:6.0f} ms {min(taken) / base:6.1f} x python")


if __name__ == "__main__":
    main()
