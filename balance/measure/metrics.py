"""The metrics of cells: what a designer asks about games under some variants, each with how sure it is.

Metrics follow from the declared measures; docs/metrics.md defines each by its formula. Which values are
acceptable is decided elsewhere (`balance.judge.thresholds`). Everything is computed as arrays.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from balance.dataset.measures import Metric, metrics_of
from balance.games.contract import Facts
from balance.stats.intervals import Interval
from balance.stats.ratio import Multiple, Normal, Quantiles, Ratio

Array = npt.NDArray[Any]
Estimate = Ratio | Multiple | Quantiles | Normal
_MOST_LUCK: Final = 1.0


class Name(NamedTuple):
    """A metric, and what it is of."""

    metric: Metric
    of: str

    @property
    def name(self) -> str:
        """As one word: `action:work`."""
        return f"{self.metric.name}:{self.of}" if self.of else self.metric.name


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
        return Name(self.metric, self.of).name

    @property
    def most(self) -> float:
        """The greatest value that it can have; infinite if there is none."""
        if isinstance(self.estimate, Normal):
            return _MOST_LUCK
        return float(self.estimate.most) if isinstance(self.estimate, Ratio) else math.inf


class Block(NamedTuple):
    """Estimates of one kind: the cell and the name of each, `action:work`, and all of them as arrays."""

    cells: Array
    names: Sequence[str]
    made: Estimate


class Figures:
    """Every metric of many cells as columns, by cell and then in the order of the metrics."""

    def __init__(self, facts: Facts, blocks: Iterable[Block] = ()) -> None:
        every = list(blocks)
        found = sorted({name for block in every for name in block.names})  # queries give them in any order
        codes = {name: place for place, name in enumerate(found)}
        cell = np.concatenate([np.zeros(0, np.int64), *(block.cells for block in every)])
        code = np.array([codes[name] for block in every for name in block.names], int)
        known = metrics_of(facts)
        self.names = [Name(known[metric], of) for metric, _, of in (name.partition(":") for name in codes)]
        """The names that occur; `code` has their places."""
        places = sorted(range(len(codes)), key=lambda k: (self.names[k].metric.order, self.names[k].of))
        rank = np.argsort(np.array(places, int))
        order = np.lexsort((rank[code], cell))
        sizes = [len(block.cells) for block in every]
        kind = np.repeat(np.arange(len(every)), sizes)[order]
        place = np.concatenate([np.zeros(0, int), *map(np.arange, sizes)])[order]
        ends = [_ends(block.made) for block in every]
        self.value, self.low, self.high = (
            np.concatenate([np.zeros(0), *(own[k] for own in ends)])[order] for k in range(3)
        )
        self.cell, self.code, self.kind, self.place = cell[order], code[order], kind, place
        self.estimates = [block.made for block in every]
        self._known: dict[int, Measurement] = {}
        self.comparable = self._comparable(facts)
        """Whether a row may be judged."""

    def _comparable(self, facts: Facts) -> Array:
        usual = facts.default_lineup.rpartition("mirror:")[2]
        met = np.flatnonzero(
            self.of_names(name.metric.name == "win_points" for name in self.names)[self.code]
        )
        cells, count = np.unique(self.cell[met], return_counts=True)
        mixed = np.isin(self.cell, cells[count > 1])
        # that the better player wins more is not a fault: `skill` is about that
        skilled = self.of_names(name.metric.compares and name.of == usual for name in self.names)
        needs_mixed = self.of_names(name.metric.mixed for name in self.names)
        return np.asarray(~skilled[self.code] & (mixed | ~needs_mixed[self.code]))

    def of_names(self, values: Iterable[bool]) -> Array:
        """Return a column over the names."""
        return np.fromiter(values, np.bool_, len(self.names))

    def rows(self, cells: Array) -> tuple[Array, Array]:
        """Return the rows of some cells, and for each row the place of its cell among these."""
        first, stop = (np.searchsorted(self.cell, cells, side) for side in ("left", "right"))
        sizes = stop - first
        at = np.repeat(np.arange(len(cells)), sizes)
        return np.arange(sizes.sum()) + np.repeat(stop - np.cumsum(sizes), sizes), at

    def has(self, cells: Sequence[int], name: str) -> Array:
        """Return which cells have a metric."""
        own = self.of_names(one.name == name for one in self.names)[self.code]
        return np.isin(np.array(cells, np.int64), self.cell[own])

    def n(self, rows: Array) -> Array:
        """Return how many deals (games, for quantiles) rows are made of."""
        found = np.zeros(len(rows), np.int64)
        for kind, made in enumerate(self.estimates):
            own = self.kind[rows] == kind
            found[own] = np.asarray(made.n)[self.place[rows[own]]]
        return found

    def measurement(self, row: int) -> Measurement:
        """Return one row as a record."""
        if row not in self._known:
            metric, of = self.names[self.code[row]]
            estimate = self.estimates[self.kind[row]][self.place[row]]
            ends = Interval(float(self.value[row]), float(self.low[row]), float(self.high[row]))
            self._known[row] = Measurement(metric, of, estimate, ends, bool(self.comparable[row]))
        return self._known[row]

    def of(self, cell: int) -> list[Measurement]:
        """Return every metric of a cell."""
        rows, _ = self.rows(np.array([cell]))
        return [self.measurement(row) for row in rows.tolist()]

    def find(self, cell: int, name: str) -> Measurement | None:
        """Return one metric of a cell; None if its games do not show it."""
        rows, _ = self.rows(np.array([cell]))
        return next(
            (self.measurement(k) for k in rows.tolist() if self.names[self.code[k]].name == name), None
        )


def _ends(made: Estimate) -> tuple[Array, Array, Array]:
    high = np.minimum(_MOST_LUCK, made.high) if isinstance(made, Normal) else made.high
    return np.asarray(made.value), np.asarray(made.low), np.asarray(high)
