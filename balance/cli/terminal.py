"""What the terminal can show: its width, how wide a text is, and which characters are safe.

Shared by the owners of stdout and stderr. Must not write anything itself.
"""

from __future__ import annotations

import os
import shutil
import unicodedata
from typing import IO

__all__ = ["bold", "escape", "is_terminal", "line_width", "text_width", "wrap"]

# What a table may use where nobody told how wide the paper is.
PIPE_WIDTH = 80

# Control, format (bidirectional overrides among them), surrogate; line and paragraph separators.
_UNSAFE = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})


def is_terminal(stream: IO[str] | None) -> bool:
    """Return whether a person is looking at `stream`."""
    try:
        return stream is not None and stream.isatty()
    except ValueError:  # closed
        return False


def line_width(stream: IO[str] | None) -> int:
    """Return how many columns a line on `stream` may have."""
    return max(shutil.get_terminal_size().columns, 20) if is_terminal(stream) else PIPE_WIDTH


def bold(text: str, stream: IO[str] | None) -> str:
    """Return `text` in bold where that is wanted: on a capable terminal, and without NO_COLOR."""
    if not is_terminal(stream) or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return text
    return f"\x1b[1m{text}\x1b[0m"


def escape(text: str, keep: str = "") -> str:
    r"""Return `text` with everything that could steer a terminal written out.

    >>> escape("red: \x1b[31m")
    'red: \\x1b[31m'
    >>> escape("two\nlines", keep="\n")
    'two\nlines'
    """
    if text.isprintable():
        return text
    return "".join(
        char.encode("unicode_escape").decode("ascii")
        if unicodedata.category(char) in _UNSAFE and char not in keep
        else char
        for char in text
    )


def text_width(text: str) -> int:
    """Return how many columns `text` takes on a terminal.

    >>> text_width("Ёж"), text_width("発明")
    (2, 4)
    """
    if text.isascii():
        return len(text)
    return sum(_char_width(char) for char in text)


def wrap(text: str, width: int) -> list[str]:
    """Break `text` into lines of at most `width` columns, at spaces where possible.

    >>> wrap("Each other player discards a card.", 14)
    ['Each other', 'player', 'discards a', 'card.']
    """
    lines: list[str] = []
    for paragraph in text.split("\n"):
        line = ""
        for word in paragraph.split(" "):
            joined = f"{line} {word}" if line else word
            if text_width(joined) <= width:
                line = joined
                continue
            if line:
                lines.append(line)
            *whole, line = _chop(word, width)
            lines.extend(whole)
        lines.append(line)
    return lines


def _char_width(char: str) -> int:
    if unicodedata.combining(char) or unicodedata.category(char) in {"Mn", "Me"}:
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def _chop(word: str, width: int) -> list[str]:
    """Cut a word that is too long for a line into pieces that are not."""
    pieces, piece = [], ""
    for char in word:
        if piece and text_width(piece + char) > width:
            pieces.append(piece)
            piece = ""
        piece += char
    return [*pieces, piece]
