"""The atlas of a report: every combination of at most two variants, at every number of players and strength.

Numbers are whole (times SCALE), so that the atlas stays small enough to travel inside a page.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import numpy as np

from balance.dataset.measures import Metric
from balance.dataset.plan import PlannedCell
from balance.dataset.schema import split_game_id
from balance.judge.interaction import Interaction
from balance.judge.sentences import needed_sentence
from balance.judge.verdict import CellVerdict, Verdict
from balance.measure.metrics import Measurement, Name
from balance.report.atlas_model import SCALE, Atlas, AtlasMetric, AtlasVariant, AtlasView, Scaled, place
from balance.report.evidence import Evidence
from balance.report.formatting import command_path
from balance.report.glossary import own_words
from balance.stats.intervals import Interval
from balance.sweep.replaying import replay_commands

_MOST_REASONS: Final = 3
_CODES: Final = {Verdict.BROKEN: "b", Verdict.FINE: "f", Verdict.UNDECIDED: "u", Verdict.BENT: "e"}


def make_atlas(evidence: Evidence) -> Atlas | None:
    """Return the atlas; None if no variant was in force, or more than two at once."""
    m = evidence
    if not 1 <= m.size <= 2:
        return None
    played = {name for cell in m.statistics.cells.values() for name in cell.variants}
    variants = sorted(played, key=lambda name: (m.names.get(name, name), name))
    places = _Places(variants)
    measured = _measured(m)
    metrics = _metrics(m)
    bins, lengths = _lengths(m)
    replays = _replays(m)
    by_cell: dict[int, list[Interaction]] = {}
    for one in m.interactions:
        by_cell.setdefault(one.cell.id, []).append(one)
    views, plain, plain_lengths = [], [], []
    for players in m.players:
        for lineup in m.lineups:
            cells = places.cells(m, players, lineup)
            if not any(cells):
                continue
            views.append(_view(m, players, lineup, cells, metrics, measured, by_cell, lengths, replays))
            base = m.cell(players, (), lineup)
            plain.append(
                {
                    name: found
                    for name, found in (measured.get(base.id, {}) if base else {}).items()
                    if any(name == shown.id for shown in metrics)
                }
            )
            plain_lengths.append(lengths[base.id] if base else ())
    return Atlas(
        variants=tuple(AtlasVariant(name, m.names.get(name, name), m.rule(name)) for name in variants),
        pairs=m.size == 2,
        metrics=metrics,
        players=m.players,
        lineups=tuple((lineup, m.strength_name(lineup)) for lineup in m.lineups),
        usual=m.usual,
        views=tuple(views),
        overall={players: _overall(m, places, players) for players in m.players},
        plain=tuple(plain),
        plain_lengths=tuple(plain_lengths),
        length_bins=tuple(bins),
        policies=tuple(dict.fromkeys(name for view in views for name in view.styles)),
        interactions=tuple(
            (one.measure, one.title, one.scale)
            for one in {one.measure: one for one in m.interactions}.values()
        ),
        query="balance sql RUN @report/cell cell={}",
    )


class _Places:
    """The place of each combination."""

    def __init__(self, variants: Sequence[str]) -> None:
        n = len(variants)
        self.combinations: list[tuple[str, ...]] = [()] * (n * (n + 1) // 2)
        for i, one in enumerate(variants):
            for j in range(i, n):
                both = (one,) if i == j else tuple(sorted((one, variants[j])))
                self.combinations[place(i, j, n)] = both

    def cells(self, evidence: Evidence, players: int, lineup: str) -> list[PlannedCell | None]:
        """Return the cell of each place."""
        found = (evidence.cell(players, both, lineup) for both in self.combinations)
        return [cell if cell and cell.games else None for cell in found]


def _measured(evidence: Evidence) -> dict[int, dict[str, Interval]]:
    """Return by cell and name what the atlas shows of it, and what each policy wins."""
    figures = evidence.statistics.figures
    shown = [one.metric.atlas or one.metric.name == "win_points" for one in figures.names]
    rows = np.flatnonzero(figures.of_names(shown)[figures.code])
    found: dict[int, dict[str, Interval]] = {}
    columns = (figures.cell, figures.code, figures.value, figures.low, figures.high)
    for number, code, *ends in zip(*(column[rows].tolist() for column in columns), strict=True):
        found.setdefault(number, {})[figures.names[code].name] = Interval(*ends)
    return found


def metric_form(metric: Metric) -> str:
    """Return how the numbers of a metric are written in tables."""
    return "integer" if metric.form == "rounds" else metric.form


def _metrics(evidence: Evidence) -> tuple[AtlasMetric, ...]:
    """Return what can be shown: metrics that some cell has."""
    shown = [name for name in evidence.statistics.figures.names if name.metric.atlas]
    found = []
    for sample in sorted(shown, key=lambda sample: sample.metric.order):
        metric = sample.metric
        threshold = evidence.thresholds.of(sample)
        found.append(
            AtlasMetric(
                sample.name,
                _title(evidence, sample),
                threshold.reason if threshold else "",
                metric_form(metric),
                metric.neutral,
                threshold.low if threshold else None,
                threshold.high if threshold else None,
            )
        )
    return tuple(found)


def _title(m: Evidence, measured: Measurement | Name) -> str:
    title = own_words(measured.metric.title, m.facts)
    title = f"{measured.of.capitalize()}: {title}" if measured.of else title
    return title[:1].upper() + title[1:]


def _cause(m: Evidence, measured: Measurement) -> str:
    """Return the title of what breaks a cell; whichever item it is, the cause is the same."""
    return _title(m, Name(measured.metric, "" if measured.metric.name == "item" else measured.of))


def _scaled(intervals: Iterable[Interval | None]) -> Scaled:
    columns: tuple[list[int | None], ...] = ([], [], [])
    for interval in intervals:
        for column, end in zip(columns, interval or (None, None, None), strict=True):
            column.append(None if end is None or not math.isfinite(end) else round(end * SCALE))
    return Scaled(*map(tuple, columns))


def _view(
    m: Evidence,
    players: int,
    lineup: str,
    cells: Sequence[PlannedCell | None],
    metrics: Sequence[AtlasMetric],
    measured: Mapping[int, Mapping[str, Interval]],
    by_cell: Mapping[int, Sequence[Interaction]],
    lengths: Mapping[int, tuple[int, ...]],
    replays: Mapping[int, str],
) -> AtlasView:
    own = [measured.get(cell.id, {}) if cell else {} for cell in cells]

    def scaled(name: str) -> Scaled:
        return _scaled(found.get(name) for found in own)

    verdicts = [_verdict_of(m, cell) if cell else None for cell in cells]
    policies = [
        n.partition(":")[2] for n in dict.fromkeys(k for f in own for k in f) if n.startswith("win_points:")
    ]
    beyond = [{one.measure: one for one in by_cell.get(cell.id, ())} if cell else {} for cell in cells]
    looked = list(dict.fromkeys(name for found in beyond for name in found))
    return AtlasView(
        players,
        lineup,
        m.strength_name(lineup),
        tuple(cell.id if cell else None for cell in cells),
        tuple(cell.games if cell else 0 for cell in cells),
        "".join(_CODES[found.verdict] if found else "." for found in verdicts),
        {shown.id: scaled(shown.id) for shown in metrics if any(shown.id in found for found in own)},
        tuple(lengths[cell.id] if cell else () for cell in cells),
        {policy: scaled(f"win_points:{policy}") for policy in policies},
        {
            name: _scaled(found[name].interval if name in found else None for found in beyond)
            for name in looked
        },
        {
            name: "".join(
                "." if name not in found else "01"[found[name].adjusted <= 0.05] for found in beyond
            )
            for name in looked
        },
        tuple(replays.get(cell.id) if cell else None for cell in cells),
        tuple(tuple(_reasons(m, found)) if found else () for found in verdicts),
        tuple(_cause(m, found.broken[0].measured) if found and found.broken else "" for found in verdicts),
    )


def _verdict_of(m: Evidence, cell: PlannedCell) -> CellVerdict | None:
    judgement = m.find(cell.players, cell.variants)
    if judgement is None:
        return None
    return next((found for found in judgement.cells if found.cell.lineup == cell.lineup), None)


def _reasons(m: Evidence, found: CellVerdict) -> list[str]:
    """Return what breaks or bends a cell, or what keeps it undecided, as sentences."""
    assert m.ranking is not None
    if found.broken:
        return [m.ranking.sentence(finding) for finding in found.broken[:_MOST_REASONS]]
    if found.verdict is Verdict.BENT:
        return [m.ranking.sentence(finding) for finding in found.bent[:_MOST_REASONS]]
    if found.verdict is Verdict.UNDECIDED and found.holding is not None:
        return [m.ranking.sentence(found.holding), needed_sentence(found.further)]
    return []


def _overall(m: Evidence, places: _Places, players: int) -> str:
    found = (m.find(players, both) for both in places.combinations)
    return "".join(_CODES[judgement.verdict] if judgement else "." for judgement in found)


# --- lengths and games to look at


def _lengths(m: Evidence) -> tuple[list[tuple[int, int]], dict[int, tuple[int, ...]]]:
    """Return classes of lengths that suit all cells, and how many games of each cell fall into each."""
    rows = m.queries.records("length-classes")
    bins = list(dict.fromkeys((row["shortest"], row["longest"]) for row in rows))
    lengths: dict[int, list[int]] = {}
    for row in rows:
        lengths.setdefault(row["cell_id"], []).append(row["games"])
    return bins, {number: tuple(games) for number, games in lengths.items()}


def _replays(m: Evidence) -> dict[int, str]:
    """Return a game worth looking at for each cell: nobody wins it if that is the fault; else typical."""
    chosen: dict[int, int] = {}
    for row in m.queries.records("telling-games"):
        found = _verdict_of(m, m.statistics.cells[row["cell_id"]])
        stalls = bool(found and found.broken and found.broken[0].measured.metric.name == "stalls")
        chosen[row["cell_id"]] = row["stalled" if stalls else "typical"]
    replays: dict[int, str] = {}
    for run in m.runs:
        numbers = {
            cell.id: chosen[cell.id]
            for cell in run.plan.cells
            if cell.id in chosen and split_game_id(chosen[cell.id]).index in cell.indices
        }
        commands = replay_commands(
            run, list(numbers.values()), named=command_path(run.path), catalog=m.catalog_options
        )
        replays |= dict(zip(numbers, commands, strict=True))
    return replays
