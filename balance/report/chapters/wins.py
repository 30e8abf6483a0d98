"""Who wins: by strategy, seat, number of players and variant, and how strong the players are."""

from __future__ import annotations

from balance.games.lineup import parse_lineup
from balance.report.evidence import Evidence
from balance.report.formatting import interval, listed, text
from balance.report.model import Block, Heading, Paragraph, Section, Source, Table
from balance.stats.intervals import Interval


def section(m: Evidence) -> Section:
    """Return the chapter."""
    ask = m.queries.block
    blocks: list[Block] = [
        Paragraph(
            "Who wins is given in [[win points]]: 1.00 is a fair share, whatever the number of players. In "
            f"{_strengths(m)}."
        )
    ]
    for lineup in m.mixed:
        given, n = {"lineup": lineup}, m.games_of(lineup)
        caption = f"Win points of each strategy, {m.strength_name(lineup)}"
        blocks += [
            ask("win-rate-by-players", given, caption=caption, n=n, table=True),
            ask("win-rate-by-players", given, caption=f"{caption}; the line is a fair share", n=n),
        ]
    if not m.mixed:
        blocks.append(
            Paragraph("In these games all seats followed the same policy, so styles do not compare.")
        )
    for lineup in m.lineups:
        caption = f"Win points of each [[seat]], {m.strength_name(lineup)}"
        blocks.append(ask("win-rate-by-seat", {"lineup": lineup}, caption=caption, n=m.games_of(lineup)))
    for lineup in m.mixed if m.size else ():
        caption = (
            f"Win points of each strategy under each {m.facts.variant}, alone or with another, "
            f"{m.strength_name(lineup)}, all numbers of players together"
        )
        blocks.append(ask("win-rate-by-variant", {"lineup": lineup}, caption=caption, n=m.games_of(lineup)))
    blocks += _ladder(m)
    return Section("wins", "Who wins", tuple(blocks))


def _strengths(m: Evidence) -> str:
    return "; in ".join(f"{m.strength_name(lineup)} {_seated(m, lineup)}" for lineup in m.lineups)


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


def _ladder(m: Evidence) -> list[Block]:
    """Return how strong the policies are against each other, as measured before."""
    if m.strength is None:
        return [Paragraph("How strong the players are against each other was not measured for this game.")]
    blocks: list[Block] = []
    stale = m.strength.stale_today(m.game)
    told = "Measured on games of their own, which are no part of this run: mixed tables of all policies. "
    if stale:
        told += f"Since then {', '.join(stale)} changed: the figures are of players as they were."
    blocks.append(Paragraph(f"The skill ladder. {told}"))
    plain = [
        ladder for ladder in m.strength.ladders if ladder.variants == "none" and ladder.players in m.players
    ]
    policies: dict[str, None] = {}
    for ladder in plain:
        policies |= dict.fromkeys(f.policy for f in ladder.figures if f.measure == "mixed")
    rows = []
    for policy in policies:
        cells = [text(policy)]
        for ladder in plain:
            found = next((f for f in ladder.figures if f.measure == "mixed" and f.policy == policy), None)
            cells.append(interval(Interval(found.value, found.low, found.high) if found else None))
        rows.append(tuple(cells))
    if rows:
        blocks.append(
            Table(
                "ladder",
                f"The skill ladder: win points at mixed tables, without {m.facts.variants}",
                (
                    Heading("policy", "Policy"),
                    *(
                        Heading(f"p{ladder.players}", f"{ladder.players} players", "interval")
                        for ladder in plain
                    ),
                ),
                tuple(rows),
                Source(
                    f"{m.strength.games:,} games of each pair of policies, and as many mixed ones for each",
                    "95%, Wilson, from the variance over deals",
                    "",
                    plain[0].command,
                ),
            )
        )
    return blocks
