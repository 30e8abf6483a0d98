"""The atlas of a report: every combination of at most two variants, at every number of players and strength.

Numbers are whole (times SCALE) and sentences are templates, so that the whole stays small enough to travel
inside a page.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from balance.analysis.cells import CellStatistics, connect
from balance.analysis.interaction import LOG, Interaction
from balance.analysis.intervals import Interval
from balance.analysis.metrics import Measurement, metric
from balance.analysis.sentences import needed_sentence
from balance.analysis.verdict import CellVerdict, Finding, Verdict
from balance.dataset import sqltext
from balance.dataset.schema import stored_table
from balance.report.material import INTERACTIONS, Material
from balance.report.model import (
    SCALE,
    Atlas,
    AtlasMetric,
    AtlasVariant,
    AtlasView,
    Phrase,
    Scaled,
    place,
)
from balance.report.words import command_path

__all__ = ["make_atlas", "panel_sql"]

SHOWN: Final = (
    *("length_ratio", "length", "length_long", "stalls", "tie_extensions", "skill", "no_lead_change"),
    *("half_leader", "action", "money_ratio", "hand_ratio", "exhaustion"),
)
"""The metrics that the atlas can be coloured by, as far as the game has them."""
SHARES: Final = ("stalls", "tie_extensions", "no_lead_change", "half_leader", "action", "exhaustion")
_MOST_REASONS: Final = 3
_BINS: Final = 14
_CODES: Final = {Verdict.BROKEN: "b", Verdict.FINE: "f", Verdict.UNDECIDED: "u"}
_NUMBER: Final = re.compile(r"[+-]?\d[\d,]*(?:\.\d+)?%?")
TITLES: Final = {
    "length": "length",
    "money": "money at the end",
    "hand": "size of the hand at the end",
    "stalled": "games that nobody wins",
    "no_lead_change": "games in which the lead never changes",
}


@dataclass
class _Templates:
    """Sentences that differ in their numbers alone are kept once."""

    known: dict[str, int] = field(default_factory=dict)

    def phrase(self, sentence: str) -> Phrase:
        """Return a sentence in short."""
        if "{" in sentence or "}" in sentence:
            return Phrase(self._number("{}"), (sentence,))
        words: list[str] = []

        def taken(found: re.Match[str]) -> str:
            words.append(found[0])
            return "{}"

        template = _NUMBER.sub(taken, sentence)
        return Phrase(self._number(template), tuple(words))

    def _number(self, template: str) -> int:
        return self.known.setdefault(template, len(self.known))


def make_atlas(material: Material) -> Atlas | None:
    """Return the atlas; None if no variant was in force, or more than two at once."""
    m = material
    if not 1 <= m.size <= 2:
        return None
    played = {name for cell in m.statistics.cells.values() for name in cell.variants}
    variants = sorted(played, key=lambda name: (m.names.get(name, name), name))
    places = _Places(variants)
    measured = {number: _measured(m, cell) for number, cell in m.statistics.cells.items() if cell.games}
    metrics = _metrics(m, measured)
    bins = _bins(m)
    templates = _Templates()
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
            views.append(
                _view(m, players, lineup, cells, metrics, measured, by_cell, bins, templates, replays)
            )
            base = m.cell(players, (), lineup)
            plain.append(
                {
                    name: found.estimate.interval
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
            (name, TITLES[name], LOG if name in ("length", "money", "hand") else "points")
            for name in INTERACTIONS
            if any(name in view.interactions for view in views)
        ),
        templates=tuple(templates.known),
        replay=f"balance replay {command_path(m.run.path)} {{}}",
        sql=panel_sql(m),
    )


def panel_sql(material: Material) -> str:
    """Return the query behind the panel of a combination; `{}` stands for the cell."""
    ask = material.ask
    return (
        f"select {ask.length} as rounds, count(*) as games, count(*) filter ({ask.stalled}) as stalled\n"
        "from games where cell_id = {}\ngroup by all order by all"
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

    def cells(self, material: Material, players: int, lineup: str) -> list[CellStatistics | None]:
        """Return the cell of each place."""
        found = (material.cell(players, both, lineup) for both in self.combinations)
        return [cell if cell and cell.games else None for cell in found]


def _measured(material: Material, cell: CellStatistics) -> dict[str, Measurement]:
    bench = material.ranking.bench if material.ranking else None
    if bench is None:
        from balance.analysis.metrics import measure

        return {found.name: found for found in measure(material.statistics, cell)}
    return {found.name: found for found in bench.of(cell)}


def _metrics(
    material: Material, measured: Mapping[int, Mapping[str, Measurement]]
) -> tuple[AtlasMetric, ...]:
    """Return what can be shown: metrics that some cell has."""
    names = dict.fromkeys(name for own in measured.values() for name in own)
    found = []
    for known in SHOWN:
        for name in names:
            kind, _, of = name.partition(":")
            if kind != known:
                continue
            sample = next(own[name] for own in measured.values() if name in own)
            threshold = material.thresholds.of(sample)
            title = f"{of.capitalize()}: {metric(kind).title}" if of else metric(kind).title
            found.append(
                AtlasMetric(
                    name,
                    title[:1].upper() + title[1:],
                    threshold.reason if threshold else "",
                    "share"
                    if kind in SHARES
                    else "integer"
                    if kind in ("length", "length_long")
                    else "number",
                    metric(kind).neutral,
                    threshold.low if threshold else None,
                    threshold.high if threshold else None,
                )
            )
    return tuple(found)


def _scaled(intervals: Iterable[Interval | None]) -> Scaled:
    columns: tuple[list[int | None], ...] = ([], [], [])
    for interval in intervals:
        for column, end in zip(columns, interval or (None, None, None), strict=True):
            column.append(None if end is None or not math.isfinite(end) else round(end * SCALE))
    return Scaled(*map(tuple, columns))


def _view(
    m: Material,
    players: int,
    lineup: str,
    cells: Sequence[CellStatistics | None],
    metrics: Sequence[AtlasMetric],
    measured: Mapping[int, Mapping[str, Measurement]],
    by_cell: Mapping[int, Sequence[Interaction]],
    bins: Sequence[tuple[int, int]],
    templates: _Templates,
    replays: Mapping[int, int],
) -> AtlasView:
    own = [measured[cell.id] if cell else {} for cell in cells]

    def scaled(name: str) -> Scaled:
        return _scaled(found[name].estimate.interval if name in found else None for found in own)

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
        tuple(
            tuple(templates.phrase(sentence) for sentence in _reasons(m, found)) if found else ()
            for found in verdicts
        ),
    )


def _verdict_of(m: Material, cell: CellStatistics) -> CellVerdict | None:
    judgement = m.find(cell.players, cell.variants)
    if judgement is None:
        return None
    return next((found for found in judgement.cells if found.cell.lineup == cell.lineup), None)


def _reasons(m: Material, found: CellVerdict) -> list[str]:
    """Return what breaks a cell, or what keeps it undecided, as sentences."""
    assert m.ranking is not None
    if found.broken:
        return [_short(m, finding) for finding in found.broken[:_MOST_REASONS]]
    if found.verdict is Verdict.UNDECIDED and found.holding is not None:
        return [_short(m, found.holding), needed_sentence(found.further)]
    return []


def _short(m: Material, finding: Finding) -> str:
    assert m.ranking is not None
    return m.ranking.sentence(finding)


def _overall(m: Material, places: _Places, players: int) -> str:
    found = (m.find(players, both) for both in places.combinations)
    return "".join(_CODES[judgement.verdict] if judgement else "." for judgement in found)


# --- lengths and games to look at


def _bins(m: Material) -> list[tuple[int, int]]:
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


def _replays(m: Material) -> dict[int, int]:
    """Return a game worth looking at for each cell: nobody wins it if that is the fault; else typical."""
    wanted = []
    for number, cell in m.statistics.cells.items():
        if not cell.games:
            continue
        found = _verdict_of(m, cell)
        stalls = bool(found and found.broken and found.broken[0].measured.metric.name == "stalls")
        wanted.append(f"({number}, {_middle(cell.lengths)}, {stalls})")
    table = stored_table(m.facts, "games")
    length, stalled = (sqltext.name(table.column(role).name) for role in ("length", "stalled"))
    files = sqltext.parquet(f for run in m.runs for f in run.files("games"))
    con = connect()
    con.execute("create temp table wanted (cell_id int, middle int, stalls bool)")
    con.execute(f"insert into wanted values {', '.join(wanted)}")
    rows = con.execute(
        f"select cell_id, min(game_id) from {files} join wanted using (cell_id) "
        f"where if(stalls, {stalled}, {length} = middle) group by cell_id"
    ).fetchall()
    return {int(number): int(game) for number, game in rows}


def _middle(lengths: Mapping[int, int]) -> int:
    """Return the length in the middle, the upper one of two."""
    half, passed = sum(lengths.values()) // 2, 0
    for rounds in sorted(lengths):
        passed += lengths[rounds]
        if passed > half:
            return rounds
    raise ValueError("no game")
