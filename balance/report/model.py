"""What a report says: plain numbers and words, the same for every rendering.

Every figure that is printed is put into words once, here or by whoever makes the model, so that HTML and PDF
agree to the digit. No markup of any kind is in these texts, except that `[[term]]` marks a term of the
glossary (`spans` finds them). Nothing is computed from games here and nothing is drawn.
"""

from __future__ import annotations

import html
import re
import shlex
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from balance.judge.counting import Counted

ON_FRESH: Final[Mapping[bool | None, str]] = {True: "Confirmed:", False: "Not confirmed:", None: ""}
"""What stands before a figure on fresh games, by whether they say the same."""
FIRST_SCREEN: Final = 5  # broken combinations there, and on the first page of paper; others follow
NUMERIC: Final = frozenset({"integer", "number", "share", "interval"})
"""Kinds of columns that are set to the right and sorted as numbers."""


# --- words


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A few sentences."""

    text: str


@dataclass(frozen=True, slots=True)
class Bullets:
    """Several things that stand beside each other."""

    items: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Code:
    """A command line or a query, to be copied as it is."""

    text: str
    caption: str = ""


@dataclass(frozen=True, slots=True)
class Source:
    """Where the numbers of a table or a figure come from."""

    n: str
    """Over how many games, in words: "3,001,500 games"."""
    interval: str = ""
    """What the intervals are: "95%, Wilson, the deal is the unit"; empty if there are none."""
    sql: str = ""
    """The query that gives the numbers with `balance sql`.

    Columns of its result that are named like columns of the table or figure hold the same numbers, row by
    row. Nothing if the numbers do not come from the games of the run.
    """
    command: str = ""
    """The command that gives them, where a query does not."""
    query: str = ""
    """The name of the query file that gave the numbers, for `balance sql RUN @NAME`."""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    """The parameters with which it ran."""

    @property
    def invocation(self) -> str:
        """The command that gives the numbers again; `RUN` stands for the folder of the run.

        >>> Source("9 games", query="report/lengths", parameters={"lineup": "field"}).invocation
        'balance sql RUN @report/lengths lineup=field'
        """
        if not self.query:
            return self.command
        given = (shlex.quote(f"{name}={value}") for name, value in self.parameters.items())
        return " ".join([f"balance sql RUN @{self.query}", *given])


# --- tables


@dataclass(frozen=True, slots=True)
class Heading:
    """The head of one column of a table."""

    key: str
    title: str
    kind: str = "text"
    """`text`, `integer`, `number`, `share`, `verdict`, `interval`, or of ids: `pair`, `variant`, `item`."""
    help: str = ""
    """What it means, for a reader who asks."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One entry of a table: what to sort by, and what is printed."""

    value: Any
    text: str
    low: float | None = None
    """The ends of the interval, if it has one."""
    high: float | None = None


