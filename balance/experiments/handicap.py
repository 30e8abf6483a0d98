"""The worth of a coin: how many win points one more at the start brings, from handicap games.

One seat starts with a few coins more or less, everything else as dealt: the same deals are played at every
level, so each deal gives its own slope of win points over coins, and the deal is the unit. The seat that is
handicapped goes round. Counts are whole numbers; nothing here depends on threads.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, Final

from balance.experiments.rotations import play_rotations, seat_scores
from balance.experiments.samples import thinned
from balance.games.contract import Catalog, Game, Handicap
from balance.games.lineup import Lineup
from balance.games.variants import Combination

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Numbers = npt.NDArray[np.int64]

COINS: Final = (-4, -2, 0, 2, 4, 6, 8)
"""What the handicapped seat has more at the start, level by level."""
DEALS: Final = 2000
"""Deals at each number of players, each played at every level."""
COMBINATIONS: Final = 60
"""The most combinations of variants that stand for all of a run."""
_CHUNK: Final = 100
"""Deals that a thread plays at a time."""


def coin_of(
    game: Game[Any, Any],
    catalog: Catalog,
    edition: str,
    lineup: Lineup,
    combinations: Iterable[Combination] = ((),),
    *,
    seed: int,
    first_index: int = 0,
    deals: int,
    jobs: int = 1,
) -> float:
    """Return the win points that a coin is worth, over combinations of variants that share the deals."""
    import numpy as np

    chosen = thinned(combinations, COMBINATIONS)
    tasks = _tasks(len(chosen), lineup.players, deals)

    def play(task: tuple[int, int, list[int]]) -> tuple[list[int], Numbers]:
        combination, seat, numbers = task
        indices = np.array(numbers, np.int64) + first_index
        columns = []
        for money in COINS:
            handicap = {seat: Handicap(money=money)}
            cell = game.compile(catalog, edition, lineup.players, chosen[combination], handicap)
            columns.append(_scores(game, cell, lineup, seed, indices, seat))
        return numbers, np.stack(columns, axis=1)

    score = np.zeros((deals, len(COINS)), np.int64)
    with ThreadPoolExecutor(jobs) as pool:
        for numbers, own in pool.map(play, tasks):
            score[numbers] = own
    return slope_of(score, COINS, lineup.rotations)


def slope_of(score: Numbers, coins: Sequence[int], games: int = 1) -> float:
    """Return the slope of win points over coins: least squares within each deal, the mean over deals.

    `score` has a row per deal and a column per number of coins, each the sum over `games` games.

    >>> import numpy as np
    >>> slope_of(np.array([[0, 2, 4], [0, 0, 2]]), [-1, 0, 1])
    1.5
    """
    import numpy as np

    levels, total = len(coins), sum(coins)
    weights = np.array([levels * money - total for money in coins], np.int64)
    scale = (levels * sum(money * money for money in coins) - total**2) * games
    deals = score.shape[0]
    return int((score @ weights).sum()) / int(deals * scale)


def _tasks(combinations: int, players: int, deals: int) -> list[tuple[int, int, list[int]]]:
    """Share deals out among combinations and handicapped seats, in chunks: combination, seat, deals."""
    shared: dict[tuple[int, int], list[int]] = {}
    for deal in range(deals):
        turn, combination = divmod(deal, combinations)
        shared.setdefault((combination, (turn + combination) % players), []).append(deal)
    return [
        (combination, seat, own[at : at + _CHUNK])
        for (combination, seat), own in sorted(shared.items())
        for at in range(0, len(own), _CHUNK)
    ]


def _scores(
    game: Game[Any, Any], cell: Any, lineup: Lineup, seed: int, indices: Numbers, seat: int
) -> Numbers:
    """Return the score of a seat in each deal, over all rotations of the lineup."""
    import numpy as np

    played = play_rotations(game, cell, lineup, seed, indices).tables["games"]
    own = seat_scores(game.facts, played, lineup.players)[:, seat]
    return np.asarray(own.reshape(indices.size, lineup.rotations).sum(axis=1))
