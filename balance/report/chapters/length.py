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
    ask = m.queries.block
    blocks: list[Block] = [
        Paragraph(
            "The length of a game is its number of rounds. Half of the games are no longer than the "
            f"[[median]]. A game that nobody has won after {m.facts.round_limit} rounds is broken off: "
            "it [[stalls]]."
        ),
        ask("length-by-players", n=m.games_of()),
    ]
    usual, strength = {"lineup": m.usual}, m.strength_name(m.usual)
    caption = f"How long games last by number of players, {strength}, all combinations together"
    blocks.append(ask("lengths", usual, caption=caption, n=m.games_of(m.usual)))
    if m.size:
        caption = f"Length under each {m.facts.variant} alone, as a multiple of that without any, {strength}"
        blocks.append(ask("length-by-variant", usual, caption=caption, n=m.games_of(m.usual)))
        at = m.middle
        caption = f"How long games last under each {m.facts.variant} alone, {at} players, {strength}"
        blocks.append(
            ask("length-ridges", usual | {"players": at}, caption=caption, n=m.games_of_each(m.usual))
        )
        size = usual | {"size": m.size}
        for which, caption in _EXTREMES.items():
            table = ask(
                "extremes", size | {"which": which}, caption=f"{caption}, {strength}", n=m.games_of(m.usual)
            )
            blocks += [table] if rows_of(table) else []
    return Section("length", "How long games last", tuple(blocks))
