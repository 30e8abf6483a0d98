"""`balance simulate`: plays every pairing at every player count into a folder of Parquet files."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

import typer

from balance.cli import diagnostics, gameoptions, output
from balance.cli.help import examples
from balance.errors import UsageError

if TYPE_CHECKING:
    from balance.sweep.folder import Summary
    from balance.sweep.simulation import Prepared
    from balance.sweep.workers import Finished, Played

__all__ = ["EPILOG", "SweepCommand", "simulate"]

EPILOG = examples(
    "balance simulate --games 100 --out data/runs/first",
    "balance simulate --players 4 --twists unions,parallel-universe --twists none --precision 1pp --dry-run",
    "balance simulate --extend data/runs/first --games 400 --out data/runs/more",
    "balance simulate --repair data/runs/first",
)


class SweepCommand(gameoptions.GameCommand):
    """A command that plays no single game, so that `--game` can name the game itself."""

    named_by = ("--game", "--of")


def simulate(
    game: Annotated[
        str | None, typer.Option("--game", "--of", metavar="NAME", help="The game that is played.")
    ] = None,
    edition: gameoptions.EditionOption = None,
    players: Annotated[
        list[str] | None,
        typer.Option(metavar="2-6", help="Player counts: 4, 2-6 or 2,4; by default all."),
    ] = None,
    variants: Annotated[
        list[str] | None,
        typer.Option(
            metavar="pairs|singles|none|all|A,B",
            help="Which variants are in force: a word, or the ids of one combination; repeatable.",
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
        typer.Option(metavar="LINEUP", help="Who sits where, as in `replay`; repeatable."),
    ] = None,
    seed: Annotated[int | None, typer.Option(metavar="N", help="The seed of all games, 0..2^63-1.")] = None,
    catalog: gameoptions.CatalogOption = None,
    ordered: Annotated[
        bool, typer.Option("--ordered", help="Make each order of the variants a cell of its own.")
    ] = False,
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
    dry_run: Annotated[
        bool,
        typer.Option("--dry-run", help="Say what would be played, how long and how large; write nothing."),
    ] = False,
    format_: output.FormatOption = None,
    as_json: output.JsonOption = False,
) -> None:
    """Play many seeded games of every cell, and write every game as rows of Parquet files.

    A cell is an edition, a player count, a combination of variants and a lineup. The same options give the
    same bytes; a command that was stopped goes on where it was. Prints the folder of the run.
    """
    from balance.sweep import simulation

    options = output.options(format_, as_json)
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
        "ordered": ordered or None,
    }
    if repair is not None:
        _refuse("--repair takes everything from the run", {**chosen, **fixed, "extend": extend, "out": out})
        prepared = simulation.prepare_repair(repair)
    elif extend is not None:
        _refuse("--extend takes this from the run", fixed)
        if out is None:
            raise UsageError("--extend needs --out, a new folder: a finished run never changes")
        prepared = simulation.prepare_extension(extend, out, **_given(chosen))
    else:
        prepared = simulation.prepare(out=out, **_given({**chosen, **fixed}))
    if dry_run:
        _estimate(prepared, jobs, options)
        return
    gameoptions.warn_of_unfitted(
        prepared.game, prepared.catalog, [cell.variants for cell in prepared.plan.cells]
    )
    _play(prepared, jobs)
    output.text(str(prepared.folder))


def _given(options: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in options.items() if value is not None}


def _refuse(why: str, options: dict[str, Any]) -> None:
    words = {"games_per_cell": "games", "lineups": "lineup"}
    given = [f"--{words.get(name, name)}" for name in _given(options)]
    if given:
        raise UsageError(f"{why}; it does not go with {', '.join(given)}")


def _play(prepared: Prepared, jobs: int | None) -> None:
    from balance.sweep import simulation
    from balance.sweep.folder import remaining

    plan = prepared.plan
    left = sum(shard.games for shard in remaining(prepared.folder, plan, prepared.again))
    if left:
        gameoptions.announce_warm_up(prepared.game, replay=False)
    if 0 < left < plan.games:
        diagnostics.say(f"{prepared.folder}: {left:,} of {plan.games:,} games are still to be played")
    with diagnostics.progress("simulating", left) as line:
        summary = simulation.run_prepared(prepared, jobs, _watcher(line, plan.shards))
    diagnostics.say(_told(prepared, summary))


def _watcher(line: diagnostics.Progress, shards: int) -> Callable[[Played | Finished], None]:
    """Return what keeps the progress line up to date: speed, shards, and the cell at hand."""
    from balance.sweep.workers import Finished

    begun = time.monotonic()
    games = done = 0

    def watch(message: Played | Finished) -> None:
        nonlocal games, done
        if isinstance(message, Finished):
            done += 1
            return
        games += message.games
        speed = games / max(time.monotonic() - begun, 0.001)
        line.advance(message.games, f"{speed:,.0f} games/s, {done} of {shards} shards, {message.cell}")

    return watch


def _told(prepared: Prepared, summary: Summary) -> str:
    plan, files = prepared.plan, summary.run.state.files()
    size = sum(file.size for file in files.values())
    holds = f"{plan.games:,} games in {plan.shards} shards, {size / 1e6:,.1f} MB"
    if not summary.shards:
        return f"{prepared.folder} is finished: {holds}; nothing was played"
    speed = summary.games / max(summary.seconds, 0.001)
    return f"played {summary.games:,} games in {summary.seconds:,.1f} s ({speed:,.0f} games/s): {holds}"


def _estimate(prepared: Prepared, jobs: int | None, options: output.OutputOptions) -> None:
    from balance import machine
    from balance.sweep.estimate import estimate

    gameoptions.announce_warm_up(prepared.game, replay=False)
    diagnostics.say("measuring with a few games of each player count and lineup")
    rows = estimate(prepared, jobs or machine.cores().amount)
    output.rows([row._asdict() for row in rows], ["item", "value", "unit"], options)
