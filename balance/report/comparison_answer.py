"""The answer of a comparison of two catalogs, editions or runs: what was changed, and what that has moved.

Words and figures come from `balance.experiments.compare.answer`; nothing is computed here.
"""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from balance.errors import UsageError
from balance.experiments.compare.answer import Comparison, Side
from balance.experiments.compare.changes import ALL, COMBINATION, ITEM, VARIANT, Change
from balance.judge.strengths import strength_of
from balance.judge.verdict import Verdict
from balance.report.chapters.method import played_provenance, provenance_of
from balance.report.formatting import count, text, whole
from balance.report.glossary import game_words, terms
from balance.report.model import (
    Answer,
    Block,
    Bullets,
    Cell,
    Chart,
    Code,
    Heading,
    Paragraph,
    Section,
    Source,
    Summary,
    Table,
    VerdictCount,
    Worst,
    absolute,
    literal,
    without_places,
)

_MOST: Final = 300
"""Rows of a table at most."""
_LONG: Final = 12
"""Rows above which a table is folded."""
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
    """Return where the page goes by `asked`: `html`, `pdf`, `both` or a file's name.

    `found` names the comparison. UsageError for what could not be written.
    """
    from balance.report.build import REPORTS, refuse_target

    name = re.sub(r"[^\w.]+", "-", found).strip("-").lower()
    if asked in ("html", "pdf", "both"):
        kinds = ("html", "pdf") if asked == "both" else (asked,)
        targets = {kind: REPORTS / f"{name}.{kind}" for kind in kinds}
    else:
        kind = Path(asked).suffix[1:]
        if kind not in ("html", "pdf"):
            raise UsageError(
                f"report {asked}: expected html, pdf, both or a file that ends in .html or .pdf",
                parameter="report",
            )
        targets = {kind: Path(asked)}
    for target in targets.values():
        refuse_target("report", target, force, made=asked in ("html", "pdf", "both"))
    return targets


def comparison_answer(found: Comparison, command: str = "", *, every: bool = False) -> Answer:
    """Return the answer of a comparison; `command` makes it again, `every` lists what did not change too."""
    facts, sides = found.game.facts, (found.base, found.candidate)
    command = command or shlex.join(["balance", "compare", found.base.label, found.candidate.label])
    runs = [run for side in sides for run in side.runs]
    lineups = sorted({change.lineup for change in found.changes})
    sections = (
        Section("changed", "What was changed", _bullets(found.told_differences())),
        Section("verdicts", "Verdicts", () if found.same else tuple(_verdicts(found, command))),
        Section("moved", "What changed beyond doubt", () if found.same else tuple(_moved(found, command))),
        Section(
            "power",
            "What would have shown (in 80% of cases, each test alone at 5%)",
            _bullets(f"{found.power_sentence(one)}." for one in found.power),
        ),
        Section("uncompared", "Not compared", _bullets(f"{one}." for one in found.uncompared)),
        Section("how", "How we know", () if found.same else tuple(_how(found, command))),
    )
    return Answer(
        kind="comparison",
        title=found.title,
        subtitle=f"{facts.title}: what changed, on the same deals; {count(found.games, 'game', 'games')}",
        game=facts.title,
        edition=found.candidate.edition,
        words=game_words(facts),
        summary=_summary(found),
        sections=tuple(section for section in sections if section.blocks),
        glossary=terms(facts, [(lineup, strength_of(facts, lineup).name) for lineup in lineups]),
        provenance=provenance_of(runs, found.games, command) if runs else played_provenance(0, command),
        findings=tuple(
            {**_record(change), "sentence": found.sentence(change)}
            for change in (found.changes if every else found.changed)
        ),
        records=_records(found),
        listed="changes",
        places=absolute([*shlex.split(command), *(run.path for run in runs)]),
        found=found,
    )


def _name(side: Side) -> str:
    """Return what a side is called: as it was given, but not where on a machine it is."""
    return str(without_places(side.label, absolute([side.label])))


def _bullets(said: Iterable[str]) -> tuple[Block, ...]:
    items = tuple(map(literal, said))
    return (Bullets(items),) if items else ()


def _summary(found: Comparison) -> Summary:
    counts = tuple(VerdictCount.of(players, after.elements()) for players, (_, after) in found.counts.items())
    worst = tuple(
        Worst(one.variants, found.title_of(one.variants), one.players, one.for_whom,
              one.reasons[0] if one.reasons else "", "", None)
        for one in found.newly_broken[:10]
    )  # fmt: skip
    return Summary(f"{found.headline}. {found.answer}", counts, worst)


