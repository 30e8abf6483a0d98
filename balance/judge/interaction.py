"""Interaction: what two variants do together beyond what each does alone.

The difference in differences on common seeds: the same deal is looked at with both variants, with each alone
and with none. Length and money are compared as logarithms of means (twice as long and half as long cancel
out), shares and win points as they are. Integers are summed per deal; the unit is the deal.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from balance.dataset.run import Run
from balance.judge.strengths import strength_of
from balance.judge.verdict import Judgements, Key, Verdict
from balance.measure.cells import CellStatistics, Statistics
from balance.measure.quartets import LOG, SIGNS, Asked, quartets_of, sums_of_pairs
from balance.stats.corrections import benjamini_yekutieli
from balance.stats.intervals import Interval, Z, normal_tail
from balance.stats.ratio import Ratio

if TYPE_CHECKING:
    import duckdb

TITLES: Final = {
    "mean_length": "length",
    "money": "money at the end",
    "hand": "size of the hand at the end",
    "stalls": "games that nobody wins",
    "no_lead_change": "games in which the lead never changes",
    "tie_extensions": "games that go on after the goal is reached",
    "exhaustion": "games in which the deck runs out",
    "win_points": "win points of {}",
    "seat": "win points of seat {}",
}
"""What measures are called in sentences."""


@dataclass(frozen=True, slots=True)
class Interaction:
    """What a pair does beyond its two variants in one measure."""

    cell: CellStatistics
    measure: str
    """As the sums are named: `mean_length`, `stalls`, `win_points:adaptive`."""
    scale: str
    """`log`: the logarithm of a factor; `points`: a difference of shares or win points."""
    interval: Interval
    p: float
    """Two-sided, against "nothing beyond"."""
    adjusted: float
    """Corrected over all interactions that were looked at."""

    def sentence(self) -> str:
        """Return it in words."""
        kind, _, of = self.measure.partition(":")
        name = TITLES.get(kind, "{}").format(of or self.measure)
        value, low, high = self.interval
        if self.scale == LOG:
            value, low, high = (math.exp(end) for end in self.interval)
            return f"{name} {value:.2f} times what both alone would give ({low:.2f} to {high:.2f})"
        return f"{name} {value:+.3f} beyond what both alone would give ({low:+.3f} to {high:+.3f})"


def interactions(
    runs: Sequence[Run],
    statistics: Statistics,
    cells: Iterable[int] | None = None,
    *,
    measures: Collection[str] | None = None,
    con: duckdb.DuckDBPyConnection | None = None,
) -> list[Interaction]:
    """Return what the pairs among some cells (by default all) do beyond their variants alone.

    Pairs of which a variant was not played alone at the same players and lineup are left out. `measures` says
    what is looked at, as the sums are named; by default everything. `con` is a connection that has the deals.
    """
    asked, totals = sums_of_pairs(runs, list(quartets_of(statistics, cells)), measures, con)
    found = _tested(
        made for number, total in totals.items() for made in _of_cell(statistics.cells[number], asked, total)
    )
    corrected = benjamini_yekutieli([p for *_, p in found])
    return [
        Interaction(cell, name, scale, interval, p, adjusted)
        for (cell, name, scale, interval, p), adjusted in zip(found, corrected, strict=True)
    ]


Seen = tuple[CellStatistics, str, str, Ratio | tuple[Interval, float]]
Found = tuple[CellStatistics, str, str, Interval, float]


def _of_cell(cell: CellStatistics, asked: Sequence[Asked], total: dict[str, int]) -> Iterator[Seen]:
    deals = total["deals"]
    if deals < 2:
        return
    mixed = sum(name.startswith("win_points:") for name in cell.sums) > 1
    for name, scale, _, den in asked:
        kind, _, of = name.partition(":")
        if (kind == "seat" and int(of) >= cell.players) or (kind == "win_points" and not mixed):
            continue
        if scale == LOG:
            found = _log_difference(total, name, deals)
            if found is not None:
                yield cell, name, scale, found
            continue
        each = cell.replicates
        difference = Ratio(
            deals,
            total[f"{name}:n"],
            total[f"{name}:d"] if den else deals * each,
            total[f"{name}:n2"],
            total[f"{name}:d2"] if den else deals * each * each,
            total[f"{name}:x"] if den else total[f"{name}:n"] * each,
            math.inf,
        )
        if difference.den:
            yield cell, name, scale, difference


def _tested(seen: Iterable[Seen]) -> list[Found]:
    """Return intervals and two-sided p-values; those of differences of shares are computed at once."""
    import numpy as np

    every = list(seen)
    ratios = [made for *_, made in every if isinstance(made, Ratio)]
    tested: Iterator[tuple[Interval, float]] = iter(())
    if ratios:
        many = Ratio.stack(ratios)
        p_values = np.minimum(1.0, 2 * np.minimum(many.above(0.0), many.below(0.0)))
        rows = zip(many.value.tolist(), many.low.tolist(), many.high.tolist(), p_values.tolist(), strict=True)
        tested = ((Interval(*ends), p) for *ends, p in rows)
    return [(*head, *(next(tested) if isinstance(made, Ratio) else made)) for *head, made in every]  # type: ignore[misc]


def _log_difference(total: dict[str, int], name: str, deals: int) -> tuple[Interval, float] | None:
    """Return the difference in differences of log means, with the variance of its linearisation."""
    sums = [total[f"{name}:{k}"] for k in range(4)]
    if min(sums) <= 0:
        return None
    value = sum(sign * math.log(part) for sign, part in zip(SIGNS, sums, strict=True))
    variance = 0.0
    for k in range(4):
        for m in range(4):
            low, high = min(k, m), max(k, m)
            covariance = (total[f"{name}:{low}{high}"] * deals - sums[k] * sums[m]) / (deals - 1)
            variance += SIGNS[k] * SIGNS[m] * covariance / (sums[k] * sums[m])
    error = math.sqrt(max(variance, 0.0))
    z = abs(value) / error if error else (math.inf if value else 0.0)
    return Interval(value, value - Z * error, value + Z * error), min(1.0, 2 * normal_tail(z))


# --- neither breaks it, together they do


@dataclass(frozen=True, slots=True)
class Together:
    """A pair that is broken although neither of its variants alone is, at one strength of play."""

    players: int
    variants: tuple[str, ...]
    lineup: str
    strength: str
    sure: bool
    """Both variants alone were found fine there; otherwise they were only not found broken: possibly."""

    @property
    def key(self) -> Key:
        """What the verdict is about."""
        return self.players, self.variants

    def sentence(self) -> str:
        """Return it in words."""
        both = " and ".join(self.variants)
        if self.sure:
            return f"neither breaks it, together they do: {both}, {self.players} players, {self.strength}"
        return f"possibly only together: {both}, {self.players} players, {self.strength}"


def together(judgements: Judgements, statistics: Statistics) -> list[Together]:
    """Return the pairs that only together are broken, the sure ones first."""
    found: list[Together] = []
    for judgement in judgements.judgements:
        if len(judgement.variants) != 2 or judgement.verdict is not Verdict.BROKEN:
            continue
        alone = [judgements.find(judgement.players, (name,)) for name in judgement.variants]
        for broken in (cell for cell in judgement.cells if cell.verdict is Verdict.BROKEN):
            lineup = broken.cell.lineup
            there = [
                next((c for c in single.cells if c.cell.lineup == lineup), None) if single else None
                for single in alone
            ]
            if not any(cell and cell.verdict is Verdict.BROKEN for cell in there):
                sure = all(cell is not None and cell.not_broken for cell in there)
                name = strength_of(statistics.facts, lineup).name
                found.append(Together(*judgement.key, lineup, name, sure))
    return sorted(found, key=lambda t: (not t.sure, t.players, t.variants, t.lineup))
