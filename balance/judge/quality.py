"""The quality of the play behind a verdict: how much a best reply gains against the players that were judged.

A verdict is about the game only as far as nobody could play much better: where a best reply may gain more
than `MOST` win points, no verdict is *fine* or *bent*. Gains are measured beforehand and shipped as
`data/<game>/replies.json`; nothing is played here. Where none is known verdicts stay; reports show that.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

from balance.dataset.run import Run
from balance.dataset.stamp import run_stamp
from balance.errors import DataError
from balance.resources import shipped

REPLIES_FILE: Final = "replies.json"
MOST: Final = 0.3
"""Win points above a fair share that a best reply may gain at most, at the upper end of the interval."""

Key = tuple[int, tuple[str, ...]]
"""The players and variants that a verdict is about."""


@dataclass(frozen=True, slots=True)
class Quality:
    """The win points above a fair share that a best reply gains, with their interval."""

    gain: float
    low: float
    high: float
    source: Literal["measured", "predicted"]

    @property
    def poor(self) -> bool:
        """Whether a best reply may gain too much for a verdict to rest on this play."""
        return self.high > MOST


@dataclass(frozen=True)
class Qualities:
    """The known quality of play, by players and variants."""

    measured: Mapping[Key, Quality]
    predicted: Quality | None = None
    """The quality where none was measured; None if it is not known."""

    def of(self, key: Key) -> Quality | None:
        """Return the quality of the play behind a verdict; None if it is not known."""
        return self.measured.get(key, self.predicted)


NOTHING_KNOWN: Final = Qualities({})


def load_qualities(runs: Sequence[Run], path: Path | None = None) -> Qualities:
    """Return what ships about the play in runs; nothing if it was measured with another engine or catalog."""
    run = runs[0]
    file = path or shipped(run.game.name, REPLIES_FILE)
    if file is None or not file.is_file() or run.plan.edition != run.game.facts.default_edition:
        return NOTHING_KNOWN
    from pydantic import TypeAdapter

    try:
        raw = json.loads(file.read_bytes())
        cells = [dict(cell, variants=cell[run.game.facts.variants]) for cell in raw["cells"]]
        replies = TypeAdapter(list[_Reply]).validate_python(cells)
    except (OSError, ValueError, KeyError, TypeError) as error:  # pydantic's are ValueErrors
        raise DataError(f"{file}: not gains of best replies: {error!r}") from error
    if any(raw.get("stamp", {}).get(name) != now for name, now in run_stamp(run.game, run.plan).items()):
        return NOTHING_KNOWN
    found: dict[Key, Quality] = {}
    for one in replies:
        key = one.players, tuple(sorted(one.variants))
        made = Quality(one.gain, one.low, one.high, "measured")
        found[key] = max(found.get(key, made), made, key=lambda quality: quality.gain)
    told = raw.get("prediction") or {}
    predicted = None
    if {"gain", "low", "high"} <= set(told):
        predicted = Quality(told["gain"], told["low"], told["high"], "predicted")
    return Qualities(found, predicted)


@dataclass(frozen=True, slots=True)
class _Reply:
    """The gain of one best reply; other fields of the file are for readers."""

    players: int
    variants: tuple[str, ...]
    gain: float
    low: float
    high: float


def columns(quality: Quality | None) -> dict[str, Any]:
    """Return the quality of play as columns of a record."""
    return {
        "reply_gain": quality and quality.gain,
        "reply_low": quality and quality.low,
        "reply_high": quality and quality.high,
        "reply_source": quality and quality.source,
    }


def quality_sentence(quality: Quality | None) -> str:
    """Return how good the play behind a verdict is.

    >>> quality_sentence(Quality(0.05, 0.02, 0.08, "measured"))
    'A best reply gains 0.05 (0.02 to 0.08) win points here.'
    >>> quality_sentence(Quality(0.3, 0.2, 0.4, "predicted"))
    'A best reply may gain up to 0.40 here, as predicted: the play behind this is not good enough.'
    """
    if quality is None:
        return "How much a best reply gains here was not measured."
    said = "here, as predicted" if quality.source == "predicted" else "here"
    if quality.poor:
        return (
            f"A best reply may gain up to {quality.high:.2f} {said}: the play behind this is not good enough."
        )
    gain, low, high = (f"{end:.2f}" for end in (quality.gain, quality.low, quality.high))
    return f"A best reply gains {gain} ({low} to {high}) win points {said}."
