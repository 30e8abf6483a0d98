"""Nearest right names for a wrong one, the same way everywhere.

Every "unknown ..." message is made here, so that a typo in a twist, a command or a column is answered
alike. Must stay free of any knowledge of what the names stand for.
"""

from __future__ import annotations

import difflib
import unicodedata
from collections.abc import Iterable

# Below this difflib ratio a suggestion is noise rather than help.
_CUTOFF = 0.6
# A user's word can be anything, also 10,000 characters long; difflib is quadratic.
_LONGEST = 80


def nearest(word: str, words: Iterable[str], limit: int = 3) -> list[str]:
    """Return up to `limit` of `words` that `word` may have meant, the likeliest first.

    Case, accents and punctuation do not count; a beginning or a part of a name does.

    >>> nearest("unons", ["unions", "union-busting", "mad-broker"])
    ['unions']
    >>> nearest("BROKER", ["unions", "mad-broker"])
    ['mad-broker']
    """
    wanted = _fold(word[:_LONGEST])
    if not wanted:
        return []
    scored = [(_score(wanted, _fold(name[:_LONGEST])), name) for name in dict.fromkeys(words)]
    best = sorted((-score, name) for score, name in scored if score >= _CUTOFF)
    return [name for _, name in best[:limit]]


def unknown(what: str, word: str, words: Iterable[str]) -> str:
    """Return the message for a name that does not exist, with the nearest ones that do.

    >>> unknown("twist", "unons", ["unions", "mad-broker"])
    "unknown twist 'unons'; did you mean 'unions'?"
    """
    shown = word if len(word) <= _LONGEST else word[: _LONGEST - 1] + "…"
    message = f"unknown {what} {_quote(shown)}"
    found = [_quote(name) for name in nearest(word, words)]
    if not found:
        return message
    *others, last = found
    return f"{message}; did you mean {', '.join(others) + ' or ' if others else ''}{last}?"


def _quote(text: str) -> str:
    """Quote like a reader would: 'x' unless that is ambiguous, control characters escaped."""
    return repr(text) if "'" in text or not text.isprintable() else f"'{text}'"


def _fold(text: str) -> str:
    """Reduce a name to what people agree on when they type it: letters and digits in lower case."""
    plain = unicodedata.normalize("NFKD", text).casefold()
    return "".join(char for char in plain if char.isalnum())


def _score(wanted: str, name: str) -> float:
    """Rate a folded name from 0 to 1; being part of a name beats being similar to one."""
    if not name:
        return 0.0
    if wanted == name:
        return 1.0
    similar = difflib.SequenceMatcher(None, wanted, name, autojunk=False).ratio()
    # A single letter is part of almost everything.
    if len(wanted) >= 2:
        if name.startswith(wanted):
            return max(similar, 0.9)
        if wanted in name:
            return max(similar, 0.8)
    return similar
