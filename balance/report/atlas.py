"""The atlas of a report: every combination of at most two variants, at every number of players and strength.

A place of the atlas is a pair of variants, or one alone on the diagonal. Numbers are whole (times SCALE), so
that the atlas stays small enough to travel inside a page.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import numpy as np

from balance.dataset.plan import PlannedCell
from balance.dataset.schema import split_game_id
from balance.judge.interaction import Interaction
from balance.judge.sentences import needed_sentence
from balance.judge.verdict import CellVerdict, Verdict
from balance.measure.metrics import Measurement, Name
from balance.report.evidence import Evidence, rule_of
from balance.report.formatting import command_path, listed
from balance.report.glossary import game_words, own_words
from balance.report.records import finite
from balance.stats.intervals import Interval
from balance.sweep.replaying import replay_commands

VERDICT_CODES: Final = {"b": "broken", "u": "undecided", "e": "bent", "f": "fine", ".": "not played"}
SCALE: Final = 10_000
_CODES: Final = {word: code for code, word in VERDICT_CODES.items()}
_MOST_REASONS: Final = 3


def make_atlas(m: Evidence, title: str) -> dict[str, Any] | None:
    """Return what `render/static/atlas.js` reads; None if no variant was in force, or more than two at once.

    `title` is that of the report.
    """
    if not 1 <= m.size <= 2:
        return None
    played = {name for cell in m.statistics.cells.values() for name in cell.variants}
    variants = sorted(played, key=lambda name: (m.names.get(name, name), name))
    combinations = [
        tuple(sorted({one, other})) for k, one in enumerate(variants) for other in variants[k:]
    ]  # a place each: the upper triangle row by row, diagonal included
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
            found = (m.cell(players, both, lineup) for both in combinations)
            cells = [cell if cell and cell.games else None for cell in found]
            if not any(cells):
                continue
            views.append(_view(m, players, lineup, cells, metrics, measured, by_cell, lengths, replays))
            base = m.cell(players, (), lineup)
            own = measured.get(base.id, {}) if base else {}
            shown = {metric["id"] for metric in metrics}
            plain.append({name: list(map(finite, own[name])) for name in own if name in shown})
            plain_lengths.append(lengths[base.id] if base else ())
    return {
        "variants": [
            {"id": name, "name": m.names.get(name, name), "rule": rule_of(m.described(name))}
            for name in variants
        ],
        "pairs": m.size == 2,  # otherwise only the diagonal is played
        "metrics": metrics,
        "players": m.players,
        "lineups": [(lineup, m.strength_name(lineup)) for lineup in m.lineups],
        "usual": m.usual,
        "views": views,  # by number of players, then by lineup; each list has an entry for each place
        "overall": {players: _overall(m, combinations, players) for players in m.players},
        "plain": plain,  # for each view: the metrics without variants, value and ends of the interval
        "plain_lengths": plain_lengths,
        "length_bins": bins,  # rounds from..to, ends included
        "policies": list(dict.fromkeys(name for view in views for name in view["styles"])),
        "interactions": [
            (one.measure, one.title, one.scale)  # the scale is `log` (a factor) or `points` (a difference)
            for one in {one.measure: one for one in m.interactions}.values()
        ],
        "query": "balance sql RUN @report/cell cell={}",
        "title": title,
        "game": m.facts.title,
        "words": game_words(m.facts),
        "scale": SCALE,
        "codes": VERDICT_CODES,
    }


def _measured(m: Evidence) -> dict[int, dict[str, Interval]]:
    """Return by cell and name what the atlas shows of it, and what each policy wins."""
    figures = m.statistics.figures
    shown = [one.metric.atlas or one.metric.name == "win_points" for one in figures.names]
    rows = np.flatnonzero(figures.of_names(shown)[figures.code])
    found: dict[int, dict[str, Interval]] = {}
    columns = (figures.cell, figures.code, figures.value, figures.low, figures.high)
    for number, code, *ends in zip(*(column[rows].tolist() for column in columns), strict=True):
        found.setdefault(number, {})[figures.names[code].name] = Interval(*ends)
    return found


def _metrics(m: Evidence) -> list[dict[str, Any]]:
    """Return what can be shown: metrics that some cell has."""
    names = [name for name in m.statistics.figures.names if name.metric.atlas]
    found = []
    for name in sorted(names, key=lambda name: name.metric.order):
        threshold = m.thresholds.of(name)
        found.append(
            {
                "id": name.name,
                "title": _title(m, name),
                "help": threshold.reason if threshold else "",
                "kind": "integer" if name.metric.form == "rounds" else name.metric.form,
                "neutral": name.metric.neutral,
                "low": threshold.low if threshold else None,
                "high": threshold.high if threshold else None,
            }
        )
    return found


def _title(m: Evidence, measured: Measurement | Name) -> str:
    title = own_words(measured.metric.title, m.facts)
    title = f"{measured.of.capitalize()}: {title}" if measured.of else title
    return title[:1].upper() + title[1:]


def _cause(m: Evidence, measured: Measurement) -> str:
    """Return the title of what breaks a cell; whichever item it is, the cause is the same."""
    return _title(m, Name(measured.metric, "" if measured.metric.name == "item" else measured.of))


def _judged(m: Evidence, verdicts: Iterable[CellVerdict | None]) -> str:
    """Return what is judged at one strength of play, in words; all cells have the same metrics."""
    first = next((found for found in verdicts if found), None)
    found = [one.measured.metric for one in first.findings if one.holds] if first else []
    return (
        listed([own_words(title, m.facts) for title in dict.fromkeys(one.title for one in found)])
        or "nothing"
    )


def _scaled(intervals: Iterable[Interval | None]) -> dict[str, list[int | None]]:
    columns: dict[str, list[int | None]] = {"values": [], "lows": [], "highs": []}
    for interval in intervals:
        for column, end in zip(columns.values(), interval or (math.nan,) * 3, strict=True):
            column.append(round(end * SCALE) if math.isfinite(end) else None)
    return columns


def _view(
    m: Evidence,
    players: int,
    lineup: str,
    cells: Sequence[PlannedCell | None],
    metrics: Iterable[Mapping[str, Any]],
    measured: Mapping[int, Mapping[str, Interval]],
    by_cell: Mapping[int, Sequence[Interaction]],
    lengths: Mapping[int, Sequence[int]],
    replays: Mapping[int, str],
) -> dict[str, Any]:
    """Return the atlas at one number of players and one strength of play."""
    own = [measured.get(cell.id, {}) if cell else {} for cell in cells]
    played = dict.fromkeys(name for found in own for name in found)
    verdicts = [_verdict_of(m, cell) if cell else None for cell in cells]
    beyond = [{one.measure: one for one in by_cell.get(cell.id, ())} if cell else {} for cell in cells]
    looked = list(dict.fromkeys(name for found in beyond for name in found))
    return {
        "players": players,
        "lineup": lineup,
        "strength": m.strength_name(lineup),
        "judged": _judged(m, verdicts) if lineup != m.usual else "",
        "cells": [cell.id if cell else None for cell in cells],
        "games": [cell.games if cell else 0 for cell in cells],
        "verdicts": "".join(_CODES[found.verdict] if found else "." for found in verdicts),
        "values": {
            shown["id"]: _scaled(found.get(shown["id"]) for found in own)
            for shown in metrics
            if shown["id"] in played
        },
        "lengths": [lengths[cell.id] if cell else () for cell in cells],
        "styles": {
            name.removeprefix("win_points:"): _scaled(found.get(name) for found in own)
            for name in played
            if name.startswith("win_points:")
        },
        "interactions": {
            name: _scaled(found[name].interval if name in found else None for found in beyond)
            for name in looked
        },
        "sure": {
            name: "".join(
                "." if name not in found else "01"[found[name].adjusted <= 0.05] for found in beyond
            )
            for name in looked
        },
        "replays": [replays.get(cell.id) if cell else None for cell in cells],
        "reasons": [_reasons(m, found) if found else () for found in verdicts],
        "causes": [
            _cause(m, found.broken[0].measured) if found and found.broken else "" for found in verdicts
        ],
    }


def _verdict_of(m: Evidence, cell: PlannedCell) -> CellVerdict | None:
    judgement = m.find(cell.players, cell.variants)
    own = judgement.cells if judgement else ()
    return next((found for found in own if found.cell.lineup == cell.lineup), None)


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


def _overall(m: Evidence, combinations: Iterable[tuple[str, ...]], players: int) -> str:
    found = (m.find(players, both) for both in combinations)
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
