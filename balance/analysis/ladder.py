"""How strong the policies are against each other: one against the rest, mixed tables, and a rating.

Figures come back as rows of one form, whatever they measure, so that they can be printed and stored. Seeds
and samples are those of `balance.analysis.samples`.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from balance.analysis.arena import Match, Outcome, play_matches
from balance.analysis.intervals import Interval, Z
from balance.analysis.ratings import GROUPS, Rating, Tables, cycles, fit
from balance.analysis.winpoints import win_points
from balance.errors import UsageError
from balance.games.contract import Game
from balance.games.lineup import drawn_lineup, parse_lineup

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = ["EVERYBODY", "Figure", "Ladder", "plan", "rate"]

EVERYBODY: Final = "all"
"""Whom a policy meets in mixed games."""
_DIGITS: Final = 4

Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Figure:
    """One thing that was measured."""

    measure: str
    """`rating`, `mixed`, `one`, `misfit`, `worst fit` or `cycle`."""
    policy: str
    against: str
    value: float
    low: float | None = None
    high: float | None = None
    fitted: float | None = None
    """What the rating says it should be."""
    games: int | None = None
    stalled: int | None = None


@dataclass(frozen=True)
class Ladder:
    """What is played for a ladder: every ordered pair of policies, and mixed tables."""

    policies: tuple[str, ...]
    players: int
    pairs: tuple[Pair, ...]
    matches: tuple[Match, ...]
    """One for each pair; the last one is mixed."""

    @property
    def games(self) -> int:
        """How many games that is."""
        return sum(match.games for match in self.matches)

    def play(
        self,
        game: Game[Any, Any],
        seed: int,
        jobs: int = 1,
        advance: Callable[[int], object] = lambda _: None,
    ) -> list[Figure]:
        """Play everything and return what was found."""
        *ones, mixed = play_matches(game, self.matches, seed, jobs, advance)
        return rate(self.policies, self.players, dict(zip(self.pairs, ones, strict=True)), mixed)


def plan(
    game: Game[Any, Any], policies: Sequence[str], players: int, cells: Sequence[Any], games: int
) -> Ladder:
    """Return what to play: `games` of each pair at least, and as many mixed ones for each policy.

    Games are shared out evenly among the cells; all rotations of a deal are played.
    """
    names = tuple(dict.fromkeys(game.policy_name(game.policy_number(name)) for name in policies))
    if len(names) < 2:
        raise UsageError(f"a ladder needs two policies at least, not {len(names)} ({', '.join(names)})")
    pairs = tuple((one, rest) for one in names for rest in names if one != rest)
    deals = _share(games, len(cells) * players)
    ones = tuple(
        Match(parse_lineup(",".join([one, *[rest] * (players - 1)]), players, game), tuple(cells), deals)
        for one, rest in pairs
    )
    mixed = drawn_lineup(names, players, game, EVERYBODY)
    return Ladder(
        names, players, pairs, (*ones, Match(mixed, tuple(cells), _share(games * len(names), len(cells))))
    )


def _share(games: int, parts: int) -> int:
    return max(1, math.ceil(games / parts))


def rate(policies: Sequence[str], players: int, ones: Mapping[Pair, Outcome], mixed: Outcome) -> list[Figure]:
    """Return all figures: ratings (best first), mixed tables, one against the rest, and what does not fit."""
    companies = Counter(mixed.wins)
    for outcome in ones.values():
        companies.update(outcome.wins)
    tables, kinds = _tables(policies, companies)
    rating = fit(tables)
    best_first = sorted(range(len(policies)), key=lambda k: (-rating.ratings[k], policies[k]))
    order = [policies[k] for k in best_first]
    expected = {kind: rating.expected[row] for kind, row in kinds.items()}
    figures = [_rating(policies[k], rating, k) for k in best_first]
    figures += [_mixed(name, policies.index(name), mixed, players, expected) for name in order]
    points = {pair: win_points(outcome.tally(pair[0])) for pair, outcome in ones.items()}
    for one in order:
        for rest in order:
            if one != rest:
                kind = tuple(sorted([one, *[rest] * (players - 1)]))
                fitted = players * float(expected[kind][policies.index(one)]) if kind in expected else None
                outcome = ones[one, rest]
                figures.append(
                    _figure("one", one, rest, points[one, rest], fitted, outcome.games, outcome.stalled)
                )
    figures.append(Figure("misfit", "", "", round(rating.deviance, _DIGITS), fitted=float(rating.freedom)))
    figures += _worst_fit(figures)
    figures += _cycles(order, points)
    return figures


def _tables(
    policies: Sequence[str], companies: Mapping[tuple[int, tuple[str, ...], str], int]
) -> tuple[Tables, dict[tuple[str, ...], int]]:
    """Return the wins as the fit wants them, and the row of each company."""
    import numpy as np

    kinds = {kind: row for row, kind in enumerate(sorted({kind for _, kind, _ in companies}))}
    places = {name: place for place, name in enumerate(policies)}
    compositions = np.zeros((len(kinds), len(policies)), np.int64)
    for kind, row in kinds.items():
        for name in kind:
            compositions[row, places[name]] += 1
    wins = np.zeros((GROUPS, len(kinds), len(policies)), np.int64)
    for (group, kind, winner), count in companies.items():
        wins[group, kinds[kind], places[winner]] += count
    return Tables(compositions, wins), kinds


def _rating(policy: str, rating: Rating, place: int) -> Figure:
    value, error = rating.ratings[place], rating.errors[place]
    return _figure("rating", policy, "", Interval(value, value - Z * error, value + Z * error))


def _mixed(
    policy: str,
    place: int,
    mixed: Outcome,
    players: int,
    expected: Mapping[tuple[str, ...], npt.NDArray[np.float64]],
) -> Figure:
    """Return the win points of a policy at mixed tables, those fitted over the companies that it had."""
    won = seats = 0.0
    for (_, kind, _), count in sorted(mixed.wins.items()):
        won += count * float(expected[kind][place])
        seats += count * kind.count(policy)
    fitted = players * won / seats if seats else None
    points = win_points(mixed.tally(policy))
    return _figure("mixed", policy, EVERYBODY, points, fitted, mixed.games, mixed.stalled)


def _figure(
    measure: str,
    policy: str,
    against: str,
    points: Interval,
    fitted: float | None = None,
    games: int | None = None,
    stalled: int | None = None,
) -> Figure:
    value, low, high = (round(end, _DIGITS) + 0.0 for end in points)
    said = None if fitted is None else round(fitted, _DIGITS)
    return Figure(measure, policy, against, value, low, high, said, games, stalled)


def _worst_fit(figures: Sequence[Figure], most: int = 3) -> list[Figure]:
    """Return the win points that lie farthest from what the rating says and beyond their own interval."""
    off = [
        figure
        for figure in figures
        if figure.fitted is not None
        and figure.low is not None
        and figure.high is not None
        and not figure.low <= figure.fitted <= figure.high
    ]
    off.sort(key=lambda figure: (-abs(figure.value - (figure.fitted or 0.0)), figure.policy, figure.against))
    return [
        Figure("worst fit", f.policy, f.against, f.value, f.low, f.high, f.fitted, f.games, f.stalled)
        for f in off[:most]
    ]


def _cycles(policies: Sequence[str], points: Mapping[Pair, Interval]) -> list[Figure]:
    """Return the rings of policies that beat each other; the value is the narrowest win of the ring."""
    beats = {pair: found.low > 1 for pair, found in points.items()}
    return [
        Figure(
            "cycle",
            " > ".join([*ring, ring[0]]),
            "",
            round(min(points[ring[k], ring[(k + 1) % len(ring)]].value for k in range(len(ring))), _DIGITS),
        )
        for ring in cycles(policies, beats)
    ]
