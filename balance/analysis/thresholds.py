"""Thresholds: the range in which the designers of a game accept a metric, and why.

They are data, written before anything is judged: `thresholds.toml` beside the game's catalog, and files of a
user laid over it in the same form. A metric without a threshold is shown and not judged.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from balance.analysis.cells import DEFICITS
from balance.analysis.metrics import METRICS, Measurement, Metric, metric
from balance.errors import UsageError
from balance.games import tomlfile
from balance.games.contract import Accepting, Facts, Game
from balance.games.tomlfile import Entry, Fields, Problems
from balance.suggest import unknown

__all__ = ["Threshold", "Thresholds", "load_thresholds"]

_KIND: Final = "threshold"
_FIELDS: Final = ("id", "low", "high", "reason")
_MOST: Final = 1_000_000.0
_LONGEST: Final = 300


@dataclass(frozen=True, slots=True)
class Threshold:
    """The values of a metric that are accepted, ends included."""

    id: str
    """A metric, `action`, or a metric of one thing, `action:work`."""
    low: float | None
    high: float | None
    reason: str

    @property
    def metric(self) -> Metric:
        """The metric that it is about."""
        return metric(self.id.partition(":")[0])

    def moved(self, factor: float) -> Threshold:
        """Return it with its margins so many times as wide: 1.2 accepts more, 0.8 less.

        Where a metric has a neutral value the margin is the distance from it: 1.1 win points become 1.12. For
        multiples it is counted in factors: twice as long becomes 2^1.2 times as long.

        >>> Threshold("stalls", None, 0.01, "").moved(1.2).high
        0.012
        >>> round(Threshold("length_ratio", 0.5, 2.0, "").moved(1.2).high, 3)
        2.297
        """
        return replace(self, low=self._moved(self.low, factor, -1), high=self._moved(self.high, factor, 1))

    def _moved(self, bound: float | None, factor: float, side: int) -> float | None:
        if bound is None:
            return None
        neutral = self.metric.neutral
        if neutral is None:
            return bound * (factor if side > 0 else 2 - factor)
        if self.id.partition(":")[0].endswith("_ratio") and bound > 0:
            return float(bound**factor)
        return neutral + (bound - neutral) * factor

    def __str__(self) -> str:
        low, high = (None if bound is None else f"{bound:g}" for bound in (self.low, self.high))
        if low is None:
            return f"at most {high}"
        return f"at least {low}" if high is None else f"{low} to {high}"


@dataclass(frozen=True)
class Thresholds:
    """All thresholds that a judgement goes by."""

    entries: tuple[Threshold, ...]
    overlays: tuple[Path, ...] = ()
    """The files of a user that were laid over the official ones."""

    def of(self, measured: Measurement) -> Threshold | None:
        """Return the threshold of a measurement: that of the very thing before that of the metric."""
        return self._known.get(measured.name) or self._known.get(measured.metric.name)

    @cached_property
    def _known(self) -> dict[str, Threshold]:
        return {entry.id: entry for entry in self.entries}

    def moved(self, name: str, factor: float) -> Thresholds:
        """Return the same with one threshold moved."""
        entries = tuple(entry.moved(factor) if entry.id == name else entry for entry in self.entries)
        return replace(self, entries=entries)


def load_thresholds(game: Game[Any, Any], overlays: Iterable[str | Path] = ()) -> Thresholds:
    """Read the thresholds of a game and lay files over them; CatalogError with every problem."""
    own = tuple(Path(path) for path in overlays)
    paths = [*([game.thresholds_file()] if isinstance(game, Accepting) else []), *own]
    if not paths:
        raise UsageError(f"{game.facts.title} has no thresholds; give a file of your own")
    problems = Problems()
    entries: list[Entry] = []
    for path in paths:
        document = tomlfile.read_toml(path, problems)
        found = tomlfile.entries_of(document, str(path), [_KIND], problems)
        entries = tomlfile.merge(entries, found, problems)
    read = [_read(entry, game.facts, problems) for entry in entries]
    problems.raise_if_any()
    if not read:
        raise UsageError("there is no threshold left to judge by")
    return Thresholds(tuple(read), own)


def _read(entry: Entry, facts: Facts, problems: Problems) -> Threshold:
    fields = Fields(entry, problems, _FIELDS)
    problem = _id_problem(entry.id, facts)
    if problem:
        fields.wrong("id", problem)
    low, high = (fields.number(name, -_MOST, _MOST) for name in ("low", "high"))
    if low is None and high is None:
        fields.wrong("low", "missing; a threshold has low, high or both")
    if low is not None and high is not None and low >= high:
        fields.wrong("high", f"must be above low ({low:g}), found {high:g}")
    reason = fields.text("reason", _LONGEST, required=True, markup=True)
    return Threshold(str(entry.id), low, high, reason)


def _id_problem(name: Any, facts: Facts) -> str:
    """Return why an id names nothing that can be judged, or nothing."""
    kind, colon, of = str(name).partition(":")
    known = [metric.name for metric in METRICS]
    if kind not in known:
        return f"{unknown('metric', kind, known)} (metrics: {', '.join(known)})"
    if kind == "item" and of.isdigit():
        return ""
    things = _things(facts).get(kind)
    if colon and things is None:
        return f"the metric {kind} is one number; write {kind}"
    if colon and things is not None and of not in things:
        return unknown(kind, of, list(things))
    return ""


def _things(facts: Facts) -> dict[str, Sequence[str]]:
    """Return what metrics of several numbers are of."""
    return {
        "action": facts.actions,
        "seat": [str(seat) for seat in range(facts.players[1])],
        "win_points": facts.policies,
        "neighbour": facts.policies,
        "comeback": [str(low) for low, _ in DEFICITS],
        "item": (),
    }
