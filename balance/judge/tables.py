"""Verdicts, findings and thresholds of runs as tables, kept in the user's cache.

They are what `balance check --all` says by the thresholds of the game; the game without variants is judged
apart, as `balance check` without names does. Nothing here is written into a run.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from balance.dataset import kept
from balance.dataset.parquet import encode
from balance.games.sources import digest
from balance.judge.bench import Bench
from balance.judge.findings import Finding
from balance.judge.interaction import together
from balance.judge.thresholds import Thresholds, load_thresholds
from balance.judge.verdict import CellVerdict, Judgement, Judgements, judge
from balance.measure.cells import statistics
from balance.measure.metrics import Measurement
from balance.resources import cache_dir

if TYPE_CHECKING:
    from balance.dataset.run import Run
    from balance.judge.ranking import Ranking

_REASON: Final = {"metric": "varchar", "of": "varchar", "end": "varchar"}
COLUMNS: Final[Mapping[str, Mapping[str, str]]] = {
    "findings": {
        "cell_id": "integer",
        "strength": "varchar",
        "metric": "varchar",
        "of": "varchar",
        "class": "varchar",
        "end": "varchar",
        "threshold": "double",
        "threshold_id": "varchar",
        "value": "double",
        "low": "double",
        "high": "double",
        "n": "bigint",
        "p": "double",
        "outside": "boolean",
        "inside": "boolean",
        "weaker": "boolean",
        "accepted": "boolean",
    },
    "cell_verdicts": {
        "cell_id": "integer",
        "strength": "varchar",
        "verdict": "varchar",
        "not_broken": "boolean",
        "only_together": "varchar",
        **_REASON,
        "games": "bigint",
    },
    "verdicts": {
        "cell_id": "integer",
        "verdict": "varchar",
        "not_broken": "boolean",
        **_REASON,
        "reason_cell": "integer",
        "severity": "double",
        "further_games": "bigint",
        "games": "bigint",
    },
    "thresholds": {
        "threshold_id": "varchar",
        "low": "double",
        "high": "double",
        "class_low": "varchar",
        "class_high": "varchar",
        "accepted": "varchar",
        "reason": "varchar",
    },
}
COMBINED: Final = ("verdicts",)
_SHOWN: Final = "shown"
"""The class of a metric without a threshold."""
_INSIDE: Final = 0.05
"""One-sided, uncorrected: of one metric at one end."""
Rows = dict[str, list[dict[str, object]]]


def files(
    runs: Sequence[Run],
    thresholds: Thresholds | None = None,
    players: Sequence[int] = (),
    ranking: Ranking | None = None,
) -> dict[str, Path]:
    """Return the files of all tables, made unless they are in the cache.

    By other thresholds, or of some numbers of players only, they are other tables. `ranking` has the verdicts
    on everything with variants if they are at hand.
    """
    ranges = thresholds or load_thresholds(runs[0].game)
    asked = (ranges.entries, ranges.accepted, sorted(players))
    content = repr((digest(__name__), asked, [sorted(run.state.files().items()) for run in runs]))
    folder = cache_dir() / "judgements" / hashlib.sha256(content.encode()).hexdigest()[:24]
    found = {table: folder / f"{table}.parquet" for table in COLUMNS}
    if all(map(kept.is_kept, found.values())):
        return found
    rows = _rows(runs, ranges, players, ranking)
    for table, file in found.items():
        kept.keep(file, _encoded(COLUMNS[table], rows[table]))
    return found


def _encoded(columns: Mapping[str, str], rows: Sequence[Mapping[str, object]]) -> memoryview:
    import polars as pl

    types: dict[str, Any] = {
        "integer": pl.Int32,
        "bigint": pl.Int64,
        "double": pl.Float64,
        "boolean": pl.Boolean,
        "varchar": pl.String,
    }
    return encode(pl.DataFrame(rows, {name: types[kind] for name, kind in columns.items()}, orient="row"))


def _rows(
    runs: Sequence[Run], thresholds: Thresholds, players: Sequence[int], ranking: Ranking | None
) -> Rows:
    """Judge what has variants, and what has none, and return the rows of each table."""
    summed = ranking.statistics if ranking else statistics(runs)
    bench = ranking.bench if ranking else Bench(summed)
    found: Rows = {table: [] for table in COLUMNS}
    for with_variants in (False, True):
        cells = [
            number
            for number, cell in summed.cells.items()
            if bool(cell.variants) is with_variants and (not players or cell.players in players)
        ]
        judged = ranking.judgements if ranking and with_variants else None
        judged = judged or judge(summed, thresholds, cells=cells, bench=bench)
        both = {(one.key, one.lineup): one.sure for one in together(judged, summed)}
        found["verdicts"] += map(_verdict, judged.judgements)
        found["cell_verdicts"] += [
            _cell_verdict(cell, both.get((judgement.key, cell.cell.lineup)))
            for judgement in judged.judgements
            for cell in judgement.cells
        ]
        found["findings"] += _findings(judged, bench)
    found["thresholds"] += [
        {
            "threshold_id": entry.id,
            "low": entry.low,
            "high": entry.high,
            "class_low": None if entry.low is None else entry.class_low.value,
            "class_high": None if entry.high is None else entry.class_high.value,
            "accepted": str(entry),
            "reason": entry.reason,
        }
        for entry in thresholds.entries
    ]
    return found


def _reason(finding: Finding | None) -> dict[str, object]:
    if finding is None:
        return dict.fromkeys(_REASON)
    end = "high" if finding.upper else "low"
    return {"metric": finding.measured.metric.name, "of": finding.measured.of, "end": end}


def _verdict(judgement: Judgement) -> dict[str, object]:
    reason = judgement.reasons[0] if judgement.reasons else judgement.holding
    further = judgement.further
    return {
        "cell_id": min(cell.cell.id for cell in judgement.cells),
        "verdict": judgement.verdict.value,
        "not_broken": judgement.not_broken,
        **_reason(reason),
        "reason_cell": reason.cell.id if reason else None,
        "severity": judgement.severity,
        "further_games": None if judgement.too_close else int(further),
        "games": sum(cell.cell.games for cell in judgement.cells),
    }


def _cell_verdict(cell: CellVerdict, sure: bool | None) -> dict[str, object]:
    """Return the verdict at one strength of play; `sure` where the pair is broken only together."""
    return {
        "cell_id": cell.cell.id,
        "strength": cell.strength,
        "verdict": cell.verdict.value,
        "not_broken": cell.not_broken,
        "only_together": None if sure is None else "yes" if sure else "possibly",
        **_reason(next(iter(cell.broken or cell.bent), cell.holding)),
        "games": cell.cell.games,
    }


def _findings(judged: Judgements, bench: Bench) -> Iterator[dict[str, object]]:
    """Yield a row per end of a range, and one for a metric that is only shown."""
    for cell in (cell for judgement in judged.judgements for cell in judgement.cells):
        ends: set[str] = set()
        for finding in cell.findings:
            ends.add(finding.measured.name)
            yield _measured(cell, finding.measured) | {
                "class": finding.kind.value,
                "end": "high" if finding.upper else "low",
                "threshold": finding.bound,
                "threshold_id": finding.threshold.id,
                "p": finding.adjusted,
                "outside": finding.outside,
                "inside": finding.p_fine <= _INSIDE,
                "weaker": finding.weaker,
                "accepted": finding.accepted,
            }
        for measured in bench.of(cell.cell):
            if measured.name not in ends:
                yield _measured(cell, measured) | {"class": _SHOWN}


def _measured(cell: CellVerdict, measured: Measurement) -> dict[str, object]:
    value, low, high = measured.interval
    row: dict[str, object] = dict.fromkeys(COLUMNS["findings"])
    return row | {
        "cell_id": cell.cell.id,
        "strength": cell.strength,
        "metric": measured.metric.name,
        "of": measured.of,
        "value": value,
        "low": low,
        "high": high,
        "n": int(measured.estimate.n),
    }