Row = tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under headings."""

    id: str
    caption: str
    headings: tuple[Heading, ...]
    rows: tuple[Row, ...]
    source: Source
    note: str = ""
    long: bool = False
    """Whether it has so many rows that a page may fold it away or offer to search it."""
    raw: tuple[tuple[str, ...], tuple[tuple[Any, ...], ...]] | None = None
    """Columns and rows of the query behind it, as they are; None: those that are printed."""

    def data(self) -> tuple[tuple[str, ...], tuple[tuple[Any, ...], ...]]:
        """Return names of columns and rows of values; the ends of an interval are columns of their own."""
        if self.raw is not None:
            return self.raw
        names: list[str] = []
        columns: list[tuple[Any, ...]] = []
        for k, heading in enumerate(self.headings):
            cells = [row[k] for row in self.rows]
            names.append(heading.key)
            columns.append(tuple(cell.value for cell in cells))
            if any(cell.low is not None or cell.high is not None for cell in cells):
                names += [f"{heading.key}_low", f"{heading.key}_high"]
                columns += [tuple(cell.low for cell in cells), tuple(cell.high for cell in cells)]
        return tuple(names), tuple(zip(*columns, strict=True))


# --- figures


@dataclass(frozen=True, slots=True)
class Mark:
    """A part of a chart that a reader can point at."""

    tip: str
    """Its numbers in words, with how many games and the interval."""
    kind: str = ""
    """What a click opens: `variant`, `item` or `pair`; empty: nothing."""
    value: Any = None
    """Which one."""


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart.

    `data` are columns of equal length, by kind:

    - `bars`: `x` (category or number), `series`, `y`; stacked if `stacked`, otherwise side by side
    - `histogram`: `x` (numbers, from 1 upwards), `series`, `y`; one outline for each series
    - `areas`: the same, stacked, one band for each series; `lines` with `low` and `high` of each `y`
    - `dots`: `label`, `y` (the value), `low`, `high`, `series`
    - `scatter`: `label`, `x`, `y`, `low`, `high` (of `y`), `series`
    - `ridges`: `label`, `x` (numbers), `y`: one outline for each label, below each other; `middle`, a place
      to mark in each; the first label is drawn behind all others
    - `rows`: `label`, `x` (category), `y`, `low`, `high`: a row of bars for each label
    - `matrix`: `row`, `column` (every pair once), `y`; verdicts if `verdict`
    """

    id: str
    caption: str
    kind: str
    data: Mapping[str, tuple[Any, ...]]
    source: Source
    alt: str
    """What it shows, in words, for those who cannot see it."""
    x_title: str = ""
    y_title: str = ""
    y_kind: str = "number"
    """`number`, `share` (printed as percent) or `integer`."""
    reference: float | None = None
    """A value to draw a line at: what is fair, or neutral."""
    stacked: bool = False
    verdict: bool = False
    log: bool = False
    """Whether the values are told apart on a logarithmic scale."""
    note: str = ""
    marks: tuple[Mark, ...] = ()
    """One for each of `places()`; none: nothing to point at."""
    raw: tuple[tuple[str, ...], tuple[tuple[Any, ...], ...]] | None = None
    """Columns and rows of the query behind it, as they are; None: those of `data`."""

    def places(self) -> list[list[int]]:
        """Return the rows of `data` behind each part that can be pointed at: of an `x`, a label, or one."""
        along = {"histogram": "x", "areas": "x", "lines": "x", "ridges": "label"}.get(self.kind)
        if along is None:
            return [[row] for row in range(len(self.data["y"]))]
        found: dict[Any, list[int]] = {}
        for row, value in enumerate(self.data[along]):
            found.setdefault(value, []).append(row)
        return list(found.values())


Block = Paragraph | Bullets | Code | Table | Chart


@dataclass(frozen=True, slots=True)
class Section:
    """A chapter."""

    id: str
    title: str
    blocks: tuple[Block, ...]
    sections: tuple[Section, ...] = ()
    """Its parts, one level deep."""


# --- the answer


@dataclass(frozen=True, slots=True)
class VerdictCount:
    """How many combinations are broken, fine, undecided and bent."""

    players: int | None
    """None: over all numbers of players (broken if at any, fine only if at all)."""
    broken: int
    fine: int
    undecided: int
    bent: int = 0
    estimated: tuple[Counted, ...] = ()
    """How many there are of each class by the estimates of all, whatever the number of games."""
    unconfirmed: int = 0
    """How many looked broken, and did not on fresh games."""
    games: int = 0
    """Over how many games; 0 if that is said elsewhere."""

    @classmethod
    def of(cls, players: int | None, verdicts: Iterable[str]) -> VerdictCount:
        """Return how many of some verdicts are which.

        >>> VerdictCount.of(4, ["fine", "broken", "fine"])
        VerdictCount(players=4, broken=1, fine=2, undecided=0, bent=0, estimated=(), unconfirmed=0, games=0)
        """
        tally = Counter(map(str, verdicts))
        return cls(players, tally["broken"], tally["fine"], tally["undecided"], tally["bent"])

    def estimate(self, verdict: str) -> str:
        """Return the estimated number of a class, "about 14 (11 to 18)"; nothing if none is needed."""
        found = (one for one in self.estimated if one.verdict == verdict and one.low < one.high)
        return next((f"about {one.estimate:,.0f} ({one.low:,} to {one.high:,})" for one in found), "")

    @property
    def total(self) -> int:
        """How many were judged."""
        return self.broken + self.unconfirmed + self.fine + self.undecided + self.bent


