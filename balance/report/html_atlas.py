"""The atlas as data for the page's script: the numbers of the model, written short.

The full space is some half a million numbers, and a page that is mailed should be small. A column of them is
one text: whole numbers to the base 42 without anything between them, since the last digit of a number is of
another alphabet than the others. Ends of intervals are written as distances from their value, and as most
intervals reach as far up as down, the upper one as how much farther. `static/atlas.js` reads it back; ids of
games stay exact there too, which a browser's usual numbers would not be.
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
        "lengths": [_column(lengths) for lengths in view.lengths],
        "styles": _all_scaled(view.styles),
        "interactions": _all_scaled(view.interactions),
        "sure": dict(view.sure),
        "replays": _column(view.replays),
        "reasons": ["\n".join(map(_phrase, phrases)) for phrases in view.reasons],
    }


def _all_scaled(columns: Mapping[str, Scaled]) -> dict[str, list[str]]:
    return {name: _scaled(scaled) for name, scaled in columns.items()}


def _scaled(scaled: Scaled) -> list[str]:
    """Return values, how far below them the intervals begin, and how much farther above them they end."""
    below = [_minus(value, low) for value, low in zip(scaled.values, scaled.lows, strict=True)]
    above = [_minus(high, value) for value, high in zip(scaled.values, scaled.highs, strict=True)]
    farther = [up if down is None else _minus(up, down) for up, down in zip(above, below, strict=True)]
    return [_column(scaled.values), _column(below), _column(farther)]


def _finite(number: float) -> float | None:
    """Return a number that JSON knows; the end of an open interval is none."""
    return number if math.isfinite(number) else None


def _minus(a: int | None, b: int | None) -> int | None:
    return None if a is None or b is None else a - b


def _column(numbers: Sequence[int | None]) -> str:
    """Return a column as a text; what comes again at once is told once, with how often.

    >>> _column([0, 1, -1, 21, None]), _column([450] * 40)
    ('021B0~', 'Vi*(')
    """
    words = []
    for number, run in groupby(numbers):
        word, times = _written(number), len(list(run))
        again = f"{word}*{_digits(times)}"
        words.append(again if len(again) < len(word) * times else word * times)
    return "".join(words)


LAST: Final = "0123456789abcdefghijklmnopqrstuvwxyz!#$%()"
BEFORE: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ+,-./:;=>?@[]^_`"
"""The digits of a number: the last one, and those before it."""


def _written(number: int | None) -> str:
    """Return a number, or a tilde for none; the lowest bit is the sign."""
    if number is None:
        return "~"
    return _digits(2 * number if number >= 0 else -2 * number - 1)


def _digits(number: int) -> str:
    rest, digit = divmod(number, len(LAST))
    digits = LAST[digit]
    while rest:
        rest, digit = divmod(rest, len(BEFORE))
        digits = BEFORE[digit] + digits
    return digits


def _phrase(phrase: Phrase) -> str:
    """Return a phrase as a text: the template, and the words after strokes."""
    words = (word.replace("¬", "¬n").replace("|", "¬p").replace("\n", " ") for word in phrase.words)
    return "|".join((str(phrase.template), *words))
