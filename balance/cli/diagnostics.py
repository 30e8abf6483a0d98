"""The only owner of stderr and of the exit codes: messages, progress, errors.

Every command runs inside `run`, which turns whatever happens into one message and one number. Data
belongs to `balance.cli.output`.
"""

from __future__ import annotations

import contextlib
import os
import re
import sys
import traceback
from collections.abc import Callable, Iterator
from typing import Annotated, Any

import typer

from balance import text_columns
from balance.cli import output, terminal
from balance.errors import BalanceError, CatalogError, DataError
from balance.nearest import unknown

_OPTIONS = {
    "games_per_cell": "games",
    "deals": "games",
    "lineups": "lineup",
    "seconds": "timeout",
    "game": "of",
    "game_index": "game",
    "queries": "with",
}
"""Options that are not called like the parameter that they give."""

_READERS = ("duckdb", "_duckdb", "polars")
"""Libraries that read files of runs. What users ask in SQL is wrong in words of its own, long before."""

INTERRUPTED = 130
_FAILED = 1
_USAGE = 2

_QUIET, _NORMAL, _VERBOSE = -1, 0, 1


class _Talk:
    """How many messages the user wants, for the one command that this process runs."""

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
    typer.Option("--quiet", "-q", help="Print errors only.", callback=_set_quiet, expose_value=False),
]
VerboseOption = Annotated[
    bool,
    typer.Option(
        "--verbose", "-v", help="Print more, tracebacks too.", callback=_set_verbose, expose_value=False
    ),
]


# --- talk


def say(message: str) -> None:
    """Print a message; `--quiet` leaves it out."""
    if _Talk.level >= _NORMAL:
        _print(message)


def warn(message: str) -> None:
    """Print a warning: something the user should know that stops nothing."""
    if _Talk.level >= _NORMAL:
        _print(f"{terminal.painter(sys.stderr)('warning:', 'title')} ", message)


def error(message: str) -> None:
    """Print what went wrong."""
    _print(f"{terminal.painter(sys.stderr)('error:', 'title')} ", message)


def _print(*parts: str) -> None:
    """Print; only the last part comes from outside and is made safe for a terminal."""
    *ours, message = parts
    with contextlib.suppress(OSError, ValueError, AttributeError):  # nobody listens any more
        sys.stderr.write("".join(ours) + text_columns.escape(message, keep="\n") + "\n")
        sys.stderr.flush()


# --- progress


@contextlib.contextmanager
def progress(label: str, total: int, note: str = "") -> Iterator[Callable[..., None]]:
    """Show a line that counts on a terminal, gone when the work is done.

    Yields a function of how many more steps are done and of a note, which names what is in progress.
    """
    if _Talk.level < _NORMAL or not terminal.is_terminal(sys.stderr):
        yield lambda *_: None
        return
    from rich import progress as bars
    from rich.console import Console
    from rich.table import Column

    whole, rest = Column(no_wrap=True), Column(no_wrap=True, overflow="ellipsis", ratio=1)
    bar = bars.Progress(
        bars.TextColumn("{task.description}", markup=False, table_column=whole),
        bars.BarColumn(bar_width=12),
        bars.TaskProgressColumn(),
        bars.TimeElapsedColumn(),
        bars.TextColumn("left", markup=False),
        bars.TimeRemainingColumn(compact=True),
        # the note has the room that is left, so that it can never push the others out
        bars.TextColumn("{task.fields[note]}", markup=False, table_column=rest),
        console=Console(stderr=True),
        transient=True,
        expand=True,
    )
    safe = text_columns.escape
    task = bar.add_task(safe(label), total=max(total, 1), note=safe(note))
    with bar:
        yield lambda steps=1, note="": bar.update(task, advance=steps, note=safe(note))


# --- the end of a command


def run(command: Callable[[], object]) -> int:
    """Run a command and return its exit code, after printing what went wrong, if anything did.

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
    except BaseException as problem:  # noqa: BLE001 - the last place to turn it into words
        if (
            isinstance(problem, RuntimeError) and str(problem) == "Query interrupted"
        ):  # DuckDB saw Ctrl-C first
            error("interrupted")
            return INTERRUPTED
        return _report(problem)
    return code


def _report(problem: BaseException) -> int:
    """Print the message of an exception and return its exit code."""
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
            error(_with_options(problem))
            return problem.exit_code
        case typer.TyperException():
            return _report_usage(problem)
        case typer.Abort():
            error("aborted")
            return _FAILED
        case BrokenPipeError():
            output.discard_stdout()
            return 0
        case ValueError() if "integer string conversion" in str(problem):
            error("a number has far too many digits")
            return _USAGE
    code, first_line = _FAILED, str(problem).partition("\n")[0]
    match problem:
        case OSError():
            what = problem.strerror or str(problem)
            error(f"{problem.filename}: {what}" if problem.filename is not None else what)
        case MemoryError():
            error("out of memory")
        case _ if type(problem).__module__.partition(".")[0] in _READERS:
            code = DataError.exit_code
            error(
                f"a run cannot be read: {first_line:.300}\n'balance doctor RUN' shows whether it is damaged"
            )
        case _:
            how = "" if _wants_traceback() else " (-v or BALANCE_DEBUG=1 shows the traceback)"
            error(f"unexpected {type(problem).__name__}: {first_line}{how}")
    if _wants_traceback():
        _print("".join(traceback.format_exception(problem)).rstrip("\n"))
    return code


def _wants_traceback() -> bool:
    return _Talk.level >= _VERBOSE or os.environ.get("BALANCE_DEBUG", "") not in ("", "0")


def _with_options(problem: BalanceError) -> str:
    """Return the message with the options of the command line instead of the parameters of a function.

    >>> _with_options(BalanceError("games_per_cell 0: too few", parameter="games_per_cell"))
    '--games 0: too few'
    """
    before, rest = "", str(problem)
    for parameter in problem.parameters:
        # a word of the message, not a part of the path of a file
        found = re.search(rf"(?<![\w/.-]){parameter}(?![\w/.-])", rest)
        if found:
            option = _OPTIONS.get(parameter, parameter.replace("_", "-"))
            before, rest = f"{before}{rest[: found.start()]}--{option}", rest[found.end() :]
    return before + rest


def _report_usage(problem: typer.TyperException) -> int:
    """Print what typer found wrong with the command line."""
    context: Any = getattr(problem, "ctx", None)
    # The class is private to typer; its message is the help of a command group called without a command.
    if type(problem).__name__ == "NoArgsIsHelpError":
        _print(problem.format_message())
        return _USAGE
    message = problem.format_message().replace("Value error, ", "")  # pydantic's words, not the user's
    if hasattr(problem, "possibilities") and context is not None:
        params = context.command.get_params(context)
        wrong = getattr(problem, "option_name", "")
        message = unknown("option", wrong, [n for one in params for n in one.opts if n.startswith("-")])
        for one in params:
            if any(name.startswith(wrong.removeprefix("--")) for name in one.opts):
                message = f"there is no option {wrong}: {context.command_path} takes {one.metavar} without it"
        if wrong == "--game":  # the index of one game, in `replay` alone
            message = "there is no option --game here; --of NAME names the game"
    error(message.rstrip("."))
    if context is not None:
        _print(f"Try '{context.command_path} --help'.")
    return problem.exit_code
