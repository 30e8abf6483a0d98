"""Is it open to the end: lead changes, half-time leaders, comebacks; and which actions are used when."""

from __future__ import annotations

from balance.report.evidence import Evidence
from balance.report.model import Block, Paragraph, Section
from balance.report.query_blocks import rows_of


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
        chart = m.ask("leader-by-round", caption, lineup=lineup)
        blocks += [chart] if rows_of(chart) else []
    if any(measure.name == "action" for measure in m.facts.declared):
        blocks.append(m.ask("action-mix"))
    if measures.acted and m.queries.has("action-mix-by-round"):
        caption = f"Which actions are chosen in which round, {m.strength_name(m.usual)}"
        chart = m.ask("action-mix-by-round", caption, n="", lineup=lineup, least=100)
        blocks += [chart] if rows_of(chart) else []
    if not blocks:
        blocks.append(Paragraph("The games of this run do not show tension or actions."))
    return Section("tension", "Tension and actions", tuple(blocks))
