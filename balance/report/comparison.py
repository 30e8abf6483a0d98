"""A comparison of two catalogs, editions or runs as a report: what was changed, and what that has moved.

Words and figures come from `balance.analysis.comparison`; nothing is computed here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from balance.analysis.comparison import ALL, COMBINATION, ITEM, VARIANT, Change, Comparison, Side
from balance.analysis.verdict import Verdict, strength_of
from balance.errors import UsageError
from balance.report.chapters.method import provenance_of
from balance.report.gather import game_words, terms
from balance.report.model import (
    Answer,
    Block,
    Bullets,
    Cell,
    Code,
    Column,
    Figure,
    Paragraph,
    Report,
    Section,
    Source,
    Table,
    VerdictCount,
    Worst,
)
from balance.report.words import count, text, whole

__all__ = ["comparison_report", "report_targets"]

_MOST: Final = 300
"""Rows of a table at most."""
_MOST_DOTS: Final = 24
"""Rows of a figure at most: they fit on a page."""
_INTERVAL: Final = "95%, Student's t over deals, paired"
_TITLES: Final = {
    ALL: "Over all combinations",
    ITEM: "Single {items}",
    VARIANT: "Under single {variants}",
    COMBINATION: "Single combinations",
}


def report_targets(asked: str, found: str, *, force: bool) -> dict[str, Path]:
    """Return where the page goes by what `--report` says: `html`, `pdf`, `both` or a file's name.

    `found` names the comparison. UsageError for what could not be written.
    """
    from balance.report.making import REPORTS, refuse_target

    name = re.sub(r"[^\w.]+", "-", found).strip("-").lower()
    if asked in ("html", "pdf", "both"):
        kinds = ("html", "pdf") if asked == "both" else (asked,)
        targets = {kind: REPORTS / f"{name}.{kind}" for kind in kinds}
    else:
        kind = Path(asked).suffix[1:]
        if kind not in ("html", "pdf"):
            raise UsageError(
                f"--report {asked}: expected html, pdf, both or a file that ends in .html or .pdf"
            )
        targets = {kind: Path(asked)}
    for target in targets.values():
        refuse_target("--report", target, force, made=asked in ("html", "pdf", "both"))
    return targets


def comparison_report(found: Comparison, command: str) -> Report:
    """Return the report on a comparison; `command` is what makes it again."""
    facts = found.game.facts
    runs = [run for side in (found.base, found.candidate) for run in side.runs]
    lineups = sorted({change.lineup for change in found.changes})
    return Report(
        kind="comparison",
        title=f"{_name(found.candidate)} against {_name(found.base)}",
        subtitle=f"{facts.title}: what changed, on the same deals; {count(found.games, 'game', 'games')}",
        game=facts.title,
        edition=found.candidate.edition,
        words=game_words(facts),
        answer=_answer(found),
        sections=tuple(_sections(found, command)),
        glossary=terms(facts, [(lineup, strength_of(facts, lineup).name) for lineup in lineups]),
        provenance=provenance_of(runs, found.games, command),
    )


def _name(side: Side) -> str:
    """Return what a side is called: as it was given, but not where on a machine it lies."""
    path = Path(side.label)
    return path.name if path.is_absolute() else side.label


def _answer(found: Comparison) -> Answer:
    counts = tuple(
        VerdictCount(players, after[Verdict.BROKEN], after[Verdict.FINE], after[Verdict.UNDECIDED])
        for players, (_, after) in found.counts.items()
    )
    worst = tuple(
        Worst(one.variants, found.title_of(one.variants), one.players, one.for_whom,
              one.reasons[0] if one.reasons else "", "", None)
        for one in found.newly_broken[:10]
    )  # fmt: skip
    return Answer(f"{found.answer} The counts are those of the candidate.", counts, worst, (), ())


def _sections(found: Comparison, command: str) -> Iterator[Section]:
    yield Section("changed", "What was changed", (Bullets(tuple(found.told_differences())),))
    yield Section("verdicts", "Verdicts", tuple(_verdicts(found, command)))
    yield Section("moved", "What that has moved", tuple(_moved(found, command)))
    yield Section("how", "How we know", tuple(_how(found, command)))


def _verdicts(found: Comparison, command: str) -> Iterator[Block]:
    for players, (before, after) in found.counts.items():
        told = ", ".join(f"{after[v]} {v} (before {before[v]})" for v in Verdict)
        yield Paragraph(f"{players} players: {told}.")
    if not found.verdicts:
        yield Paragraph("No verdict changed.")
        return
    columns = (
        Column("variants", "combination", "pair"),
        Column("players", "players", "integer"),
        Column("before", "before", "verdict"),
        Column("after", "now", "verdict"),
        Column("caused", "by the change", help="it was fine, or what breaks it has moved beyond doubt"),
        Column("again", "on fresh deals"),
        Column("reason", "reason"),
    )
    rows = tuple(
        (
            Cell(one.variants, found.title_of(one.variants)),
            whole(one.players),
            Cell(one.before.value, one.before.value),
            Cell(one.after.value, one.after.value),
            text("yes" if one.suspect else ""),
            text(str(one.again or "")),
            text(one.reasons[0] if one.reasons else ""),
        )
        for one in found.verdicts[:_MOST]
    )
    source = Source(count(found.games, "game", "games"), "", "", command)
    title = "Combinations that are judged otherwise"
    yield Table("verdict-changes", title, columns, rows, source, long=len(rows) > 20)


def _moved(found: Comparison, command: str) -> Iterator[Block]:
    if not found.changed:
        yield Paragraph(f"Nothing beyond doubt, in {found.family.tests:,} comparisons.")
        return
    yield Paragraph(
        "Only what changed beyond doubt is listed, the largest first, in units of what the figure varies "
        "from [[deal]] to deal."
    )
    facts = found.game.facts
    for level, title in _TITLES.items():
        own = [change for change in found.changed if change.level == level]
        if own:
            caption = title.format(items=facts.items, variants=facts.variants)
            yield _table(found, level, caption, own, command)
    yield from _dots(found, command)


def _table(found: Comparison, level: str, caption: str, own: Sequence[Change], command: str) -> Table:
    columns = [
        Column("where", "where"),
        Column("what", "what"),
        Column("base", _name(found.base), "number"),
        Column("candidate", _name(found.candidate), "number"),
        Column("difference", "difference", "interval", "with its 95% interval; shares in percentage points"),
    ]
    rows = [
        [
            text(found.where(change)),
            text(change.title),
            Cell(change.base, change.figure(change.base)),
            Cell(change.candidate, change.figure(change.candidate)),
            Cell(change.difference, change.told(), change.low, change.high),
        ]
        for change in own[:_MOST]
    ]
    again = [found.fresh.get(change.looked) for change in own[:_MOST]]
    if any(again):
        columns.append(Column("fresh", "on fresh deals", help="measured again: the first that are named"))
        rows = [[*row, text(one.told() if one else "")] for row, one in zip(rows, again, strict=True)]
    notes = [f"{len(own) - _MOST:,} more are in the CSV of the command."] if len(own) > _MOST else []
    if level in (ITEM, VARIANT):
        notes.append("The largest of many, and not measured again on fresh deals.")
    source = Source(count(found.games, "game", "games"), _INTERVAL, "", command)
    made = tuple(tuple(row) for row in rows)
    return Table(
        f"changes-{level}", caption, tuple(columns), made, source, note=" ".join(notes), long=len(rows) > 20
    )


def _dots(found: Comparison, command: str) -> Iterator[Figure]:
    """Yield what a changed item is worth more or less under each variant."""
    facts = found.game.facts
    for item in sorted({change.item for change in found.changes if change.metric == "dealt" and change.item}):
        name = found.names.get(str(item), str(item))
        for players in sorted({change.players for change in found.changes if change.players}):
            own = [
                change
                for change in found.changes
                if (change.level, change.metric) == (VARIANT, "dealt")
                and (change.item, change.players) == (item, players)
                and change.low is not None
            ]
            if len(own) < 2:
                continue
            largest = sorted(own, key=lambda change: (-abs(change.difference), change.variants))[:_MOST_DOTS]
            note = f"The {_MOST_DOTS} largest of {len(own)}." if len(own) > _MOST_DOTS else ""
            own = sorted(largest, key=lambda change: (-change.difference, change.variants, change.lineup))
            labels = tuple(found.title_of(change.variants) for change in own)
            top, low = own[0], own[-1]
            yield Figure(
                f"dealt-{item}-{players}",
                f"Win points of the seat that was dealt {name}, candidate less base, by {facts.variant}, "
                f"with {players} players",
                "dots",
                {
                    "label": labels,
                    "y": tuple(change.difference for change in own),
                    "low": tuple(change.low for change in own),
                    "high": tuple(change.high for change in own),
                    "series": tuple(change.lineup for change in own),
                },
                Source(count(found.games, "game", "games"), _INTERVAL, "", command),
                f"From {top.told()} under {labels[0]} to {low.told()} under {labels[-1]}.",
                y_title="win points",
                reference=0.0,
                note=note,
            )


def _how(found: Comparison, command: str) -> Iterator[Block]:
    played = f"{count(found.games, 'game', 'games')} in all with seed {found.seed}"
    yield Paragraph(
        f"Both sides met the same shuffles, {played}, and every figure is the difference [[deal]] by deal: "
        "what the luck of the deal does to both sides cancels."
    )
    yield Paragraph(f"{found.family}.")
    yield Paragraph(f"{found.told_families}.")
    would = [f"{found.power_sentence(one)}." for one in found.power]
    if would:
        yield Paragraph("What would have shown, in 80% of cases and each test alone at 5%:")
        yield Bullets(tuple(would))
    if found.uncompared:
        yield Paragraph("Not compared:")
        yield Bullets(tuple(f"{one}." for one in found.uncompared))
    yield Code(command, "The command that makes this page again")
