"""The atlas on paper: the matrices that matter, and every combination with its verdicts."""

from __future__ import annotations

from balance.judge.verdict import Judgement
from balance.report.atlas_model import SCALE, Atlas, AtlasView, place
from balance.report.evidence import Evidence
from balance.report.formatting import count
from balance.report.model import Block, Cell, Chart, Heading, Paragraph, Section, Source, Table


def section(m: Evidence, atlas: Atlas) -> Section:
    """Return the chapter."""
    blocks: list[Block] = [
        Paragraph(
            f"Every {m.facts.variant} against every other; on the diagonal a {m.facts.variant} alone. "
            "Each verdict is over all [[strengths of play]] that decide."
            if atlas.pairs
            else f"Every {m.facts.variant}, at every number of players."
        )
    ]
    if atlas.pairs:
        blocks += [_verdicts(m, atlas, players) for players in atlas.players]
        view = _middle(m, atlas)
        if view is not None:
            blocks.append(_lengths(m, atlas, view))
    return Section("atlas", "Atlas of all combinations", tuple(blocks))


def appendix(m: Evidence) -> Section:
    """Return every combination with its verdicts."""
    return Section("every", f"All {m.combinations}", (_every(m),))


def _middle(m: Evidence, atlas: Atlas) -> AtlasView | None:
    views = [v for v in atlas.views if v.lineup == m.usual and "length_ratio" in v.values]
    return views[len(views) // 2] if views else None


def _verdicts(m: Evidence, atlas: Atlas, players: int) -> Chart:
    names = [variant.name for variant in atlas.variants]
    codes = atlas.overall[players]
    n = len(names)
    cells = [(i, j, codes[place(i, j, n)]) for i in range(n) for j in range(n)]
    pairs = [codes[place(i, j, n)] for i in range(n) for j in range(i + 1, n)]
    assert m.ranking is not None
    return Chart(
        f"verdicts-{players}",
        f"Verdicts with {players} players",
        "matrix",
        {
            "row": tuple(names[i] for i, _, _ in cells),
            "column": tuple(names[j] for _, j, _ in cells),
            "y": tuple(code for _, _, code in cells),
        },
        Source(
            count(sum(c.games for c in m.statistics.cells.values() if c.players == players), "game", "games"),
            f"verdicts: {m.ranking.judgements.family}",
            command=m.check,
        ),
        f"A matrix of {n} by {n}: {pairs.count('b')} pairs broken, {pairs.count('u')} undecided, "
        f"{pairs.count('e')} bent, {pairs.count('f')} fine.",
        verdict=True,
    )


def _lengths(m: Evidence, atlas: Atlas, view: AtlasView) -> Chart:
    names = [variant.name for variant in atlas.variants]
    n = len(names)
    values = view.values["length_ratio"].values
    cells = [(i, j, values[place(i, j, n)]) for i in range(n) for j in range(n)]
    known = [(value, i, j) for i, j, value in cells if value is not None and i < j]
    low, high = min(known, default=None), max(known, default=None)
    told = ""
    if low and high:
        told = (
            f" Shortest: {names[low[1]]} + {names[low[2]]}, {low[0] / SCALE:.2f} times; "
            f"longest: {names[high[1]]} + {names[high[2]]}, {high[0] / SCALE:.2f} times."
        )
    return Chart(
        f"length-ratio-{view.players}",
        f"Length as a multiple of that without {m.facts.variants}, {view.players} players, {view.strength}",
        "matrix",
        {
            "row": tuple(names[i] for i, _, _ in cells),
            "column": tuple(names[j] for _, j, _ in cells),
            "y": tuple(None if value is None else value / SCALE for _, _, value in cells),
        },
        Source(
            count(sum(view.games), "game", "games"),
            "in the atlas: 95%, Fieller, on common deals",
            query="report/length-ratio",
            parameters={"players": view.players, "lineup": view.lineup},
        ),
        f"A matrix of {n} by {n}.{told}",
        reference=1.0,
        log=True,
    )


def _every(m: Evidence) -> Table:
    rows = []
    for key in sorted(m.by_combination, key=m.title):
        judgements = {j.players: j for j in m.by_combination[key]}
        worst = next((j for j in m.judged if j.variants == key), None)
        rows.append(
            (
                Cell(key, m.title(key)),
                *(_verdict(judgements.get(n)) for n in m.players),
                Cell(_main(m, worst), _main(m, worst)),
            )
        )
    assert m.ranking is not None
    return Table(
        "every",
        f"All {len(rows):,} {m.combinations}",
        (
            Heading("pair", m.combination.capitalize(), "pair"),
            *(Heading(f"p{n}", str(n), "verdict", f"The verdict with {n} players.") for n in m.players),
            Heading("reason", "What breaks it most, or keeps it undecided"),
        ),
        tuple(rows),
        Source(
            count(m.games, "game", "games"),
            f"verdicts: {m.ranking.judgements.family}",
            command=m.check,
        ),
        long=True,
    )


def _verdict(judgement: Judgement | None) -> Cell:
    return (
        Cell(judgement.verdict.value, judgement.verdict.value)
        if judgement
        else Cell("not played", "not played")
    )


def _main(m: Evidence, judgement: Judgement | None) -> str:
    assert m.ranking is not None
    reason = m.ranking.reason(judgement) if judgement else None
    return (
        reason.measured.metric.title + (f" ({reason.measured.of})" if reason.measured.of else "")
        if reason
        else ""
    )