def _verdicts(found: Comparison, command: str) -> Iterator[Block]:
    yield Bullets(
        tuple(
            f"{players} players: "
            + ", ".join(
                f"{after[v]} {v}" + (f" (before {before[v]})" if after[v] != before[v] else "")
                for v in Verdict
            )
            for players, (before, after) in found.counts.items()
        )
    )
    if not found.verdicts:
        yield Paragraph("No verdict changed.")
        return
    columns = (
        Heading("variants", "Combination", "pair"),
        Heading("players", "Players", "integer"),
        Heading("after", "Now", "verdict"),
        Heading("before", "Before", "verdict"),
        Heading("again", "By the change", help="it was fine, or what breaks it has moved beyond doubt"),
        Heading("reason", "Reason"),
    )
    ranked = sorted(found.verdicts, key=lambda v: (not v.newly_broken, not v.suspect, v.players, v.variants))
    rows = tuple(
        (
            Cell(one.variants, found.title_of(one.variants)),
            whole(one.players),
            Cell(one.after.value, one.after.value),
            Cell(one.before.value, one.before.value),
            text(str(one.again or "")),
            text(one.reasons[0] if one.reasons else ""),
        )
        for one in ranked[:_MOST]
    )
    source = Source(count(found.games, "game", "games"), command=command)
    title = "Combinations with another verdict"
    yield Table("verdict-changes", title, columns, rows, source, long=len(rows) > _LONG)


def _moved(found: Comparison, command: str) -> Iterator[Block]:
    if not found.changed:
        yield Paragraph(f"Nothing, in {found.family.tests:,} comparisons.")
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
        Heading("where", "Where"),
        Heading("what", "What"),
        Heading("base", _name(found.base), "number"),
        Heading("candidate", _name(found.candidate), "number"),
        Heading("difference", "Difference", "interval", "with its 95% interval; shares in percentage points"),
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
        columns.append(Heading("fresh", "On fresh deals", help="measured again: the first that are named"))
        rows = [[*row, text(one.told() if one else "")] for row, one in zip(rows, again, strict=True)]
    notes = [f"{len(own) - _MOST:,} more are in the CSV of the command."] if len(own) > _MOST else []
    if level in (ITEM, VARIANT):
        notes.append("The largest of many, and not measured again on fresh deals.")
    source = Source(count(found.games, "game", "games"), _INTERVAL, "", command)
    made = tuple(tuple(row) for row in rows)
    return Table(
        f"changes-{level}",
        caption,
        tuple(columns),
        made,
        source,
        note=" ".join(notes),
        long=len(rows) > _LONG,
    )


def _dots(found: Comparison, command: str) -> Iterator[Chart]:
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
            yield Chart(
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
    where = "; ".join(
        f"{name} {', '.join(str(run.path) for run in side.runs)}"
        for name, side in (("base", found.base), ("candidate", found.candidate))
    )
    yield Paragraph(
        f"{count(found.games, 'game', 'games')} of both sides on the same deals, seed {found.seed}, "
        f"{count(found.combinations, 'combination', 'combinations')}: {literal(where)}. Every figure is the "
        "difference [[deal]] by deal: what the luck of the deal does to both sides cancels."
    )
    yield Paragraph(f"{found.family}.")
    yield Paragraph(f"{found.told_families}.")
    yield Code(command, "The command that makes this page again")


# --- for programs

_COLUMNS: Final = (
    "level", "players", "lineup", "variants", "item", "metric", "of", "base", "candidate", "difference",
    "low", "high", "deals", "p", "adjusted", "changed", "detectable",
)  # fmt: skip
_VERDICT_KEYS: Final = ("players", "variants", "before", "after", "newly_broken", "again", "reasons")


def _record(change: Change) -> dict[str, Any]:
    own = {"variants": list(change.variants), "of": change.of or None, "changed": change.sure}
    return {name: own[name] if name in own else getattr(change, name) for name in _COLUMNS}


def _records(found: Comparison) -> dict[str, Any]:
    return {
        "base": _side(found.base),
        "candidate": _side(found.candidate),
        "same": found.same or None,
        "differences": [one._asdict() for one in found.differences],
        "verdicts": [{name: getattr(one, name) for name in _VERDICT_KEYS} for one in found.verdicts],
        "counts": [
            {"players": players, "before": _tally(before), "after": _tally(after)}
            for players, (before, after) in found.counts.items()
        ],
        "fresh": [_record(change) for change in found.fresh.values()],
        "detectable": [
            {"item": one.item, "players": one.players, "lineup": one.lineup, "dealt": one.dealt,
             "all": one.whole, "nine_of_ten_combinations": one.nine_of_ten, "worst_combination": one.worst}
            for one in found.power
        ],
        "uncompared": [asdict(one) for one in found.uncompared],
        "family": asdict(found.family)
        | {"levels": dict(found.family.levels), "correction": "Benjamini-Yekutieli, levels weighted alike"},
        "verdict_families": [
            {name: getattr(one, name) for name in ("tests", "cells", "metrics", "alpha")}
            for one in found.verdict_families
        ],
        "combinations": found.combinations,
        "games": found.games,
        "seed": found.seed,
    }  # fmt: skip


def _tally(counts: Counter[Verdict]) -> dict[str, int]:
    return {str(verdict): counts[verdict] for verdict in sorted(counts, key=str)}


def _side(side: Side) -> dict[str, Any]:
    return {
        "label": side.label,
        "kind": side.kind,
        "edition": side.edition,
        "catalog": side.catalog.hash,
        "runs": [str(run.path) for run in side.runs],
    }
