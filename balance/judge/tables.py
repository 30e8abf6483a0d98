"""Verdicts, findings and thresholds of runs as tables, kept in the user's cache.

They are what `balance check --all` says by the thresholds of the game; the game without variants is judged
apart, as `balance check` without names does. Nothing here is written into a run.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from balance.dataset import kept
from balance.dataset.parquet import encode
from balance.games.sources import digest
from balance.judge.bench import Bench
from balance.judge.counting import counted
from balance.judge.findings import Finding
from balance.judge.interaction import together
from balance.judge.quality import REPLIES_FILE, columns, load_qualities
from balance.judge.thresholds import Threshold, Thresholds, load_thresholds
from balance.judge.verdict import CellVerdict, Judgement, Judgements, judge
from balance.measure.cells import statistics
from balance.measure.metrics import Measurement
from balance.resources import shipped

if TYPE_CHECKING:
    from balance.dataset.run import Run
    from balance.judge.ranking import Ranking

_REASON: Final = {"metric": "varchar", "of": "varchar", "end": "varchar"}

_FINDING: Final = {
    "strength": "varchar",
    "metric": "varchar",
    "of": "varchar",
    "class": "varchar",
    "end": "varchar",
    "threshold": "double",
    "value": "double",
    "low": "double",
    "high": "double",
    "n": "bigint",
    "p": "double",
    "outside": "boolean",
    "inside": "boolean",
}
COLUMNS: Final[Mapping[str, Mapping[str, str]]] = {
    "findings": {
        "cell_id": "integer",
        **_FINDING,
        "threshold_id": "varchar",
        "weaker": "boolean",
        "accepted": "boolean",
        "overridden": "boolean",
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
    "pooled_findings": {"players": "integer", "verdict": "varchar", **_FINDING},
    "verdicts": {
        "cell_id": "integer",
        "verdict": "varchar",
        "not_broken": "boolean",
        **_REASON,
        "reason_cell": "integer",
        "severity": "double",
        "further_games": "bigint",
        "games": "bigint",
        "not_looked_at": "varchar",
        "reply_gain": "double",
        "reply_low": "double",
        "reply_high": "double",
        "reply_source": "varchar",
    },
    "verdict_counts": {
        "players": "integer",
        "variants": "integer",
        "verdict": "varchar",
        "verdicts": "bigint",
        "estimate": "double",
        "low": "bigint",
        "high": "bigint",
        "of": "bigint",
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
_OF_FINDINGS: Final = {
    "class": "`breaks` or `bends`: the class of the threshold; `shown` if there is none",
    "end": "which end of the accepted range: `low` or `high`",
    "threshold": "that end",
    "n": "how many deals the figure is made of; games for a quantile",
    "p": "one-sided p-value, corrected over all tests of the class",
    "outside": "whether the metric is clearly beyond the threshold",
    "inside": "whether it is shown to be within the threshold, at 5%, uncorrected",
}
MEANINGS: Final[Mapping[str, Mapping[str, str]]] = {
    "verdicts": {
        "": "one row per set of variants and number of players: what `balance check --all` judges",
        "verdict": "`broken`, `bent`, `fine` or `undecided`",
        "not_broken": "whether it is shown not to be broken, although it may still be bent",
        "metric": "the metric that breaks or bends it most, or keeps it open",
        "end": "at which end of its accepted range",
        "reason_cell": "the cell that shows it",
        "severity": "how much is wrong: how far each metric is outside, 0 to 1, summed",
        "further_games": "games that would probably decide; empty if it is too close to call",
        "games": "games behind the verdict",
        "not_looked_at": "metrics with a threshold that no games show, which forbids *fine*; often none",
        "reply_gain": "win points above a fair share that a best reply gains here; empty: not known",
        "reply_low": "the lower end of its 95% confidence interval",
        "reply_high": "the upper end; above 0.3 nothing is fine or bent",
        "reply_source": "`measured` or `predicted`",
    },
    "cell_verdicts": {
        "": "one row per cell: the verdict at one strength of play",
        "strength": "how well the players of the cell play",
        "verdict": "`broken`, `bent`, `fine` or `undecided`",
        "not_broken": "whether it is shown not to be broken, although it may still be bent",
        "only_together": "`yes` or `possibly` where a pair is broken and neither of its variants alone is",
        "metric": "the metric that breaks or bends it most, or keeps it open",
        "end": "at which end of its accepted range",
        "games": "games of the cell",
    },
    "thresholds": {
        "": "the accepted ranges, as `thresholds.toml` has them",
        "threshold_id": "a metric, or a metric of one thing, `action:work`",
        "low": "the lower end of the accepted range",
        "high": "the upper end",
        "class_low": "`breaks` or `bends`: what a metric below does to the game",
        "class_high": "the same above",
        "accepted": "the range in words",
        "reason": "why, in the words of the designers",
    },
    "pooled_findings": {
        **_OF_FINDINGS,
        "": "seats and opening items by number of players, over all games of the default player",
        "verdict": "`broken`, `bent`, `fine` or `undecided`: the metric over everything that was played",
        "strength": "what was put together",
    },
    "verdict_counts": {
        "": "how many combinations are of each class, by number of players and of variants",
        "variants": "how many variants are in force",
        "verdict": "`broken`, `bent` or `fine`",
        "verdicts": "how many have this verdict",
        "estimate": "how many there are by the figures of all, decided or not",
        "low": "the lower end of its 95% confidence interval",
        "high": "the upper end",
        "of": "how many combinations there are",
    },
    "findings": {
        **_OF_FINDINGS,
        "": "one row per cell, metric and end of its accepted range: what the verdicts are made of",
        "strength": "how well the players of the cell play",
        "threshold_id": "the threshold that it belongs to",
        "accepted": "whether a user accepts it: no verdict depends on it",
        "weaker": "whether it shows weaker play alone: no verdict depends on it",
        "overridden": "whether players who search decide it, and differently",
    },
}
COMBINED: Final = ("verdicts",)
_SHOWN: Final = "shown"
"""The class of a metric without a threshold."""
_INSIDE: Final = 0.05
"""One-sided, uncorrected: of one metric at one end."""


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
    game = runs[0].game
    ranges = thresholds or load_thresholds(game)
    replies = shipped(game.name, REPLIES_FILE)
    gains = replies.read_bytes() if replies is not None and replies.is_file() else b""
    asked = (ranges.entries, ranges.accepted, sorted(players), gains)
    content = repr((digest(__name__), asked, [sorted(run.state.files().items()) for run in runs]))
    folder = kept.folder_for(runs, "judgements", content)
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
) -> dict[str, list[dict[str, object]]]:
    """Judge what has variants, and what has none, and return the rows of each table."""
    summed = ranking.statistics if ranking else statistics(runs)
    bench = ranking.bench if ranking else Bench(summed, load_qualities(runs))
    found: dict[str, list[dict[str, object]]] = {table: [] for table in COLUMNS}
    for with_variants in (False, True):
        cells = [
            number
            for number, cell in summed.cells.items()
            if bool(cell.variants) is with_variants and (not players or cell.players in players)
        ]
        judged = (
            ranking.judgements
            if ranking and with_variants
            else judge(summed, thresholds, cells=cells, bench=bench)
        )
        both = {(one.key, one.lineup): one.sure for one in together(judged, summed)}
        found["verdicts"] += map(_verdict, judged.judgements)
        found["cell_verdicts"] += [
            _cell_verdict(cell, both.get((judgement.key, cell.cell.lineup)))
            for judgement in judged.judgements
            for cell in judgement.cells
        ]
        found["findings"] += _findings(judged, bench)
        found["verdict_counts"] += _counts(judged)
    found["pooled_findings"] = [
        {"players": pool.cell.players, "verdict": pool.verdict.value} | _end(pool, finding)
        for pool in judged.pools
        for finding in pool.findings
    ]
    found["thresholds"] += map(_threshold, thresholds.entries)
    return found


def _threshold(entry: Threshold) -> dict[str, object]:
    return {
        "threshold_id": entry.id,
        "low": entry.low,
        "high": entry.high,
        "class_low": None if entry.low is None else entry.class_low.value,
        "class_high": None if entry.high is None else entry.class_high.value,
        "accepted": str(entry),
        "reason": entry.reason,
    }


def _reason(finding: Finding | None) -> dict[str, object]:
    if finding is None:
        return dict.fromkeys(_REASON)
    end = "high" if finding.upper else "low"
    return {"metric": finding.measured.metric.name, "of": finding.measured.of, "end": end}


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
        "not_looked_at": ", ".join(judgement.not_looked_at),
        **columns(judgement.quality),
    }


def _counts(judged: Judgements) -> Iterator[dict[str, object]]:
    """Yield how many combinations of as many variants are of each class, by number of players."""
    groups: dict[tuple[int, int], list[Judgement]] = {}
    for judgement in judged.judgements:
        groups.setdefault((judgement.players, len(judgement.variants)), []).append(judgement)
    for (players, variants), own in sorted(groups.items()):
        for one in counted(own):
            verdicts = sum(judgement.verdict is one.verdict for judgement in own)
            at = {"players": players, "variants": variants, "verdict": one.verdict.value}
            yield at | {"verdicts": verdicts, "estimate": one.estimate, "low": one.low, "high": one.high,
                        "of": one.of}  # fmt: skip


def _findings(judged: Judgements, bench: Bench) -> Iterator[dict[str, object]]:
    """Yield a row per end of a range, and one for a metric that is only shown."""
    for cell in (cell for judgement in judged.judgements for cell in judgement.cells):
        at: dict[str, object] = dict.fromkeys(COLUMNS["findings"]) | {"cell_id": cell.cell.id}
        for finding in cell.findings:
            flags: dict[str, object] = {"weaker": finding.weaker, "overridden": finding.overridden}
            flags |= {"accepted": finding.accepted, "threshold_id": finding.threshold.id}
            yield at | _end(cell, finding) | flags
        ends = {finding.measured.name for finding in cell.findings}
        for measured in bench.of(cell.cell):
            if measured.name not in ends:
                yield at | _measured(cell, measured) | {"class": _SHOWN}


def _end(cell: CellVerdict, finding: Finding) -> dict[str, object]:
    return _measured(cell, finding.measured) | {
        "class": finding.kind.value,
        "end": "high" if finding.upper else "low",
        "threshold": finding.bound,
        "p": finding.adjusted,
        "outside": finding.outside,
        "inside": finding.p_fine <= _INSIDE,
    }


def _measured(cell: CellVerdict, measured: Measurement) -> dict[str, object]:
    value, low, high = measured.interval
    return {
        "strength": cell.strength,
        "metric": measured.metric.name,
        "of": measured.of,
        "value": value,
        "low": low,
        "high": high,
        "n": int(measured.estimate.n),
    }
