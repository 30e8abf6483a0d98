"""The answer of a comparison: what changed for players first, then verdicts, then every other figure once.

All its words are here; the figures come from `balance.experiments.compare`, and nothing is computed.
"""

from __future__ import annotations

import math
import shlex
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any, Final

from balance.experiments.compare.changes import ALL, COMBINATION, ITEM, LEVELS, VARIANT, Change, halved
from balance.experiments.compare.comparison import Comparison, Side, Uncompared
from balance.judge.sentences import unseen_sentence
from balance.judge.strengths import strength_of
from balance.judge.verdict import Verdict
from balance.report.chapters.method import played_provenance, provenance_of
from balance.report.formatting import bullets, count, text, whole
from balance.report.glossary import terms
from balance.report.model import (
    Answer,
    Block,
    Bullets,
    Cell,
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
_FIRST: Final = 5
"""Sentences at most on each subject that matters to players; the others are in the tables."""
_BESIDE: Final = 3
"""Other clear changes that are named where there is no table of them."""
_DIFFERENCES: Final = 40
"""Differences of the catalogs at most."""
_INTERVAL: Final = "95%, Student's t over deals, paired"
_LEVELS: Final = {
    ALL: ("Over all combinations", "over all combinations"),
    ITEM: ("Single {items}", "of single items"),
    VARIANT: ("Under single {variants}", "of variants"),
    COMBINATION: ("Single combinations", "of combinations"),
}
"""The caption of each level, and its words in a sentence."""
_SUBJECTS: Final = {"length": "Length", "winning": "Who wins"}
"""What matters to players, in the order in which it is shown."""


def comparison_answer(found: Comparison, command: str = "", *, every: bool = False) -> Answer:
    """Return the answer of a comparison; `command` makes it again, `every` lists what did not change too."""
    facts, sides = found.game.facts, (found.base, found.candidate)
    command = command or shlex.join(["balance", "compare", found.base.label, found.candidate.label])
    runs = [side.run for side in sides if side.run]
    words = Wording(found)
    return Answer(
        kind="comparison",
        title=words.title,
        subtitle=f"{facts.title}: what changed, on the same deals; {count(found.games, 'game', 'games')}",
        game=facts.title,
        edition=found.candidate.edition,
        summary=words.summary(),
        sections=tuple(section for section in _sections(words, command) if section.blocks),
        glossary=terms(facts, [(name, strength_of(facts, name).name) for name in words.lineups]),
        provenance=provenance_of(runs, found.games, command) if runs else played_provenance(0, command),
        findings=tuple(
            {**_record(change), "sentence": words.sentence(change)}
            for change in (found.changes if every else found.changed)
        ),
        records=_records(found),
        listed="changes",
        places=absolute([*shlex.split(command), *(run.path for run in runs)]),
        found=found,
    )


def _sections(words: Wording, command: str) -> Iterator[Section]:
    found = words.found
    if not found.same:
        yield Section("players", "What changed for players", bullets(words.for_players()))
        yield Section("verdicts", "Verdicts", tuple(_verdicts(words, command)))
    yield Section("changed", "What was changed", bullets(words.differences()))
    if not found.same:
        yield Section("moved", "Everything else that clearly changed", tuple(_moved(words, command)))
    yield Section("uncompared", "Not compared", bullets(map(_uncompared, found.uncompared)))
    if not found.same:
        yield Section("how", "How we know", tuple(_how(words, command)))


# --- words


class Wording:
    """A comparison in words."""

    def __init__(self, found: Comparison) -> None:
        self.found = found
        self.lineups = sorted({change.lineup for change in found.changes})
        changed = {one.id for one in found.differences if one.kind == found.game.facts.item}
        self._whole = [
            change
            for change in found.changes
            if (
                change.level == (COMBINATION if found.combinations == 1 else ALL)
                or (change.level == ITEM and change.metric == "dealt" and str(change.item) in changed)
            )
            and not (change.metric == "seat" and found.game.facts.seats_alike)
        ]
        """Figures over everything that was compared; without the wins of one seat where all are alike."""
        self.first = {subject: self._about(subject) for subject in _SUBJECTS}
        """Clear changes of what matters to players; shown there, and not again."""
        shown = {change.looked for own in self.first.values() for change in own}
        self.left = [change for change in found.changed if change.looked not in shown]
        """All others."""

    def _about(self, subject: str) -> list[Change]:
        own = [change for change in self._whole if change.sure and change.measured.compared == subject]
        over_all = {(c.lineup, c.name, c.item) for c in own if c.players is None}
        kept = [c for c in own if c.players is None or (c.lineup, c.name, c.item) not in over_all]
        return sorted(kept, key=lambda c: (c.measured.order, c.players or 0, c.lineup, c.item or 0, c.name))[
            :_FIRST
        ]

    @property
    def title(self) -> str:
        """The two sides that are compared."""
        one, two = self.found.base, self.found.candidate
        where = one.edition if one.edition == two.edition else f"{one.edition}, {two.edition}"
        return f"{one.label} -> {two.label} ({where})"

    def summary(self) -> Summary:
        """Return what stands above all chapters."""
        found = self.found
        counts = tuple(VerdictCount.of(n, after.elements()) for n, (_, after) in found.counts.items())
        worst = tuple(
            Worst(one.variants, self.names(one.variants), one.players, one.for_whom, "".join(one.reasons[:1]))
            for one in found.newly_broken[:10]
        )
        return Summary(f"{self.headline}: {self.title}. {self.answer}", counts, worst)

    @property
    def headline(self) -> str:
        """The answer in a word or two."""
        if self.found.same:
            return "SAME"
        if self.found.newly_broken:
            return "BROKEN NOW"
        return "CHANGED" if self.found.changed or self.found.verdicts else "NO CLEAR CHANGE"

    @property
    def answer(self) -> str:
        """The answer in two sentences: what is broken, and what else changed for players."""
        found = self.found
        if found.same:
            return f"{found.same[:1].upper()}{found.same[1:]}: nothing was played."
        if not found.changed and not found.verdicts:
            return f"Nothing clearly changed, in {found.family.tests:,} comparisons."
        broken = found.newly_broken
        if broken:
            are = "combination is" if len(broken) == 1 else "combinations are"
            first = f"{len(broken):,} {are} broken now by what was changed, {broken[0].again}."
        elif any(change.suspect for change in found.verdicts):
            first = "Nothing is broken by what was changed that fresh deals confirm."
        else:
            first = "Nothing is broken by what was changed."
        told = (f"{name}: {'changed' if self.first[s] else 'no change'}." for s, name in _SUBJECTS.items())
        return " ".join((first, *told))

    def for_players(self) -> Iterator[str]:
        """Yield what changed for players: length, who wins, verdicts; also where nothing did."""
        for subject, name in _SUBJECTS.items():
            for change in self.first[subject]:
                yield f"{name}: {self.sentence(change)}."
            if not self.first[subject]:
                yield f"{name}: no clear change{self._detectable(subject)}."
        moved = Counter((one.before, one.after) for one in self.found.verdicts)
        said = ", ".join(f"{n} {before} -> {after}" for (before, after), n in sorted(moved.items()))
        yield f"Verdicts: {said}." if moved else "No verdict changed."

    def beside(self) -> Iterator[str]:
        """Yield the largest of all other clear changes."""
        for change in self.left[:_BESIDE]:
            yield f"Beside that: {self.sentence(change)}."

    def _detectable(self, subject: str) -> str:
        """Return what would have shown, of the first figure of a subject."""
        own = [c for c in self._whole if c.measured.compared == subject and c.detectable is not None]
        if not own:
            return ""
        size = max(c.detectable or 0.0 for c in own if c.name == own[0].name)
        shown = f"{100 * size:.2g} pp" if own[0].measured.form == "share" else f"{size:.2g}"
        return f" (a change of {shown} in the {_title(own[0])} would have shown)"

    def differences(self) -> Iterator[str]:
        """Yield where the two sides differ."""
        found = self.found
        for one in found.differences[:_DIFFERENCES]:
            named = f"{one.kind} {one.name or one.id}"
            values = f"{one.field} {_short(one.new)} instead of {_short(one.old)}"
            yield f"{named}: {values if one.change == 'changed' else one.change}"
        more = len(found.differences) - _DIFFERENCES
        if more > 0:
            yield f"... and {more:,} more; balance catalog diff lists all"
        if found.base.edition != found.candidate.edition:
            yield f"edition {found.candidate.edition} instead of {found.base.edition}"

    def names(self, variants: Sequence[str]) -> str:
        """Return the names of a combination."""
        named = " + ".join(self.found.names.get(v, v) for v in variants)
        return named or f"without {self.found.game.facts.variants}"

    def where(self, change: Change) -> str:
        """Return what a change is about, in names."""
        parts = [] if change.item is None else [self.found.names.get(str(change.item), str(change.item))]
        if change.variants or change.level == COMBINATION:
            parts.append(self.names(change.variants))
        parts.append(f"{change.players} players" if change.players else "all numbers of players")
        return ", ".join([*parts, change.lineup] if len(self.lineups) > 1 else parts)

    def sentence(self, change: Change) -> str:
        """Return a change in words."""
        now, before = _figure(change, change.candidate), _figure(change, change.base)
        said = f"{self.where(change)}: {_title(change)} {now} instead of {before}, {_moved_by(change)}"
        again = self.found.fresh.get(change.looked)
        said += f"; on fresh deals {_moved_by(again)}" if again else ""
        return f"{said}; {self.carried(change)}" if change.rest else said

    def carried(self, change: Change) -> str:
        """Return which combination carries a change over all of them; nothing if none does."""
        if change.rest is None:
            return ""
        name = self.names(change.rest.variants)
        one = name if change.rest.variants else f"the game {name}"
        said = f"carried by {one}: without it" if halved(change, change.rest) else f"not sure without {one}:"
        return f"{said} {_moved_by(change.rest)}"

    def families(self) -> Iterator[str]:
        """Yield what the changes and the verdicts are corrected for."""
        family = self.found.family
        parts = ", ".join(f"{n:,} {_LEVELS[level][1]}" for level, n in family.levels)
        yield (
            f"{family.tests:,} tests ({parts}), each level with the same weight, corrected together "
            f"(Benjamini-Yekutieli, false claims at most {family.alpha:.2g} of all claims)."
        )
        base, candidate = map(str, self.found.verdict_families)
        same = f"Verdicts of either side: {base}."
        yield same if base == candidate else f"Verdicts: base {base}; candidate {candidate}."


def _short(value: object) -> str:
    said = "nothing" if value is None else str(value)
    return said if len(said) <= 60 else f"{said[:57]}..."


def _uncompared(one: Uncompared) -> str:
    named = f": {'; '.join(one.named)}" if one.named else ""
    return f"{one.count:,} {one.unit.removesuffix('s') if one.count == 1 else one.unit} {one.why}{named}."


def _title(change: Change) -> str:
    return f"{change.measured.title} ({change.of})" if change.of else change.measured.title


def _scale(change: Change) -> tuple[int, int]:
    """Return what a figure is multiplied with, and digits: two significant ones of the interval."""
    scale = 100 if change.measured.form == "share" else 1
    wide = (change.high - change.low) / 2 if change.low is not None and change.high is not None else 0.0
    wide = (wide or abs(change.difference)) * scale
    return scale, min(4, max(1, 1 - math.floor(math.log10(wide)))) if wide else 2


def _figure(change: Change, value: float) -> str:
    scale, digits = _scale(change)
    return f"{scale * value:.{digits}f}{'%' if scale == 100 else ''}"


def _moved_by(change: Change) -> str:
    """Return the difference with its interval; of shares in percentage points."""
    scale, digits = _scale(change)
    said = f"{scale * change.difference:+.{digits}f}{' pp' if scale == 100 else ''}"
    if change.low is None or change.high is None:
        return said
    return f"{said} ({scale * change.low:+.{digits}f} to {scale * change.high:+.{digits}f})"


# --- tables and figures


def _verdicts(words: Wording, command: str) -> Iterator[Block]:
    found = words.found
    yield Bullets(
        tuple(
            f"{players} players: "
            + ", ".join(
                f"{after[v]} {v}" + (f" (before {before[v]})" if after[v] != before[v] else "")
                for v in Verdict
            )
            for players, (before, after) in found.counts.items()
        )
        + ((f"{unseen_sentence(found.unseen)} So nothing is called fine.",) if found.unseen else ())
    )
    why = "it was fine, or what breaks it has clearly moved"
    again = [Heading("again", "By the change", help=why)] * any(one.again for one in found.verdicts)
    columns = (
        Heading("variants", "Combination", "pair"),
        Heading("players", "Players", "integer"),
        Heading("after", "Now", "verdict"),
        Heading("before", "Before", "verdict"),
        *again,
        Heading("reason", "Reason"),
    )
    ranked = sorted(found.verdicts, key=lambda v: (not v.newly_broken, not v.suspect, v.players, v.variants))
    rows = tuple(
        (
            Cell(one.variants, words.names(one.variants)),
            whole(one.players),
            text(one.after.value),
            text(one.before.value),
            *(text(str(one.again or "")) for _ in again),
            text("".join(one.reasons[:1])),
        )
        for one in ranked[:_MOST]
    )
    if rows:
        source = Source(count(found.games, "game", "games"), command=command)
        title = "Combinations with another verdict"
        yield Table("verdict-changes", title, columns, rows, source, long=len(rows) > _LONG)


def _moved(words: Wording, command: str) -> Iterator[Block]:
    if words.left:
        yield Paragraph("The largest first, in units of what the figure varies from [[deal]] to deal.")
    for level in LEVELS:
        own = [change for change in words.left if change.level == level]
        if own:
            yield _table(words, level, own, command)


def _table(words: Wording, level: str, own: Sequence[Change], command: str) -> Table:
    found, facts = words.found, words.found.game.facts
    base, candidate = (
        str(without_places(s.label, absolute([s.label]))) for s in (found.base, found.candidate)
    )
    again = [found.fresh.get(change.looked) for change in own[:_MOST]]
    fresh = Heading("fresh", "On fresh deals", help="measured again: the first that are named")
    columns = [
        Heading("where", "Where"),
        Heading("what", "What"),
        Heading("base", base, "number"),
        Heading("candidate", candidate, "number"),
        Heading("difference", "Difference", "interval", "with its 95% interval; shares in percentage points"),
        *([fresh] if any(again) else []),
    ]
    rows = [
        (
            text(words.where(change)),
            text(_title(change)),
            Cell(change.base, _figure(change, change.base)),
            Cell(change.candidate, _figure(change, change.candidate)),
            Cell(change.difference, _moved_by(change), change.low, change.high),
            *([text(_moved_by(one) if one else "")] if any(again) else []),
        )
        for change, one in zip(own, again, strict=False)
    ]
    notes = [f"{len(own) - _MOST:,} more are in the CSV of the command."] if len(own) > _MOST else []
    notes += [f"{_title(c)}, {words.where(c)}: {words.carried(c)}." for c in own[:_LONG] if c.rest]
    if level in (ITEM, VARIANT):
        notes.append("The largest of many, and not measured again on fresh deals.")
    return Table(
        f"changes-{level}",
        _LEVELS[level][0].format(items=facts.items, variants=facts.variants),
        tuple(columns),
        tuple(rows),
        Source(count(found.games, "game", "games"), _INTERVAL, "", command),
        note=" ".join(notes),
        long=len(rows) > _LONG,
    )


def _how(words: Wording, command: str) -> Iterator[Block]:
    found = words.found
    where = "; ".join(
        f"{name} {side.run.path}"
        for name, side in (("base", found.base), ("candidate", found.candidate))
        if side.run
    )
    yield Paragraph(
        f"{count(found.games, 'game', 'games')} of both sides on the same deals, seed {found.seed}, "
        f"{count(found.combinations, 'combination', 'combinations')}: {literal(where)}. Every figure is the "
        "difference [[deal]] by deal: what the luck of the deal does to both sides cancels."
    )
    yield from map(Paragraph, words.families())
    yield Code(command, "The command that makes this page again")


# --- for programs

_COLUMNS: Final = (
    "level", "players", "lineup", "variants", "item", "metric", "of", "base", "candidate", "difference",
    "low", "high", "deals", "p", "adjusted", "changed", "detectable", "carried_by", "without",
)  # fmt: skip
_VERDICT_KEYS: Final = ("players", "variants", "before", "after", "newly_broken", "again", "reasons")


def _record(change: Change) -> dict[str, Any]:
    own = {
        "variants": list(change.variants),
        "of": change.of or None,
        "changed": change.sure,
        "carried_by": list(change.rest.variants) if change.rest else None,
        "without": change.rest.difference if change.rest else None,
    }
    return {name: own[name] if name in own else getattr(change, name) for name in _COLUMNS}


def verdict_records(found: Comparison) -> list[dict[str, Any]]:
    """Return the verdicts that moved, for programs."""
    return [{name: getattr(one, name) for name in _VERDICT_KEYS} for one in found.verdicts]


def _records(found: Comparison) -> dict[str, Any]:
    sides = {"base": found.base, "candidate": found.candidate}
    return {
        **{name: _side(side) for name, side in sides.items()},
        "same": found.same or None,
        "differences": [one._asdict() for one in found.differences],
        "verdicts": verdict_records(found),
        "counts": [
            {"players": players, "before": _tally(before), "after": _tally(after)}
            for players, (before, after) in found.counts.items()
        ],
        "fresh": [_record(change) for change in found.fresh.values()],
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
    }


def _tally(counts: Counter[Verdict]) -> dict[str, int]:
    return {str(verdict): counts[verdict] for verdict in sorted(counts, key=str)}


def _side(side: Side) -> dict[str, Any]:
    own = {name: getattr(side, name) for name in ("label", "kind", "edition")}
    return {**own, "catalog": side.catalog.hash, "run": str(side.run.path) if side.run else None}
