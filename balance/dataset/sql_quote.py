"""Pieces of SQL: names, texts and files, quoted in one place.

Views and aggregations cannot be prepared, so what goes into them is quoted here and nowhere else.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Final

MACROS: Final = Path(__file__).with_name("macros.sql")
"""Functions beside the views: the deal of a game, and shares, means and multiples with their intervals."""


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


def parquet(files: Iterable[Path], *, union_by_name: bool = False) -> str:
    """Return the rows of some files; the words of their folders (`players=4`) mean nothing to it."""
    # `*`, `?` and `[` stand for themselves
    names = ", ".join(text(re.sub(r"([*?[])", r"[\1]", str(file.resolve()))) for file in files)
    by_name = ", union_by_name = true" if union_by_name else ""
    return f"read_parquet([{names}], hive_partitioning = false{by_name})"