@dataclass(frozen=True, slots=True)
class Worst:
    """One of the worst combinations, or of the most bent, in words."""

    variants: tuple[str, ...]
    """Ids."""
    title: str
    """Names: "Unions + Geeks"."""
    players: int
    strength: str
    """For whom: "casual play"."""
    sentence: str
    """What is wrong."""
    fresh: str = ""
    """The same figure on games that nobody had looked at before; nothing if that was not played."""
    holds: bool | None = None
    """Whether the fresh games say the same; None if nothing was played."""
    games: int = 0
    """Over how many games the sentence speaks; 0 if that is said elsewhere."""
    together: str = ""
    """At which strength of play it is broken although its variants alone are not; nothing if at none."""
    sure: bool = False
    """Both alone were found fine there; otherwise they were only not found broken."""
    mend: str = ""
    """The command that looks for what would mend it."""
    mended: str = ""
    """Without which rule it is not broken."""

    @property
    def again(self) -> str:
        """The figure on fresh games, and whether they confirm it."""
        return f"{ON_FRESH[self.holds]} {self.fresh}".strip() if self.fresh else ""

    @property
    def tag(self) -> str:
        """What to know at a glance: fresh games contradict it, or its parts are not broken."""
        if self.holds is False:
            return "not confirmed"
        if not self.together:
            return ""
        where = f", in {self.together}" if self.together != self.strength else ""
        return f"{'' if self.sure else 'possibly '}broken only together{where}"

    @property
    def where(self) -> str:
        """At how many players, in which play, and over how many games."""
        parts = (f"{self.players} players", self.strength, f"{self.games:,} games" if self.games else "")
        return ", ".join(part for part in parts if part)


@dataclass(frozen=True, slots=True)
class Summary:
    """The first page: what a designer wants to know."""

    headline: str
    """One sentence."""
    counts: tuple[VerdictCount, ...] = ()
    """Over all numbers of players first, if there are several."""
    worst: tuple[Worst, ...] = ()
    """Those that are broken: the worst, then others that are so only together."""
    bent: tuple[Worst, ...] = ()
    """The most bent, a line each."""
    play: str = ""
    """How good the play behind it is; nothing if another chapter says so."""
    next_steps: tuple[str, ...] = ()
    warning: str = ""
    """What to know before believing any of it ("too few games to say"); nothing if all is well."""


# --- the whole


@dataclass(frozen=True, slots=True)
class Provenance:
    """What a report rests on, so that anybody can make it again."""

    games: int
    runs: tuple[Mapping[str, str], ...]
    """For each run what names it, in words: id, seed, games, cells, parent."""
    versions: tuple[tuple[str, str], ...]
    hashes: tuple[tuple[str, str], ...]
    """Digests of catalog, policies and engine."""
    commands: tuple[str, ...]
    """What reproduces the report, from nothing if that can be said in commands."""


