"""Game-balance analytics: simulate a board game by the million, and ask which rules break it.

    run = balance.simulate("data/runs/first", players=4, games_per_cell=100)   # or balance.open_run(...)
    run.sql("@length-by-players")                      # a ready query, as a polars frame
    run.sql("select players, count(*) from games group by all")
    balance.check(["Unions", "Geeks, Geeks, Geeks, Geeks!"], players=4)
    balance.replay(players=4, variants="unions", seed=7)   # one game, round by round
    balance.write_report("data/runs/first", "first.html")

The heavy parts (numba, polars, duckdb, scipy, matplotlib) are imported by the module that needs them,
never from here: `import balance` and `balance --help` stay quick.
"""

from __future__ import annotations

TYPE_CHECKING = False  # from typing, whose import takes longer than all that is here: Ctrl-C may fall into it
if TYPE_CHECKING:
    from typing import Any

    from balance.dataset.run import Run, Runs, open_run, open_runs
    from balance.measure.items import values
    from balance.report.answers import check, check_all, compare, contested, ladder, price, suggest, why
    from balance.report.build import write_report
    from balance.report.model import Answer
    from balance.sweep.replaying import Replay, replay
    from balance.sweep.simulation import simulate

__all__ = [
    "Answer",
    "Replay",
    "Run",
    "Runs",
    "__version__",
    "check",
    "check_all",
    "compare",
    "contested",
    "ladder",
    "open_run",
    "open_runs",
    "price",
    "replay",
    "simulate",
    "suggest",
    "values",
    "why",
    "write_report",
]

# The only place of the version; pyproject.toml reads it from here.
__version__ = "0.1.0"

_HOMES = {
    "Answer": "balance.report.model",
    "check": "balance.report.answers",
    "check_all": "balance.report.answers",
    "compare": "balance.report.answers",
    "contested": "balance.report.answers",
    "ladder": "balance.report.answers",
    "price": "balance.report.answers",
    "suggest": "balance.report.answers",
    "why": "balance.report.answers",
    "Run": "balance.dataset.run",
    "Runs": "balance.dataset.run",
    "open_run": "balance.dataset.run",
    "open_runs": "balance.dataset.run",
    "Replay": "balance.sweep.replaying",
    "replay": "balance.sweep.replaying",
    "simulate": "balance.sweep.simulation",
    "values": "balance.measure.items",
    "write_report": "balance.report.build",
}

DERIVED = dict.fromkeys(
    ("findings", "cell_verdicts", "verdicts", "thresholds", "pooled_findings", "verdict_counts"),
    "balance.judge.tables",
)
"""Tables of SQL that a later stage makes when a query first names them, and the module that makes them."""


def __getattr__(name: str) -> Any:
    """Import what the package offers when it is first asked for."""
    if name not in _HOMES:
        raise AttributeError(f"module 'balance' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    """Return what the package offers, for `dir(balance)` and completion in a notebook."""
    return sorted(__all__)
