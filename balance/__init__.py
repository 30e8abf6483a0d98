"""Game-balance analytics: simulate a board game by the million, and ask which rules break it.

The heavy parts (numba, polars, duckdb, scipy, matplotlib) are imported by the module that needs them,
never from here: `import balance` and `balance --help` stay quick.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from balance.analysis.checking import Check, check
    from balance.analysis.comparing import compare
    from balance.analysis.comparison import Comparison
    from balance.analysis.contested import contested
    from balance.analysis.pricing import price
    from balance.dataset.run import Run, Runs, open_run, open_runs
    from balance.report.making import write_report
    from balance.sweep.simulation import simulate

__all__ = [
    "Check",
    "Comparison",
    "Run",
    "Runs",
    "__version__",
    "check",
    "compare",
    "contested",
    "open_run",
    "open_runs",
    "price",
    "simulate",
    "write_report",
]

# The only place of the version; pyproject.toml reads it from here.
__version__ = "0.1.0"

_HOMES = {
    "Check": "balance.analysis.checking",
    "check": "balance.analysis.checking",
    "Comparison": "balance.analysis.comparison",
    "compare": "balance.analysis.comparing",
    "contested": "balance.analysis.contested",
    "price": "balance.analysis.pricing",
    "Run": "balance.dataset.run",
    "Runs": "balance.dataset.run",
    "open_run": "balance.dataset.run",
    "open_runs": "balance.dataset.run",
    "simulate": "balance.sweep.simulation",
    "write_report": "balance.report.making",
}


def __getattr__(name: str) -> Any:
    """Import what the package offers when it is first asked for."""
    if name not in _HOMES:
        raise AttributeError(f"module 'balance' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
