"""The search for the cost at which an item is worth what the average one is; `at` plays a cost."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import floor, inf, isfinite
from typing import Literal

from balance.stats.intervals import Interval


@dataclass(frozen=True, slots=True)
class Price:
    """The cost at which an item is worth what the average one is, with its interval."""

    value: float
    """Where the value crosses 0, between two costs; -inf: worth less even at 0; inf: more even at `top`."""
    low: float
    """The lowest cost at which it may be an average item; -inf: 0 is not low enough; inf: no cost is."""
    high: float
    """The highest one; inf: `top` is not high enough; -inf: it is worth less at any cost."""
    top: int

    @property
    def nowhere(self) -> bool:
        """Whether clearly no cost makes it an average item."""
        return self.low == inf or self.high == -inf

    def told(self) -> str:
        """Return the price in words.

        >>> Price(6.31, 5.12, 7.7, 30).told()
        '6.3 (5.1 to 7.7)'
        >>> Price(-inf, -inf, 2.04, 30).told()
        'below 0 (at most 2.0)'
        >>> Price(inf, inf, inf, 30).told()
        'above 30'
        """
        value, low, high = (
            "below 0" if cost == -inf else f"above {self.top}" if cost == inf else f"{cost:.1f}"
            for cost in (self.value, self.low, self.high)
        )
        if self.nowhere:
            return value
        if isfinite(self.value):
            return f"{value} ({low} to {high})"
        if self.low == -inf and self.high == inf:
            return f"{value} (any cost is possible)"
        return f"{value} (at most {high})" if self.value < 0 else f"{value} (at least {low})"

    def excludes(self, cost: float) -> bool:
        """Return whether the item would surely not be an average one at a cost."""
        return not self.low <= cost <= self.high

    def off_by(self, cost: int, by: float) -> bool:
        """Return whether the whole interval is that far from a cost, or farther.

        >>> found = Price(6.31, 5.12, 7.7, 30)
        >>> found.off_by(3, 2), found.off_by(4, 2)
        (True, False)
        """
        return min(self.low, self.top) - cost >= by or cost - max(self.high, 0) >= by

    @property
    def whole(self) -> int:
        """The nearest cost that can be printed."""
        return floor(min(max(self.value, 0), self.top) + 0.5)


At = Callable[[int], Interval]


def search(at: At, start: int, top: int) -> tuple[Price, dict[int, Interval]]:
    """Find where the value falls to 0 among the whole costs 0 to `top`, and between which costs it may.

    `at` plays a cost, each once, from `start` on.

    >>> line = lambda cost: Interval(0.5 - cost / 10, 0.3 - cost / 10, 0.7 - cost / 10)
    >>> search(line, 12, 30)[0].told()
    '5.0 (3.0 to 7.0)'
    """
    played: dict[int, Interval] = {}

    def value(cost: int) -> Interval:
        if cost not in played:
            played[cost] = at(cost)
        return played[cost]

    value(start)
    low, high = _bracket(value, played, top)
    while low is not None and high is not None and high - low > 1:
        above, below = value(low).value, value(high).value
        middle = round(low + (high - low) * above / (above - below))
        middle = min(max(middle, low + 1), high - 1)
        if value(middle).value > 0:
            low = middle
        else:
            high = middle
    _find_ends(value, low, high, top)
    return _price(played, low, high, top), played


def _bracket(value: At, played: Mapping[int, Interval], top: int) -> tuple[int | None, int | None]:
    """Find a cost with a value above 0 and a higher one without; None where there is no such cost."""
    step = 2
    while True:
        high = min((cost for cost, found in played.items() if found.value <= 0), default=None)
        low = max(
            (cost for cost, found in played.items() if found.value > 0 and (high is None or cost < high)),
            default=None,
        )
        if low is not None and high is not None:
            return low, high
        if high is None:
            assert low is not None
            if low >= top:
                return top, None
            value(min(top, low + step))
        else:
            if high <= 0:
                return None, 0
            value(max(0, high - step))
        step *= 2


def _find_ends(value: At, low: int | None, high: int | None, top: int) -> None:
    """Play on to both sides, with growing steps, until the item is surely worth more, or less."""
    cost, step = 0 if low is None else low, 1
    while value(cost).low <= 0 and cost > 0:
        cost, step = max(0, cost - step), 2 * step
    cost, step = top if high is None else high, 1
    while value(cost).high >= 0 and cost < top:
        cost, step = min(top, cost + step), 2 * step


def _price(played: Mapping[int, Interval], low: int | None, high: int | None, top: int) -> Price:
    """Read the crossing of the value, and those of the ends of its interval, between the played costs."""
    if low is None:
        sure = played[0].high < 0
        return Price(-inf, -inf, -inf if sure else _falls(played, 0, "high"), top)
    if high is None:
        sure = played[top].low > 0
        return Price(inf, inf if sure else _falls(played, top, "low"), inf, top)
    crossing = _between(low, played[low].value, high, played[high].value)
    ends = min(_falls(played, low, "low"), crossing), max(_falls(played, high, "high"), crossing)
    return Price(crossing, *ends, top)


def _falls(played: Mapping[int, Interval], start: int, end: Literal["low", "high"]) -> float:
    """Return where an end of the interval passes 0, walking over the played costs from one of them.

    The upper end upwards until it is negative, the lower one downwards until it is positive; infinite if it
    never is.
    """
    way = sorted(cost for cost in played if (cost >= start if end == "high" else cost <= start))
    ends = {cost: getattr(played[cost], end) for cost in played}
    passed = [cost for cost in way if (ends[cost] < 0 if end == "high" else ends[cost] > 0)]
    if not passed:
        return inf if end == "high" else -inf
    first = passed[0] if end == "high" else passed[-1]
    beside = [cost for cost in played if (cost < first if end == "high" else cost > first)]
    if not beside:
        return float(first)
    a, b = sorted((first, max(beside) if end == "high" else min(beside)))
    return _between(a, ends[a], b, ends[b]) if ends[a] >= 0 >= ends[b] and ends[a] > ends[b] else float(first)


def _between(low: int, above: float, high: int, below: float) -> float:
    return low + (high - low) * above / (above - below)
