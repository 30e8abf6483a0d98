"""How many combinations are broken, bent or fine, estimated with a confidence interval, by number of players.

The number of verdicts grows with the number of games: few games decide little. The estimate does not: it adds
up the chance of each class over all combinations, by what all estimates show of the true distances from each
threshold (`balance.stats.deconvolution`). What is within 1.5 standard errors of a threshold may be on either
side, whatever the distribution of the truths, point masses on thresholds included: the interval counts it for
one side at one end and for the other at the other, and adds three standard deviations. It is never wider than
what tests show: from the combinations shown to be of a class to all but those shown not to be, each at 2.5%
after Holm's correction. `tests/judge/test_counting.py` counts how often it covers.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from balance.judge.findings import Findings
from balance.judge.verdict import CellVerdict, Judgement, Verdict
from balance.measure.metrics import Array
from balance.stats.deconvolution import chances_beyond, normal_scores

_LEVEL: Final = 0.025
_BAND: Final = 1.5
"""Standard errors around a threshold within which nobody can say on which side the truth is."""
_SPREAD: Final = 3.0
"""Standard deviations that the interval adds: combinations share their deals, and so their luck."""
COUNTED: Final = (Verdict.BROKEN, Verdict.BENT, Verdict.FINE)

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Counted:
    """The number of combinations of a class."""

    verdict: Verdict
    estimate: float
    low: int
    high: int
    of: int

    def __str__(self) -> str:
        return f"{self.estimate:,.0f} {self.verdict} ({self.low:,} to {self.high:,})"


def counted(judgements: Iterable[Judgement]) -> tuple[Counted, ...]:
    """Return the estimated number of broken, bent and fine combinations; all have the same players."""
    every = list(judgements)
    tested, chances = _p_values(every), _chances(every)
    found = []
    for verdict in COUNTED:
        is_so, is_not = tested[verdict]
        low, high = _rejected(is_so), len(every) - _rejected(is_not)
        least, middle, most = chances[verdict]
        narrow_low = max(low, math.floor(_sum(least, -_SPREAD)))
        narrow_high = min(high, math.ceil(_sum(most, _SPREAD)))
        if narrow_low <= narrow_high:
            low, high = narrow_low, narrow_high
        estimate = min(max(float(middle.sum()), low), high)
        found.append(Counted(verdict, round(estimate, 1), low, high, len(every)))
    return tuple(found)


def _counting(judgements: Sequence[Judgement]) -> list[tuple[Findings, Array, Array]]:
    """Return by table the findings that count, and the place of the judgement of each."""
    by_table: dict[int, list[tuple[int, CellVerdict]]] = {}
    for place, judgement in enumerate(judgements):
        for cell in judgement.cells:
            by_table.setdefault(id(cell.table), []).append((place, cell))
    found = []
    for own in by_table.values():
        table = own[0][1].table
        rows = np.concatenate([cell.rows for _, cell in own])
        places = np.repeat([place for place, _ in own], [len(cell.rows) for _, cell in own])
        counts = table.counts[rows]
        found.append((table, rows[counts], places[counts]))
    return found


def _sum(chances: Floats, spread: float) -> float:
    return float(chances.sum() + spread * math.sqrt((chances * (1 - chances)).sum()))


def _chances(judgements: Sequence[Judgement]) -> Mapping[Verdict, Floats]:
    """Return by class the chances of all combinations: at least, about, and at most."""
    inside = {breaks: np.ones((len(judgements), 3)) for breaks in (True, False)}
    ends: dict[tuple[str, str, bool], list[tuple[Array, Array, Findings]]] = {}
    held = np.zeros(len(judgements), np.bool_)
    for table, rows, places in _counting(judgements):
        holds = table.holds[rows]
        held[places[holds]] = True
        charged = ~holds & table.outside[rows]
        for breaks, within in inside.items():
            within[places[charged & (table.breaks[rows] == breaks)]] = 0.0
        lineups = {name: k for k, name in enumerate(dict.fromkeys(cell.lineup for cell in table.cells))}
        lineup = np.array([lineups[cell.lineup] for cell in table.cells], np.int64)[table.at[rows]]
        key = (lineup * len(table.figures.names) + table.code[rows]) * 2 + table.upper[rows]
        for one in np.unique(key[holds]).tolist():
            own = np.flatnonzero(holds & (key == one))
            named, upper = divmod(one, 2)
            place, code = divmod(named, len(table.figures.names))
            about = list(lineups)[place], table.figures.names[code].name, bool(upper)
            ends.setdefault(about, []).append((places[own], rows[own], table))
    for within in inside.values():
        within[~held] *= (1.0, 0.5, 0.0)
    for (*_, upper), parts in ends.items():
        p_broken, p_fine, z = (
            np.concatenate([getattr(table, name)[rows] for _, rows, table in parts])
            for name in ("p_broken", "p_fine", "z")
        )
        scores = normal_scores(p_broken, p_fine, z if upper else -z)
        beyond = chances_beyond(scores, (_BAND, 0.0, -_BAND))
        at = np.concatenate([places for places, *_ in parts])
        kinds = np.concatenate([table.breaks[rows] for _, rows, table in parts])
        for breaks, within in inside.items():
            np.multiply.at(within, at[kinds == breaks], 1 - beyond[kinds == breaks])
    unbroken, unbent = inside[True].T, inside[False].T  # at most, about, at least
    return {
        Verdict.BROKEN: 1 - unbroken,
        Verdict.BENT: unbroken[::-1] * (1 - unbent),
        Verdict.FINE: unbroken[::-1] * unbent[::-1],
    }


def _p_values(judgements: Sequence[Judgement]) -> dict[Verdict, tuple[Floats, Floats]]:
    size = len(judgements)
    outside = {breaks: np.ones(size) for breaks in (True, False)}
    inside = {breaks: np.zeros(size) for breaks in (True, False)}
    tests = {breaks: np.zeros(size, np.int64) for breaks in (True, False)}
    for table, rows, places in _counting(judgements):
        alone, holds = ~table.pooled[rows], table.holds[rows]
        for breaks in (True, False):
            own = table.breaks[rows] == breaks
            np.minimum.at(outside[breaks], places[own & alone], table.p_broken[rows][own & alone])
            np.maximum.at(inside[breaks], places[own & holds], table.p_fine[rows][own & holds])
            tests[breaks] += np.bincount(places[own & alone], minlength=size)
            inside[breaks][places[own & ~alone & table.outside[rows]]] = 1.0
    every = tests[True] + tests[False]
    broken, bent = (np.minimum(1.0, tests[breaks] * outside[breaks]) for breaks in (True, False))
    broken, bent = (np.where(tests[breaks] > 0, p, 1.0) for breaks, p in ((True, broken), (False, bent)))
    unbroken, unbent = inside[True], inside[False]
    wrong = np.minimum(1.0, every * np.minimum(outside[True], outside[False]))
    found = {
        Verdict.BROKEN: (broken, unbroken),
        Verdict.BENT: (np.maximum(unbroken, bent), np.minimum(1.0, 2 * np.minimum(broken, unbent))),
        Verdict.FINE: (np.maximum(unbroken, unbent), wrong),
    }
    return {
        verdict: (np.where(every > 0, is_so, 1.0), np.where(every > 0, is_not, 1.0))
        for verdict, (is_so, is_not) in found.items()
    }


def _rejected(p_values: Floats) -> int:
    ordered = np.sort(p_values)
    too_large = ordered * np.arange(len(ordered), 0, -1) > _LEVEL
    return int(too_large.argmax()) if too_large.any() else len(ordered)
