"""How fast a sweep is from end to end, against the engine alone, and how many bytes a game takes.

For `balance bench`. Plays into temporary folders on the disk, in turns with the engine; nothing is judged.
"""

from __future__ import annotations

import statistics
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from balance import bench
from balance.bench import Figure
from balance.games.contract import Game, Throughput
from balance.games.lineup import Lineup, parse_lineup
from balance.sweep import simulation
from balance.sweep.folder import Summary

__all__ = ["SweepLoad", "measure_sweep", "sweep_figures", "sweep_load"]

DEALS: Final = 1_800
"""Of a cell, as in a sweep worth its name: a cell is compiled once, for that many games."""


@dataclass(frozen=True, slots=True)
class SweepLoad:
    """What is swept, and played by the engine alone."""

    game: Game[Any, Any]
    lineup: Lineup
    combinations: tuple[tuple[str, ...], ...]
    deals: int

    @property
    def variants(self) -> str:
        """Which variants are in force, for people."""
        size = len(self.combinations[0])
        return f"{len(self.combinations)} {'pairs' if size == 2 else 'singles'}" if size else "none"


@dataclass
class SweepRuns:
    """The repeats."""

    alone: list[Throughput] = field(default_factory=list)
    """The engine on all threads."""
    swept: dict[int, list[float]] = field(default_factory=dict)
    """Seconds, by number of threads."""
    sizes: dict[str, float] = field(default_factory=dict)
    """Bytes of a game, by table; always the same."""


def sweep_load(game: Game[Any, Any], games: int, lineup: str | None, players: Sequence[int]) -> SweepLoad:
    """Return what to sweep: about so many games of the middle player count, in the sample of combinations."""
    facts = game.facts
    counts = sorted(players) or bench.player_counts(facts)
    lineups = facts.default_sweep_lineups or (facts.default_lineup,)
    seated = parse_lineup(lineup or lineups[0], counts[len(counts) // 2], game)
    catalog = game.load_catalog()
    combined = bench.sample(facts, game.variants(catalog, facts.default_edition)) or [()]
    per_deal = seated.rotations
    cells = max(1, min(len(combined), games // (DEALS * per_deal)))
    return SweepLoad(game, seated, tuple(combined[:cells]), max(1, games // (cells * per_deal)))


def measure_sweep(
    load: SweepLoad, repeats: int, threads: Sequence[int], advance: Callable[[], object] = lambda: None
) -> SweepRuns:
    """Sweep on every number of threads, and play the same cells by the engine alone, in turns."""
    engine = bench.measured(load.game)
    catalog = load.game.load_catalog()
    edition = load.game.facts.default_edition
    players = load.lineup.players
    cells = [load.game.compile(catalog, edition, players, variants) for variants in load.combinations]
    runs = SweepRuns(swept={count: [] for count in threads})
    _sweep(load, 1, deals=1)  # whatever the first game of a process has to wait for
    for _ in range(repeats):
        deals = load.deals * load.lineup.rotations
        runs.alone.append(engine.measure(cells, bench.SEED, 0, deals, load.lineup, max(threads)))
        advance()
        for count in threads:
            summary, sizes = _sweep(load, count, load.deals)
            runs.swept[count].append(summary.seconds)
            runs.sizes = sizes
            advance()
    return runs


def _sweep(load: SweepLoad, jobs: int, deals: int) -> tuple[Summary, dict[str, float]]:
    """Sweep into a temporary folder; return what was done, and the bytes of a game by table."""
    with tempfile.TemporaryDirectory(prefix="balance-bench-") as folder:
        prepared = simulation.prepare(
            game=load.game.name,
            out=Path(folder) / "run",
            players=load.lineup.players,
            variants=[",".join(variants) or "none" for variants in load.combinations],
            games_per_cell=deals,
            lineups=load.lineup.text,
            seed=bench.SEED,
        )
        summary = simulation.run_prepared(prepared, jobs)
        files = summary.run.state.files()
        sizes = {
            table.name: sum(file.size for name, file in files.items() if name.startswith(f"{table.name}/"))
            / summary.games
            for table in summary.run.tables
        }
    return summary, sizes


def sweep_figures(load: SweepLoad, runs: SweepRuns) -> Iterator[Figure]:
    """Yield speeds of the sweep, its share of the engine's speed, its gain by threads, bytes per game."""
    games = len(load.combinations) * load.deals * load.lineup.rotations
    many = max(runs.swept)

    def figure(measure: str, threads: int, values: Sequence[float], unit: str) -> Figure:
        return Figure(
            measure, load.lineup.text, load.lineup.players, load.variants, threads,
            statistics.median(values), min(values), max(values), unit, games, len(values),
        )  # fmt: skip

    for threads, taken in runs.swept.items():
        yield figure("sweep", threads, [games / seconds for seconds in taken], "1/s")
    pairs = zip(runs.alone, runs.swept[many], strict=True)
    yield figure("sweep/kernel", many, [games / s / (run.games / run.seconds) for run, s in pairs], "x")
    if many > 1 and 1 in runs.swept:
        gains = [one / all_ for one, all_ in zip(runs.swept[1], runs.swept[many], strict=True)]
        yield figure("sweep gain", many, gains, "x")
    for table, size in runs.sizes.items():
        yield figure(f"{table} size", many, [size], "B")
