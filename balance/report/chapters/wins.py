"""Who wins: by strategy, seat, number of players and variant."""

from __future__ import annotations

from typing import Final

from balance.games.lineup import parse_lineup
from balance.report.evidence import Evidence
from balance.report.formatting import listed
from balance.report.model import Block, Bullets, Paragraph, Section
from balance.report.query_blocks import records_of

_FEW: Final = 3
"""Strategies that a table shows as well as a picture would."""


def section(m: Evidence) -> Section:
    """Return the chapter."""
    blocks: list[Block] = [
        Paragraph(
            "Who wins is given in [[win points]]: 1.00 is a fair share, whatever the number of players. Each "
            "[[strategy]] is a program. Who sits at the tables:"
        ),
        Bullets(tuple(f"{m.strength_name(lineup)}: {_seated(m, lineup)}" for lineup in m.lineups)),
    ]
    for lineup in m.mixed:
        caption = f"Win points of each strategy, {m.strength_name(lineup)}"
        table = m.ask("win-rate-by-players", caption, table=True, lineup=lineup)
        blocks.append(table)
        if len({row["policy"] for row in records_of(table)}) > _FEW:
            caption = f"{caption}; the line is a fair share"
            blocks.append(m.ask("win-rate-by-players", caption, lineup=lineup))
    if not m.mixed:
        blocks.append(
            Paragraph("In these games all seats followed the same policy, so styles do not compare.")
        )
    caption = f"Win points of each [[seat]], {m.strength_name(m.usual)}"
    blocks.append(m.ask("win-rate-by-seat", caption, lineup=m.usual))
    for lineup in m.mixed if m.size else ():
        caption = (
            f"Win points of each strategy under each {m.facts.variant}, alone or with another, "
            f"{m.strength_name(lineup)}, all numbers of players together"
        )
        blocks.append(m.ask("win-rate-by-variant", caption, lineup=lineup))
    return Section("wins", "Who wins", tuple(blocks))


def _seated(m: Evidence, lineup: str) -> str:
    """Return which policies sit at the table of a lineup."""
    found = parse_lineup(lineup, max(m.players), m.game)
    if not found.mixed:
        return "all seats play alike"
    if found.drawn:
        return f"every seat draws one of {listed(found.policies, 'or')}"
    guests, others = found.policies[: found.guests or 1], set(found.policies[found.guests or 1 :])
    if len(others) == 1:
        return f"one seat is {listed(guests, 'or')}, all others are {others.pop()}"
    return f"the seats are {listed(found.policies)}"
