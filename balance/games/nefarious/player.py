"""Playing batches of one cell into rows, or for their outcomes alone.

The bridge between compiled cells and sweeps. Imports the compiler, so only code that plays may import this.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from balance.games.compiled.network import RECORDER_WORDS
from balance.games.compiled.recorder import Recorder
from balance.games.compiled.weights import critic_of, fold
from balance.games.nefarious import vocabulary as v
from balance.games.nefarious.kernel import batch
from balance.games.nefarious.kernel.decide import RANDOM
from balance.games.nefarious.kernel.round import play_round_apart
from balance.games.nefarious.kernel.search import BOARD, IMAGINED
from balance.games.nefarious.kernel.state import DECIDERS, STATE
from balance.games.nefarious.kernel.weighing import think_apart
from balance.games.nefarious.policies.learned import learned_weights
from balance.games.nefarious.policies.names import CRITIC, FIRST_SEARCH, LEARNED, POLICIES
from balance.games.nefarious.rules import Cell, RecordArray
from balance.games.nefarious.tables import BUILDS, GAMES, ROUNDS, SEATS


@dataclass(frozen=True)
class Batch:
    """The rows that a batch of games left behind, as NumPy records (tables.py)."""

    games: RecordArray
    seats: RecordArray
    builds: RecordArray
    rounds: RecordArray
    decisions: int


class Outcomes(NamedTuple):
    """The winner's seat (-1: none), the number of rounds and each seat's score, game by game."""

    winners: npt.NDArray[np.int64]
    rounds: npt.NDArray[np.int64]
    scores: npt.NDArray[np.int64]


_CACHE_LINES = 128  # bytes that processors fetch together, two lines at a time


def _records_apart(dtype: np.dtype[Any], count: int = 1) -> RecordArray:
    """Return empty records on cache lines of their own: each thread writes to its records all the time."""
    size = count * dtype.itemsize
    room = np.zeros(size + 2 * _CACHE_LINES, np.uint8)
    first = -room.ctypes.data % _CACHE_LINES
    return room[first : first + size].view(dtype)


def let_think(cell: Cell, deciders: RecordArray, policies: npt.NDArray[np.int64]) -> None:
    """Compile, or load, how players think, if one of them does; give learned ones their networks."""
    if not policies.size or policies.max() <= RANDOM:
        return
    if not deciders[0]["thinker"]:
        deciders["thinker"] = think_apart()
    for name, temperature in LEARNED.items():
        number = POLICIES[name]
        needed = (policies == number).any() or (number == IMAGINED and policies.max() > FIRST_SEARCH)
        if needed and number not in cell.networks:
            weights = learned_weights(cell.catalog.policies.network)
            # the first one stays: kernels of other threads have its address
            cell.networks.setdefault(number, fold(weights, cell.features, temperature))
    if policies.max() > FIRST_SEARCH and CRITIC not in cell.networks:
        weights = critic_of(learned_weights(cell.catalog.policies.network))
        cell.networks.setdefault(CRITIC, fold(weights, cell.features))
    for number, network in list(cell.networks.items()):
        deciders["networks"][:, number] = network.ctypes.data


class Player:
    """Plays batches of one cell; keeps its buffers, so one per thread."""

    def __init__(self) -> None:
        # a second and a third of some for what a search imagines (kernel/search.py)
        self._states = _records_apart(STATE, 3)
        self._deciders = _records_apart(DECIDERS, 2)
        self._board = _records_apart(BOARD)
        self._deciders["rounds"] = play_round_apart()
        self._watch = _records_apart(batch.WATCH)

    def play(
        self,
        cell: Cell,
        seed: int,
        indices: npt.NDArray[np.int64],
        policies: npt.NDArray[np.int64],
        replicates: npt.NDArray[np.int64] | None = None,
    ) -> Batch:
        """Play one game per index; `policies` has a row per game and a column per seat."""
        let_think(cell, self._deciders, policies)
        n, players = indices.size, cell.players
        kept = int(np.count_nonzero(indices % v.ROUNDS_EVERY == 0))
        games = np.zeros(n, GAMES.dtype)
        seats = np.zeros(n * players, SEATS.dtype)
        builds = np.empty(n * len(cell.cards), BUILDS.dtype)
        rounds = np.empty(kept * v.ROUND_LIMIT * players, ROUNDS.dtype)
        if replicates is None:
            replicates = np.zeros(n, np.int64)
        self._deciders[0]["decisions"] = 0
        n_builds, n_rounds = batch.play_batch(
            cell.rules, np.uint64(seed), indices, replicates, policies,
            self._states, self._deciders, self._board, self._watch, games, seats, builds, rounds,
        )  # fmt: skip
        decisions = int(self._deciders[0]["decisions"])
        return Batch(games, seats, builds[:n_builds].copy(), rounds[:n_rounds].copy(), decisions)

    def outcomes(
        self,
        cell: Cell,
        seed: int,
        indices: npt.NDArray[np.int64],
        policies: npt.NDArray[np.int64],
        recorder: Recorder | None = None,
    ) -> Outcomes:
        """Play one game per index without rows, for a recorder if there is one."""
        let_think(cell, self._deciders, policies)
        winners, rounds = np.zeros(indices.size, np.int64), np.zeros(indices.size, np.int64)
        scores = np.zeros((indices.size, cell.players), np.int64)
        words = recorder.words if recorder else np.zeros(RECORDER_WORDS, np.int64)
        self._deciders["recorder"] = words.ctypes.data if recorder else 0
        batch.play_outcomes(
            cell.rules, np.uint64(seed), indices, policies,
            self._states, self._deciders, self._board, words, winners, rounds, scores,
        )  # fmt: skip
        self._deciders["recorder"] = 0
        return Outcomes(winners, rounds, scores)


def one_among(
    cell: Cell, seed: int, games: int, one: int, others: int
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_]]:
    """Seat one policy among others, at each seat in turn; return its win points and stalls, game by game."""
    indices = np.arange(games, dtype=np.int64)
    seats = np.full((games, cell.players), others, np.int64)
    seats[indices, indices % cell.players] = one
    winners = Player().outcomes(cell, seed, indices, seats).winners
    stalled = winners < 0
    return np.where(stalled, 1.0, cell.players * (winners == indices % cell.players)), stalled
