"""What changed: one figure on both sides, the difference deal by deal, corrected over all of them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from balance.dataset.measures import Metric
from balance.experiments.compare.paired import Group
from balance.judge.verdict import ALPHA
from balance.stats.arithmetic import student
from balance.stats.corrections import benjamini_yekutieli
from balance.stats.ratio import Difference

ALL, ITEM, VARIANT, COMBINATION = LEVELS = ("all", "item", "variant", "combination")
"""What a change is about: all combinations together, an item in all of them, a variant, one combination."""


_LEVEL_WORDS: Final = {
    ALL: "over all combinations",
    ITEM: "of single items",
    VARIANT: "of variants",
    COMBINATION: "of combinations",
}


FEWEST: Final = 10
"""Deals below which the spread between them says too little for a comparison."""


POWER: Final = 0.8416212335729143
"""The normal quantile of 80%."""


DEALT: Final = Metric("dealt", "win points of a seat that was dealt it")
BUILT: Final = Metric("built", "times it is built per seat that held it", form="share")
"""What is compared of items beside the metrics of a cell."""


Looked = tuple[str, int | None, str, tuple[str, ...], int | None, str]
"""Level, players, lineup, variants, item and metric of a change."""


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
    """`p`, corrected over everything that was looked at."""

    @property
    def sure(self) -> bool:
        """Whether it changed beyond doubt."""
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

    @property
    def title(self) -> str:
        """The metric in words."""
        return f"{self.measured.title} ({self.of})" if self.of else self.measured.title

    @property
    def _share(self) -> bool:
        return self.measured.form == "share"

    @property
    def _digits(self) -> int:
        """Digits after the decimal point: two significant ones of the interval."""
        wide = (self.high - self.low) / 2 if self.low is not None and self.high is not None else 0.0
        wide = (wide or abs(self.difference)) * (100 if self._share else 1)
        return min(4, max(1, 1 - math.floor(math.log10(wide)))) if wide else 2

    def figure(self, value: float) -> str:
        """Return a number of this metric as text."""
        if self._share:
            return f"{100 * value:.{self._digits}f}%"
        return f"{value:.{self._digits}f}"

    def told(self) -> str:
        """Return the difference with its interval; of shares in percentage points."""
        scale, unit = (100, " pp") if self._share else (1, "")
        said = f"{scale * self.difference:+.{self._digits}f}"
        if self.low is None or self.high is None:
            return f"{said}{unit}"
        low, high = (f"{scale * end:+.{self._digits}f}" for end in (self.low, self.high))
        return f"{said}{unit} ({low} to {high})"


def change_of(
    level: str,
    group: Group,
    metric: Metric,
    of: str,
    found: Difference,
    *,
    item: int | None = None,
    players: int | None = -1,
) -> Change | None:
    """Return a difference of candidate and base as a change; None if one side has nothing of the metric.

    `players` is that of the group by default; None: over all of them.
    """
    value, low, high = found.interval
    if math.isnan(value):
        return None
    deals = int(found.deals)
    tested = deals >= FEWEST
    spread = math.sqrt(float(found.base.variance) * deals)
    variance = float(found.variance)
    return Change(
        level=level,
        players=group.players if players == -1 else players,
        lineup=group.lineup,
        variants=group.variants or (),
        item=item,
        measured=metric,
        of=of,
        base=float(found.base.value),
        candidate=float(found.own.value),
        difference=value,
        low=low if tested else None,
        high=high if tested else None,
        deals=deals,
        p=float(found.p) if tested else None,
        size=abs(value) / spread if spread else math.inf if value else 0.0,
        detectable=(float(student(deals - 1)) + POWER) * math.sqrt(variance) if variance and tested else None,
    )


def nine_of_ten(values: Sequence[float]) -> float:
    """Return the value that nine of ten do not exceed.

    >>> nine_of_ten([3, 1, 2]), nine_of_ten(range(1, 101))
    (3, 90)
    """
    return sorted(values)[math.ceil(0.9 * len(values)) - 1]


@dataclass(frozen=True, slots=True)
class ChangeFamily:
    """Everything that was looked at together, and so is corrected for."""

    tests: int
    levels: tuple[tuple[str, int], ...]
    """How many of them at each level; each level has the same weight."""
    alpha: float = ALPHA

    def __str__(self) -> str:
        parts = ", ".join(f"{count:,} {_LEVEL_WORDS[level]}" for level, count in self.levels)
        return (
            f"{self.tests:,} tests ({parts}), each level with the same weight, corrected together "
            f"(Benjamini-Yekutieli, false claims at most {self.alpha:.2g} of all claims)"
        )


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
