"""The arguments of `balance sql`: runs, a query and its parameters, from words, a file or a name.

Runs nothing and prints nothing.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from balance.errors import UsageError

if TYPE_CHECKING:
    from balance.dataset.connection import Connection


_PARAMETER = re.compile(r"([A-Za-z_]\w*)=(.*)", re.DOTALL)


Asked = tuple[str, Mapping[str, object]]
"""A statement, and the values of its parameters."""


def read_words(words: Sequence[str], *, from_file: bool) -> tuple[list[str], str | None, dict[str, str]]:
    """Return runs, the query (SQL, or `@` and the name of a ready one) and its parameters.

    >>> read_words(["a", "b", "select $x", "x=3"], from_file=False)
    (['a', 'b'], 'select $x', {'x': '3'})
    >>> read_words(["a", "x=3"], from_file=True)
    (['a'], None, {'x': '3'})
    """
    place = next((k for k, word in enumerate(words) if _begins_query(word, from_file)), len(words))
    runs, rest = list(words[:place]), list(words[place:])
    query = None if from_file or not rest else rest.pop(0)
    return runs, query, read_parameters(rest)


def _begins_query(word: str, from_file: bool) -> bool:
    if not from_file and word.startswith("@"):
        return True
    if _is_path(word):
        return False
    if from_file:
        return _PARAMETER.fullmatch(word) is not None
    return not word or re.search(r"[\s(;]", word) is not None


def _is_path(word: str) -> bool:
    try:
        return bool(word) and Path(word).exists()
    except (OSError, ValueError):  # too long for a name, as a query may be
        return False


def read_parameters(words: Sequence[str]) -> dict[str, str]:
    """Return what follows a query: a value for each of some names."""
    found: dict[str, str] = {}
    for word in words:
        pair = _PARAMETER.fullmatch(word)
        if pair is None:
            raise UsageError(f"{word!r} after the query: expected name=value; runs stand before the query")
        if pair[1] in found:
            raise UsageError(f"{pair[1]}= is given twice")
        found[pair[1]] = pair[2]
    return found


def plain_query(text: str, given: Mapping[str, str]) -> Asked:
    """Return SQL as the user wrote it, with values for its parameters."""
    return text, {name: parameter_value(value) for name, value in given.items()}


def parameter_value(text: str) -> object:
    """Return the value that a user has written after `name=`.

    >>> [parameter_value(text) for text in ("4", "0.5", "true", "null", "unions", "'4'")]
    [4, 0.5, True, None, 'unions', '4']
    """
    words: dict[str, object] = {"true": True, "false": False, "null": None}
    if text.lower() in words:
        return words[text.lower()]
    if re.fullmatch(r"[+-]?\d{1,38}", text):
        return int(text)
    if re.fullmatch(r"[+-]?(\d+\.\d*|\.\d+|\d+(?=[eE]))([eE][+-]?\d+)?", text):
        return float(text)
    quoted = re.fullmatch(r"'(.*)'", text, re.DOTALL)
    return quoted[1].replace("''", "'") if quoted else text


def read_stdin() -> str:
    """Return the standard input; UsageError if it is not text, or has no end."""
    from balance.dataset.saved_queries import MOST_TEXT

    content = sys.stdin.buffer.read(MOST_TEXT + 1) if sys.stdin is not None else b""
    if len(content) > MOST_TEXT:
        raise UsageError(f"the standard input is too long for queries: at most {MOST_TEXT:,} bytes are read")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise UsageError("the standard input is not UTF-8 text") from None


# --- ready queries


def file_query(con: Connection, file: str, given: Mapping[str, str]) -> Asked:
    """Return the query of a file, which may have the head of a ready one, or of the standard input (`-`)."""
    from balance.dataset.saved_queries import HEAD, bound, load_question, read_query

    text = read_stdin() if file == "-" else read_query(file)
    if file != "-" and HEAD.match(text):
        return bound(con, load_question(file), given)
    return plain_query(text, given)


def ready_query(con: Connection, name: str, given: Mapping[str, str]) -> Asked:
    """Return a ready query by name or file; UsageError with the nearest names, or for a wrong parameter."""
    from balance.dataset.saved_queries import bound, find_question

    if name.endswith(".sql"):
        return file_query(con, name, given)
    return bound(con, find_question(name, game=con.game.name), given)


def ready_rows(game: str | None) -> list[dict[str, Any]]:
    """Return the ready queries for a game, or for all: name, question, parameters."""
    from balance.dataset.saved_queries import questions

    return [
        {"name": name, "question": known.question, "parameters": [_form(p) for p in known.parameters]}
        for name, known in questions(game=game).items()
    ]


def _form(parameter: Any) -> str:
    default = "" if parameter.default is None else f"={parameter.default}"
    return f"{parameter.name} (needed)" if parameter.required else f"{parameter.name}{default}"
