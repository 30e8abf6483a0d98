"""The sheet on one item: what it is worth, at each number of players and under variants."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from balance.dataset.run import Run
from balance.errors import DataError, UsageError
from balance.judge.thresholds import Thresholds
from balance.report.chapters.method import provenance_of
from balance.report.evidence import Evidence, Step, empty_evidence
from balance.report.formatting import count, interval
from balance.report.glossary import terms
from balance.report.model import Answer, Block, Bullets, Code, Paragraph, Section, Summary, literal
from balance.report.query_blocks import records_of
from balance.stats.intervals import Interval

_FEW: int = 100
"""Deals below which a sheet warns."""


def item_report(
    runs: Sequence[Run],
    name: str,
    thresholds: Thresholds,
    players: Sequence[int] = (),
    *,
    command: str,
    step: Step = lambda _: None,
) -> Answer:
    """Return a report on one item: what it is worth, and under which variants."""
    run = runs[0]
    game, facts = run.game, run.game.facts
    entries = [entry for entry in game.find(run.catalog, name) if entry.kind == facts.item]
    if not entries:
        raise UsageError(f"item {name}: not the name of {facts.item} in this catalog", parameter="item")
    entry = entries[0]
    step("values")
    m = empty_evidence(runs, thresholds, players)
    lineup = m.item_lineup
    if lineup is None:
        raise DataError(f"{facts.title} has no {facts.items}")
    played = (c for r in runs for c in r.plan.cells if c.lineup == lineup and c.players in m.players)
    games = sum(cell.games for cell in played)
    ranked = records_of(m.ask("item-values", n="", table=True, lineup=lineup))
    own = next((row for row in ranked if str(row["item"]) == entry.id), None)
    step("sheet")
    described = game.describe(run.catalog, entry)
    printed = tuple(literal(f"{title}: {' '.join(lines)}") for title, lines in described.sections)
    made = provenance_of(runs, games, command)
    sections = [Section("print", "As printed", (Bullets(printed),))]
    if own is not None:
        sections += _worth(m, own, entry.name, lineup, count(games, "game", "games"))
    known = Paragraph(
        f"In {m.strength_name(lineup)}. The [[value]] is caused by chance dealing it; the "
        "[[deal]] is the unit of the [[interval]]."
    )
    sections.append(Section("how", "How we know", (known, Code("\n".join(made.commands)))))
    few = own is None or own["deals"] < _FEW
    return Answer(
        kind="item",
        title=entry.name,
        subtitle=f"{facts.title}, {run.plan.edition}, {facts.item} {entry.id}, "
        f"{count(games, 'game', 'games')}",
        game=facts.title,
        edition=run.plan.edition,
        summary=Summary(
            _headline(m, own, entry.name, len(ranked)), warning="Too few games to say much." if few else ""
        ),
        sections=tuple(sections),
        glossary=terms(facts, [(lineup, m.strength_name(lineup))], thresholds),
        provenance=made,
    )


def _headline(m: Evidence, own: Mapping[str, Any] | None, name: str, of: int) -> str:
    if own is None:
        return f"Chance dealt nobody {name}, so these games do not show what it is worth."
    verb = "is worth" if own["differs"] else "cannot be distinguished from the average one:"
    value = interval(Interval(own["value"], own["low"], own["high"]), "signed").text
    return f"{name} {verb} {value} win points to be dealt, rank {own['rank']} of {of} {m.facts.items}."


def _worth(m: Evidence, own: Mapping[str, Any], name: str, lineup: str, n: str) -> list[Section]:
    given = {"item": own["item"], "lineup": lineup}
    worth = f"{name}: what it is worth to be dealt, by number of players"
    line = f"{name}: value by number of players; the line is an average {m.facts.item}"
    by_players: tuple[Block, ...] = (
        m.ask("item-players", worth, n=n, table=True, **given),
        m.ask("item-players", line, n=n, **given),
    )
    found = [Section("worth", "What it is worth", by_players)]
    under = m.ask("item-variants", f"{name} under {m.facts.variants}", n=n, **given, most=12)
    rows = records_of(under)
    if rows:
        head = Paragraph(
            f"Under {rows[0]['found']} of {rows[0]['tests']} {m.facts.variants} it is clearly worth more or "
            f"less (corrected for all {m.facts.items})."
        )
        found.append(Section("variants", f"Under {m.facts.variants}", (head, under)))
    return found
