"""Which styles of play survive: an equilibrium mix of policies, from games of mixed company.

Assumption, since no run can play every company often enough: what a policy wins adds up over its opponents,
so its payoff is a sum over opponents j of A[i, j] / (players - 1). For two players that is no assumption; for
more it leaves out what three policies do together. The matrix A is fitted by least squares to all games at
hand. A game says no more than who sat there and who won, so drawing such pairs again is a bootstrap over
games.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Final

from balance.analysis.cells import connect
from balance.analysis.estimates import Bootstrapped
from balance.dataset import sqltext
from balance.dataset.run import Run
from balance.dataset.schema import stored_table
from balance.errors import UsageError
from balance.games.lineup import parse_lineup

if TYPE_CHECKING:
    import duckdb
    import numpy as np
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]

__all__ = [
    "FEWEST_GAMES",
    "Company",
    "Diversity",
    "Surviving",
    "companies",
    "diversity",
    "equilibria",
    "payoffs",
    "surviving",
]

Company = tuple[tuple[str, ...], str | None]
"""Who sat at a table (sorted), and which policy won; None if nobody."""

FEWEST_GAMES: Final = 5_000
"""Below that the fitted payoffs are too rough to speak of; pool more cells, those of one variant say."""
RESAMPLES: Final = 200
_ALMOST: Final = 1e-9


@dataclass(frozen=True)
class Diversity:
    """The most mixed equilibrium."""

    policies: tuple[str, ...]
    mix: tuple[float, ...]
    """How often each policy plays in it."""
    styles: Bootstrapped
    """How many equally common policies would be as diverse: the exponential of the entropy."""
    survives: tuple[float, ...]
    """In which share of resampled sets of games each policy belongs to the mix."""


@dataclass(frozen=True)
class Surviving:
    """The styles that survive under some variants, whatever else is in force."""

    variants: tuple[str, ...]
    players: int
    diversity: Diversity

    def sentence(self, names: Mapping[str, str] | None = None) -> str:
        """Return it in words; `names` are those of the variants."""
        known = names or {}
        found = self.diversity
        value, low, high = found.styles.interval
        mix = sorted(zip(found.mix, found.policies, strict=True), reverse=True)
        shares = ", ".join(f"{name} {share:.0%}" for share, name in mix if share > _ALMOST)
        under = " + ".join(known.get(name, name) for name in self.variants) or "none"
        return (
            f"{under}, {self.players} players: {shares}; as diverse as {value:.1f} equally common styles "
            f"({low:.1f} to {high:.1f}, {found.styles.n:,} games)"
        )


def surviving(runs: Sequence[Run], variants: Sequence[str], players: int) -> list[Surviving]:
    """Return which styles survive under a combination of variants.

    Where the combination has fewer than FEWEST_GAMES of mixed company, each of its variants is looked at,
    over all combinations that it is part of; what still has too few is left out.
    """
    mixed = [
        cell
        for run in runs
        for cell in run.plan.cells
        if cell.players == players and parse_lineup(cell.lineup, players, run.game).mixed
    ]
    whole = tuple(sorted(variants))
    exactly = {whole: [cell for cell in mixed if tuple(sorted(cell.variants)) == whole]}
    partly = {(name,): [cell for cell in mixed if name in cell.variants] for name in whole}
    for asked in (exactly, partly):
        enough = {k: c for k, c in asked.items() if sum(cell.games for cell in c) >= FEWEST_GAMES}
        if enough:
            return [
                Surviving(part, players, diversity(companies(runs, sorted({cell.id for cell in cells}))))
                for part, cells in enough.items()
            ]
    return []


def companies(
    runs: Sequence[Run], cells: Iterable[int], con: duckdb.DuckDBPyConnection | None = None
) -> dict[Company, int]:
    """Return how many games of some cells had which company and winner; of replicated deals the first."""
    if not runs:
        raise UsageError("no run is given")
    files = sqltext.parquet(f for run in runs for f in run.files("seats"))
    table = stored_table(runs[0].game.facts, "seats")
    policy, won = (sqltext.name(table.column(role).name) for role in ("policy", "won"))
    rows = (
        (con or connect())
        .execute(f"""
            select company, winner, count(*) from (
              select list_sort(list({policy})) as company, max(if({won}, {policy}, null)) as winner
              from {files}
              where cell_id in ({", ".join(map(str, cells)) or "-1"}) and game_id % 1000 = 0
              group by game_id
            ) group by all order by all""")
        .fetchall()
    )
    return {(tuple(company), winner): count for company, winner, count in rows}


def payoffs(counts: Mapping[Company, int], policies: Sequence[str]) -> Floats:
    """Return the matrix of win points that each policy (row) has against each opponent (column)."""
    seen = _design(counts, policies)
    import numpy as np

    return _fitted(*seen, np.array(list(counts.values()), np.float64))


def _design(counts: Mapping[Company, int], policies: Sequence[str]) -> tuple[Floats, Floats]:
    """Return for every company, and every policy in it, the opponents' shares and the win points per seat."""
    import numpy as np

    place = {name: k for k, name in enumerate(policies)}
    k = len(policies)
    shares = np.zeros((len(counts), k, k))
    points = np.zeros((len(counts), k, 2))  # seats, and win points of all seats together
    for row, (company, winner) in enumerate(counts):
        n = len(company)
        held = np.bincount([place[name] for name in company], minlength=k)
        for i in np.flatnonzero(held):
            shares[row, i] = (held - (np.arange(k) == i)) / (n - 1)
            score = held[i] if winner is None else n * (place[winner] == i)
            points[row, i] = held[i], score
    return shares, points


