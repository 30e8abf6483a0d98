"""Thresholds: the range in which the designers of a game accept a metric, and why.

They are data, written before anything is judged: `thresholds.toml` beside the game's catalog, and files of a
user laid over it in the same form. Each end of a range has a class: a metric beyond it breaks the game, or
bends it. A metric without a threshold is shown and not judged. A user can accept findings: they stay listed,
and the verdict is taken without them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from balance.dataset.measures import metrics_of
from balance.errors import UsageError
from balance.games import tomlfile
from balance.games.contract import Accepting, Facts, Game
from balance.games.tomlfile import Fields, Problems, RawEntry
from balance.measure.metrics import Measurement
from balance.suggest import unknown

_KIND: Final = "threshold"
_ACCEPT: Final = "accept"
_FIELDS: Final = ("id", "low", "high", "class_low", "class_high", "reason")
_ENDS: Final = ("low", "high")
_MOST: Final = 1_000_000.0
_LONGEST: Final = 300


class Class(StrEnum):
    """What a metric beyond one end of its range does to the game."""

    BREAKS = "breaks"
    """It cannot be played as meant."""
    BENDS = "bends"
    """It is another game, but it works."""


@dataclass(frozen=True, slots=True)
class Threshold:
    """The values of a metric that are accepted, ends included."""

    id: str
    """A metric, `action`, or a metric of one thing, `action:work`."""
    low: float | None
    high: float | None
    reason: str
    class_low: Class = Class.BREAKS
    class_high: Class = Class.BREAKS

    @property
    def metric(self) -> str:
        """The name of the metric that it is about."""
        return self.id.partition(":")[0]

    @property
    def classes(self) -> list[Class]:
        """What a metric does beyond its lower and its upper end, as far as there are."""
        ends = ((self.low, self.class_low), (self.high, self.class_high))
        return [kind for bound, kind in ends if bound is not None]

    def __str__(self) -> str:
        low, high = (None if bound is None else f"{bound:g}" for bound in (self.low, self.high))
        if low is None:
            return f"at most {high}"
        return f"at least {low}" if high is None else f"{low} to {high}"


@dataclass(frozen=True, slots=True)
class Accepted:
    """Findings that a user accepts: of a metric, or of one thing; at both ends, or at one."""

    metric: str
    of: str = ""
    end: str = ""
    """`low`, `high`, or nothing for both."""

    def covers(self, measured: Measurement, *, upper: bool) -> bool:
        """Return whether a finding is accepted."""
        return (
            self.metric == measured.metric.name
            and self.of in ("", measured.of)
            and self.end in ("", _ENDS[upper])
        )

    def __str__(self) -> str:
        return ":".join(part for part in (self.metric, self.of, self.end) if part)


@dataclass(frozen=True)
class Thresholds:
    """All thresholds that a judgement goes by."""

    entries: tuple[Threshold, ...]
    overlays: tuple[Path, ...] = ()
    """The files of a user that were laid over the official ones."""
    accepted: tuple[Accepted, ...] = ()

    def of(self, measured: Measurement) -> Threshold | None:
        """Return the threshold of a measurement: that of the very thing before that of the metric."""
        return self._known.get(measured.name) or self._known.get(measured.metric.name)

    def accepts(self, measured: Measurement, *, upper: bool) -> bool:
        """Return whether a user accepts what is found at one end of the range of a metric."""
        return any(one.covers(measured, upper=upper) for one in self.accepted)

    @cached_property
    def _known(self) -> dict[str, Threshold]:
        return {entry.id: entry for entry in self.entries}


def load_thresholds(
    game: Game[Any, Any], overlays: Iterable[str | Path] = (), accept: Iterable[str] = ()
) -> Thresholds:
    """Read the thresholds of a game and lay files over them; CatalogError with every problem.

    `accept` names findings that are accepted, beside those of the files: `action`, `action:work:low`.
    """
    accepted = [accepted_findings(text, game.facts) for text in accept]
    own = tuple(Path(path) for path in overlays)
    paths = [*([game.thresholds_file()] if isinstance(game, Accepting) else []), *own]
    if not paths:
        raise UsageError(f"{game.facts.title} has no thresholds; give a file of your own")
    problems = Problems()
    entries: list[RawEntry] = []
    for path in paths:
        document = tomlfile.read_toml(path, problems)
        found = tomlfile.entries_of(document, str(path), [_KIND, _ACCEPT], problems)
        entries = tomlfile.merge(entries, found, problems)
    read = [_read(entry, game.facts, problems) for entry in entries if entry.kind == _KIND]
    accepted += [_read_accepted(entry, game.facts, problems) for entry in entries if entry.kind == _ACCEPT]
    problems.raise_if_any()
    if not read:
        raise UsageError("there is no threshold left to judge by")
    return Thresholds(tuple(read), own, tuple(dict.fromkeys(accepted)))


def accepted_findings(text: str, facts: Facts) -> Accepted:
    """Return what `--accept` names; UsageError if there is no such metric, thing or end.

    >>> from balance import games
    >>> accepted_findings("action:work:low", games.get("nefarious").facts)
    Accepted(metric='action', of='work', end='low')
    """
    name, colon, end = text.rpartition(":")
    if not colon or end not in _ENDS:
        name, end = text, ""
    problem = _id_problem(name, facts)
    if problem:
        raise UsageError(f"accept {text}: {problem}", parameter="accept")
    metric, _, of = name.partition(":")
    return Accepted(metric, of, end)


def _read_accepted(entry: RawEntry, facts: Facts, problems: Problems) -> Accepted:
    fields = Fields(entry, problems, ("id", "reason"))
    fields.text("reason", _LONGEST, required=False, markup=True)
    try:
        return accepted_findings(str(entry.id), facts)
    except UsageError as error:
        fields.wrong("id", str(error))
        return Accepted(str(entry.id))


def _read(entry: RawEntry, facts: Facts, problems: Problems) -> Threshold:
    fields = Fields(entry, problems, _FIELDS)
    problem = _id_problem(entry.id, facts)
    if problem:
        fields.wrong("id", problem)
    low, high = (fields.number(name, -_MOST, _MOST) for name in ("low", "high"))
    if low is None and high is None:
        fields.wrong("low", "missing; a threshold has low, high or both")
    if low is not None and high is not None and low >= high:
        fields.wrong("high", f"must be above low ({low:g}), found {high:g}")
    classes = [_class(fields, f"class_{end}", bound) for end, bound in zip(_ENDS, (low, high), strict=True)]
    reason = fields.text("reason", _LONGEST, required=True, markup=True)
    return Threshold(str(entry.id), low, high, reason, classes[0], classes[1])


def _class(fields: Fields, name: str, bound: float | None) -> Class:
    """Return the class of one end of a range: *breaks* where none is given."""
    given = fields.word(name, [one.value for one in Class], Class.BREAKS.value)
    if bound is None and fields.raw(name) is not None:
        fields.wrong(name, f"the threshold has no {name.removeprefix('class_')} end")
    return Class(given)


def _id_problem(name: Any, facts: Facts) -> str:
    """Return why an id names nothing that can be judged, or nothing."""
    kind, colon, of = str(name).partition(":")
    known = metrics_of(facts)
    if kind not in known:
        return f"{unknown('metric', kind, list(known))} (metrics: {', '.join(known)})"
    if kind == "item" and of.isdigit():
        return ""
    if colon and not known[kind].several:
        return f"the metric {kind} is one number; write {kind}"
    if colon and of not in known[kind].things:
        return unknown(kind, of, list(known[kind].things))
    return ""
