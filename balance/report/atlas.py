"""The atlas of a report: every combination of at most two variants, at every number of players and strength.

Numbers are whole (times SCALE), so that the atlas stays small enough to travel inside a page.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from balance.dataset.schema import split_game_id
from balance.judge.interaction import TITLES, Interaction
from balance.judge.sentences import needed_sentence
from balance.judge.verdict import CellVerdict, Verdict
from balance.measure.cells import CellStatistics, games_of_length
from balance.measure.metrics import Measurement, Metric
from balance.measure.quartets import LOG
from balance.report.atlas_model import SCALE, Atlas, AtlasMetric, AtlasVariant, AtlasView, Scaled, place
from balance.report.evidence import INTERACTIONS, Evidence
from balance.report.formatting import command_path
from balance.stats.intervals import Interval
from balance.sweep.replaying import replay_commands

_MOST_REASONS: Final = 3
_BINS: Final = 14
_CODES: Final = {Verdict.BROKEN: "b", Verdict.FINE: "f", Verdict.UNDECIDED: "u", Verdict.BENT: "e"}


def make_atlas(evidence: Evidence) -> Atlas | None:
    """Return the atlas; None if no variant was in force, or more than two at once."""
    m = evidence
    if not 1 <= m.size <= 2:
        return None
    played = {name for cell in m.statistics.cells.values() for name in cell.variants}
    variants = sorted(played, key=lambda name: (m.names.get(name, name), name))
    places = _Places(variants)
    measured = {number: _measured(m, cell) for number, cell in m.statistics.cells.items() if cell.games}
    metrics = _metrics(m, measured)
    bins = _bins(m)
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
            views.append(_view(m, players, lineup, cells, metrics, measured, by_cell, bins, replays))
            base = m.cell(players, (), lineup)
            plain.append(
                {
                    name: found.interval
                    for name, found in (measured[base.id] if base else {}).items()
                    if any(name == shown.id for shown in metrics)
                }
            )
            plain_lengths.append(_binned(base, bins) if base else ())
    return Atlas(
        variants=tuple(AtlasVariant(name, m.names.get(name, name), m.rule(name)) for name in variants),
        pairs=m.size == 2,
        metrics=metrics,
        players=m.players,
        lineups=tuple((lineup, m.strength_name(lineup)) for lineup in m.lineups),
        views=tuple(views),
        overall={players: _overall(m, places, players) for players in m.players},
        plain=tuple(plain),
        plain_lengths=tuple(plain_lengths),
        length_bins=tuple(bins),
        policies=tuple(dict.fromkeys(name for view in views for name in view.styles)),
        interactions=tuple(
            (name, TITLES[name], LOG if name in ("mean_length", "money", "hand") else "points")
            for name in INTERACTIONS
            if any(name in view.interactions for view in views)
        ),
        query="balance sql RUN @report/cell cell={}",
    )


class _Places:
    """Which combination stands where."""

    def __init__(self, variants: Sequence[str]) -> None:
        n = len(variants)
        self.combinations: list[tuple[str, ...]] = [()] * (n * (n + 1) // 2)
        for i, one in enumerate(variants):
            for j in range(i, n):
                both = (one,) if i == j else tuple(sorted((one, variants[j])))
                self.combinations[place(i, j, n)] = both

    def cells(self, evidence: Evidence, players: int, lineup: str) -> list[CellStatistics | None]:
        """Return the cell of each place."""
        found = (evidence.cell(players, both, lineup) for both in self.combinations)
        return [cell if cell and cell.games else None for cell in found]


def _measured(evidence: Evidence, cell: CellStatistics) -> dict[str, Measurement]:
    bench = evidence.ranking.bench if evidence.ranking else None
    if bench is None:
        from balance.measure.metrics import measure

        return {found.name: found for found in measure(evidence.statistics, cell)}
    return {found.name: found for found in bench.of(cell)}


def metric_form(metric: Metric) -> str:
    """Return how the numbers of a metric are written in tables."""
    return "integer" if metric.form == "rounds" else metric.form


def _metrics(
    evidence: Evidence, measured: Mapping[int, Mapping[str, Measurement]]
) -> tuple[AtlasMetric, ...]:
    """Return what can be shown: metrics that some cell has."""
    samples = {name: sample for own in measured.values() for name, sample in own.items()}
    shown = [sample for sample in samples.values() if sample.metric.atlas]
    found = []
    for sample in sorted(shown, key=lambda sample: sample.metric.order):
        metric = sample.metric
        threshold = evidence.thresholds.of(sample)
        found.append(
            AtlasMetric(
                sample.name,
                _title(sample),
                threshold.reason if threshold else "",
                metric_form(metric),
                metric.neutral,
                threshold.low if threshold else None,
                threshold.high if threshold else None,
            )
        )
    return tuple(found)


def _title(measured: Measurement) -> str:
    title = measured.metric.title
    title = f"{measured.of.capitalize()}: {title}" if measured.of else title
    return title[:1].upper() + title[1:]


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
    cells: Sequence[CellStatistics | None],
    metrics: Sequence[AtlasMetric],
    measured: Mapping[int, Mapping[str, Measurement]],
    by_cell: Mapping[int, Sequence[Interaction]],
    bins: Sequence[tuple[int, int]],
    replays: Mapping[int, str],
) -> AtlasView:
    own = [measured[cell.id] if cell else {} for cell in cells]

    def scaled(name: str) -> Scaled:
        return _scaled(found[name].interval if name in found else None for found in own)

    verdicts = [_verdict_of(m, cell) if cell else None for cell in cells]
    policies = [
        n.partition(":")[2] for n in dict.fromkeys(k for f in own for k in f) if n.startswith("win_points:")
    ]
    beyond = [{one.measure: one for one in by_cell.get(cell.id, ())} if cell else {} for cell in cells]
    looked = [name for name in INTERACTIONS if any(name in found for found in beyond)]
    return AtlasView(
        players,
        lineup,
        m.strength_name(lineup),
        tuple(cell.id if cell else None for cell in cells),
        tuple(cell.games if cell else 0 for cell in cells),
        "".join(_CODES[found.verdict] if found else "." for found in verdicts),
        {shown.id: scaled(shown.id) for shown in metrics if any(shown.id in found for found in own)},
        tuple(_binned(cell, bins) if cell else () for cell in cells),
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
        tuple(_title(found.broken[0].measured) if found and found.broken else "" for found in verdicts),
    )


def _verdict_of(m: Evidence, cell: CellStatistics) -> CellVerdict | None:
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


def _bins(m: Evidence) -> list[tuple[int, int]]:
    """Return classes of lengths that suit all cells: narrow where most games end, one for the long rest."""
    every: dict[int, int] = {}
    for cell in m.statistics.cells.values():
        for rounds, games in cell.lengths.items():
            every[rounds] = every.get(rounds, 0) + games
    total, passed, most = sum(every.values()), 0, max(every)
    for rounds in sorted(every):  # nearly all games end by then; those that never end would make classes wide
        passed += every[rounds]
        if passed >= 0.96 * total:
            break
    low = min(every)
    step = max(1, math.ceil((rounds - low + 1) / (_BINS - 1)))
    bins = [(k, k + step - 1) for k in range(low, rounds + 1, step)]
    if bins[-1][1] < most:
        bins.append((bins[-1][1] + 1, most))
    return bins


def _binned(cell: CellStatistics, bins: Sequence[tuple[int, int]]) -> tuple[int, ...]:
    return tuple(sum(n for k, n in cell.lengths.items() if low <= k <= high) for low, high in bins)


def _replays(m: Evidence) -> dict[int, str]:
    """Return a game worth looking at for each cell: nobody wins it if that is the fault; else typical."""
    wanted = []
    for number, cell in m.statistics.cells.items():
        if not cell.games:
            continue
        found = _verdict_of(m, cell)
        stalls = bool(found and found.broken and found.broken[0].measured.metric.name == "stalls")
        wanted.append((number, _middle(cell.lengths), stalls))
    chosen = games_of_length(m.runs, wanted)
    replays: dict[int, str] = {}
    for run in m.runs:
        numbers = {
            cell.id: chosen[cell.id]
            for cell in run.plan.cells
            if cell.id in chosen
            and split_game_id(chosen[cell.id]).index in run.plan.indices(cell.players, cell.first, cell.deals)
        }
        commands = replay_commands(run, list(numbers.values()), named=command_path(run.path))
        replays |= dict(zip(numbers, commands, strict=True))
    return replays


def _middle(lengths: Mapping[int, int]) -> int:
    """Return the length in the middle, the upper one of two."""
    half, passed = sum(lengths.values()) // 2, 0
    for rounds in sorted(lengths):
        passed += lengths[rounds]
        if passed > half:
            return rounds
    raise ValueError("no game")
