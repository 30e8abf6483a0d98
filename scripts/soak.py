"""Hold the kernel against the reference engine, game after game, in cells drawn at random.

Both engines get the seed alone and must write the same event log. Which games are played depends only on
--seed, so a soak can be repeated, and every divergence is printed with the command that plays it again:

    python scripts/soak.py --games 200000 --seed 1
    python scripts/soak.py --game "0 ascora-2011 4 unions,mad-broker 7 123"
"""

import argparse
import multiprocessing
import random
import shlex
import sys
import time
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import chain, count, islice
from pathlib import Path
from typing import NamedTuple

from balance.games.compiled.jit import compiled_hash
from balance.games.nefarious.catalog.loading import load_catalog
from balance.games.nefarious.catalog.model import Catalog
from balance.games.nefarious.rules import Cell, compile_cell
from balance.games.sources import digest
from tests.games.nefarious.compare import KernelLog, compare_random
from tests.games.nefarious.invented import NAMES, invented_catalog
from tests.reference.cell import Rules, prepare

CUSTOM = Path(__file__).resolve().parent.parent / "tests" / "data" / "custom_twists.toml"
INVENTED = 0.1
"""Share of the cells whose twists and cards are made up at random."""
CUSTOM_TOO = 0.25
"""Share of the others in which the custom twists are among those drawn."""
GAMES_PER_CELL = 5
GAMES_PER_TASK = 100
PROCESSES = 2
SHOWN = 10
EVERY_SECONDS = 5.0


class Spec(NamedTuple):
    """One game: its catalog, cell, seed and index."""

    catalog: int
    """Number of an invented catalog; 0: the official one with the custom twists of the tests."""
    edition: str
    players: int
    twists: tuple[str, ...]
    seed: int
    index: int

    def __str__(self) -> str:
        twists = ",".join(self.twists) or "-"
        return f"{self.catalog} {self.edition} {self.players} {twists} {self.seed} {self.index}"

    @staticmethod
    def read(text: str) -> "Spec":
        """Read what `str` wrote."""
        catalog, edition, players, twists, seed, index = text.split()
        names = () if twists == "-" else tuple(twists.split(","))
        return Spec(int(catalog), edition, int(players), names, int(seed), int(index))


def games_of_cell(seed: int, number: int) -> Iterator[Spec]:
    """Draw a cell and its games; the number of the cell and the seed decide alone."""
    chance = random.Random(f"{seed}/{number}")
    invented = chance.randrange(1, 1 << 32) if chance.random() < INVENTED else 0
    official = catalog_of(0)
    edition = chance.choice([edition.id for edition in official.editions])
    here = [twist.id for twist in official.twists_of(edition)]
    printed = [name for name in here if not name.startswith("custom-")]
    if invented:
        twists = (chance.choice(NAMES), chance.choice((*NAMES, *printed)))[: chance.randint(1, 2)]
        twists = tuple(dict.fromkeys(chance.sample(twists, len(twists))))
    else:
        pool = here if chance.random() < CUSTOM_TOO else printed
        twists = tuple(chance.sample(pool, chance.choices((0, 1, 2), (1, 4, 15))[0]))
    players = chance.randint(2, 6)
    for _ in range(GAMES_PER_CELL):
        yield Spec(invented, edition, players, twists, chance.randrange(1 << 63), chance.randrange(1 << 32))


@lru_cache(maxsize=2)
def catalog_of(number: int) -> Catalog:
    """Return the official catalog with the custom twists, or an invented one."""
    return invented_catalog(load_catalog(), number) if number else load_catalog([CUSTOM])


@lru_cache(maxsize=1)
def kernel() -> KernelLog:
    """Return the buffers of the kernel, one per process."""
    return KernelLog()


@lru_cache(maxsize=1)
def compiled(number: int, edition: str, players: int, twists: tuple[str, ...]) -> tuple[Cell, Rules]:
    """Return the rules of a cell for the kernel and for the reference."""
    catalog = catalog_of(number)
    return compile_cell(catalog, edition, players, twists), prepare(catalog, edition, twists)


def play_one(spec: Spec) -> int:
    """Play one game in both engines and return its rounds; an error shows how they differ."""
    cell, rules = compiled(spec.catalog, spec.edition, spec.players, spec.twists)
    events = kernel().events(cell, spec.seed, spec.index)
    compare_random(events, rules, spec.players)
    return int(events[-1]["rounds"])


def play(spec: Spec) -> tuple[Spec, int, str]:
    """Play one game in both engines; return it with its rounds and how they differ, empty if they agree."""
    try:
        return spec, play_one(spec), ""
    except Exception as error:  # noqa: BLE001 - whatever stops an engine is a divergence too
        return spec, 0, f"{type(error).__name__}: {error}"


def soak(games: int, seed: int, processes: int) -> int:
    """Play games in cells drawn at random; return how many diverged."""
    drawn = islice(chain.from_iterable(games_of_cell(seed, number) for number in count()), games)
    kernel().events(compiled(0, "ascora-2011", 2, ())[0], 0, 0)  # compile once, before the processes start
    kernel_ = compiled_hash("balance.games.nefarious.kernel")[:16]
    rules = digest("balance.games.nefarious.kernel.round")[:16]
    print(f"seed {seed}, {processes} processes, kernel {kernel_}, rules {rules}", flush=True)
    played = rounds = divergences = 0
    begun = shown = time.monotonic()
    with multiprocessing.Pool(processes) as pool:
        for spec, lasted, message in pool.imap(play, drawn, chunksize=GAMES_PER_TASK):
            played += 1
            rounds += lasted
            divergences += bool(message)
            if message and divergences <= SHOWN:
                print(f"DIVERGENCE in {spec}\n{message}\n  again: {command(spec)}\n", flush=True)
            if time.monotonic() - shown > EVERY_SECONDS:
                shown = time.monotonic()
                print(line(played, rounds, divergences, shown - begun), flush=True)
    print(line(played, rounds, divergences, time.monotonic() - begun), flush=True)
    return divergences


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
        _, rounds, message = play(Spec.read(options.game))
        print(f"DIVERGENCE\n{message}" if message else f"no divergence in {rounds} rounds")
        return 1 if message else 0
    return 1 if soak(options.games, options.seed, options.processes) else 0


if __name__ == "__main__":
    sys.exit(main())
