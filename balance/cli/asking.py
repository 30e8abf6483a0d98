"""What a user of `balance sql` asks: runs, a query and its parameters, from words, a file or a name.

Shared by the command and its shell. Runs nothing and prints nothing.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from balance.errors import UsageError

if TYPE_CHECKING:
    from balance.dataset.connection import Connection
    from balance.dataset.questions import Question

__all__ = [
    "Asked",
    "Words",
    "asked",
    "plain_query",
    "read_parameters",
    "read_words",
    "ready_names",
    "ready_query",
    "ready_rows",
]

_PARAMETER = re.compile(r"([A-Za-z_]\w*)=(.*)", re.DOTALL)
_HEAD = re.compile(r"\s*--\s*Question:")


@dataclass(frozen=True, slots=True)
class Words:
    """The arguments of the command, told apart."""

    runs: Sequence[str]
    query: str | None
    """SQL, or `@` and the name of a ready query."""
    parameters: dict[str, str]


@dataclass(frozen=True, slots=True)
class Asked:
    """A statement and the values of its parameters."""

    sql: str
    parameters: Mapping[str, object]


def read_words(words: Sequence[str], *, from_file: bool) -> Words:
    """Tell runs, the query and its parameters apart.

    >>> read_words(["a", "b", "select $x", "x=3"], from_file=False)
    Words(runs=['a', 'b'], query='select $x', parameters={'x': '3'})
    >>> read_words(["a", "x=3"], from_file=True)
    Words(runs=['a'], query=None, parameters={'x': '3'})
    """
    place = 0
    while place < len(words) and not _begins_query(words[place], from_file):
        place += 1
    runs, rest = list(words[:place]), list(words[place:])
    query = None if from_file or not rest else rest.pop(0)
    return Words(runs, query, read_parameters(rest))


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


def asked(con: Connection, words: Words, file: str | None) -> Asked | None:
    """Return what the command line asks; None if it asks nothing."""
    if file is not None:
        return _of_file(con, file, words.parameters)
    if words.query is None:
        return None
    if words.query.startswith("@"):
        return ready_query(con, words.query[1:], words.parameters)
    return plain_query(words.query, words.parameters)


def plain_query(text: str, given: Mapping[str, str]) -> Asked:
    """Return SQL as the user wrote it, with values for its parameters."""
    from balance.dataset.shell import parameter

    return Asked(text, {name: parameter(value) for name, value in given.items()})


def _of_file(con: Connection, file: str, given: Mapping[str, str]) -> Asked:
    """Return the query of a file, which may have the head of a ready query."""
    from balance.dataset.questions import load_question

    try:
        text = sys.stdin.read() if file == "-" else Path(file).read_text(encoding="utf-8-sig")
    except (FileNotFoundError, IsADirectoryError):
        raise UsageError(f"--file {file}: there is no such file") from None
    except UnicodeDecodeError:
        raise UsageError(f"--file {file}: it is not UTF-8 text") from None
    if file != "-" and _HEAD.match(text):
        return _ready(con, load_question(file), given)
    return plain_query(text, given)


# --- ready queries


def ready_query(con: Connection, name: str, given: Mapping[str, str]) -> Asked:
    """Return a ready query by its name; UsageError with the nearest names, or for a wrong parameter."""
    from balance.dataset.questions import find_question

    return _ready(con, find_question(name, game=con.game.name), given)


def _ready(con: Connection, question: Question, given: Mapping[str, str]) -> Asked:
    return Asked(question.sql, con.bind(question, given))


def ready_names(game: str) -> list[str]:
    """Return the names of the ready queries for a game."""
    from balance.dataset.questions import questions

    return list(questions(game=game))


def ready_rows(game: str | None) -> list[dict[str, Any]]:
    """Return the ready queries for a game, or for all: name, question, parameters."""
    from balance.dataset.questions import questions

    return [
        {"name": name, "question": known.question, "parameters": [_told(p) for p in known.parameters]}
        for name, known in questions(game=game).items()
    ]


def _told(parameter: Any) -> str:
    if parameter.required:
        return f"{parameter.name} (needed)"
    return parameter.name if parameter.default is None else f"{parameter.name}={parameter.default}"
