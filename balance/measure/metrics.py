"""The metrics of a cell: what a designer asks about games under some variants, each with how sure it is.

Metrics follow from the declared measures; docs/metrics.md defines each by its formula. Which values are
acceptable is decided elsewhere (`balance.judge.thresholds`). Everything is computed as arrays.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Final

from balance.dataset.measures import declared
from balance.dataset.metric_views import QUANTILES
from balance.games.contract import Facts
from balance.measure.cells import CellStatistics, Statistics
from balance.stats.intervals import Interval
from balance.stats.ratio import Multiple, Normal, Quantiles, Ratio

Estimate = Ratio | Multiple | Quantiles | Normal


@dataclass(frozen=True, slots=True)
class Metric:
    """One thing to know about a cell."""

    name: str
    title: str
    """As in a table: "median length in rounds"."""
    sentence: str = ""
    """With `{x}` for the figure and `{of}` for what it is of."""
    form: str = "number"
    """How its numbers are written: `share`, `rounds` or `number`."""
    neutral: float | None = None
    """The value that says "nothing special" where there is one: thresholds are margins around it."""
    compares: bool = False
    """Whether it compares policies: it is judged at tables where different ones meet."""
    mixed: bool = False
    """Whether it is judged only where different policies meet."""
    atlas: bool = False
    """Whether the atlas offers it."""
    things: tuple[str, ...] = ()
    """What it is measured of, where that is known beforehand."""
    several: bool = False
    """Whether it is measured of several things."""
    measure: str = ""
    """The measure whose sums per deal it follows; none: it is no figure of a deal."""
    plain: str = ""
    """Of a multiple: the sentence of what is compared."""
    compared: str = ""
    """What a comparison shows it under, if it does: `length`, `winning` or `play`."""
    order: int = 0
    """Its place among all metrics, the plainest first."""


_LENGTH: Final = "mean_length"
_LENGTHS: Final = (
    Metric(
        "length",
        "median length in rounds",
        "Games last {x} rounds (median)",
        "rounds",
        atlas=True,
        measure=_LENGTH,
    ),
    Metric(
        "length_short",
        "length in rounds that 5% of games stay below",
        "One game in twenty is over within {x} rounds",
        "rounds",
        measure=_LENGTH,
    ),
    Metric(
        "length_long",
        "length in rounds that 5% of games exceed",
        "One game in twenty lasts {x} rounds or more",
        "rounds",
        atlas=True,
        measure=_LENGTH,
    ),
)
_SKILL: Final = Metric(
    "skill",
    "win points of the usual player among the others",
    "A player who weighs the options gets {x} win points among the others (1 is fair)",
    neutral=1.0,
    compares=True,
    atlas=True,
    measure="win_points",
)
_LUCK: Final = Metric(
    "luck", "part of winning that the deal decides", "The deal decides {x} of who wins", "share", mixed=True
)
_ITEM: Final = Metric(
    "item",
    "win points of a seat that was dealt an item",
    "A seat that was dealt {of} gets {x} win points (1 is fair)",
    neutral=1.0,
    several=True,
)


@cache
def metrics_of(facts: Facts) -> dict[str, Metric]:
    """Return all metrics of a game by name, the plainest first."""
    found = list(_LENGTHS)
    for measure in declared(facts, facts.policies):
        if measure.multiple:
            name, title, sentence, atlas = measure.multiple
            made = Metric(name, title, sentence, neutral=1.0, atlas=atlas, measure=measure.name)
            found.append(replace(made, plain=measure.sentence))
        found.append(
            Metric(
                measure.name,
                measure.title,
                measure.sentence,
                "share" if measure.limit == "1" else "number",
                measure.neutral,
                measure.compares,
                atlas=measure.atlas,
                things=measure.of,
                several=bool(measure.of),
                measure=measure.name,
                compared=measure.compared,
            )
        )
        if measure.name == "win_points":
            found += [_SKILL, _LUCK]
    if facts.mask("opening"):
        found.append(_ITEM)
    return {metric.name: replace(metric, order=k) for k, metric in enumerate(found)}


@dataclass(frozen=True, slots=True)
class Measurement:
    """A metric of one cell."""

    metric: Metric
    of: str
    estimate: Estimate
    interval: Interval
    comparable: bool = True
    """False where it is shown only, whatever its threshold."""

    @property
    def name(self) -> str:
        """The metric, and what it is of: `action:work`."""
        return f"{self.metric.name}:{self.of}" if self.of else self.metric.name

    @property
    def most(self) -> float:
        """The greatest value that it can have; infinite if there is none."""
        if isinstance(self.estimate, Normal):
            return 1.0
        return float(self.estimate.most) if isinstance(self.estimate, Ratio) else math.inf


def _estimates(
    statistics: Statistics, cell: CellStatistics, multiples: Mapping[str, str]
) -> Iterator[tuple[str, str, Estimate]]:
    """Yield metric, what it is of, and the estimate, for everything that can be measured of a cell."""
    facts = statistics.facts
    if cell.games:
        for name, level in QUANTILES.items():
            yield name, "", Quantiles.of(cell.lengths, level, _design(cell), facts.round_limit)
    base = statistics.baseline(cell) if cell.variants else None
    usual = facts.default_lineup.rpartition("mirror:")[2]
    mixed = _mixed(cell)
    for name, ratio in cell.sums.items():
        measure, _, of = name.partition(":")
        if not ratio.den or (measure in ("win_points", "neighbour") and not mixed):
            continue
        yield measure, of, ratio
        if measure == "win_points" and of == usual:
            yield "skill", "", ratio
        if measure in multiples and base and name in cell.common and base.sums[name].num:
            yield multiples[measure], of, Multiple(ratio, base.sums[name], cell.common[name])
    if cell.luck is not None:
        yield "luck", "", cell.luck


def _design(cell: CellStatistics) -> float:
    """Return how many times fewer independent games would say as much about length; 1 without replicates."""
    if cell.replicates == 1 or cell.deals < 2:
        return 1.0
    n, sums = cell.games, cell.sums["mean_length"]
    total = sum(x * count for x, count in cell.lengths.items())
    squares = sum(x * x * count for x, count in cell.lengths.items())
    single = (squares * n - total**2) / n**2
    between = float(sums.num2 * sums.deals - sums.num**2) / sums.deals**2 / cell.replicates
    return max(1.0, float(between / single)) if single else 1.0


def _mixed(cell: CellStatistics) -> bool:
    """Return whether different policies meet in the cell."""
    return sum(name.startswith("win_points:") for name in cell.sums) > 1


def measure(statistics: Statistics, cell: CellStatistics) -> list[Measurement]:
    """Return every metric of a cell that can be computed."""
    return measure_cells(statistics, [cell])[cell.id]


def measure_cells(statistics: Statistics, cells: Iterable[CellStatistics]) -> dict[int, list[Measurement]]:
    """Return every metric of many cells, all intervals computed at once."""
    known = metrics_of(statistics.facts)
    usual = statistics.facts.default_lineup.rpartition("mirror:")[2]
    every = declared(statistics.facts)
    multiples = {measure.name: measure.multiple.name for measure in every if measure.multiple}
    found: list[tuple[CellStatistics, Metric, str, Estimate]] = []
    wanted = list(cells)
    for cell in wanted:
        own = [(cell, known[name], of, made) for name, of, made in _estimates(statistics, cell, multiples)]
        found += sorted(own, key=lambda row: row[1].order)
    intervals = intervals_of([estimate for *_, estimate in found])

    def comparable(cell: CellStatistics, metric: Metric, of: str) -> bool:
        if metric.mixed and not _mixed(cell):
            return False
        # that the better player wins more is not a fault: `skill` is about that
        return not (metric.compares and of == usual)

    by_cell: dict[int, list[Measurement]] = {cell.id: [] for cell in wanted}
    for (cell, metric, of, estimate), interval in zip(found, intervals, strict=True):
        shown = comparable(cell, metric, of)
        by_cell[cell.id].append(Measurement(metric, of, estimate, interval, shown))
    return by_cell


def intervals_of(estimates: Iterable[Estimate]) -> list[Interval]:
    """Return the confidence intervals of estimates, each kind computed at once."""
    every = list(estimates)
    found: list[Interval] = [Interval(math.nan, math.nan, math.nan)] * len(every)
    for kind, places in by_kind(every).items():
        made = kind.stack([every[place] for place in places])
        rows = zip(made.value.tolist(), made.low.tolist(), made.high.tolist(), strict=True)
        for place, row in zip(places, rows, strict=True):
            found[place] = Interval(*row)
    return found


def by_kind(estimates: Iterable[Estimate]) -> dict[Any, list[int]]:
    """Return the places of the estimates of each kind."""
    found: dict[Any, list[int]] = {}
    for place, estimate in enumerate(estimates):
        found.setdefault(type(estimate), []).append(place)
    return found
