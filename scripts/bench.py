"""Measures speed and prints one Markdown table: players, engines, a sweep, and what commands over a run take.

    python scripts/bench.py                                  everything, over a small run made for it
    python scripts/bench.py --only 'decision|engine'         the rows whose name matches
    python scripts/bench.py --run data/runs/full --only sql  the ready queries over a run of your own

pyperf starts every measurement in processes of its own and repeats it; its options (`--fast`, `--rigorous`,
`-o FILE` for `pyperf compare_to`) work here too. Seeds and cells are fixed, so only the machine differs.
"""

from __future__ import annotations

import argparse
import contextlib
import re
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any, Final

import pyperf

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # the reference engine is in tests/

PLAYERS: Final = 4
SEED: Final = 1
SLOW: Final = "search:20"
"""A player that is not in the list of policies because it takes a number."""
PAIR: Final = ("unions", "geeks")
RATIOS: Final = (
    ("engine / reference", "engine, outcomes only, 1 thread", "reference, outcomes only"),
    ("all threads / 1 thread", "engine, all threads", "engine, 1 thread"),
    ("sweep / engine", "sweep", "engine, all threads, adaptive"),
    ("verification / scan", "verify a run", "scan all rows of a run"),
)
"""Quotients: name, numerator, denominator."""


# --- playing


@cache
def nefarious(players: int = PLAYERS) -> tuple[Any, Any]:
    """Return the game and its cell without twists."""
    from balance import games

    game = games.get("nefarious")
    return game, game.compile(game.load_catalog(), game.facts.default_edition, players)


def batch(policy: str, games: int) -> tuple[Any, ...]:
    """Return a player with its buffers, and what it plays: the first games of the seed among its own kind."""
    import numpy as np

    from balance.games.lineup import parse_lineup
    from balance.games.nefarious.player import Player

    game, cell = nefarious()
    indices = np.arange(games, dtype=np.int64)
    seated = parse_lineup(f"mirror:{policy}", PLAYERS, game).seated(SEED, indices)
    player = Player()
    player.play(cell, SEED, indices[:1], seated[:1])  # compiled, or loaded from the cache
    return player, cell, indices, seated


def decide(loops: int, policy: str, games: int) -> float:
    """Return the seconds that as many decisions as `loops` take, by the mean over a batch."""
    player, cell, indices, seated = batch(policy, games)
    made, begun = 0, time.perf_counter()
    while made < loops:
        made += player.play(cell, SEED, indices, seated).decisions
    return (time.perf_counter() - begun) * loops / made


def play(loops: int, policy: str, games: int, threads: int, into: str = "play") -> float:
    """Return the seconds of `loops` batches of `games` games, on several threads, `into` rows or outcomes."""
    sides = [batch(policy, games) for _ in range(threads)]

    def work(side: tuple[Any, ...]) -> None:
        player, *rest = side
        for _ in range(loops):
            getattr(player, into)(rest[0], SEED, *rest[1:])

    with ThreadPoolExecutor(threads) as pool:
        begun = time.perf_counter()
        list(pool.map(work, sides))
        return time.perf_counter() - begun


def play_reference(loops: int, games: int) -> float:
    """Return the seconds of `loops` batches of the plain-Python engine, which plays for the outcome alone."""
    from balance.games.nefarious.catalog.loading import load_catalog
    from tests.reference.cell import prepare
    from tests.reference.decisions import RandomPlay
    from tests.reference.engine import play_cell

    game, _ = nefarious()
    rules = prepare(load_catalog(), game.facts.default_edition, ())
    begun = time.perf_counter()
    for _ in range(loops):
        for index in range(games):
            play_cell(rules, PLAYERS, RandomPlay(SEED, PLAYERS, index), keep_states=False)
    return time.perf_counter() - begun


def sweep(loops: int, games: int) -> float:
    """Return the seconds of `loops` sweeps of one cell on all cores, rows written to the disk."""
    import balance

    nefarious()
    spent = 0.0
    for _ in range(loops):
        with tempfile.TemporaryDirectory(prefix="balance-bench-") as folder:
            begun = time.perf_counter()
            balance.simulate(
                Path(folder) / "run", players=PLAYERS, variants="none", games_per_cell=games,
                lineups="mirror:adaptive", seed=SEED,
            )  # fmt: skip
            spent += time.perf_counter() - begun
    return spent


def verify(loops: int, run: str) -> float:
    """Return the seconds of `loops` looks at all files of a run: checksums, rows and names."""
    from balance.dataset.run import open_run
    from balance.dataset.verify import damages, wrong_counts, wrong_names

    opened = open_run(run, verify=False)
    begun = time.perf_counter()
    for _ in range(loops):
        list(damages(opened.path, opened.state))
        list(wrong_counts(opened.path, opened.plan, opened.state))
        list(wrong_names(opened.path, opened.plan, opened.state))
    return time.perf_counter() - begun


def scan(loops: int, run: str) -> float:
    """Return the seconds of `loops` scans of all rows of a run."""
    from balance.dataset.run import open_run

    opened = open_run(run, verify=False)
    begun = time.perf_counter()
    for _ in range(loops):
        for table in opened.tables:
            opened.scan(table.name).collect()
    return time.perf_counter() - begun


