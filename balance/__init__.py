"""Game-balance analytics: simulate a board game by the million, and ask which rules break it.

The heavy parts (numba, polars, duckdb, scipy, matplotlib) are imported by the module that needs them,
never from here: `import balance` and `balance --help` stay quick.
"""

from __future__ import annotations

__all__ = ["__version__"]

# The only place of the version; pyproject.toml reads it from here.
__version__ = "0.1.0"
