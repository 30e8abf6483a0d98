"""The same deals under one catalog and another: who was dealt what, and what became of them.

Games are played straight into memory, outside any run: what is changed here (a cost, a number of a variant)
is changed a thousand times, and nobody wants to keep a thousand runs. Which seat is dealt what follows from
the deck's order alone, so a changed cost leaves it: deals meet again, and so does most of their luck.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeVar

from balance.dataset.item_views import acquired_table
from balance.errors import UsageError
from balance.experiments.rotations import play_rotations, seat_scores
from balance.games.contract import Adjustable, Catalog, Game
from balance.games.lineup import Lineup
from balance.games.variants import Combination
from balance.measure.items import Item, items_from

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Numbers = npt.NDArray[np.int64]
    Small = npt.NDArray[np.int16]

_CHUNK: Final = 500
"""Deals that a thread plays at a time."""
_WORD: Final = 64
T = TypeVar("T")
U = TypeVar("U")


@dataclass(frozen=True)
class Deals:
    """Numbered deals, each under one of some combinations of variants in turn."""

    game: Game[Any, Any]
    edition: str
    lineup: Lineup
    combinations: tuple[Combination, ...]
    seed: int
    count: int

    @property
    def players(self) -> int:
        """How many play."""
        return self.lineup.players

    def batches(self, numbers: Numbers) -> Iterator[tuple[Combination, Numbers]]:
        """Share some deals out by the combination under which they are played, not too many at a time."""
        for place, combination in enumerate(self.combinations):
            own = numbers[numbers % len(self.combinations) == place]
            for at in range(0, own.size, _CHUNK):
                yield combination, own[at : at + _CHUNK]

    def play(self, catalog: Catalog, combination: Combination, numbers: Numbers) -> _Batch:
        """Play deals with a catalog, over all rotations of the lineup."""
        cell = self.game.compile(catalog, self.edition, self.players, combination)
        return play_rotations(self.game, cell, self.lineup, self.seed, numbers).tables


_Batch = Mapping[str, Any]


@dataclass(frozen=True)
class DealtScores:
    """What became of seats that were dealt each item: a row per deal, a column per item."""

    score: Small
    """Their score over all rotations, in units of 1/players of a win."""
    seats: Small
    """Seats times rotations."""
    acquired: Numbers
    """By item: how many of them acquired it."""

    @property
    def share_acquired(self) -> list[float]:
        """By item: of the seats that were dealt it, the part that acquired it."""
        seats = [int(total) for total in self.seats.sum(axis=0, dtype=int)]
        return [int(times) / max(total, 1) for times, total in zip(self.acquired, seats, strict=True)]


def adjustable(game: Game[Any, Any]) -> Adjustable:
    """Return the game as one whose catalog can be changed; UsageError if it cannot."""
    if not isinstance(game, Adjustable):
        raise UsageError(f"the catalog of {game.facts.title} cannot be changed number by number")
    return game


def items_in(game: Game[Any, Any], catalog: Catalog) -> list[Item]:
    """Return the items of a catalog in the order of their bits: by id."""
    kind = next(kind for kind in game.kinds if kind.name == game.facts.item)
    return items_from(game.facts, game.rows(catalog, kind, {}))


def dealt(
    deals: Deals,
    catalog: Catalog,
    items: Sequence[Item],
    jobs: int,
    advance: Callable[[int], object] = lambda _: None,
) -> DealtScores:
    """Play all deals, and count for every item what became of the seats that were dealt it."""
    import numpy as np

    masks = deals.game.facts.mask("opening")
    if not masks:
        facts = deals.game.facts
        raise UsageError(
            f"{facts.title} deals no {facts.items} before the first decision, "
            f"so the value of holding one cannot be measured"
        )

    def play(task: tuple[Combination, Numbers]) -> tuple[Numbers, Numbers, Numbers, Numbers]:
        combination, numbers = task
        batch = deals.play(catalog, combination, numbers)
        held = _held(batch, masks, deals.players, len(items))
        score = seat_scores(deals.game.facts, batch["games"], deals.players)
        rotations = deals.lineup.rotations
        shape = (numbers.size, rotations * deals.players, len(items))
        won = (held * score[:, :, None]).reshape(shape).sum(axis=1)
        return numbers, won, held.reshape(shape).sum(axis=1), _acquired(batch, deals, items, held)

    score = np.zeros((deals.count, len(items)), np.int16)  # a deal has few games, but deals are many
    seats = np.zeros((deals.count, len(items)), np.int16)
    acquired = np.zeros(len(items), np.int64)
    tasks = list(deals.batches(np.arange(deals.count, dtype=np.int64)))
    for numbers, won, held, times in mapped(play, tasks, jobs):
        score[numbers], seats[numbers] = won, held
        acquired += times
        advance(numbers.size)
    return DealtScores(score, seats, acquired)


def score_of(deals: Deals, catalog: Catalog, item: int, numbers: Numbers) -> tuple[Numbers, Numbers]:
    """Play some deals, and return for each the score and the number of seats that were dealt an item."""
    import numpy as np

    masks = deals.game.facts.mask("opening")
    score = np.zeros(deals.count, np.int64)
    seats = np.zeros(deals.count, np.int64)
    for combination, own in deals.batches(numbers):
        batch = deals.play(catalog, combination, own)
        held = _bit(batch, masks, deals.players, item)
        shape = (own.size, deals.lineup.rotations * deals.players)
        won = seat_scores(deals.game.facts, batch["games"], deals.players)
        score[own] = (held * won).reshape(shape).sum(axis=1)
        seats[own] = held.reshape(shape).sum(axis=1)
    return score[numbers], seats[numbers]


def mapped(function: Callable[[T], U], tasks: Sequence[T], jobs: int) -> Iterator[U]:
    """Yield the results of tasks in their order, computed by threads; closing the iterator stops them."""
    pool = ThreadPoolExecutor(max(jobs, 1))
    try:
        yield from pool.map(function, tasks)
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _bit(batch: _Batch, masks: Sequence[str], players: int, item: int) -> Numbers:
    """Return whether each seat of each game was dealt an item."""
    import numpy as np

    word = batch["seats"][masks[item // _WORD]].astype(np.uint64)
    bit = (word >> np.uint64(item % _WORD)) & np.uint64(1)
    return np.asarray(bit.astype(np.int64).reshape(-1, players))


def _held(batch: _Batch, masks: Sequence[str], players: int, items: int) -> Numbers:
    import numpy as np

    return np.stack([_bit(batch, masks, players, item) for item in range(items)], axis=2)


def _acquired(batch: _Batch, deals: Deals, items: Sequence[Item], held: Numbers) -> Numbers:
    """Count by item how often a seat that was dealt it acquired it."""
    import numpy as np

    table = acquired_table(deals.game.facts)
    if table is None:
        return np.zeros(len(items), np.int64)
    rows = batch[table.name]
    ids = np.array([item.id for item in items], np.int64)
    places = np.asarray(np.searchsorted(ids, rows[table.column("item").name]))
    own = held[rows[table.column("game").name], rows[table.column("seat").name], places]
    return np.bincount(places[own > 0], minlength=len(items)).astype(np.int64)
