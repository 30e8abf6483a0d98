"""Verdicts, findings and thresholds of runs as tables, kept in the user's cache.

They are what `balance check --all` says by the thresholds of the game; the game without variants is judged
apart, as `balance check` without names does. Nothing here is written into a run.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from balance.dataset import kept
from balance.dataset.parquet import encode
from balance.games.sources import digest
from balance.judge.bench import Bench
from balance.judge.counting import counted
from balance.judge.findings import Finding, Findings
from balance.judge.interaction import together
from balance.judge.quality import REPLIES_FILE, columns, load_qualities
from balance.judge.thresholds import Class, Threshold, Thresholds, load_thresholds
from balance.judge.verdict import CellVerdict, Judgement, Judgements, judge
from balance.measure.cells import Statistics, statistics
from balance.measure.metrics import Array, Figures
from balance.resources import shipped

if TYPE_CHECKING:
    import polars as pl

    from balance.dataset.run import Run
    from balance.judge.ranking import Ranking

_REASON: Final = {
    "metric": ("varchar", "the metric that breaks or bends it most, or keeps it open"),
    "of": ("varchar", ""),
    "end": ("varchar", "at which end of its accepted range"),
}
_VERDICT: Final = {
    "verdict": ("varchar", "`broken`, `bent`, `fine` or `undecided`"),
    "not_broken": ("boolean", "whether it is shown not to be broken, although it may still be bent"),
}
_STRENGTH: Final = {"strength": ("varchar", "how well the players of the cell play")}
_FINDING: Final = {
    "metric": ("varchar", ""),
    "of": ("varchar", ""),
    "class": ("varchar", "`breaks` or `bends`: the class of the threshold; `shown` if there is none"),
    "end": ("varchar", "which end of the accepted range: `low` or `high`"),
    "threshold": ("double", "that end"),
    "value": ("double", ""),
    "low": ("double", ""),
    "high": ("double", ""),
    "n": ("bigint", "how many deals the figure is made of; games for a quantile"),
    "p": ("double", "one-sided p-value, corrected over all tests of the class"),
    "outside": ("boolean", "whether the metric is clearly beyond the threshold"),
    "inside": ("boolean", "whether it is shown to be within the threshold, at 5%, uncorrected"),
}
COLUMNS: Final[Mapping[str, Mapping[str, tuple[str, str]]]] = {
    "findings": {
        "cell_id": ("integer", ""),
        **_STRENGTH,
        **_FINDING,
        "threshold_id": ("varchar", "the threshold that it belongs to"),
        "weaker": ("boolean", "whether it shows weaker play alone: no verdict depends on it"),
        "accepted": ("boolean", "whether a user accepts it: no verdict depends on it"),
        "overridden": ("boolean", "whether players who search decide it, and differently"),
    },
    "cell_verdicts": {
        "cell_id": ("integer", ""),
        **_STRENGTH,
        **_VERDICT,
        "only_together": (
            "varchar",
            "`yes` or `possibly` where a pair is broken and neither of its variants alone is",
        ),
        **_REASON,
        "games": ("bigint", "games of the cell"),
    },
    "pooled_findings": {
        "players": ("integer", ""),
        "verdict": (
            "varchar",
            "`broken`, `bent`, `fine` or `undecided`: the metric over everything that was played",
        ),
        "strength": ("varchar", "what was put together"),
        **_FINDING,
    },
    "verdicts": {
        "cell_id": ("integer", ""),
        **_VERDICT,
        **_REASON,
        "reason_cell": ("integer", "the cell that shows it"),
        "severity": ("double", "how much is wrong: how far each metric is outside, 0 to 1, summed"),
        "further_games": ("bigint", "games that would probably decide; empty if it is too close to call"),
        "games": ("bigint", "games behind the verdict"),
        "not_looked_at": (
            "varchar",
            "metrics with a threshold that no games show, which forbids *fine*; often none",
        ),
        "reply_gain": (
            "double",
            "win points above a fair share that a best reply gains here; empty: not known",
        ),
        "reply_low": ("double", "the lower end of its 95% confidence interval"),
        "reply_high": ("double", "the upper end; above 0.3 nothing is fine or bent"),
        "reply_source": ("varchar", "`measured` or `predicted`"),
    },
    "verdict_counts": {
        "players": ("integer", ""),
        "variants": ("integer", "how many variants are in force"),
        "verdict": ("varchar", "`broken`, `bent` or `fine`"),
        "verdicts": ("bigint", "how many have this verdict"),
        "estimate": ("double", "how many there are by the figures of all, decided or not"),
        "low": ("bigint", "the lower end of its 95% confidence interval"),
        "high": ("bigint", "the upper end"),
        "of": ("bigint", "how many combinations there are"),
    },
    "thresholds": {
        "threshold_id": ("varchar", "a metric, or a metric of one thing, `action:work`"),
        "low": ("double", "the lower end of the accepted range"),
        "high": ("double", "the upper end"),
        "class_low": ("varchar", "`breaks` or `bends`: what a metric below does to the game"),
        "class_high": ("varchar", "the same above"),
        "accepted": ("varchar", "the range in words"),
        "reason": ("varchar", "why, in the words of the designers"),
    },
}
"""By table: type and meaning of each column; those without a meaning mean what they do in every view."""
MEANINGS: Final[Mapping[str, str]] = {
    "verdicts": "one row per set of variants and number of players: what `balance check --all` judges",
    "cell_verdicts": "one row per cell: the verdict at one strength of play",
    "thresholds": "the accepted ranges, as `thresholds.toml` has them",
    "pooled_findings": "seats and opening items by number of players, over all games of the default player",
    "verdict_counts": "how many combinations are of each class, by number of players and of variants",
    "findings": "one row per cell, metric and end of its accepted range: what the verdicts are made of",
}
COMBINED: Final = ("verdicts",)
_SHOWN: Final = "shown"
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
        kept.keep(file, encode(rows[table]))
    return found


def _rows(
    runs: Sequence[Run], thresholds: Thresholds, players: Sequence[int], ranking: Ranking | None
) -> dict[str, pl.DataFrame]:
    import polars as pl

    summed = ranking.statistics if ranking else statistics(runs)
    bench = ranking.bench if ranking else Bench(summed, load_qualities(runs))
    made = []
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
        made.append(rows_of(judged, summed, thresholds))
    once = ("thresholds", "pooled_findings")  # the same in both
    return {
        table: rows if table in once else pl.concat([made[0][table], rows]) for table, rows in made[1].items()
    }


def rows_of(judged: Judgements, summed: Statistics, thresholds: Thresholds) -> dict[str, pl.DataFrame]:
    """Return each table for what was judged together."""
    import polars as pl

    every = [(judgement, cell) for judgement in judged.judgements for cell in judgement.cells]
    both = {(one.key, one.lineup): one.sure for one in together(judged, summed)}
    found: dict[str, Iterable[dict[str, object]]] = {
        "verdicts": map(_verdict, judged.judgements),
        "cell_verdicts": (_cell_verdict(cell, both.get((j.key, cell.cell.lineup))) for j, cell in every),
        "verdict_counts": _counts(judged),
        "thresholds": map(_threshold, thresholds.entries),
    }
    frames = {table: pl.DataFrame(list(rows), _schema(table), orient="row") for table, rows in found.items()}
    frames["pooled_findings"] = pl.DataFrame(schema=_schema("pooled_findings"))
    for pool in judged.pools:
        size, ends = len(pool.rows), _ends(pool.table, pool.rows, {pool.cell.id: pool.strength})
        own = {"players": [pool.cell.players] * size, "verdict": pool.verdict.value}
        frames["pooled_findings"].extend(_frame("pooled_findings", ends | own))
    return frames | {"findings": _findings(judged)}


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
    groups: dict[tuple[int, int], list[Judgement]] = {}
    for judgement in judged.judgements:
        groups.setdefault((judgement.players, len(judgement.variants)), []).append(judgement)
    for (players, variants), own in sorted(groups.items()):
        for one in counted(own):
            verdicts = sum(judgement.verdict is one.verdict for judgement in own)
            at = {"players": players, "variants": variants, "verdict": one.verdict.value}
            yield at | {"verdicts": verdicts, "estimate": one.estimate, "low": one.low, "high": one.high,
                        "of": one.of}  # fmt: skip


def _findings(judged: Judgements) -> pl.DataFrame:
    import polars as pl

    every = [cell for judgement in judged.judgements for cell in judgement.cells]
    tables = list({id(cell.table): cell.table for cell in every}.values())
    strengths = {cell.cell.id: cell.strength for cell in every}
    frames = [pl.DataFrame(schema=_schema("findings"))]
    for table in tables:
        figures = table.figures
        ends = _ends(table, np.arange(len(table)), strengths)
        flags = {name: getattr(table, name) for name in ("weaker", "overridden", "accepted")}
        ids = [one.id if one else "" for one in table.ranges]
        flags["threshold_id"] = np.array(ids, object)[table.code]
        frames.append(_frame("findings", ends | flags))
        rows, _ = figures.rows(np.array([cell.id for cell in table.cells], np.int64))
        shown = np.zeros(len(figures.cell), np.bool_)  # a hundred times as fast as `np.setdiff1d`
        shown[rows] = True
        shown[table.row] = False
        only = _measured(figures, np.flatnonzero(shown), strengths)
        frames.append(_frame("findings", only | {"class": _SHOWN}))
    return pl.concat(frames)


def _ends(table: Findings, rows: Array, strengths: Mapping[int, str]) -> dict[str, Any]:
    """Return the columns of ends of ranges; `strengths` names the play of each cell."""
    return _measured(table.figures, table.row[rows], strengths) | {
        "class": np.where(table.breaks[rows], Class.BREAKS.value, Class.BENDS.value),
        "end": np.where(table.upper[rows], "high", "low"),
        "threshold": table.bound[rows],
        "p": table.adjusted[rows],
        "outside": table.outside[rows],
        "inside": table.p_fine[rows] <= _INSIDE,
    }


def _measured(figures: Figures, rows: Array, strengths: Mapping[int, str]) -> dict[str, Any]:
    code, cells = figures.code[rows], figures.cell[rows]
    metrics, of = (
        np.array([getattr(one, name) for one in made], object)
        for made, name in (([one.metric for one in figures.names], "name"), (figures.names, "of"))
    )
    return {
        "cell_id": cells,
        "strength": [strengths[number] for number in cells.tolist()],
        "metric": metrics[code],
        "of": of[code],
        "value": figures.value[rows],
        "low": figures.low[rows],
        "high": figures.high[rows],
        "n": figures.n(rows),
    }


def _schema(table: str) -> dict[str, Any]:
    import polars as pl

    types: dict[str, Any] = {
        "integer": pl.Int32,
        "bigint": pl.Int64,
        "double": pl.Float64,
        "boolean": pl.Boolean,
        "varchar": pl.String,
    }
    return {name: types[kind] for name, (kind, _) in COLUMNS[table].items()}


def _frame(table: str, columns: Mapping[str, Any]) -> pl.DataFrame:
    import polars as pl

    size = len(columns["value"])
    return pl.DataFrame(
        {
            name: pl.Series(name, _column(columns.get(name), size), dtype=kind)
            for name, kind in _schema(table).items()
        }
    )


def _column(values: Any, size: int) -> Any:
    if values is None or isinstance(values, str):
        return [values] * size
    return values.tolist() if isinstance(values, np.ndarray) and values.dtype.hasobject else values
