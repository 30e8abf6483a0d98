"""How numbers and names are printed in a report: one way, for every table, sentence and rendering."""

from __future__ import annotations

import math
import re
import shlex
from collections.abc import Iterable
from pathlib import Path

from balance.judge.sentences import percent
from balance.report.model import Block, Bullets, Cell, literal
from balance.stats.intervals import Interval

UNKNOWN = "–"
"""Printed where nothing is known."""


def printed(value: float | None, kind: str, near: float | None = None) -> str:
    """Return a number as it is printed; `kind` is that of a column, `near` the figure that it stands beside.

    >>> printed(0.1234, "share"), printed(0.0123, "share"), printed(1.234, "number"), printed(1234, "integer")
    ('12%', '1.2%', '1.23', '1,234')
    """
    if value is None or not math.isfinite(value):
        return UNKNOWN
    if kind == "share":
        return percent(value, near)
    if kind in ("integer", "rounds"):
        return f"{value:,.0f}"
    if kind == "signed":
        return f"{value:+.2f}"
    return f"{value:.2f}" if abs(value) < 100 else f"{value:,.0f}"


def whole(value: int | None) -> Cell:
    """Return a whole number as an entry of a table."""
    return Cell(value, printed(value, "integer"))


def count(value: int, one: str, many: str) -> str:
    """Return a number with its noun.

    >>> count(1, "game", "games"), count(1200, "game", "games")
    ('1 game', '1,200 games')
    """
    return f"{value:,} {one if value == 1 else many}"


def text(value: object) -> Cell:
    """Return words as an entry of a table."""
    return Cell(value, str(value))


def interval(found: Interval | None, kind: str = "number") -> Cell:
    """Return a figure with its interval as an entry of a table.

    >>> interval(Interval(1.0, 0.912, 1.088)).text
    '1.00 (0.91 to 1.09)'
    >>> interval(Interval(0.095, 0.071, 0.1234), "share").text
    '9.5% (7.1% to 12.3%)'
    """
    if found is None or math.isnan(found.value):
        return Cell(None, UNKNOWN)
    value, low, high = found
    if not (math.isfinite(low) and math.isfinite(high)):
        return Cell(value, f"{printed(value, kind)} (open-ended)")
    told = f"{printed(value, kind)} ({printed(low, kind, value)} to {printed(high, kind, value)})"
    return Cell(value, told, low, high)


def bullets(said: Iterable[str]) -> tuple[Block, ...]:
    """Return words of somebody else's as a list, if there are any."""
    items = tuple(map(literal, said))
    return (Bullets(items),) if items else ()


def listed(names: Iterable[str], last: str = "and") -> str:
    """Return names as a list in a sentence.

    >>> listed(["a", "b", "c"]), listed(["a"])
    ('a, b and c', 'a')
    """
    every = list(names)
    if len(every) < 2:
        return "".join(every)
    return f"{', '.join(every[:-1])} {last} {every[-1]}"


def series_name(series: object) -> str:
    """Return how a series of a figure is called: a number is one of players."""
    is_number = isinstance(series, int) and not isinstance(series, bool)
    return f"{series} players" if is_number else str(series)


def command_path(path: Path) -> str:
    """Return a folder as a command names it: a relative path as given, of an absolute path the name alone.

    >>> command_path(Path("data/runs/x")), command_path(Path("/home/me/data/my run"))
    ('data/runs/x', "'my run'")
    """
    return shlex.quote(path.name if path.is_absolute() else path.as_posix())


def slug(text: str) -> str:
    """Return a text as a part of an id.

    >>> slug("mirror:adaptive")
    'mirror-adaptive'
    """
    return re.sub(r"[^\w]+", "-", text).strip("-").lower()
