"""`balance runs`: which runs are in data/runs, a better name for one, and removing those no longer wanted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from balance import text_columns
from balance.cli import diagnostics, output, terminal
from balance.cli.help_text import examples
from balance.errors import UsageError

if TYPE_CHECKING:
    from balance.dataset.housekeeping import KeptRun

EPILOG = examples(
    "balance runs",
    "balance runs --rename nefarious-ascora-2011-1f0c9a3e base",
    "balance runs --clean",
    "balance runs --clean old-try --yes",
)
_COLUMNS = ("name", "state", "mb", "games", "holds", "made_by")


@output.takes_options()
def runs(
    options: output.OutputOptions,
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="[NAME]...", help="Only these; by default all, with --clean the unnamed."),
    ] = None,
    rename_: Annotated[
        tuple[str, str] | None, typer.Option("--rename", metavar="OLD NEW", help="Give a run another name.")
    ] = None,
    clean: Annotated[
        bool, typer.Option("--clean", help="List what would be removed; with --yes remove it.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="With --clean: remove what is listed.")] = False,
) -> None:
    """List the runs in data/runs: size, what each holds, and the command that made it.

    `--clean` removes runs: those named, or those that still have the name that balance gave them. It removes
    nothing without `--yes`, and never a run that a remaining one extends, that is damaged, or whose folder
    holds other files.
    """
    from balance.dataset.housekeeping import RUNS, choose, kept_runs, rename

    if yes and not clean:
        raise UsageError("--yes goes with --clean")
    found = kept_runs()
    if rename_ is not None:
        if clean or names:
            raise UsageError("--rename OLD NEW does not go with --clean or other names")
        (run,) = choose(found, rename_[:1])
        output.text(str(rename(run, rename_[1])))
    elif clean:
        wanted = choose(found, names) if names else [run for run in found if not run.named]
        _clean(wanted, found, options, yes=yes)
    else:
        _list(choose(found, names) if names else found, options)
        if not found:
            diagnostics.say(f"{RUNS} holds no run; balance simulate makes one")


def _list(runs: list[KeptRun], options: output.OutputOptions) -> None:
    rows = [
        {
            "name": run.name,
            "state": run.state,
            "mb": round(run.size / 1e6, 1),
            "games": None if run.plan is None else run.plan.games,
            "holds": None if run.plan is None else str(run.plan),
            "made_by": run.command or None,
        }
        for run in runs
    ]
    if options.format is not output.Format.table:
        output.rows(rows, _COLUMNS, options)
    elif rows:
        lines = []
        for row in rows:
            lines.append(f"{row['name']}: {row['state']}, {row['mb']} MB")
            for text in (row["holds"], row["made_by"]):
                wrapped = text_columns.wrap(str(text or "unknown"), terminal.PIPE_WIDTH - 2)
                lines += [f"  {line}" for line in wrapped]
        output.text("\n".join(lines), options)


def _clean(wanted: list[KeptRun], found: list[KeptRun], options: output.OutputOptions, *, yes: bool) -> None:
    """List what goes and what stays although it was named; remove the first with `yes`."""
    from balance.dataset.housekeeping import removable, remove

    going, reasons = removable(wanted, found)
    for run, why in reasons:
        diagnostics.warn(f"{run.name} stays: {why}")
    _list(going, options)
    if yes:
        for run in going:
            remove(run)
    size = sum(run.size for run in going) / 1e6
    many = f"{len(going)} {'run' if len(going) == 1 else 'runs'}, {size:,.1f} MB"
    if not going:
        diagnostics.say("nothing to remove")
    elif yes:
        diagnostics.say(f"removed: {many}")
    else:
        diagnostics.say(f"would be removed: {many}; add --yes to remove them")
