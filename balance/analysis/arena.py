"""Where lineups meet: plays all rotations of many deals on several threads, and counts who won.

Counts are whole numbers that add up in any order, so what comes out does not depend on threads or batches.
Nothing is kept of a single game, and nothing is judged here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
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

MOST_AT_ONCE: Final = 1000
"""Games of a batch."""
BATCHES_PER_JOB: Final = 8
"""At least so many, if there are deals enough: players that think long shall not keep the others waiting."""


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
    found = [Outcome(match.lineup.players) for match in matches]
    pool = ThreadPoolExecutor(jobs)
    try:
        parts = list(_parts(matches, jobs))
        done = pool.map(lambda part: _play(game, matches[part[0]].lineup, part[1], seed, part[2]), parts)
        for (number, _, _), outcome in zip(parts, done, strict=True):
            found[number] += outcome
            advance(outcome.games)
    finally:
        pool.shutdown(cancel_futures=True)  # after Ctrl-C nobody waits for the rest
    return found


def _parts(matches: Sequence[Match], jobs: int) -> Iterator[tuple[int, Any, Numbers]]:
    """Cut matches into batches: the number of the match, the cell, the indices of the deals."""
    import numpy as np

    for number, match in enumerate(matches):
        even = len(match.cells) * match.deals // (jobs * BATCHES_PER_JOB)
        size = max(1, min(even, MOST_AT_ONCE // match.lineup.rotations))
        for place, cell in enumerate(match.cells):
            first = match.first_index + place * match.deals
            for start in range(0, match.deals, size):
                stop = min(start + size, match.deals)
                yield number, cell, np.arange(first + start, first + stop, dtype=np.int64)


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
