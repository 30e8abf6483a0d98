"""The `balance` command: which commands there are, and what all of them have in common.

Commands live in modules of their own. They are imported here, so whatever they need beyond the standard
library and typer they must import inside the function: `balance --help` starts without numba, polars,
duckdb, scipy or matplotlib.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from collections.abc import Iterator, Sequence
from functools import cache
from importlib import import_module
from typing import Annotated, Any, Final, NoReturn

import typer
from typer.core import TyperCommand, TyperGroup

import balance
from balance import machine
from balance.cli import diagnostics, output
from balance.cli.gameoptions import GameCommand, RunCommand
from balance.cli.help_text import examples, lay_out
from balance.errors import UsageError
from balance.nearest import unknown

_LIGHT = ("catalog", "doctor", "runs", "--version")
"""What needs neither the compiler nor a database; `doctor` with a run looks for itself."""
_READERS = ("check", "compare", "replay", "report", "sql")
"""What opens runs."""
_UNSTOPPABLE = "balance-sql"
"""The thread of `balance.dataset.connection`, which ends with its connection unless a query keeps it."""


_SHORT = {
    "check": "Does this combination of rules break the game?",
    "simulate": "Play every combination into files that can be queried.",
    "report": "Write an HTML or PDF report on runs.",
    "compare": "What does a change of cards or rules move?",
    "price": "What should each card cost?",
    "sql": "Ask runs in SQL, or with a ready query.",
    "runs": "List, rename and remove runs.",
    "replay": "Play one game again and print it round by round.",
    "catalog": "Look up, check and compare cards, twists and editions.",
    "doctor": "Show what is installed; check the files of a run.",
    "contested": "Which answers depend on facts that are in doubt?",
    "ladder": "Measure how strong the players are.",
    "exploit": "Train a player against the default one, and measure it.",
    "tune": "Fine-tune the default player for one twist.",
    "train": "Train the default player by self-play.",
}
"""What each command answers: the lines of `balance --help`, the most needed first.

A command is the function of its name in the module of its name.
"""
_OF_RUNS: Final = ("compare", "report")
"""Commands whose game is that of a run."""
_OF_NO_GAME: Final = ("doctor", "runs", "sql")


class _Group(TyperGroup):
    """A group of commands that answers a wrong name with the nearest right ones."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of the commands, the most needed first."""
        order = {name: place for place, name in enumerate(_SHORT)}
        return sorted(super().list_commands(ctx), key=lambda name: order.get(name, len(order)))

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name = args[0]
        if self.get_command(ctx, name) is None and not ctx.resilient_parsing and not name.startswith("-"):
            path = ctx.command_path
            raise UsageError(f"{unknown('command', name, self.list_commands(ctx))}\nTry '{path} --help'.")
        return super().resolve_command(ctx, args)


app = typer.Typer(
    name="balance",
    cls=_Group,
    no_args_is_help=True,
    # Plain help: the same in a terminal, a pipe and a log, and nothing bold against NO_COLOR.
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
    epilog=examples("balance check unions --players 4", "balance doctor", "balance COMMAND --help"),
)


def _set_trust(value: bool) -> bool:
    if value:
        from balance.dataset.verify import trust

        trust()
    return value


def _print_version(value: bool) -> None:
    if value:
        output.text(f"balance {balance.__version__}")
        raise typer.Exit


@app.callback()
def _root(
    quiet: diagnostics.QuietOption = False,
    verbose: diagnostics.VerboseOption = False,
    no_verify: Annotated[
        bool,
        typer.Option(
            "--no-verify",
            help="Do not compare the files of runs with their checksums.",
            callback=_set_trust,
            expose_value=False,
        ),
    ] = False,
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    """Simulate a board game by the million, and ask which rules break it."""


for _name in _SHORT:
    _module = import_module(f"balance.cli.{_name}")
    if _name == "catalog":
        app.add_typer(_module.app, name=_name, cls=_Group)
    else:
        _class = RunCommand if _name in _OF_RUNS else TyperCommand if _name in _OF_NO_GAME else GameCommand
        app.command(_name, cls=_class, epilog=_module.EPILOG)(getattr(_module, _name))


@cache
def command_tree() -> Any:
    """Return the complete tree of commands, `--quiet` and `--verbose` on each, `--no-verify` on readers."""
    root = typer.main.get_command(app)
    shared = {param.name: param for param in root.params}
    for command in _walk(root):
        names = (*(("no_verify",) if command.name in _READERS else ()), "quiet", "verbose")
        command.params.extend(shared[name] for name in names)
        lay_out(command)
        command.short_help = _SHORT.get(command.name, "")
    root.params.remove(shared["no_verify"])
    lay_out(root)
    return root


def _walk(group: Any) -> Iterator[Any]:
    """Yield every command below `group`, groups included."""
    for command in getattr(group, "commands", {}).values():
        yield command
        yield from _walk(command)


def run(args: Sequence[str]) -> int:
    """Run the command line `args` and return its exit code."""

    def command() -> object:
        _check_text(args)
        if args and args[0] not in _LIGHT and not {"-h", "--help"} & {*args}:
            machine.require_address_space(args[0])
        return command_tree().main(args=list(args), prog_name="balance", standalone_mode=False)

    return diagnostics.run(command)


def _check_text(args: Sequence[str]) -> None:
    for arg in args:
        try:
            arg.encode()
        except UnicodeEncodeError:
            raise UsageError(f"the argument {arg} is not valid UTF-8 text") from None


def end(code: int) -> NoReturn:
    """End the process with an exit code, whether or not a query is still running."""
    if any(thread.name == _UNSTOPPABLE for thread in threading.enumerate()):
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(OSError, ValueError, AttributeError):
                stream.flush()
        os._exit(code)  # a query that cannot be stopped would keep the process until it is done
    sys.exit(code)
