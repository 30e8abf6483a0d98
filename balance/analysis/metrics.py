"""The metrics of a cell: what a designer asks about games under some variants, each with how sure it is.

A metric is a name, words, and a way to compute an estimate from the sums of a cell. docs/metrics.md defines
each by its formula. Which values are acceptable is said elsewhere (`balance.analysis.thresholds`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import Final

from balance.analysis.cells import CellStatistics, Statistics, Sums
from balance.analysis.estimates import Agreement, Estimate, Mean, Quantile, Quotient, Share
from balance.games.contract import Facts

__all__ = ["METRICS", "Measurement", "Metric", "measure", "metric"]


@dataclass(frozen=True, slots=True)
class Seen:
    """What a metric is computed from."""

    cell: CellStatistics
    base: CellStatistics | None
    """The cell without variants; None if there is none, or if this is it."""
    facts: Facts


Made = Iterator[tuple[str, Estimate]]
"""Estimates, each with what it is of: an action, a seat, a policy; nothing if the metric is one number."""


@dataclass(frozen=True, slots=True)
class Metric:
    """One thing to know about a cell."""

    name: str
    title: str
    """As in a sentence: "median length in rounds"."""
    of: Callable[[Seen], Made]
    neutral: float | None = None
    """The value that says "nothing special" where there is one: thresholds are margins around it."""
    compares: bool = False
    """Whether it compares policies: then only those are judged that are tuned for the variants in force."""
    mixed: bool = False
    """Whether it is judged only where different policies meet."""


@dataclass(frozen=True, slots=True)
class Measurement:
    """A metric of one cell."""

    metric: Metric
    of: str
    estimate: Estimate
    comparable: bool = True
    """False where it is shown only: it compares a policy that nobody has tuned for the variants in force."""

    @property
    def name(self) -> str:
        """The metric, and what it is of: `action:work`."""
        return f"{self.metric.name}:{self.of}" if self.of else self.metric.name


def _sums(seen: Seen, name: str) -> Iterator[Sums]:
    """Yield the sums of a name, if the game has them and there is anything to count."""
    sums = seen.cell.sums.get(name)
    if sums is not None and sums.den:
        yield sums


def _share(name: str) -> Callable[[Seen], Made]:
    return lambda seen: (("", Share(sums)) for sums in _sums(seen, name))


def _mean(name: str) -> Callable[[Seen], Made]:
    return lambda seen: (("", Mean(sums)) for sums in _sums(seen, name))


def _named(prefix: str, scale: Callable[[Seen], float] = lambda _: 1.0) -> Callable[[Seen], Made]:
    """Return a metric with one share for each sum whose name begins so."""

    def made(seen: Seen) -> Made:
        for name, sums in seen.cell.sums.items():
            kind, _, of = name.partition(":")
            if kind == prefix and sums.den:
                yield of, Share(sums, scale(seen))

    return made


def _quantile(level: float) -> Callable[[Seen], Made]:
    def made(seen: Seen) -> Made:
        if seen.cell.games:
            yield "", Quantile(seen.cell.lengths, level, _design(seen.cell))

    return made


def _design(cell: CellStatistics) -> float:
    """Return how many times fewer independent games would tell as much about length; 1 without replicates."""
    if cell.replicates == 1 or cell.deals < 2:
        return 1.0
    n, sums = cell.games, cell.sums["length"]
    total = sum(x * count for x, count in cell.lengths.items())
    squares = sum(x * x * count for x, count in cell.lengths.items())
    single = (squares * n - total**2) / n**2
    between = (sums.num2 * sums.deals - sums.num**2) / sums.deals**2 / cell.replicates
    return max(1.0, between / single) if single else 1.0


def _quotient(name: str) -> Callable[[Seen], Made]:
    def made(seen: Seen) -> Made:
        base = seen.base.sums.get(name) if seen.base else None
        for own in _sums(seen, name):
            if base is not None and base.num and name in seen.cell.paired:
                yield "", Quotient(own, base, seen.cell.paired[name])

    return made


def _players(seen: Seen) -> float:
    return float(seen.cell.players)


def _fair_neighbours(seen: Seen) -> float:
    return (seen.cell.players - 1) / 2


def _mixed(seen: Seen) -> bool:
    """Whether different policies meet in the cell."""
    return sum(name.startswith("policy:") for name in seen.cell.sums) > 1


def _win_points(seen: Seen) -> Made:
    if _mixed(seen):
        yield from _named("policy", _players)(seen)


def _skill(seen: Seen) -> Made:
    """Yield the win points of the game's usual player among the others."""
    usual = seen.facts.default_lineup.rpartition("mirror:")[2]
    if _mixed(seen):
        for sums in _sums(seen, f"policy:{usual}"):
            yield "", Share(sums, _players(seen))