# --- what is measured


class Bench:
    """The measurements that were asked for; in the first process, with what pyperf found."""

    def __init__(self, runner: pyperf.Runner, only: str) -> None:
        self.runner, self.only = runner, re.compile(only)
        self.found: dict[str, tuple[pyperf.Benchmark, str]] = {}

    def time(self, name: str, unit: str, work: Callable[..., float], *args: object, per: int = 1) -> None:
        """Measure a function that takes a number of loops; a loop does `per` units of work."""
        if self.only.search(name):
            self._keep(name, unit, self.runner.bench_time_func(name, work, *args, inner_loops=per))

    def command(self, name: str, *arguments: str) -> None:
        """Measure a process of Python from its start to its end."""
        if self.only.search(name):
            self._keep(name, "s", self.runner.bench_command(name, [sys.executable, *arguments]))

    def _keep(self, name: str, unit: str, benchmark: pyperf.Benchmark | None) -> None:
        if benchmark is not None:
            self.found[name] = (benchmark, unit)


def measure(bench: Bench, run: str) -> None:
    """Measure everything, the same in every process: pyperf finds a measurement by its number."""
    from balance import games, machine
    from balance.dataset.saved_queries import questions

    policies = games.get("nefarious").facts.policies
    for policy in (*policies, SLOW):
        bench.time(f"a decision of {policy}", "ns", decide, policy, 2 if policy == SLOW else 200)
    threads = machine.cores().amount
    bench.time("engine, 1 thread", "1/s", play, "random", 500, 1, per=500)
    bench.time("engine, all threads", "1/s", play, "random", 500, threads, per=500 * threads)
    bench.time("engine, all threads, adaptive", "1/s", play, "adaptive", 200, threads, per=200 * threads)
    bench.time("engine, outcomes only, 1 thread", "1/s", play, "random", 500, 1, "outcomes", per=500)
    bench.time("reference, outcomes only", "1/s", play_reference, 20, per=20)
    bench.time("sweep", "1/s", sweep, 4_000, per=4_000)
    bench.command("python -c pass", "-c", "pass")
    bench.command("balance --help", "-m", "balance", "--help")
    bench.command("balance replay", "-m", "balance", "replay", "--players", "2")
    bench.command(
        "balance check A B --run", "-m", "balance", "check", *PAIR, "--run", run, "--fail-on", "none"
    )
    bench.command("balance check --all", "-m", "balance", "check", "--all", run)
    bench.time("verify a run", "s", verify, run)
    bench.time("scan all rows of a run", "s", scan, run)
    for name, question in questions(game="nefarious").items():
        if not any(parameter.required for parameter in question.parameters):
            bench.command(f"balance sql @{name}", "-m", "balance", "sql", run, f"@{name}")


# --- the table


def rows(found: dict[str, tuple[pyperf.Benchmark, str]]) -> Iterator[list[str]]:
    """Yield the cells of the table: medians with the lowest and highest value, memory, then the quotients."""
    medians = {}
    for name, (benchmark, unit) in found.items():
        convert: Callable[[float], float] = {"ns": lambda s: s * 1e9, "1/s": lambda s: 1 / s}.get(unit, float)
        values = sorted(map(convert, benchmark.get_values()))
        medians[name] = convert(benchmark.median())
        memory = max(run.get_metadata().get("command_max_rss", 0) for run in benchmark.get_runs())
        shown = (_short(value) for value in (medians[name], values[0], values[-1]))
        yield [name, *shown, unit, f"{memory / 2**20:.0f} MB" if memory else ""]
    for name, fast, slow in RATIOS:
        if fast in medians and slow in medians:
            yield [name, _short(medians[fast] / medians[slow]), "", "", "x", ""]


def _short(value: float) -> str:
    """Return three digits: the rest is noise."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def table(found: dict[str, tuple[pyperf.Benchmark, str]]) -> str:
    """Return the Markdown table."""
    lines = [
        ["measured", "median", "lowest", "highest", "unit", "memory"],
        ["---", *["---:"] * 3, "---", "---:"],
    ]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in [*lines, *rows(found)])


def _for_workers(command: list[str], args: argparse.Namespace) -> None:
    command += ["--only", args.only, "--run", args.run]


def main() -> None:
    """Measure and print; what pyperf prints meanwhile goes to stderr."""
    runner = pyperf.Runner(processes=3, values=3, add_cmdline_args=_for_workers)
    runner.argparser.add_argument("--only", default="", help="a regular expression for names of rows")
    runner.argparser.add_argument("--run", default="", help="a finished run of nefarious with all pairs")
    runner.argparser.set_defaults(copy_env=True)
    args = runner.parse_args()
    bench = Bench(runner, args.only)
    with contextlib.ExitStack() as stack:
        if not args.worker:
            stack.enter_context(contextlib.redirect_stdout(sys.stderr))
            if not args.run:
                import balance

                folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="balance-bench-"))
                args.run = str(
                    balance.simulate(Path(folder) / "run", players=PLAYERS, games_per_cell=20).path
                )
        measure(bench, args.run)
    if not args.worker:
        print(table(bench.found))


if __name__ == "__main__":
    main()
