"""What changed: one figure on both sides, the difference deal by deal, corrected over all of them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from balance.dataset.measures import Metric
from balance.judge.verdict import ALPHA
from balance.measure.paired import Group
from balance.stats.arithmetic import student
from balance.stats.corrections import benjamini_yekutieli, harmonic
from balance.stats.ratio import Difference

ALL, ITEM, VARIANT, COMBINATION = LEVELS = ("all", "item", "variant", "combination")
"""What a change is about: all combinations together, an item in all of them, a variant, one combination."""
FEWEST: Final = 10
"""Deals below which the spread between them says too little for a comparison."""
POWER: Final = 0.8416212335729143
DEALT: Final = Metric("dealt", "win points of a seat that was dealt it", compared="winning")
BUILT: Final = Metric("built", "times it is built per seat that held it", form="share", compared="play")
"""What is compared of items beside the metrics of a cell."""

Looked = tuple[str, int | None, str, tuple[str, ...], int | None, str]
"""Level, players, lineup, variants, item and metric of a change."""


class Looking(NamedTuple):
    """A difference that is looked at."""

    level: str
    group: Group
    metric: Metric
    of: str
    found: Difference
    item: int | None = None
    players: int | None = -1
    """-1: those of the group; None: over all numbers of players."""


@dataclass(frozen=True, slots=True)
class Change:
    """One figure on both sides, and the difference, deal by deal."""

    level: str
    players: int | None
    """None: over all numbers of players, each deal counting alike."""
    lineup: str
    variants: tuple[str, ...]
    item: int | None
    measured: Metric
    of: str
    base: float
    candidate: float
    difference: float
    low: float | None
    """The ends of the 95% interval; None if there is no spread to judge by."""
    high: float | None
    deals: int
    p: float | None
    """Two-sided, against "no difference"; None if there are too few deals to test."""
    size: float
    """The difference in units of what the base differs from deal to deal: to sort by, whatever the unit."""
    detectable: float | None
    """The difference that a single test at 5% would find with a chance of 80%; None if no deal differed."""
    adjusted: float | None = None
    rest: Change | None = None
    """The same without the one combination that carries it, if one does; `rest.variants` names that."""

    @property
    def sure(self) -> bool:
        """Whether it clearly changed: its corrected p-value is at most 5%."""
        return self.adjusted is not None and self.adjusted <= ALPHA

    @property
    def looked(self) -> Looked:
        """What was looked at, the same on other deals."""
        return self.level, self.players, self.lineup, self.variants, self.item, self.name

    @property
    def metric(self) -> str:
        """The name of the metric."""
        return self.measured.name

    @property
    def name(self) -> str:
        """The metric, and what it is of."""
        return f"{self.metric}:{self.of}" if self.of else self.metric


def changes_of(rows: Iterable[Looking]) -> list[Change]:
    """Return differences of candidate and base as changes; none where a side has nothing of the metric."""
    said = [row for row in rows if row.found.own.den and row.found.base.den]
    if not said:
        return []
    every = Difference.stack([row.found for row in said])
    reach = student(every.deals - 1) + POWER
    numbers = (every.value, every.low, every.high, every.p, every.variance, every.base.variance, reach)
    columns = (*numbers, every.base.value, every.own.value, every.deals)
    found = []
    for row, own in zip(said, zip(*(one.tolist() for one in columns), strict=True), strict=True):
        value, low, high, p, variance, varies, reach_, base, candidate, deals = own
        players = row.group.players if row.players == -1 else row.players
        where = (row.level, players, row.group.lineup, row.group.variants or (), row.item)
        spread = math.sqrt(varies * deals)
        size = abs(value) / spread if spread else math.inf if value else 0.0
        shown = reach_ * math.sqrt(variance) if variance else None
        tested = (
            (low, high, deals, p, size, shown) if deals >= FEWEST else (None, None, deals, None, size, None)
        )
        found.append(Change(*where, row.metric, row.of, base, candidate, value, *tested))
    return found


@dataclass(frozen=True, slots=True)
class ChangeFamily:
    """Everything that was looked at together, and so is corrected for."""

    tests: int
    levels: tuple[tuple[str, int], ...]
    alpha: float = ALPHA

    def critical(self, level: str, claims: int) -> float:
        """Return the largest p-value of a level that is sure, given how many changes are."""
        weighed = len(self.levels) * dict(self.levels)[level]
        return self.alpha * claims / (weighed * harmonic(self.tests))


def corrected(changes: Sequence[Change]) -> tuple[list[Change], ChangeFamily]:
    """Correct for having looked at all of them.

    A few figures over all combinations stand beside thousands of single ones. Benjamini and Yekutieli's
    procedure allows weights that were fixed beforehand and are 1 on average; each level has the same share
    of them, so that looking closely does not blur the whole.
    """
    levels = Counter(change.level for change in changes if change.p is not None)
    tests = sum(levels.values())
    weights = {level: tests / (len(levels) * count) for level, count in levels.items()}
    weighed = [min(1.0, c.p / weights[c.level]) for c in changes if c.p is not None]
    adjusted = iter(benjamini_yekutieli(weighed))
    done = [change if change.p is None else replace(change, adjusted=next(adjusted)) for change in changes]
    return done, ChangeFamily(tests, tuple((level, levels[level]) for level in LEVELS if level in levels))


def halved(change: Change, rest: Change) -> bool:
    """Return whether a change is at most half as large without one combination."""
    return rest.difference * math.copysign(1, change.difference) <= abs(change.difference) / 2


def carried(change: Change, rest: Change, critical: float) -> bool:
    """Return whether one combination carries a change: without it, it is halved or no longer sure."""
    return halved(change, rest) or rest.p is None or rest.p > critical
