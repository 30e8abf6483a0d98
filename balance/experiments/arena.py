"""Where lineups meet: plays all rotations of many deals on several threads, and counts who won.

Counts are whole numbers that add up in any order, so what comes out does not depend on threads or batches.
Nothing is kept of a single game, and nothing is judged here.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING, Any, Final

from balance.experiments.rotations import play_rotations, scores, winners_of
from balance.games.contract import Game
from balance.games.lineup import Lineup

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from balance.stats.ratio import Ratio

    Numbers = npt.NDArray[np.int64]

MOST_AT_ONCE: Final = 2000
"""Games of a batch."""
SECONDS_AT_ONCE: Final = 0.2
"""How long a batch should take: what Ctrl-C, and threads that have finished, wait for."""
_EVERY: Final = 0.1
"""Seconds between two looks at the progress."""


@dataclass(frozen=True, slots=True, eq=False)
class Match:
    """A lineup to be played: a number of deals in each of some cells, every rotation of each deal."""

    lineup: Lineup
    cells: tuple[Any, ...]
    deals: int
    """Deals in each cell; no two cells play the same deal."""

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
    points: dict[str, Ratio] = field(default_factory=dict)
    """The win points of each policy."""

    def win_points(self, policy: str) -> Ratio:
        """Return the win points of a policy."""
        from balance.stats.ratio import Ratio

        return self.points.get(policy, Ratio.none(self.players))

    def __add__(self, other: Outcome) -> Outcome:
        return Outcome(
            self.players,
            self.games + other.games,
            self.stalled + other.stalled,
            {
                name: self.win_points(name) + other.win_points(name)
                for name in sorted({*self.points, *other.points})
            },
        )


def play_matches(
    game: Game[Any, Any],
    matches: Sequence[Match],
    seed: int,
    jobs: int = 1,
    advance: Callable[[int], object] = lambda _: None,
) -> list[Outcome]:
    """Play matches on `jobs` threads; `advance` is called with the games played since its last call."""
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
            (number, cell, place * match.deals, match.deals)
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
    played = play_rotations(game, cell, lineup, seed, deals)
    winners = winners_of(game.facts, played.tables["games"])
    return Outcome(
        lineup.players,
        winners.size,
        int((winners < 0).sum()),
        dict(_points(game, lineup, winners, played.seated, deals.size)),
    )


def _points(
    game: Game[Any, Any], lineup: Lineup, winners: Numbers, seated: Numbers, deals: int
) -> Iterator[tuple[str, Ratio]]:
    """Yield what each policy won, deal by deal."""
    import numpy as np

    from balance.stats.ratio import Ratio

    score = scores(winners, lineup.players)
    for number in np.unique(seated).tolist():
        own = seated == number
        by_deal = (own.sum(axis=1), (score * own).sum(axis=1))
        seats, won = (values.reshape(deals, lineup.rotations).sum(axis=1) for values in by_deal)
        yield game.policy_name(number), Ratio.of(won, seats, lineup.players)
