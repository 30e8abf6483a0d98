"""`balance bench`: how fast the engine plays on this machine."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, fields
from typing import Annotated, Any, Final

import typer

from balance import bench as benchmark
from balance import games, machine
from balance.cli import diagnostics, gameoptions, output
from balance.cli.help import examples
from balance.games.contract import Game

__all__ = ["EPILOG", "bench"]

EPILOG = examples(
    "balance bench",
    "balance bench --players 4 --games 10000 --repeats 9 --no-compile",
    "balance bench --json --out bench.json",
    "balance bench --run data/runs/full --repeats 1",
)

_COLUMNS: Final = tuple(field.name for field in fields(benchmark.Figure))
_ANSWERS: Final = ("answer", "seconds", "low", "high", "scans", "megabytes", "repeats")
_FOR_PROGRAMS: Final = ("lineup", "repeats")
"""Left out of the table of one lineup, which has to fit a terminal."""
_SEVERAL: Final = ("measure", "lineup", "players", "variants", "threads", "median", "spread", "unit")
"""The table of several lineups: one number tells how far low and high lie apart."""


def bench(
    games_: Annotated[
        int, typer.Option("--games", metavar="N", min=1, max=2**32, help="Games of each measurement.")
    ] = 60_000,
    repeats: Annotated[
        int, typer.Option(metavar="N", min=1, help="How often everything is measured, in turns.")
    ] = 5,
    players: Annotated[
        list[int] | None,
        typer.Option(metavar="N", help="How many play; repeatable. By default fewest, middle and most."),
    ] = None,
    lineup: Annotated[
        list[str] | None,
        typer.Option(
            metavar="LINEUP",
            help="Who sits where, as in `replay`; repeatable. By default each policy against itself.",
        ),
    ] = None,
    no_compile: Annotated[
        bool, typer.Option("--no-compile", help="Do not measure how long a compilation and a start take.")
    ] = False,
    no_sweep: Annotated[
        bool, typer.Option("--no-sweep", help="Do not measure a sweep from end to end.")
    ] = False,
    run: Annotated[
        str | None,
        typer.Option(
            metavar="RUN", help="Instead: how long every ready query and `check --all` take over a run."
        ),
    ] = None,
    of: gameoptions.OfOption = games.DEFAULT,
    format_: output.FormatOption = None,
    as_json: output.JsonOption = False,
    out: output.OutOption = None,
    force: output.ForceOption = False,
) -> None:
    """Measure how fast games are played, on one thread and on all cores.

    Without variants and over a fixed sample of them; then sweeps from end to end, and how long the first game
    takes, compiled and not. Every figure is the median of several repeats, with the lowest and the highest.
    """
    options = output.options(format_, as_json, out, force)
    if run is not None:
        output.rows(_answers(run, repeats), _ANSWERS, options)
        return
    game = games.get(of)
    engine = benchmark.measured(game)
    work = benchmark.workloads(game, lineup or (), players or ())
    cores = machine.cores().amount
    threads = sorted({1, cores})
    found: list[benchmark.Figure] = []
    gameoptions.announce_warm_up(game, replay=False)
    diagnostics.say(
        f"{game.facts.title}, {', '.join(dict.fromkeys(load.lineup.text for load in work))}: "
        f"{len(work) * len(threads) * repeats} measurements of {games_} games, {cores} cores"
    )
    with diagnostics.progress("playing", len(work) * len(threads) * repeats) as line:
        found += benchmark.figures(benchmark.measure(engine, work, games_, repeats, threads, line.advance))
    if not no_sweep:
        found += _sweep(game, games_, repeats, threads, lineup[0] if lineup else None, players or ())
    if not no_compile:
        diagnostics.say("compiling into an empty cache, then starting from it")
        with diagnostics.progress("starting", 3 + repeats) as line:
            found += benchmark.start_figures(game, benchmark.starts(game, repeats, line.advance))
    columns = _columns(found, options.format)
    output.rows([_row(figure, short="spread" in columns) for figure in found], columns, options)


def _answers(path: str, repeats: int) -> list[dict[str, object]]:
    """Measure answers over a run, each in a process of its own."""
    from balance import answering
    from balance.dataset.run import open_run

    run = open_run(path)
    diagnostics.say(f"asking {run.path.name}, {run.plan.games:,} games")
    commands = answering.asked(run)
    with diagnostics.progress("asking", repeats * len(commands)) as line:
        taken = answering.measure_answers(commands, repeats, line.advance)
    shown = [asdict(answer) for answer in answering.answers(taken)]
    return [{k: _rounded(v) if isinstance(v, float) else v for k, v in row.items()} for row in shown]


def _sweep(
    game: Game[Any, Any],
    games_: int,
    repeats: int,
    threads: Sequence[int],
    lineup: str | None,
    players: Sequence[int],
) -> list[benchmark.Figure]:
    """Measure sweeps into temporary folders, in turns with the engine alone."""
    from balance.sweep import measuring

    load = measuring.sweep_load(game, games_, lineup, players)
    diagnostics.say(
        f"sweeping {load.variants} with {load.lineup.players} players, {load.lineup.text}, to the disk"
    )
    with diagnostics.progress("sweeping", repeats * (1 + len(threads))) as line:
        runs = measuring.measure_sweep(load, repeats, threads, line.advance)
    return list(measuring.sweep_figures(load, runs))


def _columns(found: Iterable[benchmark.Figure], format_: output.Format) -> list[str]:
    several = len({figure.lineup for figure in found}) > 1
    if format_ == output.Format.table and several:
        return list(_SEVERAL)
    if format_ in (output.Format.table, output.Format.markdown):
        return [name for name in _COLUMNS if name not in _FOR_PROGRAMS or (name == "lineup" and several)]
    return list(_COLUMNS)


def _row(figure: benchmark.Figure, *, short: bool) -> dict[str, object]:
    row = asdict(figure)
    row |= {name: _rounded(row[name]) for name in ("median", "low", "high")}
    if short:
        row["lineup"] = figure.lineup.removeprefix("mirror:")
        row["spread"] = f"{100 * (figure.high - figure.low) / figure.median:.0f}%"
    return row


def _rounded(value: float) -> float:
    """Return four digits: the rest is noise. From 1000 on as a whole number."""
    short = float(f"{value:.4g}")
    return int(short) if short >= 1000 else short
