"""How long games last: by number of players and variant; the longest, the shortest, those that stall."""

from __future__ import annotations

from typing import Final

from balance.report.evidence import Evidence
from balance.report.model import Block, Paragraph, Section
from balance.report.query_blocks import rows_of

_EXTREMES: Final = {
    "longest": "The longest games",
    "shortest": "The shortest games",
    "stalling": "Where most games stall",
}


def section(m: Evidence) -> Section:
    """Return the chapter."""
    blocks: list[Block] = [
        Paragraph(
            "The length of a game is its number of rounds. Half of the games are no longer than the "
            f"[[median]]. A game that nobody has won after {m.facts.round_limit} rounds is broken off: "
            "it [[stalls]]."
        ),
        m.ask("length-by-players"),
    ]
    strength = m.strength_name(m.usual)
    caption = f"How long games last by number of players, {strength}, all combinations together"
    blocks.append(m.ask("lengths", caption, lineup=m.usual))
    if m.size:
        caption = f"Length under each {m.facts.variant} alone, as a multiple of that without any, {strength}"
        blocks.append(m.ask("length-by-variant", caption, lineup=m.usual))
        at = m.middle
        caption = f"How long games last under each {m.facts.variant} alone, {at} players, {strength}"
        blocks.append(m.ask("length-ridges", caption, n=m.games_of_each(m.usual), lineup=m.usual, players=at))
        for which, caption in _EXTREMES.items():
            table = m.ask("extremes", f"{caption}, {strength}", lineup=m.usual, size=m.size, which=which)
            blocks += [table] if rows_of(table) else []
    return Section("length", "How long games last", tuple(blocks))
