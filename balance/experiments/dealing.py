"""Deals played straight into memory, outside any run, and what became of their seats.

For experiments that play thousands of tiny cells (a cost changed by one, a policy among others), each on
deals of its own: nobody wants to keep a thousand runs. Which seat is dealt what follows from the deck's order
alone, so deals meet again under a changed catalog. Counts are whole numbers: nothing depends on threads.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from balance.dataset.item_sums import WORD
from balance.errors import UsageError
from balance.games.contract import Adjustable, Catalog, Game
from balance.games.lineup import Lineup, replicated
from balance.games.variants import Combination
from balance.stats.ratio import Ratio

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Numbers = npt.NDArray[np.int64]
    Small = npt.NDArray[np.int16]

AT_ONCE: Final = 64
"""Games of one call, about: few, so that Ctrl-C is heard also while slow policies think."""


@dataclass(frozen=True)
class Batch:
    """The games of some deals: all rotations of the first deal, then those of the second, and so on."""

    game: Game[Any, Any]
    lineup: Lineup
    deals: Numbers
    seated: Numbers
    tables: Mapping[str, Any]

    @cached_property
    def winners(self) -> Numbers:
        """The winning seat of each game, -1 where it stalled."""
        import numpy as np

        table, games = self.game.facts.table("games"), self.tables["games"]
        winners = games[table.column("outcome").name].astype(np.int64)
        return np.where(games[table.column("stalled").name], -1, winners)

    def by_deal(self, own: npt.NDArray[Any]) -> tuple[Numbers, Numbers]:
        """Return the score and the number of some seats, by deal and group.

        `own` holds by game, seat and group whether it is one of them. A winner scores the number of players,
        every seat of a stalled game 1.
        """
        import numpy as np

        winners, players = self.winners[:, None], self.lineup.players
        score = np.where(winners < 0, 1, players * (winners == np.arange(players)))
        shape = (self.deals.size, self.lineup.rotations * players, own.shape[2])
        return (own * score[:, :, None]).reshape(shape).sum(axis=1), own.reshape(shape).sum(axis=1)


def play_deals(
    game: Game[Any, Any],
    tasks: Iterable[tuple[Any, Lineup, range | Numbers]],
    seed: int,
    jobs: int = 1,
) -> Iterator[Batch]:
    """Play every rotation of some deals of cells on `jobs` threads; yield the batches in their order.

    Closing the iterator waits for the batches at hand alone.
    """
    import numpy as np

    def play(cell: Any, lineup: Lineup, deals: Numbers) -> Batch:
        indices, replicates = replicated(deals, lineup.rotations)
        seated = lineup.seated(seed, indices, replicates)
        return Batch(game, lineup, deals, seated, game.play(cell, seed, indices, seated, replicates))

    waiting: deque[Future[Batch]] = deque()
    with ThreadPoolExecutor(jobs) as pool:
        try:
            for cell, lineup, deals in tasks:
                size = -(-AT_ONCE // lineup.rotations)
                for at in range(0, len(deals), size):
                    part = np.asarray(deals[at : at + size], np.int64)
                    waiting.append(pool.submit(play, cell, lineup, part))
                    if len(waiting) > 2 * jobs:
                        yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for batch in waiting:
                batch.cancel()


@dataclass(frozen=True)
class DealtScores:
    """Scores of the seats that were dealt items: a row per deal, a column per item."""

    players: int
    score: Small
    seats: Small

    def points(self, place: int = 0) -> Ratio:
        """Return the win points of the seats that were dealt an item."""
        return Ratio.of(self.score[:, place], self.seats[:, place], self.players)


@dataclass(frozen=True)
class Deals:
    """Numbered deals, each under one of some combinations of variants in turn."""

    game: Game[Any, Any]
    edition: str
    lineup: Lineup
    combinations: tuple[Combination, ...]
    seed: int
    count: int
    jobs: int = 1

    @property
    def games(self) -> int:
        """How many games all deals are."""
        return self.count * self.lineup.rotations

    def dealt(self, catalog: Catalog, places: Sequence[int], numbers: Numbers | None = None) -> DealtScores:
        """Play some deals (by default all), and count the seats that were dealt items.

        `places` are those of the items in the order of ids.
        """
        import numpy as np

        masks = self.game.facts.mask("opening")
        words = [(masks[place // WORD], np.uint64(place % WORD)) for place in places]
        every = np.arange(self.count) if numbers is None else numbers
        turns, players = len(self.combinations), self.lineup.players
        tasks = (
            (
                self.game.compile(catalog, self.edition, players, combination),
                self.lineup,
                every[every % turns == turn],
            )
            for turn, combination in enumerate(self.combinations)
        )
        score = np.zeros((self.count, len(places)), np.int16)  # a deal has few games, but deals are many
        seats = np.zeros_like(score)
        for batch in play_deals(self.game, tasks, self.seed, self.jobs):
            columns = batch.tables["seats"]
            held = [columns[word].astype(np.uint64) >> bit & np.uint64(1) for word, bit in words]
            own = np.stack(held, axis=1).astype(np.int64).reshape(-1, players, len(places))
            score[batch.deals], seats[batch.deals] = batch.by_deal(own)
        return DealtScores(players, score, seats)


def adjustable(game: Game[Any, Any]) -> Adjustable:
    """Return the game as one whose catalog can be changed; UsageError if it cannot."""
    if not isinstance(game, Adjustable):
        raise UsageError(f"the catalog of {game.facts.title} cannot be changed number by number")
    return game
