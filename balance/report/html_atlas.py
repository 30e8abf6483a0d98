"""The atlas as data for the page's script: the numbers of the model, written short.

The full space is some half a million numbers. A column of them is a text of whole numbers to the base 36,
nothing where nothing is known; ends of intervals are distances from their value.
Ids of games stay as they are, but as text: a browser's numbers are too short for them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any, Final

from balance.report.model import SCALE, VERDICT_CODES, Atlas, AtlasView, Phrase, Report, Scaled

__all__ = ["atlas_data"]


def atlas_data(atlas: Atlas, report: Report) -> dict[str, Any]:
    """Return what `static/atlas.js` reads."""
    return {
        "title": report.title,
        "game": report.game,
        "words": dict(report.words),
        "scale": SCALE,
        "codes": dict(VERDICT_CODES),
        "variants": [[variant.id, variant.name, variant.rule] for variant in atlas.variants],
        "pairs": atlas.pairs,
        "metrics": [
            {
                "id": metric.id,
                "title": metric.title,
                "help": metric.help,
                "kind": metric.kind,
                "neutral": metric.neutral,
                "low": metric.low,
                "high": metric.high,
            }
            for metric in atlas.metrics
        ],
        "players": list(atlas.players),
        "lineups": [list(lineup) for lineup in atlas.lineups],
        "views": [_view(view) for view in atlas.views],
        "overall": {str(players): codes for players, codes in atlas.overall.items()},
        "plain": [
            {name: list(map(_finite, three)) for name, three in plain.items()} for plain in atlas.plain
        ],
        "plainLengths": [list(lengths) for lengths in atlas.plain_lengths],
        "bins": [list(ends) for ends in atlas.length_bins],
        "policies": list(atlas.policies),
        "interactions": [list(measure) for measure in atlas.interactions],
        "templates": list(atlas.templates),
        "replay": atlas.replay,
        "sql": atlas.sql,
    }


def _view(view: AtlasView) -> dict[str, Any]:
    return {
        "players": view.players,
        "lineup": view.lineup,
        "strength": view.strength,
        "cells": _column(view.cells),
        "games": _column(view.games),
        "verdicts": view.verdicts,
        "values": _all_scaled(view.values),
        "lengths": [_counts(lengths) for lengths in view.lengths],
        "styles": _all_scaled(view.styles),
        "interactions": _all_scaled(view.interactions),
        "sure": dict(view.sure),
        "replays": [None if game is None else str(game) for game in view.replays],
        "reasons": ["\n".join(map(_phrase, phrases)) for phrases in view.reasons],
    }


def _all_scaled(columns: Mapping[str, Scaled]) -> dict[str, list[str]]:
    return {name: _scaled(scaled) for name, scaled in columns.items()}


def _scaled(scaled: Scaled) -> list[str]:
    """Return values, how far below them the intervals begin, and how far above them they end."""
    below = [_minus(value, low) for value, low in zip(scaled.values, scaled.lows, strict=True)]
    above = [_minus(high, value) for value, high in zip(scaled.values, scaled.highs, strict=True)]
    return [_column(scaled.values), _column(below), _column(above)]


def _finite(number: float) -> float | None:
    """Return a number that JSON knows; the end of an open interval is none."""
    return number if math.isfinite(number) else None


def _minus(a: int | None, b: int | None) -> int | None:
    return None if a is None or b is None else a - b


def _column(numbers: Sequence[int | None]) -> str:
    """Return a column as a text; what comes again at once is told once, with how often.

    >>> _column([71, None, -35, -35]), _column([450] * 40)
    ('1z  -z -z', 'ci*14')
    """
    words = []
    for number, run in groupby(numbers):
        word, times = _base36(number), len(list(run))
        words += [f"{word}*{_base36(times)}"] if times > 2 else [word] * times
    return " ".join(words)


def _counts(counts: Sequence[int]) -> str:
    """Return counts as a column without the zeros at its end."""
    used = max((k + 1 for k, count in enumerate(counts) if count), default=0)
    return " ".join(map(_base36, counts[:used]))


_DIGITS: Final = "0123456789abcdefghijklmnopqrstuvwxyz"


def _base36(number: int | None) -> str:
    if number is None:
        return ""
    rest, digits = abs(number), ""
    while True:
        rest, digit = divmod(rest, 36)
        digits = _DIGITS[digit] + digits
        if not rest:
            return f"-{digits}" if number < 0 else digits


def _phrase(phrase: Phrase) -> str:
    """Return a phrase as a text: the template, and the words after tabs."""
    words = (word.replace("\t", " ").replace("\n", " ") for word in phrase.words)
    return "\t".join((str(phrase.template), *words))