@dataclass(frozen=True, slots=True, repr=False)
class Answer:
    """The answer to a question: headline, records, tables and figures with their sources, what to do next."""

    kind: str
    """`space` (a report), `pair`, `ranking`, `item`, `comparison`, `prices`, `contested`, `ladder`."""
    title: str
    subtitle: str
    game: str
    """Its title."""
    edition: str
    summary: Summary
    sections: tuple[Section, ...]
    glossary: Mapping[str, str]
    """Term and explanation; texts mark a term as `[[term]]`."""
    provenance: Provenance
    atlas: Mapping[str, Any] | None = None
    """What `balance.report.atlas` made for the page."""
    verdicts: tuple[Mapping[str, Any], ...] = ()
    """One record for each combination and number of players that was judged."""
    findings: tuple[Mapping[str, Any], ...] = ()
    """One record for each figure that was looked at: what CSV and Parquet hold."""
    records: Mapping[str, Any] = field(default_factory=dict)
    """Further records of this kind of answer, by name; JSON has them first."""
    listed: str = "findings"
    """The name of `findings` in JSON."""
    only_rows: bool = False
    """Whether JSON holds `findings` alone, as one array."""
    places: tuple[str, ...] = ()
    """Absolute paths in texts; a page that is forwarded has only their last parts."""
    found: Any = None
    """What the experiment computed, for a program that goes on with it; it is not rendered."""

    def __repr__(self) -> str:
        return f"<Answer ({self.kind}): {plain(self.summary.headline)}>"

    def __str__(self) -> str:
        from balance.report.render.text import text

        return text(self)

    def _repr_html_(self) -> str:
        """Return what a notebook shows: the headline, and the rest folded up."""
        headline, rest = html.escape(plain(self.summary.headline)), html.escape(str(self))
        return f"<details><summary><b>{headline}</b></summary><pre>{rest}</pre></details>"

    @property
    def verdict(self) -> str:
        """The verdict of a check; nothing for other answers."""
        return str(self.records.get("verdict", ""))

    def json(self) -> dict[str, Any]:
        """Return the records, tables and figures as plain values: what `--json` prints."""
        from balance.report.render.json import document

        return document(self)

    def save(self, path: str | Path, *, force: bool = False) -> Path:
        """Write the answer to a file; its suffix says the format: .html, .pdf, .json, .md or .txt."""
        from balance.report.build import save_as

        return save_as(self, Path(path), force=force)

    def blocks(self) -> Iterator[Block]:
        """Yield every block of every chapter, in order."""
        for section in self.sections:
            for part in (section, *section.sections):
                yield from part.blocks

    @property
    def commands_shown(self) -> bool:
        """Whether a chapter already shows how to make the answer again."""
        commands = "\n".join(self.provenance.commands)
        return any(isinstance(block, Code) and commands in block.text for block in self.blocks())


def absolute(paths: Iterable[str | Path]) -> tuple[str, ...]:
    """Return those of some paths that show where on a machine something is, the longest first."""
    found = {str(path) for path in paths if PurePath(path).is_absolute()}
    return tuple(sorted(found, key=lambda path: (-len(path), path)))


def without_places(value: Any, places: Sequence[str]) -> Any:
    """Return an answer, or a part of one, with the last part of each path instead of the path.

    >>> without_places(Code("balance replay /home/me/run 7"), ["/home/me/run"]).text
    'balance replay run 7'
    """
    match value:
        case str():
            for place in places:
                value = value.replace(place, PurePath(place).name)
            return value
        case tuple():
            return tuple(without_places(one, places) for one in value)
        case Mapping():
            return {key: without_places(one, places) for key, one in value.items()}
    if isinstance(value, Answer | Summary | Worst | Section | Block | Heading | Source | Provenance):
        own = {one.name: without_places(getattr(value, one.name), places) for one in fields(value)}
        return replace(value, **own)
    return value


_TERM: Final = re.compile(r"\[\[([^\[\]]+)\]\]")
_APART: Final = "\ue000"
"""A letter that means nothing to anybody; between two brackets it keeps them from marking a term."""


def literal(text: str) -> str:
    """Return words of somebody else's as a part of a text: what looks like the mark of a term is none.

    >>> list(spans("Note: " + literal("[[fine]]"), {"fine": "..."}))
    [('Note: [[fine]]', None)]
    """
    return text.replace("[[", f"[{_APART}[")


def plain(text: str) -> str:
    """Return a text without marks of terms.

    >>> plain("They get [[win points]].")
    'They get win points.'
    """
    return _TERM.sub(r"\1", text).replace(_APART, "")


def spans(text: str, glossary: Mapping[str, str]) -> Iterator[tuple[str, str | None]]:
    """Yield the pieces of a text, each with the term of the glossary that it is, or None.

    A term may stand with a capital or in the plural: `[[win points]]` and `[[Win points]]` are the same. What
    looks like a term and is none stays as it is.

    >>> list(spans("They get [[Win points]] [[here]].", {"win points": "..."}))
    [('They get ', None), ('Win points', 'win points'), (' [[here]].', None)]
    """
    last = 0
    for found in _TERM.finditer(text):
        term = found[1].lower()
        if term not in glossary:
            continue
        if found.start() > last:
            yield text[last : found.start()].replace(_APART, ""), None
        yield found[1], term
        last = found.end()
    if text[last:]:
        yield text[last:].replace(_APART, ""), None
