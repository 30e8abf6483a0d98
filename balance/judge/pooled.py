"""What is judged over everything that was played, once for each number of players: seats and opening items.

Chance decides who sits where and who is dealt what, so whether that is fair can be asked of all combinations
of variants at once; one alone has too few games to answer. Each metric is broken, bent, fine or undecided
like a cell, corrected over all of these and nothing else. It holds up no combination, and a combination is
charged only where its own games show the effect.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

import numpy as np

from balance.judge.bench import Bench, CellVerdict, Verdict
from balance.judge.findings import Findings
from balance.judge.thresholds import Thresholds
from balance.stats.corrections import benjamini_yekutieli

_NAMES: Final = ("everything that was played", "where the deck runs dry in most games")


def judge_pools(
    bench: Bench, thresholds: Thresholds, rate: float, players: Collection[int]
) -> tuple[CellVerdict, ...]:
    """Judge every metric that is judged over everything, at some numbers of players."""
    pools = bench.statistics.pools
    if pools is None:
        return ()
    cells = [cell for cell in pools.cells.values() if cell.players in players]
    judged = {name.name for name in pools.figures.names if bench.pooled(name)}
    table = Findings(pools.figures, cells, thresholds, judged)
    table.adjusted = np.array(benjamini_yekutieli(table.p_broken.tolist()), np.float64)
    table.outside = table.adjusted <= rate
    metrics = np.array([name.metric.order for name in table.figures.names], np.int64)[table.code]
    found = [
        CellVerdict(
            cells[at], _NAMES[cells[at].id % 2], table, np.flatnonzero((table.at == at) & (metrics == k))
        )
        for at, k in sorted(set(zip(table.at.tolist(), metrics.tolist(), strict=True)))
    ]
    fine = [float(np.max(table.p_fine[one.rows[table.holds[one.rows]]], initial=0.0)) for one in found]
    for one, p in zip(found, benjamini_yekutieli(fine), strict=True):
        one.not_broken = p <= rate
        if one.broken or one.bent:
            one.verdict = Verdict.BROKEN if one.broken else Verdict.BENT
        elif one.not_broken:
            one.verdict = Verdict.FINE
        # what is furthest towards an end of its range
        one.held = max(one.rows.tolist(), key=lambda place: (table.outside[place], table.p_fine[place]))
    return tuple(found)
