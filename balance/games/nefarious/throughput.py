"""How fast the kernel plays: batches of games into rows, on one thread or several.

The games are played as a sweep plays them, rows and all; the rows are dropped. Nothing is judged here.
"""

import time
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Final

import numpy as np
import numpy.typing as npt

from balance.games.contract import Throughput
from balance.games.lineup import Lineup
from balance.games.nefarious.play import Player
from balance.games.nefarious.rules import Cell

MOST_AT_ONCE: Final = 500
"""Games of a batch: enough to forget the cost of a call, few enough for the rows to stay in the cache."""
BATCHES_PER_THREAD: Final = 8
"""At least so many, if there are games enough, so that all threads finish at about the same time."""

_Batch = tuple[Cell, npt.NDArray[np.int64], npt.NDArray[np.int64]]


def measure(
    cells: Sequence[Cell],
    seed: int,
    first_index: int,
    games: int,
    lineup: Lineup,
    threads: int,
) -> Throughput:
    """Play so many games of each cell on so many threads."""
    batches = deque(_batches(cells, seed, first_index, games, lineup, threads))
    players = [Player() for _ in range(threads)]

    def play(player: Player) -> tuple[int, int, int]:
        played = rounds = decisions = 0
        while batches:
            try:
                cell, indices, seated = batches.popleft()
            except IndexError:  # another thread was faster
                break
            rows = player.play(cell, seed, indices, seated)
            played += rows.games.size
            rounds += int(rows.games["rounds"].sum())
            decisions += rows.decisions
        return played, rounds, decisions

    with ThreadPoolExecutor(threads) as pool:
        start = time.perf_counter()
        try:
            done = list(pool.map(play, players))
        finally:
            batches.clear()  # after Ctrl-C nobody waits for the rest
        seconds = time.perf_counter() - start
    played, rounds, decisions = (sum(counts) for counts in zip(*done, strict=True))
    return Throughput(played, rounds, decisions, seconds)


def _batches(
    cells: Sequence[Cell], seed: int, first_index: int, games: int, lineup: Lineup, threads: int
) -> Iterator[_Batch]:
    """Cut the games of every cell into batches of about the same size."""
    size = len(cells) * games // (threads * BATCHES_PER_THREAD)
    size = max(1, min(size, MOST_AT_ONCE))
    indices = np.arange(first_index, first_index + games, dtype=np.int64)
    for cell in cells:
        for part in np.array_split(indices, -(-games // size)):
            yield cell, part, lineup.seated(seed, part)
