"""Findings as sentences that a designer understands: what happens, in numbers, and what would be accepted.

Words only; nothing is computed or judged here. A metric without words of its own is told by its title.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Final

from balance.analysis.intervals import Interval
from balance.analysis.metrics import Measurement
from balance.analysis.verdict import TOO_MANY, Finding

__all__ = ["finding_sentence", "measured_sentence", "needed_sentence", "percent"]

Words = Callable[[str, str], str]
"""From what a metric is of and the figure with its interval to a sentence without its full stop."""

_SHARES: Final = (
    "stalls", "tie_extensions", "no_lead_change", "half_leader", "comeback", "action", "exhaustion", "luck",
)  # fmt: skip
_ROUNDS: Final = ("length", "length_short", "length_long")

_WORDS: Final[dict[str, Words]] = {
    "length": lambda _, x: f"Games last {x} rounds (median)",
    "length_short": lambda _, x: f"One game in twenty is over within {x} rounds",
    "length_long": lambda _, x: f"One game in twenty lasts {x} rounds or more",
    "length_ratio": lambda _, x: f"Games last {x} times as long as without",
    "stalls": lambda _, x: f"Nobody wins {x} of the games",
    "tie_extensions": lambda _, x: f"{x} of the games go on after somebody has reached the goal",
    "win_points": lambda of, x: f"{of} gets {x} win points among the others (1 is fair)",
    "skill": lambda _, x: f"A player who weighs the options gets {x} win points among the others (1 is fair)",
    "luck": lambda _, x: f"The deal decides {x} of who wins",
    "seat": lambda of, x: f"Seat {of} gets {x} win points (1 is fair)",
    "neighbour": lambda of, x: f"Sitting beside {of} wins {x} times as often as chance",
    "no_lead_change": lambda _, x: f"In {x} of the games the lead never changes hands",
    "half_leader": lambda _, x: f"Who leads alone at half-time wins {x} of the games",
    "comeback": lambda of, x: (
        f"Who is {of} points or a little more behind at half-time wins {x} of the games"
    ),
    "action": lambda of, x: f"{of.capitalize()} is {x} of all choices",
    "money": lambda _, x: f"Players end with {x} money",
    "money_ratio": lambda _, x: f"Players end with {x} times the money they have without",
    "hand": lambda _, x: f"Players end with {x} cards in hand",
    "hand_ratio": lambda _, x: f"Players end with {x} times the cards in hand they have without",
    "item": lambda of, x: f"A seat that was dealt {of} gets {x} win points (1 is fair)",
    "exhaustion": lambda _, x: f"The deck runs out in {x} of the games",
}


def percent(value: float, near: float | None = None) -> str:
    """Return a share in percent, with as many digits as `near`, the figure that it stands beside, has.

    >>> percent(0.1234), percent(0.0123), percent(0.1234, near=0.0961)
    ('12%', '1.2%', '12.3%')
    """
    plain = 0.1 <= (value if near is None else near) <= 0.9 or value in (0, 1)
    return f"{value:.0%}" if plain else f"{value:.1%}"


def _number(metric: str, value: float, near: float | None = None) -> str:
    """Return a number in words, with as many digits as `near`, the figure that it stands beside, has."""
    if metric in _SHARES:
        return percent(value, near)
    if metric in _ROUNDS:
        return f"{value:.0f}"
    return f"{value:.2f}" if abs(value) < 10 else f"{value:.0f}"


def _figure(metric: str, interval: Interval) -> str:
    value, low, high = (_number(metric, end, interval.value) for end in interval)
    return f"{value} ({low} to {high})"


def measured_sentence(
    measured: Measurement, base: Measurement | None = None, items: Mapping[str, str] | None = None
) -> str:
    """Return a metric of a cell as a sentence, beside that without variants if it is given.

    `items` has the names of items by id.
    """
    name = measured.metric.name
    of = (items or {}).get(measured.of, measured.of) if name == "item" else measured.of
    words = _WORDS.get(name)
    figure = _figure(name, measured.estimate.interval)
    if words is None:
        told = measured.metric.title + (f" ({of})" if of else "")
        said = f"{told}: {figure}"
    else:
        said = words(of, figure)
    if base is None or name.endswith("_ratio"):
        return said
    return f"{said}; without: {_number(name, base.estimate.interval.value)}"


def finding_sentence(
    finding: Finding, base: Measurement | None = None, items: Mapping[str, str] | None = None
) -> str:
    """Return a finding as a sentence with what would be accepted.

    "Games last 4 (4 to 4) rounds (median); without: 13. Accepted: at least 5."
    """
    name = finding.measured.metric.name
    bound = _number(name, finding.bound)
    accepted = f"at most {bound}" if finding.upper else f"at least {bound}"
    return f"{measured_sentence(finding.measured, base, items)}. Accepted: {accepted}."


def needed_sentence(further: float) -> str:
    """Return how many more games would settle a verdict, in words.

    >>> needed_sentence(123_456), needed_sentence(float("inf"))
    ('About 130,000 more games would tell.', 'Too close to call.')
    """
    if not math.isfinite(further) or further > TOO_MANY:
        return "Too close to call."
    size = int(10 ** max(0, len(str(int(further))) - 2))
    return f"About {math.ceil(further / size) * size:,} more games would tell."
