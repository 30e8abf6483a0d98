"""The `balance` command: which commands there are, and what all of them have in common.

Commands live in modules of their own. They are imported here, so whatever they need beyond the standard
library and typer they must import inside the function: `balance --help` starts without numba, polars,
duckdb, scipy or matplotlib.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator, Sequence
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

import balance
from balance.cli import (
    bench,
    check,
    compare,
    contested,
    diagnostics,
    doctor,
    ladder,
    output,
    price,
    replay,
    report,
    simulate,
    sql,
    tune,
)
from balance.cli.gameoptions import GameCommand
from balance.cli.help import examples
from balance.errors import UsageError
from balance.suggest import unknown

__all__ = ["app", "command_tree", "main", "run"]


class _Group(TyperGroup):
    """A group of commands that answers a wrong name with the nearest right ones."""

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
    epilog=examples("balance doctor", "balance catalog list twists"),
)


def _print_version(value: bool) -> None:
    if value:
        output.text(f"balance {balance.__version__}")
        raise typer.Exit


@app.callback()
def _root(
    quiet: diagnostics.QuietOption = False,
    verbose: diagnostics.VerboseOption = False,
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    """Simulate a board game by the million, and ask which rules break it."""


app.command("bench", epilog=bench.EPILOG)(bench.bench)
app.command("check", cls=GameCommand, epilog=check.EPILOG)(check.check)
app.command("compare", cls=compare.CompareCommand, epilog=compare.EPILOG)(compare.compare)
app.command("contested", cls=GameCommand, epilog=contested.EPILOG)(contested.contested)
app.command("doctor", epilog=doctor.EPILOG)(doctor.doctor)
app.command("ladder", cls=GameCommand, epilog=ladder.EPILOG)(ladder.ladder)
app.command("price", cls=GameCommand, epilog=price.EPILOG)(price.price)
app.command("replay", cls=GameCommand, epilog=replay.EPILOG)(replay.replay)
app.command("report", cls=report.ReportCommand, epilog=report.EPILOG)(report.report)
app.command("simulate", cls=simulate.SweepCommand, epilog=simulate.EPILOG)(simulate.simulate)
app.command("sql", epilog=sql.EPILOG)(sql.sql)
app.command("tune", cls=GameCommand, epilog=tune.EPILOG)(tune.tune)
if importlib.util.find_spec("balance.cli.catalog"):
    app.add_typer(importlib.import_module("balance.cli.catalog").app, name="catalog", cls=_Group)


def command_tree() -> Any:
    """Return the complete tree of commands, `--quiet` and `--verbose` on each of them."""
    root = typer.main.get_command(app)
    shared = [param for param in root.params if param.name in ("quiet", "verbose")]
    for command in _walk(root):
        command.params.extend(shared)
    return root


def _walk(group: Any) -> Iterator[Any]:
    """Yield every command below `group`, groups included."""
    for command in getattr(group, "commands", {}).values():
        yield command
        yield from _walk(command)


def run(args: Sequence[str]) -> int:
    """Run the command line `args` and return its exit code."""
    return diagnostics.run(
        lambda: command_tree().main(args=list(args), prog_name="balance", standalone_mode=False)
    )


def main() -> None:
    """Be the `balance` command."""
    sys.exit(run(sys.argv[1:]))
