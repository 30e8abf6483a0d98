"""The atlas on paper: the matrices that matter."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from balance.report.evidence import Evidence
from balance.report.model import Block, Chart, Paragraph, Section
from balance.report.query_blocks import records_of


def section(m: Evidence, atlas: Mapping[str, Any]) -> Section:
    """Return the chapter."""
    if not atlas["pairs"]:
        head = Paragraph(f"Every {m.facts.variant}, at every number of players.")
        return Section("atlas", "Atlas of all combinations", (head,))
    blocks: list[Block] = [
        Paragraph(
            f"Every {m.facts.variant} against every other; on the diagonal a {m.facts.variant} alone. "
            "Each verdict is over every [[strength of play]] that decides."
        )
    ]
    for players in m.players:
        chart = _matrix(
            m, atlas, "verdict-matrix", {"players": players}, "verdict", f"Verdicts with {players} players"
        )
        verdicts = tuple(verdict or "not played" for verdict in chart.data["y"])
        blocks.append(replace(chart, data={**chart.data, "y": verdicts}, verdict=True))
    players = m.middle
    caption = (
        f"Length as a multiple of that without {m.facts.variants}, {players} players, "
        f"{m.strength_name(m.usual)}"
    )
    given = {"players": players, "lineup": m.usual}
    chart = _matrix(m, atlas, "length-ratio", given, "ratio", caption)
    if any(y is not None for y in chart.data["y"]):
        blocks.append(replace(chart, reference=1.0, log=True))
    return Section("atlas", "Atlas of all combinations", tuple(blocks))


def _matrix(
    m: Evidence, atlas: Mapping[str, Any], query: str, given: Mapping[str, Any], shown: str, caption: str
) -> Chart:
    """Return one column of a query over combinations, each variant against each other."""
    table = m.ask(query, n=m.games_of(), **given)
    known = {tuple(row["variants"]): row[shown] for row in records_of(table)}
    variants = atlas["variants"]
    both = [(a, b) for k, a in enumerate(variants) for b in variants[: k + 1]]
    return Chart(
        f"{query}-{given['players']}",
        caption,
        "matrix",
        {
            "row": tuple(a["name"] for a, _ in both),
            "column": tuple(b["name"] for _, b in both),
            "y": tuple(known.get(tuple(sorted({a["id"], b["id"]}))) for a, b in both),
        },
        replace(table.source, sql=""),  # the atlas of the page shows the command alone
        f"A matrix of {len(variants)} by {len(variants)}.",
        raw=table.raw,
    )
