"""Where lineups meet: plays all rotations of many deals on several threads, and counts who won.

Counts are whole numbers that add up in any order, so what comes out does not depend on threads or batches.
Nothing is kept of a single game, and nothing is judged here.
"""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING, Any, Final

from balance.analysis.ratings import GROUPS
from balance.analysis.winpoints import Tally, scores
from balance.games.contract import Game
from balance.games.lineup import Lineup

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Numbers = npt.NDArray[np.int64]

__all__ = ["Match", "Outcome", "play_matches"]

MOST_AT_ONCE: Final = 2000
"""Games of a batch."""
SECONDS_AT_ONCE: Final = 0.2
"""How long a batch should take: what Ctrl-C, and threads that have finished, wait for."""
_EVERY: Final = 0.1
"""Seconds between two looks at the progress."""


@dataclass(frozen=True, slots=True, eq=False)
class Match:
    """A lineup to be played: so many deals in each of some cells, every rotation of each deal."""

    lineup: Lineup
    cells: tuple[Any, ...]
    deals: int
    """In each cell; no two cells play the same deal."""
    first_index: int = 0

    @property
    def games(self) -> int:
        """How many games that is."""
        return len(self.cells) * self.deals * self.lineup.rotations


@dataclass(frozen=True)
class Outcome:
    """What came out of a match."""

    players: int
    games: int = 0
    stalled: int = 0
    lengths: Counter[int] = field(default_factory=Counter)
    """How many games took so many rounds."""
    tallies: dict[str, Tally] = field(default_factory=dict)
    """What each policy won."""
    wins: Counter[tuple[int, tuple[str, ...], str]] = field(default_factory=Counter)
    """Games by group of deals, who sat there (sorted), and who won; stalled games are left out."""

    def tally(self, policy: str) -> Tally:
        """Return what a policy won."""
        return self.tallies.get(policy, Tally(self.players))

    def __add__(self, other: Outcome) -> Outcome:
        return Outcome(
            self.players,
            self.games + other.games,
            self.stalled + other.stalled,
            self.lengths + other.lengths,
            {name: self.tally(name) + other.tally(name) for name in sorted({*self.tallies, *other.tallies})},
            self.wins + other.wins,
        )


def play_matches(
    game: Game[Any, Any],
    matches: Sequence[Match],
    seed: int,
    jobs: int = 1,
    advance: Callable[[int], object] = lambda _: None,
) -> list[Outcome]:
    """Play matches on so many threads; `advance` is told the games played as they are played."""
    work = _Work(matches)

    def play() -> None:
        while (batch := work.take()) is not None:
            begun = time.perf_counter()
            number, cell, deals = batch
            outcome = _play(game, matches[number].lineup, cell, seed, deals)
            work.put(number, outcome, deals.size, time.perf_counter() - begun)

    with ThreadPoolExecutor(jobs) as pool:
        try:
            waiting = {pool.submit(play) for _ in range(jobs)}
            while waiting:
                done, waiting = wait(waiting, _EVERY, FIRST_EXCEPTION)
                for worker in done:
                    worker.result()
                advance(work.news())
        finally:
            work.stop()  # after an error or Ctrl-C nobody waits for more than the batches at hand
    return work.outcomes


class _Work:
    """The deals still to be played, handed out in batches, and the counts that come back.

    The size of a batch follows from how long the last one of the match took: big enough to forget the cost of
    a call, small enough for players that think long.
    """

    def __init__(self, matches: Sequence[Match]) -> None:
        self.outcomes = [Outcome(match.lineup.players) for match in matches]
        self._matches = matches
        self._sizes = [1] * len(matches)
        self._ranges = deque(
            (number, cell, match.first_index + place * match.deals, match.deals)
            for number, match in enumerate(matches)
            for place, cell in enumerate(match.cells)
        )
        self._news = 0
        self._lock = Lock()

    def take(self) -> tuple[int, Any, Numbers] | None:
        """Return the next batch: number of the match, cell, indices of the deals; None at the end."""
        import numpy as np

        with self._lock:
            if not self._ranges:
                return None
            number, cell, first, left = self._ranges.popleft()
            size = min(self._sizes[number], left)
            if size < left:
                self._ranges.appendleft((number, cell, first + size, left - size))
        return number, cell, np.arange(first, first + size, dtype=np.int64)

    def put(self, number: int, outcome: Outcome, deals: int, seconds: float) -> None:
        """Add what came out of a batch."""
        fits = int(deals * SECONDS_AT_ONCE / max(seconds, 1e-6))
        most = max(1, MOST_AT_ONCE // self._matches[number].lineup.rotations)
        with self._lock:
            self._sizes[number] = max(1, min(fits, 8 * deals, most))
            self.outcomes[number] += outcome
            self._news += outcome.games

    def news(self) -> int:
        """Return how many games were played since this was last asked."""
        with self._lock:
            news, self._news = self._news, 0
        return news

    def stop(self) -> None:
        """Hand out no more."""
        with self._lock:
            self._ranges.clear()


def _play(game: Game[Any, Any], lineup: Lineup, cell: Any, seed: int, deals: Numbers) -> Outcome:
    """Play all rotations of some deals, and count."""
    import numpy as np

    rotations = lineup.rotations
    indices = np.repeat(deals, rotations)
    replicates = np.tile(np.arange(rotations, dtype=np.int64), deals.size)
    seated = lineup.seated(seed, indices, replicates)
    table = game.facts.table("games")
    columns = game.play(cell, seed, indices, seated, replicates)["games"]
    outcome = table.column("outcome")
    winners = columns[outcome.name].astype(np.int64)
    winners[columns[table.column("stalled").name].astype(bool)] = -1
    lengths = np.unique(columns[table.column("length").name], return_counts=True)
    return Outcome(
        lineup.players,
        indices.size,
        int((winners < 0).sum()),
        Counter(dict(zip(*(column.tolist() for column in lengths), strict=True))),
        dict(_tallies(game, lineup, winners, seated, deals.size)),
        _wins(game, winners, seated, indices),
    )


def _tallies(
    game: Game[Any, Any], lineup: Lineup, winners: Numbers, seated: Numbers, deals: int
) -> Iterator[tuple[str, Tally]]:
    """Yield what each policy won, deal by deal."""
    import numpy as np

    score = scores(winners, lineup.players)
    for number in np.unique(seated).tolist():
        own = seated == number
        by_deal = (own.sum(axis=1), (score * own).sum(axis=1))
        seats, won = (values.reshape(deals, lineup.rotations).sum(axis=1) for values in by_deal)
        yield game.policy_name(number), Tally.of(lineup.players, won, seats)


def _wins(
    game: Game[Any, Any], winners: Numbers, seated: Numbers, indices: Numbers
) -> Counter[tuple[int, tuple[str, ...], str]]:
    """Count the games that somebody won, by group of deals, company and winner."""
    import numpy as np

    won = winners >= 0
    by = np.take_along_axis(seated, np.maximum(winners, 0)[:, None], axis=1)
    rows = np.hstack([(indices % GROUPS)[:, None], by, np.sort(seated, axis=1)])[won]
    kinds, counts = np.unique(rows, axis=0, return_counts=True)
    name = {number: game.policy_name(number) for number in np.unique(seated).tolist()}
    return Counter(
        {
            (group, tuple(sorted(name[number] for number in company)), name[winner]): count
            for (group, winner, *company), count in zip(kinds.tolist(), counts.tolist(), strict=True)
        }
    )
