"""`balance simulate`: plays every pairing at every player count into a folder of Parquet files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from balance.cli import diagnostics, gameoptions, output
from balance.cli.help_text import examples
from balance.cli.sweep_progress import play_with_progress
from balance.errors import UsageError

if TYPE_CHECKING:
    from balance.sweep.folder import SweepSummary
    from balance.sweep.simulation import Prepared


EPILOG = examples(
    "balance simulate --games 100 --name first",
    "balance simulate --players 4 --twists pairs --precision 1pp --name precise",
    "balance simulate --extend data/runs/first --games 400 --name more",
    "balance simulate --repair data/runs/first",
)


def simulate(
    game: Annotated[str | None, typer.Option("--of", metavar="NAME", help="The game that is played.")] = None,
    edition: gameoptions.EditionOption = None,
    players: Annotated[
        list[str] | None,
        typer.Option(metavar="2-6", help="Player counts: 4, 2-6 or 2,4; by default all."),
    ] = None,
    variants: Annotated[
        list[str] | None,
        typer.Option(
            metavar="pairs|singles|none|all|A,B",
            help="Which variants are in force: a word, the same among some (all:A,B,C), or the ids of one "
            "combination; repeatable.",
        ),
    ] = None,
    games_: Annotated[
        int | None,
        typer.Option("--games", metavar="N", help="Deals of each cell, each played once; 500 by default."),
    ] = None,
    precision: Annotated[
        str | None,
        typer.Option(metavar="1pp", help="Deals enough for this half-width of a seat's win share."),
    ] = None,
    replicates: Annotated[
        int | None, typer.Option(metavar="R", help="Play each deal R times, with other policy streams.")
    ] = None,
    lineup: Annotated[
        list[str] | None,
        typer.Option(metavar="LINEUP", help="Which player sits on which seat, as in `replay`; repeatable."),
    ] = None,
    seed: Annotated[int | None, typer.Option(metavar="N", help="The seed of all games, 0..2^63-1.")] = None,
    catalog: gameoptions.CatalogOption = None,
    extend: Annotated[
        str | None, typer.Option(metavar="RUN", help="Play on from a finished run, into a new folder.")
    ] = None,
    repair: Annotated[
        str | None, typer.Option(metavar="RUN", help="Play again what is damaged or missing in a run.")
    ] = None,
    jobs: Annotated[int | None, typer.Option(metavar="J", help="Threads; by default all cores.")] = None,
    out: Annotated[
        str | None, typer.Option("--out", "-o", metavar="DIR", help="The folder of the run.")
    ] = None,
    name: Annotated[
        str | None, typer.Option(metavar="NAME", help="The name of the run's folder below data/runs.")
    ] = None,
) -> None:
    """Play many seeded games of every cell, and write every game as rows of Parquet files.

    A cell is an edition, a player count, a combination of variants and a lineup. The same options give the
    same bytes; run a stopped command again to resume it. Prints the folder of the run.
    """
    from balance.dataset.housekeeping import RUNS, checked_name
    from balance.sweep import simulation

    if name is not None:
        if out is not None:
            raise UsageError("--name and --out both name the folder; give one of them")
        out = str(RUNS / checked_name(name))
    chosen = {
        "players": players,
        "variants": variants,
        "games_per_cell": games_,
        "precision": precision,
        "lineups": lineup,
    }
    fixed = {
        "game": game,
        "edition": edition,
        "replicates": replicates,
        "seed": seed,
        "catalog": catalog,
    }
    if repair is not None:
        gameoptions.refuse_together(
            "--repair takes everything from the run", **chosen, **fixed, extend=extend, out=out
        )
        prepared = simulation.prepare_repair(repair)
    elif extend is not None:
        gameoptions.refuse_together("--extend takes this from the run", **fixed)
        if out is None:
            raise UsageError("--extend needs --name or --out, a new folder: a finished run never changes")
        prepared = simulation.prepare_extension(extend, out, **_given(chosen))
    else:
        prepared = simulation.prepare(out=out, **_given({**chosen, **fixed}))
    summary = play_with_progress(prepared, jobs, resuming=True)
    diagnostics.say(_summary_text(prepared, summary))
    output.text(str(prepared.folder))


def _given(options: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in options.items() if value is not None}


def _summary_text(prepared: Prepared, summary: SweepSummary) -> str:
    plan, files = prepared.plan, summary.run.state.files()
    size = sum(file.size for file in files.values())
    holds = f"{plan.games:,} games in {plan.shards} shards, {size / 1e6:,.1f} MB"
    if not summary.shards:
        mended = f"wrote {', '.join(summary.mended)} again" if summary.mended else "nothing was played"
        return f"{prepared.folder} is finished: {holds}; {mended}"
    speed = summary.games / max(summary.seconds, 0.001)
    return f"played {summary.games:,} games in {summary.seconds:,.1f} s ({speed:,.0f} games/s): {holds}"
