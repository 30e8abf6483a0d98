"""Pieces of SQL: names, texts and files, quoted in one place.

Views and aggregations cannot be prepared, so what goes into them is quoted here and nowhere else.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

__all__ = ["name", "parquet", "text"]


def name(*parts: str) -> str:
    """Quote a name: table and column, or one of them.

    >>> name("x", "round")
    '"x"."round"'
    """
    return ".".join('"' + part.replace('"', '""') + '"' for part in parts)


def text(value: str) -> str:
    """Quote a text.

    >>> text("it's")
    "'it''s'"
    """
    return "'" + value.replace("'", "''") + "'"


def parquet(files: Iterable[Path]) -> str:
    """Return the rows of some files; the words of their folders (`players=4`) mean nothing to it."""
    names = ", ".join(text(_no_pattern(file)) for file in files)
    return f"read_parquet([{names}], hive_partitioning = false)"


def _no_pattern(file: Path) -> str:
    """Return a path in which `*`, `?` and `[` stand for themselves."""
    return "".join(f"[{char}]" if char in "*?[" else char for char in str(file.resolve()))
