"""The only owner of stderr and of the exit codes: talk, progress, errors.

Every command runs inside `run`, which turns whatever happens into one message and one number. Data
belongs to `balance.cli.output`.
"""

from __future__ import annotations

import contextlib
import os
import sys
import time
import traceback
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

import typer

from balance.cli import output, terminal
from balance.errors import BalanceError, CatalogError
from balance.suggest import unknown

if TYPE_CHECKING:
    from types import TracebackType

__all__ = [
    "Progress",
    "QuietOption",
    "VerboseOption",
    "detail",
    "error",
    "progress",
    "prompt",
    "run",
    "say",
    "warn",
]

INTERRUPTED = 130
_FAILED = 1
_USAGE = 2

_QUIET, _NORMAL, _VERBOSE = -1, 0, 1


class _Talk:
    """How much the user wants to hear, for the one command that this process runs."""

    level = _NORMAL


def _set_quiet(value: bool) -> bool:
    if value:
        _Talk.level = _QUIET
    return value


def _set_verbose(value: bool) -> bool:
    if value:
        _Talk.level = _VERBOSE
    return value


# Declared once on the root command; `balance.cli.app` gives them to every other command.
QuietOption = Annotated[
    bool,
    typer.Option("--quiet", "-q", help="Say nothing but errors.", callback=_set_quiet, expose_value=False),
]
VerboseOption = Annotated[
    bool,
    typer.Option(
        "--verbose", "-v", help="Say more, also tracebacks.", callback=_set_verbose, expose_value=False
    ),
]


# --- talk


def say(message: str) -> None:
    """Tell what happens; `--quiet` leaves it out."""
    if _Talk.level >= _NORMAL:
        _print(message)


def detail(message: str) -> None:
    """Tell what only `--verbose` wants to know."""
    if _Talk.level >= _VERBOSE:
        _print(message)


def warn(message: str) -> None:
    """Tell what the user should know but what stops nothing."""
    if _Talk.level >= _NORMAL:
        _print(f"{terminal.bold('warning:', sys.stderr)} ", message)


def error(message: str) -> None:
    """Tell what went wrong."""
    _print(f"{terminal.bold('error:', sys.stderr)} ", message)


