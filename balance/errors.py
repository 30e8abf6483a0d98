"""The errors a user can cause, each with the exit code it ends in.

Library code raises these; only `balance.cli.diagnostics` prints them. Nothing here may print, exit or
know about the command line beyond the number.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar


class BalanceError(Exception):
    """Something went wrong that deserves a message instead of a traceback.

    Where a parameter of a function is at fault, `parameter` names it and the message begins with it:
    `games_per_cell 0: a cell has at least one game`. The command line writes its option there instead.
    """

    exit_code: ClassVar[int] = 1

    def __init__(self, message: str = "", *, parameter: str | Sequence[str] = ()) -> None:
        self.parameters: tuple[str, ...] = (parameter,) if isinstance(parameter, str) else tuple(parameter)
        super().__init__(message)


class Failed(BalanceError):  # noqa: N818 - the design's word for exit code 1
    """The work could not be done: a limit exceeded, the disk full, no permission."""

    exit_code = 1


class UsageError(BalanceError):
    """The question was wrong: a bad option, a bad catalog, an SQL error."""

    exit_code = 2


class DataError(BalanceError):
    """The data is missing, unfinished, damaged, or of a version that cannot be replayed exactly."""

    exit_code = 3


class Interrupted(BalanceError):  # noqa: N818 - Ctrl-C is not an error
    """The user stopped long work; the message says what was kept and how to resume."""

    exit_code = 130


@dataclass(frozen=True, slots=True)
class Problem:
    """One mistake in one place of one file.

    >>> str(Problem("twists.toml", "unions", "goal", "expected a number, found 'ten'"))
    "twists.toml: unions: goal: expected a number, found 'ten'"
    >>> str(Problem("twists.toml", "", "", "the file is empty"))
    'twists.toml: the file is empty'
    """

    file: str
    entry: str
    field: str
    message: str

    def __str__(self) -> str:
        parts = (self.file, self.entry, self.field, self.message)
        return ": ".join(" ".join(part.split()) for part in parts if part)


class CatalogError(UsageError):
    """A catalog with mistakes; carries every problem found, not just the first."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems: tuple[Problem, ...] = tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))
