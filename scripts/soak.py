"""Hold the kernel against the reference engine, game after game, in cells drawn at random.

Both engines get the seed alone and must write the same event log. Which games are played depends only on
--seed, so a soak can be repeated, and every divergence is printed with the command that plays it again:

    python scripts/soak.py --games 200000 --seed 1
    python scripts/soak.py --game "ascora-2011 4 unions,mad-broker 7 123"
"""

import argparse
import multiprocessing
import random
import shlex
import sys
import time
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from balance.games.nefarious.catalog import Catalog, load_catalog
from balance.games.nefarious.kernel.jit import KERNEL_HASH
from balance.games.nefarious.rules import Cell, compile_cell
from tests.games.nefarious.compare import KernelLog, LogMismatchError, compare_random
from tests.reference.cell import Rules, prepare

CUSTOM = Path(__file__).resolve().parent.parent / "tests" / "data" / "custom_twists.toml"
GAMES_PER_CELL = 5
CELLS_PER_TASK = 20
PROCESSES = 2
SHOWN = 10
EVERY_SECONDS = 5.0


class Spec(NamedTuple):
    """One game: its cell, seed and index."""

    edition: str
    players: int
    twists: tuple[str, ...]
    seed: int
    index: int

    def __str__(self) -> str:
        return f"{self.edition} {self.players} {','.join(self.twists) or '-'} {self.seed} {self.index}"

    @staticmethod
    def read(text: str) -> "Spec":
        """Read what `str` wrote."""
        edition, players, twists, seed, index = text.split()
        names = () if twists == "-" else tuple(twists.split(","))
        return Spec(edition, int(players), names, int(seed), int(index))


class Done(NamedTuple):
    """What a task has played."""

    games: int
    rounds: int
    divergences: list[tuple[Spec, str]]


def games_of_cell(catalog: Catalog, seed: int, number: int) -> Iterator[Spec]:
    """Draw a cell and its games; the number of the cell and the seed decide alone."""
    chance = random.Random(f"{seed}/{number}")
    edition = chance.choice([edition.id for edition in catalog.editions])
    players = chance.randint(2, 6)
    here = [twist.id for twist in catalog.twists_of(edition)]
    own = [name for name in here if name.startswith("custom-")]
    printed = [name for name in here if name not in own]
    count = chance.choices((0, 1, 2), (1, 4, 15))[0]
    pool = here if chance.random() < 0.25 else printed
    twists = tuple(chance.sample(pool, count))
    for _ in range(GAMES_PER_CELL):
        yield Spec(edition, players, twists, chance.randrange(1 << 63), chance.randrange(1 << 32))


@lru_cache(maxsize=1)
def tools() -> tuple[Catalog, KernelLog]:
    """Return the catalog with the custom twists, and the buffers of the kernel; one of each per process."""
    return load_catalog([CUSTOM]), KernelLog()


@lru_cache(maxsize=1)
def compiled(edition: str, players: int, twists: tuple[str, ...]) -> tuple[Cell, Rules]:
    """Return the rules of a cell for the kernel and for the reference."""
    catalog = tools()[0]
    return compile_cell(catalog, edition, players, twists), prepare(catalog, edition, twists)


def play_one(spec: Spec) -> int:
    """Play one game in both engines and return its rounds; an error tells how they part."""
    cell, rules = compiled(spec.edition, spec.players, spec.twists)
    events = tools()[1].events(cell, spec.seed, spec.index)
    compare_random(events, rules, spec.players)
    return int(events[-1]["rounds"])


def play_cells(task: tuple[int, int, int, int]) -> Done:
    """Play the games of some cells: the seed, the first cell, how many cells, at most so many games."""
    seed, first, count, most = task
    games = rounds = 0
    divergences: list[tuple[Spec, str]] = []
    for number in range(first, first + count):
        for spec in games_of_cell(tools()[0], seed, number):
            if games == most:
                break
            games += 1
            try:
                rounds += play_one(spec)
            except Exception as error:  # noqa: BLE001 - whatever stops an engine is a divergence too
                divergences.append((spec, f"{type(error).__name__}: {error}"))
    return Done(games, rounds, divergences)


def soak(games: int, seed: int, processes: int) -> int:
    """Play games in cells drawn at random; return how many diverged."""
    size = CELLS_PER_TASK * GAMES_PER_CELL
    tasks = [
        (seed, first // GAMES_PER_CELL, CELLS_PER_TASK, min(size, games - first))
        for first in range(0, games, size)
    ]
    play_one(Spec("ascora-2011", 2, (), 0, 0))  # compile before the processes start, once
    print(f"seed {seed}, {processes} processes, kernel {KERNEL_HASH[:16]}", flush=True)
    played = rounds = 0
    divergences: list[tuple[Spec, str]] = []
    begun = told = time.monotonic()
    with multiprocessing.Pool(processes) as pool:
        for done in pool.imap(play_cells, tasks):
            played += done.games
            rounds += done.rounds
            for spec, message in done.divergences:
                if len(divergences) < SHOWN:
                    print(f"DIVERGENCE in {spec}\n{message}\n  again: {command(spec)}\n", flush=True)
                divergences.append((spec, message))
            if time.monotonic() - told > EVERY_SECONDS:
                told = time.monotonic()
                print(line(played, rounds, len(divergences), told - begun), flush=True)
    print(line(played, rounds, len(divergences), time.monotonic() - begun), flush=True)
    return len(divergences)


def line(games: int, rounds: int, divergences: int, seconds: float) -> str:
    """Say how far the soak has come."""
    return f"{games:,} games, {rounds:,} rounds, {divergences} divergences, {seconds:.0f} s"


def command(spec: Spec) -> str:
    """Return the command that plays a game again."""
    return f".venv/bin/python scripts/soak.py --game {shlex.quote(str(spec))}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Parse the arguments and soak; 1 if anything diverged."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1, help="decides which games are played")
    parser.add_argument("--processes", type=int, default=PROCESSES)
    parser.add_argument("--game", metavar="SPEC", help="play one game again, as a divergence printed it")
    options = parser.parse_args(arguments)
    if options.game:
        try:
            print(f"no divergence in {play_one(Spec.read(options.game))} rounds")
        except (LogMismatchError, NotImplementedError) as error:
            print(f"DIVERGENCE\n{error}")
            return 1
        return 0
    return 1 if soak(options.games, options.seed, options.processes) else 0


if __name__ == "__main__":
    sys.exit(main())
