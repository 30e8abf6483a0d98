"""What a user of `balance sql` asks: runs, a query and its parameters, from words, a file or a name.

Shared by the command and its shell. Opens no run and prints nothing.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from balance.errors import UsageError

__all__ = [
    "Question",
    "Words",
    "plain_question",
    "question",
    "read_parameters",
    "read_words",
    "ready_question",
]

_PARAMETER = re.compile(r"([A-Za-z_]\w*)=(.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Words:
    """The arguments, told apart."""

    runs: Sequence[str]
    query: str | None
    parameters: dict[str, str]


@dataclass(frozen=True, slots=True)
class Question:
    """A statement and the values of its parameters."""

    sql: str
    parameters: dict[str, object]


def read_words(words: Sequence[str], *, from_file: bool) -> Words:
    """Tell runs, the query and its parameters apart."""
    place = 0
    while place < len(words) and not _begins_query(words[place], from_file):
        place += 1
    runs, rest = words[:place], list(words[place:])
    query = None if from_file or not rest else rest.pop(0)
    return Words(runs, query, read_parameters(rest))


def _begins_query(word: str, from_file: bool) -> bool:
    if word.startswith("@"):
        return True
    if Path(word[:200]).exists():
        return False
    if from_file:
        return _PARAMETER.fullmatch(word) is not None
    return not word or re.search(r"[\s(;]", word) is not None


def read_parameters(words: Sequence[str]) -> dict[str, str]:
    """Return what follows a query: a value for each of some names."""
    found: dict[str, str] = {}
    for word in words:
        pair = _PARAMETER.fullmatch(word)
        if pair is None:
            raise UsageError(f"{word!r} after the query: expected name=value; a run stands before the query")
        if pair[1] in found:
            raise UsageError(f"{pair[1]}= is given twice")
        found[pair[1]] = pair[2]
    return found


def question(asked: Words, file: str | None) -> Question | None:
    """Return the statement to run, with its parameters; None if there is none on the command line."""
    if file is not None:
        return _of_file(file, asked.parameters)
    if asked.query is None:
        return None
    if asked.query.startswith("@"):
        return ready_question(asked.query[1:], asked.parameters)
    return plain_question(asked.query, asked.parameters)


def plain_question(text: str, given: dict[str, str]) -> Question:
    """Return SQL as the user wrote it, with values for its parameters."""
    from balance.dataset.shell import parameter

    return Question(text, {name: parameter(value) for name, value in given.items()})


def _of_file(file: str, given: dict[str, str]) -> Question:
    try:
        text = sys.stdin.read() if file == "-" else Path(file).read_text(encoding="utf-8")
    except (FileNotFoundError, IsADirectoryError):
        raise UsageError(f"--file {file}: there is no such file") from None
    except UnicodeDecodeError:
        raise UsageError(f"--file {file}: it is not UTF-8 text") from None
    return plain_question(text, given)


def ready_question(name: str, given: dict[str, str]) -> Question:
    """TODO."""
    raise UsageError(name)


def ready_names() -> list[str]:
    """TODO."""
    return []


def ready_rows() -> list[dict[str, object]]:
    """TODO."""
    return []
