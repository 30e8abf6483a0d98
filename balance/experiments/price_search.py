"""The search for the cost at which an item is worth what the average one is; `at` plays a cost."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from balance.stats.intervals import Interval


@dataclass(frozen=True, slots=True)
class Price:
    """The cost at which an item is worth what the average one is, with its interval."""

    value: float | None
    """Where the value crosses 0, between two whole costs; None: beyond the costs that were tried."""
    low: float | None
    """The lowest cost at which it may be an average item; None: there is none, or 0 is not low enough."""
    high: float | None
    """The highest one; None: there is none, or the highest cost that was tried is not high enough."""
    beyond: str
    """Empty, or `below`: even at 0 it is worth less than the average item; `above`: worth more at the top."""
    beyond_doubt: bool
    """With `beyond`: whether that is so beyond doubt, so that no cost makes it an average item."""
    top: int
    """The highest cost that may be tried."""

    def told(self) -> str:
        """Return the price in words.

        >>> Price(6.31, 5.12, 7.7, "", False, 30).told()
        '6.3 (5.1 to 7.7)'
        >>> Price(None, None, 2.04, "below", False, 30).told()
        'below 0 (at most 2.0)'
        >>> Price(None, None, None, "above", True, 30).told()
        'above 30'
        """
        low, high = (None if end is None else f"{end:.1f}" for end in (self.low, self.high))
        if self.beyond:
            said = "below 0" if self.beyond == "below" else f"above {self.top}"
            if self.beyond_doubt:
                return said
            if self.beyond == "below":
                return f"{said} ({'any cost is possible' if high is None else f'at most {high}'})"
            return f"{said} ({'any cost is possible' if low is None else f'at least {low}'})"
        ends = f"{low or 'below 0'} to {high or f'above {self.top}'}"
        return f"{self.value:.1f} ({ends})"

    def excludes(self, cost: float) -> bool:
        """Return whether the item would surely not be an average one at a cost."""
        if self.beyond_doubt:
            return True
        return (self.low is not None and cost < self.low) or (self.high is not None and cost > self.high)

    def off_by(self, cost: int, by: float) -> bool:
        """Return whether the whole interval is that far from a cost, or farther.

        >>> found = Price(6.31, 5.12, 7.7, "", False, 30)
        >>> found.off_by(3, 2), found.off_by(4, 2)
        (True, False)
        """
        low, high = self.low, self.high
        if self.beyond_doubt:
            low, high = (None, 0.0) if self.beyond == "below" else (float(self.top), None)
        return (low is not None and low - cost >= by) or (high is not None and cost - high >= by)

    @property
    def whole(self) -> int:
        """The nearest cost that can be printed."""
        if self.value is None:
            return 0 if self.beyond == "below" else self.top
        return math.floor(self.value + 0.5)


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
        upper = None if sure else _falls(played, 0, lambda found: found.high)
        return Price(None, None, upper, "below", sure, top)
    if high is None:
        sure = played[top].low > 0
        lower = None if sure else _falls(played, top, lambda found: found.low, up=False)
        return Price(None, lower, None, "above", sure, top)
    crossing = _between(low, played[low].value, high, played[high].value)
    lower = _falls(played, low, lambda found: found.low, up=False)
    upper = _falls(played, high, lambda found: found.high)
    return Price(
        crossing,
        None if lower is None else min(lower, crossing),
        None if upper is None else max(upper, crossing),
        "",
        False,
        top,
    )


def _falls(
    played: Mapping[int, Interval], start: int, end: Callable[[Interval], float], *, up: bool = True
) -> float | None:
    """Return where an end of the interval passes 0, walking over the played costs from one of them.

    Upwards until it is negative, downwards until it is positive; None if it never is.
    """
    costs = sorted(played)
    way = [cost for cost in costs if (cost >= start if up else cost <= start)]
    way = way if up else way[::-1]
    passed = [cost for cost in way if (end(played[cost]) < 0 if up else end(played[cost]) > 0)]
    if not passed:
        return None
    place = costs.index(passed[0])
    other = place - 1 if up else place + 1
    if not 0 <= other < len(costs):
        return float(passed[0])
    a, b = sorted((passed[0], costs[other]))
    above, below = end(played[a]), end(played[b])
    return _between(a, above, b, below) if above > 0 >= below or above >= 0 > below else float(passed[0])


def _between(low: int, above: float, high: int, below: float) -> float:
    """Return where a line from above 0 at `low` to at most 0 at `high` crosses 0."""
    return low + (high - low) * above / (above - below)
