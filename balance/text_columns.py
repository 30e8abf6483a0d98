"""Text laid out for a screen: how wide it is, which characters are safe, and tables that fit.

Serves what is printed on a terminal and what is rendered as text. Must not write anything itself.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from functools import lru_cache

Paint = Callable[[int | None, str], str]

# A value of a block has at least this much room, however narrow the screen.
_NARROWEST = 8
_GAP = "  "
# Control, format (bidirectional overrides among them), surrogate; line and paragraph separators.
_UNSAFE = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})


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
    """Break `text` into lines of at most `width` columns: at spaces, or inside a long word after a hyphen.

    >>> wrap("Each other player discards a card.", 14)
    ['Each other', 'player', 'discards a', 'card.']
    >>> wrap("age-of-boredom", 9)
    ['age-of-', 'boredom']
    """
    lines: list[str] = []
    for paragraph in text.split("\n"):
        line, used = "", 0
        for word in paragraph.split(" "):
            size = text_width(word) + (used + 1 if line else 0)
            if size <= width:
                line, used = f"{line} {word}" if line else word, size
                continue
            if line:
                lines.append(line)
            *whole, line = _chop(word, width)
            used = text_width(line)
            lines.extend(whole)
        lines.append(line)
    return lines


def table(
    columns: Sequence[str],
    values: Sequence[Sequence[str]],
    right: Sequence[bool],
    width: int,
    paint: Paint = lambda _, line: line,
) -> str:
    """Lay rows out in aligned columns of at most `width`, wrapping the widest rather than cutting.

    `right` says which columns stand flush right. `paint` gets the number of a row, None for the head, with
    each of its lines. Rows with too many columns for a line become one block each.
    """
    cells = [[escape(value, keep="\n") for value in row] for row in values]
    heads = [escape(name) for name in columns]
    natural = [
        max(text_width(line) for cell in column for line in cell.split("\n"))
        for column in zip(heads, *cells, strict=True)
    ]
    words, parts = (
        [
            max(text_width(part) for cell in column for word in cell.split() or [""] for part in split(word))
            for column in zip(heads, *cells, strict=True)
        ]
        for split in (lambda word: [word], _parts)
    )
    gap, room = _GAP, width - len(_GAP) * (len(columns) - 1)
    numbers = [
        max((text_width(line) for cell in column for line in cell.split("\n")), default=0) if number else 0
        for column, number in zip(
            zip(*cells, strict=True) if cells else [()] * len(heads), right, strict=True
        )
    ]
    whole = ([max(pair) for pair in zip(floors, numbers, strict=True)] for floors in (words, parts))
    # a number in pieces is hard to read: texts break first
    widths = next(filter(None, (_fit(natural, floors, room) for floors in (*whole, words, parts))), None)
    if widths is None:  # closer together, before each row becomes a block
        gap, widths = " ", _fit(natural, parts, width - len(columns) + 1)
    if widths is None:
        return _blocks(heads, cells, width)
    head = _table_row(heads, widths, right, gap)
    head = [paint(None, line) for line in head]
    rule = gap.join("-" * size for size in widths)
    body = [paint(k, line) for k, row in enumerate(cells) for line in _table_row(row, widths, right, gap)]
    return "\n".join([*head, rule, *body]) + "\n"


def _table_row(
    cells: Sequence[str], widths: Sequence[int], right: Sequence[bool], gap: str = _GAP
) -> list[str]:
    """Return the lines of one row; a number stays whole, a text may take several lines."""
    wrapped = [wrap(cell, size) for cell, size in zip(cells, widths, strict=True)]
    lines = []
    for index in range(max((len(cell) for cell in wrapped), default=0)):
        parts = []
        for cell, size, flush_right in zip(wrapped, widths, right, strict=True):
            part = cell[index] if index < len(cell) else ""
            blank = " " * (size - text_width(part))
            parts.append(blank + part if flush_right else part + blank)
        lines.append(gap.join(parts).rstrip())
    return lines


def _fit(natural: Sequence[int], floors: Sequence[int], room: int) -> list[int] | None:
    """Shrink the widest columns until all fit into `room`, none below its floor; None if they cannot."""
    widths = list(natural)
    if sum(floors) > room:
        return None
    while sum(widths) > room:
        spare = [size if size > floor else 0 for size, floor in zip(widths, floors, strict=True)]
        widths[spare.index(max(spare))] -= 1
    return widths


def _blocks(heads: Sequence[str], cells: Sequence[Sequence[str]], width: int) -> str:
    """Lay out rows with too many columns for a line: one block per row, one line per column."""
    label = min(max(text_width(head) for head in heads), width // 3)
    sizes = [label, max(width - label - len(_GAP), _NARROWEST)]
    if not cells:
        return "\n".join(wrap(_GAP.join(heads), width)) + "\n"
    blocks = []
    for row in cells:
        pairs = zip(heads, row, strict=True)
        blocks.append("\n".join(line for pair in pairs for line in _table_row(pair, sizes, [False, False])))
    return "\n\n".join(blocks) + "\n"


@lru_cache(4096)
def _char_width(char: str) -> int:
    if unicodedata.combining(char) or unicodedata.category(char) in {"Mn", "Me"}:
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def _parts(word: str) -> list[str]:
    """Return where a word may be broken: after hyphens and their like, a number nowhere.

    >>> _parts("age-of-boredom"), _parts("-0.12"), _parts("6.022e+23")
    (['age-', 'of-', 'boredom'], ['-0.12'], ['6.022e+23'])
    """
    if not any(map(str.isalpha, word)) or re.fullmatch(r"[-\d.]+e[-+]\d+", word):
        return [word]
    return re.findall(r"[-+_/:,]*[^-+_/:,]+[-+_/:,]*|[-+_/:,]+", word) or [word]


def _chop(word: str, width: int) -> list[str]:
    """Cut a word that is too long for a line into pieces that are not, inside of a part only if it must."""
    pieces, piece, used = [], "", 0
    for part in _parts(word):
        for some in [part] if text_width(part) <= width else part:
            size = text_width(some)
            if piece and used + size > width:
                pieces.append(piece)
                piece, used = "", 0
            piece += some
            used += size
    return [*pieces, piece]