def _fitted(shares: Floats, points: Floats, weights: Floats) -> Floats:
    """Return the payoffs that fit best; a trace of prior (win points 1) keeps what never met solvable."""
    import numpy as np

    k = shares.shape[1]
    table = np.empty((k, k))
    for i in range(k):
        x, seats, score = shares[:, i], points[:, i, 0], points[:, i, 1]
        gram = np.einsum("r,ra,rb->ab", weights * seats, x, x) + 1e-3 * np.eye(k)
        right = np.einsum("r,ra->a", weights * score, x) + 1e-3
        table[i] = np.linalg.solve(gram, right)
    return table


def equilibria(table: Floats) -> list[Floats]:
    """Return the symmetric equilibria of a payoff matrix, by trying every set of policies.

    >>> import numpy as np
    >>> [mix.round(3).tolist() for mix in equilibria(np.array([[1, 2, 0], [0, 1, 2], [2, 0, 1.0]]))]
    [[0.333, 0.333, 0.333]]
    """
    import numpy as np

    k = len(table)
    found: list[Floats] = []
    for size in range(1, k + 1):
        for support in combinations(range(k), size):
            mix = _mix(table, support)
            if mix is None:
                continue
            payoff = table @ mix
            if payoff.max() <= payoff[list(support)].max() + _ALMOST:
                found.append(np.asarray(mix))
    return found


def _mix(table: Floats, support: Sequence[int]) -> Floats | None:
    """Return the mix of these policies in which all of them earn the same; None if there is none."""
    import numpy as np

    size = len(support)
    system = np.ones((size + 1, size + 1))
    system[:size, :size] = table[np.ix_(support, support)]
    system[:size, size] = -1
    system[size, size] = 0
    right = np.zeros(size + 1)
    right[size] = 1
    try:
        solved = np.linalg.solve(system, right)[:size]
    except np.linalg.LinAlgError:
        return None
    if (solved <= _ALMOST).any() and size > 1:
        return None
    mix = np.zeros(len(table))
    mix[list(support)] = solved
    return mix


def _most_mixed(table: Floats) -> Floats:
    """Return the equilibrium with the highest entropy; the best reply to everybody if rounding hides all."""
    import numpy as np

    every = equilibria(table)
    if not every:
        return np.asarray(np.eye(len(table))[int(table.mean(axis=1).argmax())])
    return max(every, key=_styles)


def _styles(mix: Floats) -> float:
    return math.exp(-sum(share * math.log(share) for share in mix.tolist() if share > 0))


def diversity(counts: Mapping[Company, int], seed: int = 0, resamples: int = RESAMPLES) -> Diversity:
    """Return the most mixed equilibrium of the policies that met, with a bootstrap over games."""
    import numpy as np

    policies = tuple(sorted({name for company, _ in counts for name in company}))
    if len(policies) < 2:
        raise UsageError("an equilibrium needs games in which different policies met: the lineup field")
    shares, points = _design(counts, policies)
    weights = np.array(list(counts.values()), np.int64)
    mix = _most_mixed(_fitted(shares, points, weights.astype(np.float64)))
    rng = np.random.default_rng(seed)
    games = int(weights.sum())
    again = [
        _most_mixed(_fitted(shares, points, rng.multinomial(games, weights / games).astype(np.float64)))
        for _ in range(resamples)
    ]
    survives = np.mean([other > _ALMOST for other in again], axis=0)
    return Diversity(
        policies,
        tuple(mix.tolist()),
        Bootstrapped(_styles(mix), [_styles(other) for other in again], games),
        tuple(survives.tolist()),
    )
