"""Is it open to the end: lead changes, half-time leaders, comebacks; and which actions are used when."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from balance.report.evidence import Evidence
from balance.report.model import Block, Paragraph, Section
from balance.report.query_blocks import records_of, rows_of


def section(m: Evidence) -> Section:
    """Return the chapter."""
    measures, lineup = m.facts.measures, m.usual
    blocks: list[Block] = []
    if measures.lead_changes or measures.half_score:
        blocks += [
            Paragraph(
                "A game is tense if the lead changes hands and a player who is behind at half-time may still "
                "win. [[Half-time]] is after half the rounds, rounded up."
            ),
            m.ask("tension"),
        ]
    if measures.half_score:
        caption = f"Chance to win by points behind at half-time, {m.strength_name(m.usual)}"
        chart = m.ask("comeback-by-deficit", caption, lineup=lineup)
        blocks.append(chart if rows_of(chart) else Paragraph("Comebacks: too few games to say."))
    if measures.acted and m.queries.has("leader-by-round"):
        caption = (
            f"How early it is decided: how often the leader after a round wins, {m.strength_name(m.usual)}"
        )
        blocks += _by_round(m, "leader-by-round", caption, "games", lineup=lineup)
    if any(measure.name == "action" for measure in m.facts.declared):
        blocks.append(m.ask("action-mix"))
    if measures.acted and m.queries.has("action-mix-by-round"):
        caption = f"Which actions are chosen in which round, {m.strength_name(m.usual)}"
        blocks += _by_round(m, "action-mix-by-round", caption, "choices", lineup=lineup, least=100)
    if not blocks:
        blocks.append(Paragraph("The games of this run do not show tension or actions."))
    return Section("tension", "Tension and actions", tuple(blocks))


def _by_round(m: Evidence, name: str, caption: str, unit: str, **given: Any) -> list[Block]:
    """Return a chart over rounds, if it has any; its n is that of a round, because few games record theirs.

    `unit` is the column that counts them.
    """
    chart = m.ask(name, caption, n="", **given)
    found = [row[unit] for row in records_of(chart)]
    if not found:
        return []
    few, many = min(found), max(found)
    n = f"{few:,} {f'to {many:,} ' * (many > few)}{unit} in a round"
    return [replace(chart, source=replace(chart.source, n=n))]
