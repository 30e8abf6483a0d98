"""The quality of the play behind a verdict: how much a best reply gains against the players that were judged.

A verdict is about the game only as far as nobody could play much better: where a best reply may gain more
than `MOST` win points, no verdict is *fine* or *bent*. Gains of some cells are measured beforehand and
shipped as `data/<game>/replies.json`, with regressions that predict those of all others from the number of
players, the rules in force and, where one was played, the gain of a cheap probe. Nothing is played here.
Where nothing is known verdicts stay; reports show that.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal

from balance.dataset.run import Run
from balance.dataset.stamp import run_stamp
from balance.errors import DataError
from balance.games.contract import Featured
from balance.resources import shipped
from balance.stats.ridge import Ridge

REPLIES_FILE: Final = "replies.json"
MOST: Final = 0.3
"""Win points above a fair share that a best reply may gain at most, at the upper end of the interval."""

Key = tuple[int, tuple[str, ...]]


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


@dataclass(frozen=True, slots=True)
class Probed:
    """What the best of some other policies gains in the place of one default player."""

    gain: float
    low: float


@dataclass(frozen=True, slots=True)
class Prediction:
    """Regressions of the gain of a best reply, made by `scripts/measure_replies.py`."""

    rules: Ridge
    probe: Ridge

    def of(self, features: Mapping[str, float], probed: Probed | None) -> Quality:
        """Return the predicted quality; a best reply gains at least nothing, and what a probe has gained."""
        if probed is None:
            found, least = self.rules.predict(features), 0.0
        else:
            found, least = self.probe.predict({**features, "probe": probed.gain}), max(0.0, probed.low)
        gain, low, high = (max(least, figure) for figure in found)
        return Quality(gain, low, high, "predicted")


def features_of(run: Run, key: Key) -> dict[str, float]:
    """Return what a prediction rests on, without a probe."""
    players, variants = key
    assert isinstance(run.game, Featured)
    return {"players": float(players), **run.game.rule_features(run.catalog, run.plan.edition, variants)}


@dataclass(frozen=True)
class Qualities:
    """The known quality of play, by players and variants."""

    measured: Mapping[Key, Quality]
    prediction: Prediction | None = None
    run: Run | None = None
    probed: Mapping[Key, Probed] = field(default_factory=dict)

    def of(self, key: Key) -> Quality | None:
        """Return the quality of the play behind a verdict; None if it is not known."""
        if key in self.measured or self.prediction is None or self.run is None:
            return self.measured.get(key)
        return self.prediction.of(features_of(self.run, key), self.probed.get(key))


NOTHING_KNOWN: Final = Qualities({})


def load_qualities(
    runs: Sequence[Run], probed: Mapping[Key, Probed] | None = None, path: Path | None = None
) -> Qualities:
    """Return what ships about the play in runs; nothing if it was measured with another engine or players.

    What was measured holds for the catalog and edition that it was measured with; for others it is predicted.
    """
    run = runs[0]
    file = path or shipped(run.game.name, REPLIES_FILE)
    if file is None or not file.is_file():
        return NOTHING_KNOWN
    from pydantic import TypeAdapter

    try:
        raw = json.loads(file.read_bytes())
        figures = {
            (cell["players"], tuple(sorted(cell[run.game.facts.variants]))): {
                "gain": cell["gain"], "low": cell["low"], "high": cell["high"], "source": "measured"
            }
            for cell in raw["cells"]
        }  # fmt: skip
        measured = TypeAdapter(dict[Key, Quality]).validate_python(figures)
        prediction = TypeAdapter(Prediction | None).validate_python(raw.get("prediction"))
    except (OSError, ValueError, KeyError, TypeError) as error:  # pydantic's are ValueErrors
        raise DataError(f"{file}: not gains of best replies: {error!r}") from error
    now = run_stamp(run.game, run.plan)
    stale = {name for name in now if raw.get("stamp", {}).get(name) != now[name]}
    if stale - {"catalog"}:
        return NOTHING_KNOWN
    if stale or run.plan.edition != run.game.facts.default_edition:
        measured = {}
    return Qualities(measured, prediction if isinstance(run.game, Featured) else None, run, probed or {})


def columns(quality: Quality | None) -> dict[str, Any]:
    """Return the quality of play as columns of a record."""
    names = ("gain", "low", "high", "source")
    return {f"reply_{name}": quality and getattr(quality, name) for name in names}


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