def _luck(seen: Seen) -> Made:
    if seen.cell.wins_within:
        found = Agreement(seen.cell.wins_within, seen.cell.replicates)
        if not math.isnan(found.interval.value):  # always the same winner, or nobody ever
            yield "", found


METRICS: Final = (
    Metric("length", "median length in rounds", _quantile(0.5)),
    Metric("length_short", "length in rounds that 5% of games stay below", _quantile(0.05)),
    Metric("length_long", "length in rounds that 5% of games exceed", _quantile(0.95)),
    Metric("length_ratio", "mean length, as a multiple of that without variants", _quotient("length"), 1.0),
    Metric("stalls", "share of games that nobody wins", _share("stalled")),
    Metric("tie_extensions", "share of games that go on after the goal is reached", _share("extended")),
    Metric("win_points", "win points of a policy among the others", _win_points, 1.0, compares=True),
    Metric("skill", "win points of the usual player among the others", _skill, 1.0, compares=True),
    Metric("luck", "part of winning that the deal decides", _luck, mixed=True),
    Metric("seat", "win points of a seat", _named("seat", _players), 1.0),
    Metric(
        "neighbour", "wins beside a policy, as a multiple of chance", _named("beside", _fair_neighbours), 1.0
    ),
    Metric("no_lead_change", "share of games in which the lead never changes", _share("no_lead_change")),
    Metric("half_leader", "share of games that the sole leader at half-time wins", _share("half_leader")),
    Metric("comeback", "chance to win for a seat so far behind at half-time", _named("comeback")),
    Metric("action", "share of an action among all choices", _named("action")),
    Metric("money", "money of a seat at the end", _mean("money")),
    Metric(
        "money_ratio", "money at the end, as a multiple of that without variants", _quotient("money"), 1.0
    ),
    Metric("hand", "cards in hand at the end", _mean("hand")),
    Metric("hand_ratio", "cards at the end, as a multiple of those without variants", _quotient("hand"), 1.0),
    Metric("exhaustion", "share of games in which what all draw from runs out", _share("exhausted")),
    Metric("item", "win points of a seat that was dealt an item", _named("item", _players), 1.0),
)
"""All metrics of a cell; the diversity of styles needs more than sums (`balance.analysis.equilibrium`)."""


def metric(name: str) -> Metric:
    """Return the metric of a name; KeyError if there is none."""
    return {known.name: known for known in METRICS}[name]


def measure(
    statistics: Statistics, cell: CellStatistics, tuned: Collection[str] | None = None
) -> list[Measurement]:
    """Return every metric of a cell that can be computed.

    `tuned` names the policies that are tuned for the variants in force; None: there is nothing to tune.
    """
    base = statistics.baseline(cell) if cell.variants else None
    seen = Seen(cell, base, statistics.facts)
    usual = statistics.facts.default_lineup.rpartition("mirror:")[2]

    def comparable(known: Metric, of: str) -> bool:
        if known.mixed and not _mixed(seen):
            return False
        return not known.compares or tuned is None or (of or usual) in tuned

    return [
        Measurement(known, of, estimate, comparable(known, of))
        for known in METRICS
        for of, estimate in known.of(seen)
    ]
