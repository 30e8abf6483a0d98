"""How long answers take over a run: every ready query, and the verdict on all combinations.

For `balance bench --run`. Each is a process of its own, as a user starts it, so that its memory can be told;
reading every column of the run once, in turns with them, is what they are compared with. Prints nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Final

from balance.dataset import sqltext
from balance.dataset.questions import questions
from balance.dataset.run import Run
from balance.processes import Timed, timed

__all__ = ["Answer", "answers", "asked", "measure_answers"]

_SCAN: Final = """
import sys
import duckdb
con = duckdb.connect(config={"memory_limit": "2GB"})
for query in sys.argv[1:]:
    con.execute(query).fetchall()
"""
_SCANNED: Final = "reading everything once"


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
    here = str(run.path)
    found = {_SCANNED: ["-c", _SCAN, *_scans(run)]}
    for name, question in questions(game=run.game.name).items():
        needed = [f"{p.name}={_any_value(run, p.type)}" for p in question.parameters if p.required]
        found[f"@{name}"] = ["-m", "balance", "sql", here, f"@{name}", *needed, "--format", "csv"]
    found["check --all"] = ["-m", "balance", "check", "--all", here, "--format", "csv"]
    return found


def _scans(run: Run) -> Iterator[str]:
    """Yield SQL that reads every column of every table once."""
    for table in (table for table in run.tables if run.files(table.name)):
        every = ", ".join(f"max(hash({sqltext.name(column.name)}))" for column in table.columns)
        files = sqltext.parquet(run.files(table.name))
        yield f"select {every} from {files}"  # noqa: S608 - quoted


def _any_value(run: Run, column: str) -> object:
    """Return a value for a parameter that must be given: the first of the column that it comes from."""
    table, _, name = column.partition(".")
    return run.sql(f"select min({sqltext.name(name)}) from {sqltext.name(table)}").item()  # noqa: S608 - quoted


def measure_answers(
    commands: Mapping[str, Sequence[str]], repeats: int, advance: Callable[[], object] = lambda: None
) -> dict[str, list[Timed]]:
    """Time everything that is asked, in turns, `repeats` times."""
    taken: dict[str, list[Timed]] = {name: [] for name in commands}
    for _ in range(repeats):
        for name, arguments in commands.items():
            taken[name].append(timed(name, arguments))
            advance()
    return taken


def answers(taken: Mapping[str, Sequence[Timed]]) -> Iterator[Answer]:
    """Yield what the repeats say, in the order in which they were asked."""
    scans = [timed.seconds for timed in taken[_SCANNED]]
    for name, every in taken.items():
        seconds = [timed.seconds for timed in every]
        ratios = [own / scan for own, scan in zip(seconds, scans, strict=True)]
        most = max(timed.megabytes for timed in every)
        yield Answer(name, median(seconds), min(seconds), max(seconds), median(ratios), most, len(every))
