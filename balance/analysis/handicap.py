"""The worth of a coin: how many win points one more at the start brings, from handicap games.

One seat starts with a few coins more or less, everything else as dealt: the same deals are played at every
level, so each deal gives its own slope of win points over coins, and the deal is the unit. The seat that is
handicapped goes round. Counts are whole numbers; nothing here depends on threads.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from balance.analysis.blocks import Figure
from balance.analysis.intervals import Interval
from balance.analysis.winpoints import Tally, seat_scores, win_points
from balance.dataset.plan import PlannedCell
from balance.dataset.run import Run
from balance.errors import UsageError
from balance.games.contract import Catalog, Game, Handicap
from balance.games.lineup import Lineup, parse_lineup

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Numbers = npt.NDArray[np.int64]

__all__ = ["COINS", "DEALS", "Coin", "coin_of", "coins_of_runs", "slope_of"]

COINS: Final = (-4, -2, 0, 2, 4, 6, 8)
"""What the handicapped seat has more at the start, level by level."""
DEALS: Final = 2000
"""Deals at each number of players, each played at every level."""
COMBINATIONS: Final = 60
"""At most so many combinations of variants stand for all of a run."""
_CHUNK: Final = 100
"""Deals that a thread plays at a time."""

Combination = tuple[str, ...]


@dataclass(frozen=True)
class Coin:
    """What a coin is worth at one number of players."""

    players: int
    lineup: str
    slope: Figure
    """Win points per coin."""
    levels: tuple[tuple[int, Interval], ...]
    """Win points of the handicapped seat by coins, to see whether a line fits."""
    deals: int
    games: int

    @property
    def told(self) -> bool:
        """Whether a coin is worth something beyond doubt."""
        ends = self.slope.interval
        return ends is not None and (ends.low > 0 or ends.high < 0)


def coins_of_runs(
    runs: Sequence[Run],
    cells: Sequence[PlannedCell],
    *,
    deals: int = DEALS,
    coins: Sequence[int] = COINS,
    most: int = COMBINATIONS,
    jobs: int = 1,
    advance: Callable[[int], object] = lambda _: None,
) -> dict[int, Coin]:
    """Measure a coin under the rules of some cells of runs, by number of players.

    At most `most` combinations of variants stand for all of them: compiling each takes its time.

    Deals come behind those of the runs, so that what they say of a coin is independent of what the runs say
    of items. DataError if the engine has changed since the runs were played.
    """
    from balance.sweep.simulation import require_same_engine

    run = runs[0]
    require_same_engine(run.path, run.plan, run.game)
    behind = max(cell.first + cell.deals for one in runs for cell in one.plan.cells)
    found = {}
    for players in sorted({cell.players for cell in cells}):
        own = [cell for cell in cells if cell.players == players]
        found[players] = coin_of(
            run.game,
            run.catalog,
            run.plan.edition,
            parse_lineup(own[0].lineup, players, run.game),
            [cell.variants for cell in own],
            seed=run.plan.seed,
            first_index=behind,
            deals=deals,
            coins=coins,
            most=most,
            jobs=jobs,
            advance=advance,
        )
    return found


def coin_of(
    game: Game[Any, Any],
    catalog: Catalog,
    edition: str,
    lineup: Lineup,
    combinations: Iterable[Combination] = ((),),
    *,
    seed: int,
    first_index: int = 0,
    deals: int = DEALS,
    coins: Sequence[int] = COINS,
    most: int = COMBINATIONS,
    jobs: int = 1,
    advance: Callable[[int], object] = lambda _: None,
) -> Coin:
    """Measure what a coin is worth, over combinations of variants that share the deals out among them."""
    import numpy as np

    if len(set(coins)) < 2:
        raise UsageError(f"a slope needs two different numbers of coins at least, not {list(coins)}")
    if deals < 2:
        raise UsageError(f"{deals} deals: at least 2 are needed to say how sure a slope is")
    chosen = _sample(combinations, most)
    tasks = _tasks(len(chosen), lineup.players, deals)

    def play(task: tuple[int, int, list[int]]) -> tuple[list[int], Numbers]:
        combination, seat, numbers = task
        indices = np.array(numbers, np.int64) + first_index
        columns = []
        for money in coins:
            handicap = {seat: Handicap(money=money)}
            cell = game.compile(catalog, edition, lineup.players, chosen[combination], handicap)
            columns.append(_scores(game, cell, lineup, seed, indices, seat))
            advance(indices.size * lineup.rotations)
        return numbers, np.stack(columns, axis=1)

    score = np.zeros((deals, len(coins)), np.int64)
    with ThreadPoolExecutor(jobs) as pool:
        for numbers, own in pool.map(play, tasks):
            score[numbers] = own
    games = np.full(deals, lineup.rotations, np.int64)
    levels = [
        (money, win_points(Tally.of(lineup.players, score[:, k], games))) for k, money in enumerate(coins)
    ]
    return Coin(
        lineup.players,
        lineup.text,
        slope_of(score, coins, lineup.rotations),
        tuple(levels),
        deals,
        deals * len(coins) * lineup.rotations,
    )


def slope_of(score: Numbers, coins: Sequence[int], games: int = 1) -> Figure:
    """Return the slope of win points over coins: least squares within each deal, the mean over deals.

    `score` has a row per deal and a column per number of coins, each the sum over so many games.

    >>> import numpy as np
    >>> slope_of(np.array([[0, 2, 4], [0, 0, 2]]), [-1, 0, 1])
    Figure(value=1.5, variance=0.25, freedom=1)
    """
    import numpy as np

    levels, total = len(coins), sum(coins)
    weights = np.array([levels * money - total for money in coins], np.int64)
    scale = (levels * sum(money * money for money in coins) - total**2) * games
    slopes = [int(slope) for slope in score @ weights]
    deals, added = len(slopes), sum(slopes)
    spread = deals * sum(slope * slope for slope in slopes) - added**2
    return Figure(added / (deals * scale), spread / (deals**2 * (deals - 1) * scale**2), deals - 1)


def _sample(combinations: Iterable[Combination], most: int = COMBINATIONS) -> list[Combination]:
    """Return combinations by a hash of their names, not too many, half of them in the other order."""
    named = sorted({tuple(sorted(names)) for names in combinations})
    digests = {names: hashlib.sha256(",".join(names).encode()).digest() for names in named}
    chosen = sorted(named, key=lambda names: digests[names])[:most]
    return [names if digests[names][-1] % 2 else names[::-1] for names in chosen]


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

    every = np.repeat(indices, lineup.rotations)
    again = np.tile(np.arange(lineup.rotations, dtype=np.int64), indices.size)
    played = game.play(cell, seed, every, lineup.seated(seed, every, again), again)["games"]
    own = seat_scores(game.facts, played, lineup.players)[:, seat]
    return np.asarray(own.reshape(indices.size, lineup.rotations).sum(axis=1))
