"""Is it open to the end: lead changes, half-time leaders, comebacks; and which actions are used when."""

from __future__ import annotations

from balance.report.evidence import Evidence
from balance.report.model import Block, Paragraph, Section
from balance.report.query_blocks import rows_of


def section(m: Evidence) -> Section:
    """Return the chapter."""
    ask, measures = m.queries.block, m.facts.measures
    blocks: list[Block] = []
    if measures.lead_changes or measures.half_score:
        blocks += [
            Paragraph(
                "A game is tense if the lead changes hands and a player who is behind at half-time may still "
                "win. [[Half-time]] is after half the rounds, rounded up."
            ),
            ask("tension", n=m.games_of()),
        ]
    if measures.half_score:
        caption = f"Chance to win by points behind at half-time, {m.strength_name(m.usual)}"
        chart = ask("comeback-by-deficit", {"lineup": m.usual}, caption=caption, n=m.games_of(m.usual))
        blocks.append(chart if rows_of(chart) else Paragraph("Comebacks: too few games to say."))
    if measures.acted and m.queries.has("leader-by-round"):
        caption = (
            f"How early it is decided: how often the leader after a round wins, {m.strength_name(m.usual)}"
        )
        chart = ask("leader-by-round", {"lineup": m.usual}, caption=caption, n=m.games_of(m.usual))
        blocks += [chart] if rows_of(chart) else []
    if any(measure.name == "action" for measure in m.facts.declared):
        blocks.append(ask("action-mix", n=m.games_of()))
    if measures.acted and m.queries.has("action-mix-by-round"):
        caption = f"Which actions are chosen in which round, {m.strength_name(m.usual)}"
        chart = ask("action-mix-by-round", {"lineup": m.usual, "least": 100}, caption=caption)
        blocks += [chart] if rows_of(chart) else []
    if not blocks:
        blocks.append(Paragraph("The games of this run do not show tension or actions."))
    return Section("tension", "Tension and actions", tuple(blocks))
