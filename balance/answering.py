"""How long answers take over a run: every ready query, and the verdict on all combinations.

For `balance bench --run`. Each is a process of its own, as a user starts it, so that its memory can be told;
reading every column of the run once, in turns with them, is what they are compared with. Prints nothing.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Final

from balance.dataset import sqltext
from balance.dataset.questions import questions
from balance.dataset.run import Run
from balance.errors import Failed

__all__ = ["Answer", "Timed", "answers", "asked", "measure_answers"]

_SCAN: Final = """
import sys
import duckdb
con = duckdb.connect(config={"memory_limit": "2GB"})
for pattern in sys.argv[1:]:
    columns = con.execute("describe from read_parquet($p)", {"p": pattern}).fetchall()
    sums = ", ".join(f'max(hash("{row[0]}"))' for row in columns)
    con.execute(f"select {sums} from read_parquet($p)", {"p": pattern}).fetchall()
"""
_SCANNED: Final = "reading everything once"


@dataclass(frozen=True, slots=True)
class Timed:
    """One process: how long, and the most memory it had."""

    seconds: float
    megabytes: float


@dataclass(frozen=True, slots=True)
class Answer:
    """What one command took, over all repeats."""

    answer: str
    seconds: float
    low: float
    high: float
    scans: float
    """In units of reading all columns of the run once."""
    megabytes: float
    repeats: int


def asked(run: Run) -> dict[str, list[str]]:
    """Return what is measured: names, and the arguments of Python for each."""
    tables = [
        str(run.path / table.name / "**" / "*.parquet") for table in run.tables if run.files(table.name)
    ]
    here = str(run.path)
    found = {_SCANNED: ["-c", _SCAN, *tables]}
    for name, question in questions(game=run.game.name).items():
        needed = [f"{p.name}={_any_value(run, p.type)}" for p in question.parameters if p.required]
        found[f"@{name}"] = ["-m", "balance", "sql", here, f"@{name}", *needed, "--format", "csv"]
    found["check --all"] = ["-m", "balance", "check", "--all", here, "--format", "csv"]
    return found


def _any_value(run: Run, column: str) -> object:
    """Return a value for a parameter that must be given: the first of the column that it comes from."""
    table, _, name = column.partition(".")
    return run.sql(f"select min({sqltext.name(name)}) from {sqltext.name(table)}").item()  # noqa: S608 - quoted


def measure_answers(
    run: Run, repeats: int, advance: Callable[[], object] = lambda: None
) -> dict[str, list[Timed]]:
    """Time everything that is asked, in turns, `repeats` times."""
    commands = asked(run)
    taken: dict[str, list[Timed]] = {name: [] for name in commands}
    for _ in range(repeats):
        for name, arguments in commands.items():
            taken[name].append(_timed(name, arguments))
            advance()
    return taken


def answers(taken: dict[str, list[Timed]]) -> Iterator[Answer]:
    """Yield what the repeats say, in the order in which they were asked."""
    scans = [timed.seconds for timed in taken[_SCANNED]]
    for name, every in taken.items():
        seconds = [timed.seconds for timed in every]
        ratios = [own / scan for own, scan in zip(seconds, scans, strict=True)]
        most = max(timed.megabytes for timed in every)
        yield Answer(name, median(seconds), min(seconds), max(seconds), median(ratios), most, len(every))


def _timed(name: str, arguments: Sequence[str]) -> Timed:
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    begun = time.perf_counter()
    process = subprocess.Popen(  # noqa: S603 - our own interpreter with our own program
        [sys.executable, *arguments], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    assert process.stderr is not None
    said = process.stderr.read().decode(errors="replace")
    _, status, used = os.wait4(process.pid, 0)
    taken = time.perf_counter() - begun
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        last = (said.strip().splitlines() or ["no message"])[-1]
        raise Failed(f"{name} ended with exit code {process.returncode}: {last}")
    # Linux counts kilobytes, macOS bytes
    return Timed(taken, used.ru_maxrss / (1024 * 1024 if sys.platform == "darwin" else 1024))
