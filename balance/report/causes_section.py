"""The causes of a verdict as a chapter and as a record."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from balance.experiments.causes import Causes
from balance.report.formatting import count
from balance.report.model import Block, Bullets, Paragraph, Section, literal
from balance.report.records import finite


def causes_section(found: Causes | None) -> Section:
    """Return the chapter; without blocks if there is nothing to explain, or the game has no words for it."""
    return Section("causes", "Causes", () if found is None else tuple(_blocks(found)))


def _blocks(found: Causes) -> Iterator[Block]:
    said = tuple(map(literal, found.sentences()))
    if said:
        yield Bullets(said)
    if found.rules:
        yield Paragraph(
            f"{found.cell.cell.players} players, {found.cell.strength}: each of {found.rules} rules was "
            f"switched off in turn on {count(found.deals, 'deal', 'deals')} of the check "
            f"({count(found.games, 'game', 'games')}); differences deal by deal, corrected together."
        )


def causes_record(found: Causes) -> dict[str, Any]:
    """Return the causes as plain values."""
    return {
        "players": found.cell.cell.players,
        "lineup": found.cell.cell.lineup,
        "sentences": list(found.sentences()),
        "stalls": [{"cause": words, "games": games, "of": found.opened} for words, games in found.stalls],
        "rules": [
            {
                "variant": one.variant,
                "rule": one.rule,
                "metric": one.finding.measured.metric.name,
                "of": one.finding.measured.of or None,
                "with": finite(one.finding.measured.interval.value),
                **{
                    name: finite(end)
                    for name, end in zip(("without", "low", "high"), one.without.interval, strict=True)
                },
                "gone": one.gone,
                "adjusted": one.adjusted,
            }
            for one in found.attributions
        ],
        "switched_off": found.rules,
        "deals": found.deals,
        "games": found.games,
    }