def prompt(text: str) -> None:
    """Ask for a line, where the standard output is not for people."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        sys.stderr.write(text)
        sys.stderr.flush()


def _print(*parts: str) -> None:
    """Print; only the last part comes from outside and is made safe for a terminal."""
    *ours, message = parts
    with contextlib.suppress(OSError, ValueError, AttributeError):  # nobody listens any more
        sys.stderr.write("".join(ours) + terminal.escape(message, keep="\n") + "\n")
        sys.stderr.flush()


# --- progress

_SHORTEST_BAR = 10


class Progress:
    """A line that counts; shown only on a terminal, gone when the work is done."""

    def __init__(self, label: str, total: int) -> None:
        self._label, self._total, self._done, self._note = label, total, 0, ""
        self._shown = _Talk.level >= _NORMAL and terminal.is_terminal(sys.stderr)
        self._start = time.monotonic()
        self._drawn = 0.0

    def advance(self, steps: int = 1, note: str = "") -> None:
        """Count `steps` more of the work as done; `note` says what is at hand, where there is room."""
        self._done += steps
        self._note = note
        now = time.monotonic()
        if self._shown and now - self._drawn >= 0.1:
            self._drawn = now
            self._draw(now - self._start)

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._drawn:
            self._put("\r\x1b[K")

    def _draw(self, seconds: float) -> None:
        share = min(self._done / self._total, 1.0) if self._total > 0 else 0.0
        left = f"{seconds / share - seconds:.0f} s left" if share else ""
        label = terminal.escape(self._label)
        room = terminal.line_width(sys.stderr) - terminal.text_width(label) - len(left) - 12
        note = terminal.escape(self._note)[: max(0, room - _SHORTEST_BAR - 1)]
        room -= len(note) + 1 if note else 0
        bar = "#" * int(share * room) + "." * (room - int(share * room)) if room > 5 else ""
        self._put(f"\r\x1b[K{label} {bar} {share:4.0%} {left} {note}".rstrip(" "))

    def _put(self, line: str) -> None:
        with contextlib.suppress(OSError, ValueError):
            sys.stderr.write(line)
            sys.stderr.flush()


def progress(label: str, total: int) -> Progress:
    """Return a progress line, to be used in a `with`."""
    return Progress(label, total)


# --- the end of a command


def run(command: Callable[[], object]) -> int:
    """Run a command and return its exit code, having told the user what went wrong, if anything.

    A number that the command returns is its exit code (typer returns that of `typer.Exit`).
    """
    _Talk.level = _NORMAL
    try:
        result = command()
        code = result if isinstance(result, int) else 0
        if code == INTERRUPTED:  # typer has caught Ctrl-C
            raise KeyboardInterrupt
    except KeyboardInterrupt:
        error("interrupted")
        return INTERRUPTED
    except (SystemExit, Exception) as problem:  # noqa: BLE001 - the last place to turn it into words
        return _report(problem)
    return code


def _report(problem: BaseException) -> int:
    """Tell about an exception and return the exit code that it means."""
    match problem:
        case SystemExit():
            # typer leaves so after a closed pipe, and after it has installed shell completion.
            if isinstance(problem.__context__, BrokenPipeError):
                output.discard_stdout()
                return 0
            return problem.code if isinstance(problem.code, int) else int(problem.code is not None)
        case typer.Exit():
            return problem.exit_code
        case CatalogError():
            for line in str(problem).split("\n"):
                error(line)
            return problem.exit_code
        case BalanceError():
            error(str(problem))
            return problem.exit_code
        case typer.TyperException():
            return _report_usage(problem)
        case typer.Abort():
            error("aborted")
            return _FAILED
        case BrokenPipeError():
            output.discard_stdout()
            return 0
        case OSError():
            error(_os_message(problem))
        case MemoryError():
            error("out of memory")
        case _:
            _report_bug(problem)
            return _FAILED
    _traceback_if_wanted(problem)
    return _FAILED


def _report_usage(problem: typer.TyperException) -> int:
    """Tell what typer found wrong with the command line."""
    context: Any = getattr(problem, "ctx", None)
    # The class is private to typer; its message is the help of a command group called without a command.
    if type(problem).__name__ == "NoArgsIsHelpError":
        _print(problem.format_message())
        return _USAGE
    message = problem.format_message().replace("Value error, ", "")  # pydantic's words, not the user's
    if hasattr(problem, "possibilities") and context is not None:
        known = [name for param in context.command.get_params(context) for name in param.opts]
        message = unknown("option", getattr(problem, "option_name", ""), known)
    error(message.rstrip("."))
    if context is not None:
        _print(f"Try '{context.command_path} --help'.")
    return problem.exit_code


def _os_message(problem: OSError) -> str:
    what = problem.strerror or str(problem)
    return f"{problem.filename}: {what}" if problem.filename is not None else what


def _report_bug(problem: BaseException) -> None:
    """Tell about what should not have happened; a traceback only for those who asked."""
    kind = type(problem).__name__
    first_line = str(problem).split("\n", 1)[0]
    if _wants_traceback():
        _traceback_if_wanted(problem)
        error(f"unexpected {kind}: {first_line}")
    else:
        error(f"unexpected {kind}: {first_line} (-v or BALANCE_DEBUG=1 shows the traceback)")


def _wants_traceback() -> bool:
    return _Talk.level >= _VERBOSE or os.environ.get("BALANCE_DEBUG", "") not in ("", "0")


def _traceback_if_wanted(problem: BaseException) -> None:
    if _wants_traceback():
        _print("".join(traceback.format_exception(problem)).rstrip("\n"))
