"""What the terminal can show: its width, how wide a text is, and which characters are safe.

Shared by the owners of stdout and stderr. Must not write anything itself.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from typing import IO

# The width of a table where no terminal says how wide it is.
PIPE_WIDTH = 80


def is_terminal(stream: IO[str] | None) -> bool:
    """Return whether a person is looking at `stream`."""
    try:
        return stream is not None and stream.isatty()
    except ValueError:  # closed
        return False


def line_width(stream: IO[str] | None) -> int:
    """Return how many columns a line on `stream` may have."""
    return max(shutil.get_terminal_size().columns, 20) if is_terminal(stream) else PIPE_WIDTH


COLOURS = {"title": "1", "broken": "31", "undecided": "2", "bent": "33", "fine": "36"}
"""Bold titles; verdicts are red, faint, yellow and cyan."""


def painter(stream: IO[str] | None) -> Callable[[str, str], str]:
    """Return what colours a text by its kind: on a capable terminal, and without NO_COLOR."""
    if not is_terminal(stream) or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return lambda text, _: text
    return lambda text, kind: f"\x1b[{COLOURS[kind]}m{text}\x1b[0m" if kind in COLOURS else text
