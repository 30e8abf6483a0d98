"""Thresholds: the range in which the designers of a game accept a metric, and why.

They are data, written before anything is judged: `thresholds.toml` beside the game's catalog, and files of a
user laid over it in the same form. Each end of a range has a class: a metric beyond it breaks the game, or
bends it. A metric without a threshold is shown and not judged. A user can accept findings: they stay listed,
and the verdict is taken without them.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, ClassVar, Final, TypeVar

from pydantic import AfterValidator, Field, PlainValidator, ValidationInfo, field_validator

from balance.dataset.measures import metrics_of
from balance.errors import UsageError
from balance.games import tomlfile
from balance.games.contract import Accepting, Facts, Game
from balance.games.forms import Form, number, read, text, word
from balance.games.tomlfile import Problems, RawEntry
from balance.measure.metrics import Measurement, Name
from balance.nearest import unknown

_KIND: Final = "threshold"
_ACCEPT: Final = "accept"
_ENDS: Final = ("low", "high")
_MOST: Final = 1_000_000.0
_LONGEST: Final = 300

T = TypeVar("T")


class Class(StrEnum):
    """The effect of a metric beyond one end of its range on the game."""

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
    def of_base(self) -> bool:
        """Whether it is a multiple of the game without variants."""
        return self.metric.endswith("_ratio")

    @property
    def classes(self) -> list[Class]:
        """The classes of the lower and the upper end, as far as there are such ends."""
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

    def covers(self, measured: Measurement | Name, *, upper: bool) -> bool:
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
    accepted: tuple[Accepted, ...] = ()

    def of(self, measured: Measurement | Name) -> Threshold | None:
        """Return the threshold of a measurement: that of the very thing before that of the metric."""
        return self._known.get(measured.name) or self._known.get(measured.metric.name)

    def accepts(self, measured: Measurement | Name, *, upper: bool) -> bool:
        """Return whether a user accepts what is found at one end of the range of a metric."""
        return any(one.covers(measured, upper=upper) for one in self.accepted)

    def wanted(self, *, variants: bool) -> tuple[str, ...]:
        """Return the metrics that a verdict of *fine* must have looked at: judged, and not accepted anyway.

        The game without `variants` is not compared with itself.
        """
        allowed = {(one.metric, one.end) for one in self.accepted if not one.of}

        def accepted(entry: Threshold) -> bool:
            ends = [
                end for end, bound in zip(_ENDS, (entry.low, entry.high), strict=True) if bound is not None
            ]
            return all({(entry.metric, ""), (entry.metric, end)} & allowed for end in ends)

        asked = (t for t in self.entries if (variants or not t.of_base) and not accepted(t))
        return tuple(dict.fromkeys(threshold.metric for threshold in asked))

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
    forms = [read(_ThresholdForm, entry, problems, game.facts) for entry in entries if entry.kind == _KIND]
    accepted += [
        read(_AcceptForm, entry, problems, game.facts).id for entry in entries if entry.kind == _ACCEPT
    ]
    problems.raise_if_any()
    if not forms:
        raise UsageError("there is no threshold left to judge by")
    return Thresholds(tuple(Threshold(**dict(form)) for form in forms), own, tuple(dict.fromkeys(accepted)))


def accepted_findings(text: str, facts: Facts) -> Accepted:
    """Return what `--accept` names; UsageError if there is no such metric, thing or end.

    >>> from balance import games
    >>> accepted_findings("action:work:low", games.get("nefarious").facts)
    Accepted(metric='action', of='work', end='low')
    """
    try:
        return _accepted(text, facts)
    except ValueError as error:
        raise UsageError(f"accept {text}: {error}", parameter="accept") from None


def _accepted(text: str, facts: Facts) -> Accepted:
    name, colon, end = text.rpartition(":")
    if not colon or end not in _ENDS:
        name, end = text, ""
    metric, _, of = _known_id(name, facts).partition(":")
    return Accepted(metric, of, end)


def _known_id(name: str, facts: Facts) -> str:
    kind, colon, of = name.partition(":")
    known = metrics_of(facts)
    if kind not in known:
        raise ValueError(f"{unknown('metric', kind, list(known))} (metrics: {', '.join(known)})")
    if colon and not known[kind].things and kind != "item":
        raise ValueError(f"the metric {kind} is one number; write {kind}")
    if colon and of not in known[kind].things and not (kind == "item" and of.isdigit()):
        raise ValueError(unknown(kind, of, list(known[kind].things)))
    return name


# --- what files hold


def _in_file(check: Callable[[str, Facts], T]) -> PlainValidator:
    """Read an id by the facts of the game."""
    return PlainValidator(lambda value, info: check(str(value), info.context))


_Bound = Annotated[float, number(-_MOST, _MOST)] | None
_Class = Annotated[Class, word(tuple(Class)), AfterValidator(Class)]


class _AcceptForm(Form):
    stand_ins: ClassVar = {"id": Accepted("")}

    id: Annotated[Accepted, _in_file(_accepted)]
    reason: Annotated[str, text(_LONGEST, empty=True, markup=True)] = ""


class _ThresholdForm(Form):
    stand_ins: ClassVar = {"id": "", "reason": "?"}

    id: Annotated[str, _in_file(_known_id)]
    low: _Bound = None
    high: _Bound = Field(default=None, validate_default=True)
    class_low: _Class = Class.BREAKS
    class_high: _Class = Class.BREAKS
    reason: Annotated[str, text(_LONGEST, markup=True)]

    @field_validator("high")
    @classmethod
    def _above_low(cls, high: float | None, info: ValidationInfo) -> float | None:
        low = info.data.get("low", -_MOST)  # the lowest if it is wrong, which was noted
        if low is None and high is None:
            raise ValueError("missing; a threshold has low, high or both")
        if low is not None and high is not None and low >= high:
            raise ValueError(f"must be above low ({low:g}), found {high:g}")
        return high

    @field_validator("class_low", "class_high")
    @classmethod
    def _of_an_end(cls, class_: Class, info: ValidationInfo) -> Class:
        end = str(info.field_name).removeprefix("class_")
        if end in info.data and info.data[end] is None:
            raise ValueError(f"the threshold has no {end} end")
        return class_
