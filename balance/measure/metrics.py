"""The metrics of a cell: what a designer asks about games under some variants, each with how sure it is.

Metrics follow from the declared measures; docs/metrics.md defines each by its formula. Which values are
acceptable is decided elsewhere (`balance.judge.thresholds`). Everything is computed as arrays.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from balance.dataset.measures import Metric, declared, metrics_of
from balance.dataset.metric_views import QUANTILES
from balance.measure.cells import CellStatistics, Statistics
from balance.stats.intervals import Interval
from balance.stats.ratio import Multiple, Normal, Quantiles, Ratio

Estimate = Ratio | Multiple | Quantiles | Normal
_MOST_LUCK: Final = 1.0
"""The deal decides everything."""


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
            return _MOST_LUCK
        return float(self.estimate.most) if isinstance(self.estimate, Ratio) else math.inf


def _estimates(
    statistics: Statistics, cell: CellStatistics, multiples: Mapping[str, str]
) -> Iterator[tuple[str, str, Estimate]]:
    """Yield metric, what it is of, and the estimate, for everything that can be measured of a cell."""
    facts = statistics.facts
    if cell.games:
        for name, level in QUANTILES.items():
            yield name, "", Quantiles.of(cell.lengths, level, cell.design, facts.round_limit)
    base = statistics.baseline(cell) if cell.variants else None
    for name, ratio in cell.sums.items():
        measure, _, of = name.partition(":")
        if not ratio.den:
            continue
        yield measure, of, ratio
        if measure in multiples and base and name in cell.common:
            yield multiples[measure], of, Multiple(ratio, base.sums[name], cell.common[name])
    if cell.luck is not None:
        yield "luck", "", cell.luck


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
        value, low, high = interval
        high = min(_MOST_LUCK, high) if isinstance(estimate, Normal) else high
        by_cell[cell.id].append(Measurement(metric, of, estimate, Interval(value, low, high), shown))
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
