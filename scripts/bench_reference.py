"""How many times faster the kernel plays than the plain-Python reference: the same games, in one run.

One thread, 4 players, no twists, the default edition, for the outcome alone: neither side logs anything. A
batch of the kernel and a batch of the reference take turns, so that a busy moment hits both. The kernel plays
the games of the reference many times over, to be measured for as long; all must end alike.

    python scripts/bench_reference.py
    python scripts/bench_reference.py --repeats 9 --json
"""

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from balance.games.nefarious.catalog import load_catalog
from balance.games.nefarious.game import GAME
from balance.games.nefarious.kernel.jit import KERNEL_HASH
from balance.games.nefarious.play import Player, policy_codes
from balance.games.nefarious.rules import compile_cell
from tests.reference.cell import prepare
from tests.reference.decisions import RandomPlay
from tests.reference.engine import play_cell

PLAYERS = 4
SEED = 1
# About half a second of each side.
GAMES = 500
TIMES = 120
NOBODY = -1

Outcome = tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]
"""Winners and lengths, game by game."""


class Timed(NamedTuple):
    """What one batch took, by the clock of the process and by the clock on the wall."""

    cpu: float
    wall: float


def timed(play: Callable[[], Outcome]) -> tuple[Timed, Outcome]:
    """Play a batch and take the time."""
    cpu, wall = time.process_time(), time.perf_counter()
    outcome = play()
    return Timed(time.process_time() - cpu, time.perf_counter() - wall), outcome


def sides(edition: str, games: int, times: int) -> tuple[Callable[[], Outcome], Callable[[], Outcome]]:
    """Return how the kernel plays the first games of the seed, so many times, and the reference once."""
    catalog = load_catalog()
    cell, rules = compile_cell(catalog, edition, PLAYERS, ()), prepare(catalog, edition, ())
    player, indices = Player(), np.tile(np.arange(games), times)
    policies = np.tile(policy_codes(["random"] * PLAYERS), (indices.size, 1))

    def kernel() -> Outcome:
        done = player.outcomes(cell, SEED, indices, policies)
        return done.winners, done.lengths

    def reference() -> Outcome:
        winners, lengths = np.empty(games, np.int64), np.empty(games, np.int64)
        for index in range(games):
            result = play_cell(rules, PLAYERS, RandomPlay(SEED, PLAYERS, index), keep_states=False)
            winners[index] = NOBODY if result.winner is None else result.winner
            lengths[index] = result.rounds
        return winners, lengths

    return kernel, reference


def differences(kernel: Outcome, reference: Outcome) -> list[str]:
    """Return the games that did not end alike in both engines."""
    games = reference[0].size
    return [
        f"game {at % games}: kernel winner {winner}, {length} rounds; "
        f"reference {reference[0][at % games]}, {reference[1][at % games]}"
        for at, (winner, length) in enumerate(zip(*kernel, strict=True))
        if (winner, length) != (reference[0][at % games], reference[1][at % games])
    ]


def spread(measure: str, clock: str, values: Sequence[float], unit: str, games: int) -> dict[str, Any]:
    """Return a row: the median with the lowest and the highest."""
    median, low, high = statistics.median(values), min(values), max(values)
    return {
        "measure": measure, "clock": clock, "median": round(median, 1), "low": round(low, 1),
        "high": round(high, 1), "unit": unit, "n": games, "repeats": len(values), "kernel": KERNEL_HASH[:16],
    }  # fmt: skip


def rows(kernel: Sequence[Timed], reference: Sequence[Timed], games: tuple[int, int]) -> list[dict[str, Any]]:
    """Return games per second of both sides and their ratio, turn by turn, by both clocks."""
    found = []
    for clock in Timed._fields:
        fast = [games[0] / getattr(taken, clock) for taken in kernel]
        plain = [games[1] / getattr(taken, clock) for taken in reference]
        ratios = [ours / theirs for ours, theirs in zip(fast, plain, strict=True)]
        found += [
            spread("kernel", clock, fast, "games/s", games[0]),
            spread("reference", clock, plain, "games/s", games[1]),
            spread("ratio", clock, ratios, "x", games[1]),
        ]
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; 1 if a game ended differently in the two engines."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=7, help="turns of the two engines")
    parser.add_argument("--games", type=int, default=GAMES, help="games of a batch")
    parser.add_argument("--times", type=int, default=TIMES, help="how often the kernel plays them")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(arguments)
    games, times, repeats = options.games, options.times, options.repeats
    if min(games, times, repeats) < 1:
        parser.error("--games, --times and --repeats are at least 1")
    edition = GAME.facts.default_edition
    for play in sides(edition, 1, 1):
        play()  # whatever is compiled or built once
    play_kernel, play_reference = sides(edition, games, times)
    kernel, reference = [], []
    for _ in range(repeats):
        fast, ours = timed(play_kernel)
        plain, theirs = timed(play_reference)
        kernel.append(fast)
        reference.append(plain)
        found = differences(ours, theirs)
        if found:
            print("\n".join(["the engines differ:", *found[:10]]), file=sys.stderr)
            return 1
    table = rows(kernel, reference, (games * times, games))
    if options.json:
        print(json.dumps(table, indent=1))
        return 0
    print(f"{PLAYERS} players, no twists, no log, one thread, seed {SEED}, kernel {KERNEL_HASH[:16]}")
    print(f"{'measure':<10} {'clock':<5} {'median':>10} {'low':>10} {'high':>10}  {'unit':<8} {'n':>6}")
    for row in table:
        print(
            f"{row['measure']:<10} {row['clock']:<5} {row['median']:>10} {row['low']:>10} {row['high']:>10}"
            f"  {row['unit']:<8} {row['n']:>6}"
        )
    print(f"winner and length of all {games} games equal, each of {repeats} times")
    return 0


if __name__ == "__main__":
    sys.exit(main())
