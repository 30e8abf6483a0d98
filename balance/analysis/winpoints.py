"""Win points: how much of the wins a policy takes, 1.00 being its fair share, whatever the number of players.

Win points are the share of wins per seat times the number of players; a stalled game is worth 1/n of a win
to each of n seats. The unit is the deal: games that share one (rotations, replicates) are one observation.
Counts are whole numbers and add up in any order; floats come last.

The interval is Wilson's, with the number of games that would have told as much had they been independent: the
variance over deals, turned into an effective number. Where each deal is one game with one seat, that is the
plain Wilson interval. The plain variance would fail near 0 and n, where ladders have their ends.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from balance.analysis.intervals import Interval, normal_tail, wilson
from balance.games.contract import Facts

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Numbers = npt.NDArray[np.int64]

__all__ = ["Tally", "p_above", "p_below", "scores", "seat_scores", "win_points"]


@dataclass(frozen=True, slots=True)
class Tally:
    """What one policy won over some deals, as sums of whole numbers; tallies of different deals add up.

    The score of a deal is the sum over its games, in units of 1/players of a win.
    """

    players: int
    deals: int = 0
    seats: int = 0
    """Seats held, over all games."""
    score: int = 0
    seats_squared: int = 0
    """Sums over deals, for the variance."""
    score_squared: int = 0
    score_seats: int = 0

    @classmethod
    def of(cls, players: int, score: Numbers, seats: Numbers) -> Tally:
        """Count deals: the score of each, and the seats held in it; deals without a seat say nothing."""
        return cls(
            players,
            int((seats > 0).sum()),
            int(seats.sum()),
            int(score.sum()),
            int((seats * seats).sum()),
            int((score * score).sum()),
            int((score * seats).sum()),
        )

    def __add__(self, other: Tally) -> Tally:
        if self.players != other.players:
            raise ValueError(f"a tally of {self.players} players and one of {other.players} do not add up")
        return Tally(
            self.players,
            self.deals + other.deals,
            self.seats + other.seats,
            self.score + other.score,
            self.seats_squared + other.seats_squared,
            self.score_squared + other.score_squared,
            self.score_seats + other.score_seats,
        )


def scores(winners: Numbers, players: int) -> Numbers:
    """Return the score of each seat of each game: `players` for the winner, 1 for all in a stalled game.

    `winners` holds the winning seats, -1 where there is none.
    """
    import numpy as np

    won = winners[:, None] == np.arange(players)
    return np.where(winners[:, None] < 0, 1, players * won)


def seat_scores(facts: Facts, games: Mapping[str, Any], players: int) -> Numbers:
    """Return the score of each seat of each game, from the columns of the table `games` as played."""
    import numpy as np

    table = facts.table("games")
    winners = games[table.column("outcome").name].astype(np.int64)
    winners[games[table.column("stalled").name].astype(bool)] = -1
    return scores(winners, players)


def win_points(tally: Tally) -> Interval:
    """Return the win points with their 95% interval."""
    n = tally.players
    if not tally.seats:
        return Interval(1.0, 0.0, float(n))
    share, low, high = wilson(*_share(tally))
    return Interval(n * share, n * low, n * high)


def _share(tally: Tally) -> tuple[float, float]:
    """Return the share of wins per seat, and in how many independent games it would be known as well.

    The variance of a ratio, linearised: the number of seats varies, if at all, much less than the wins do.
    The numerator is a whole number, so that nothing cancels.
    """
    n, deals = tally.players, tally.deals
    share = tally.score / (n * tally.seats)
    spread = (
        tally.score_squared * tally.seats**2
        - 2 * tally.score * tally.seats * tally.score_seats
        + tally.score**2 * tally.seats_squared
    )
    if spread == 0:  # all deals alike, most of all when there are few or the outcome is certain
        return share, float(deals)
    variance = spread / (n * n * tally.seats**4)
    return share, share * (1 - share) / variance


def p_above(tally: Tally, points: float = 1.0) -> float:
    """Return the p-value against "at most `points`", one-sided: small if the policy takes more."""
    return normal_tail(_score_z(tally, points))


def p_below(tally: Tally, points: float = 1.0) -> float:
    """Return the p-value against "at least `points`", one-sided: small if the policy takes less."""
    return normal_tail(-_score_z(tally, points))


def _score_z(tally: Tally, points: float) -> float:
    """Return how many standard errors (as they were if `points` were true) the win points lie above."""
    if not tally.seats:
        return 0.0
    share, n = _share(tally)
    expected = points / tally.players
    return float((share - expected) / (expected * (1 - expected) / n) ** 0.5)
