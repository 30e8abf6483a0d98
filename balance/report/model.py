"""What a report says: plain numbers and words, the same for every rendering.

Every figure that is printed is put into words once, here or by whoever makes the model, so that HTML and PDF
agree to the digit. No markup of any kind is in these texts, except that `[[term]]` marks a term of the
glossary (`spans` finds them). Nothing is computed from games here and nothing is drawn.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

__all__ = [
    "COLUMN_KINDS",
    "FIGURE_KINDS",
    "ON_FRESH",
    "SCALE",
    "VERDICT_CODES",
    "Answer",
    "Atlas",
    "AtlasMetric",
    "AtlasVariant",
    "AtlasView",
    "Block",
    "Bullets",
    "Cell",
    "Code",
    "Column",
    "Figure",
    "Paragraph",
    "Phrase",
    "Provenance",
    "Report",
    "Row",
    "Scaled",
    "Section",
    "Source",
    "Surprise",
    "Table",
    "VerdictCount",
    "Worst",
    "literal",
    "place",
    "spans",
]

COLUMN_KINDS: Final = ("text", "integer", "number", "share", "interval", "verdict", "pair", "variant", "item")
"""What stands in a column: how it is aligned and sorted, and what it may be linked to.

`interval` is a number whose text carries the ends of its interval; `pair` has a tuple of variant ids as its
value, `variant` one id, `item` an item's id.
"""
FIGURE_KINDS: Final = ("bars", "histogram", "dots", "scatter", "matrix")
"""How a figure is drawn; `Figure.data` says which columns each kind has."""
VERDICT_CODES: Final[Mapping[str, str]] = {"b": "broken", "f": "fine", "u": "undecided", ".": "not played"}
ON_FRESH: Final[Mapping[bool | None, str]] = {True: "Confirmed:", False: "Not confirmed:", None: ""}
"""What stands before a figure on fresh games, by whether they say the same."""
SCALE: Final = 10_000
"""Numbers of the atlas are whole: so many times what they stand for."""


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
    interval: str
    """What the intervals are: "95%, Wilson, the deal is the unit"; nothing if there are none."""
    sql: str
    """The query that gives the numbers with `balance sql`.

    Columns of its result that are named like columns of the table or figure hold the same numbers, row by row
    as `key` says. Nothing if the numbers do not come from the games of the run.
    """
    command: str = ""
    """The command that gives them, where a query does not."""


# --- tables


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a table."""

    key: str
    title: str
    kind: str = "text"
    """One of COLUMN_KINDS."""
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
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    source: Source
    key: tuple[str, ...] = ()
    """The columns that together name a row; they are columns of the query too."""
    note: str = ""
    long: bool = False
    """Whether it has so many rows that a page may fold it away or offer to search it."""


# --- figures


@dataclass(frozen=True, slots=True)
class Figure:
    """A chart.

    `data` are columns of equal length, by kind:

    - `bars`: `x` (category or number), `series`, `y`; stacked if `stacked`, otherwise side by side
    - `histogram`: `x` (numbers, from 1 upwards), `series`, `y`; one outline for each series
    - `dots`: `label`, `y` (the value), `low`, `high`, `series`
    - `scatter`: `label`, `x`, `y`, `low`, `high` (of `y`), `series`
    - `matrix`: `row`, `column` (both orders of a pair are given), `y`; codes of VERDICT_CODES if `verdict`
    """

    id: str
    caption: str
    kind: str
    """One of FIGURE_KINDS."""
    data: Mapping[str, tuple[Any, ...]]
    source: Source
    alt: str
    """What it shows, in words, for those who cannot see it."""
    key: tuple[str, ...] = ()
    """The columns of `data` that together name a row; they are columns of the query too."""
    x_title: str = ""
    y_title: str = ""
    y_kind: str = "number"
    """`number`, `share` (printed as percent) or `integer`."""
    reference: float | None = None
    """A value to draw a line at: what is fair, or neutral."""
    stacked: bool = False
    verdict: bool = False
    print_only: bool = False
    """Whether it is for paper only: on a screen the atlas shows it better."""
    log: bool = False
    """Whether the values are told apart on a logarithmic scale."""
    note: str = ""


Block = Paragraph | Bullets | Code | Table | Figure


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
    """How many combinations are broken, fine and undecided."""

    players: int | None
    """None: over all numbers of players (broken if at any, fine only if at all)."""
    broken: int
    fine: int
    undecided: int

    @property
    def total(self) -> int:
        """How many were judged."""
        return self.broken + self.fine + self.undecided


@dataclass(frozen=True, slots=True)
class Worst:
    """One of the worst combinations, in words."""

    variants: tuple[str, ...]
    """Ids."""
    title: str
    """Names: "Unions + Geeks"."""
    players: int
    strength: str
    """For whom: "casual play"."""
    sentence: str
    """What is wrong."""
    fresh: str
    """The same figure on games that nobody had looked at before; nothing if that was not played."""
    holds: bool | None
    """Whether the fresh games say the same; None if nothing was played."""


@dataclass(frozen=True, slots=True)
class Surprise:
    """A combination that is broken although its variants alone are not."""

    variants: tuple[str, ...]
    title: str
    players: int
    strength: str
    sure: bool
    """Both alone were found fine; otherwise they were only not found broken."""
    sentence: str
    fresh: str = ""
    """What is wrong, measured again on games that nobody had looked at; nothing if that was not played."""
    holds: bool | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """The first page: what a designer wants to know."""

    headline: str
    """One sentence."""
    counts: tuple[VerdictCount, ...]
    """Over all numbers of players first, if there are several."""
    worst: tuple[Worst, ...]
    surprising: tuple[Surprise, ...]
    next_steps: tuple[str, ...]
    warning: str = ""
    """What to know before believing any of it ("too few games to say"); nothing if all is well."""


# --- the atlas


@dataclass(frozen=True, slots=True)
class AtlasVariant:
    """One row and column of the atlas."""

    id: str
    name: str
    rule: str


@dataclass(frozen=True, slots=True)
class AtlasMetric:
    """What the colour of the atlas can stand for."""

    id: str
    """As in docs/metrics.md: `length`, `action:work`."""
    title: str
    help: str
    kind: str
    """How it is printed: `share` (percent), `integer` or `number` (two digits)."""
    neutral: float | None = None
    low: float | None = None
    """The accepted range; None: no such end."""
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Scaled:
    """One number for each place of the atlas with the ends of its interval, times SCALE; None: unknown."""

    values: tuple[int | None, ...]
    lows: tuple[int | None, ...]
    highs: tuple[int | None, ...]


@dataclass(frozen=True, slots=True)
class Phrase:
    """A sentence in short: a template of `Atlas.templates` and what goes into its `{}`."""

    template: int
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AtlasView:
    """The atlas at one number of players and one strength of play; every tuple has one entry per place."""

    players: int
    lineup: str
    strength: str
    """For whom: "casual play"."""
    cells: tuple[int | None, ...]
    """The cells of the run; None: not played."""
    games: tuple[int, ...]
    verdicts: str
    """One of VERDICT_CODES per place."""
    values: Mapping[str, Scaled]
    """By metric id."""
    lengths: tuple[tuple[int, ...], ...]
    """How many games fell into each of `Atlas.length_bins`; empty if not played."""
    styles: Mapping[str, Scaled]
    """Win points by policy, where different policies meet; 1 is fair."""
    interactions: Mapping[str, Scaled]
    """By measure of `Atlas.interactions`: what the pair does beyond its two variants alone."""
    sure: Mapping[str, str]
    """By measure: `1` where that is beyond doubt (corrected over all), otherwise `0`, `.` where unknown."""
    replays: tuple[int | None, ...]
    """A game worth looking at: its id."""
    reasons: tuple[tuple[Phrase, ...], ...]
    """What breaks it, or what keeps it undecided."""


@dataclass(frozen=True, slots=True)
class Atlas:
    """All combinations of at most two variants, at every number of players and strength of play.

    A place is a pair of variants (`place(i, j, n)`), or one variant alone on the diagonal.
    """

    variants: tuple[AtlasVariant, ...]
    pairs: bool
    """Whether two variants are in force at once; otherwise only the diagonal is played."""
    metrics: tuple[AtlasMetric, ...]
    players: tuple[int, ...]
    lineups: tuple[tuple[str, str], ...]
    """Lineups, each with the strength of play that it stands for."""
    views: tuple[AtlasView, ...]
    """By number of players, then by lineup."""
    overall: Mapping[int, str]
    """Verdicts over all strengths of play, by number of players: one code per place."""
    plain: tuple[Mapping[str, tuple[float, float, float]], ...]
    """For each view: the metrics without variants, value and ends of the interval."""
    plain_lengths: tuple[tuple[int, ...], ...]
    """For each view: lengths without variants, by `length_bins`."""
    length_bins: tuple[tuple[int, int], ...]
    """Rounds from..to, ends included."""
    policies: tuple[str, ...]
    interactions: tuple[tuple[str, str, str], ...]
    """Measure, its title, and `log` (the value is a factor) or `points` (a difference)."""
    templates: tuple[str, ...]
    replay: str
    """The command that tells a game, `{}` standing for its id."""
    sql: str
    """The query behind a panel, `{}` standing for the cell."""

    def sentence(self, phrase: Phrase) -> str:
        """Return a phrase in full."""
        words = iter(phrase.words)
        return re.sub(r"\{\}", lambda _: next(words), self.templates[phrase.template])


def place(i: int, j: int, n: int) -> int:
    """Return where the pair of two of `n` variants stands: the upper triangle row by row, diagonal included.

    >>> [place(i, j, 3) for i in range(3) for j in range(i, 3)]
    [0, 1, 2, 3, 4, 5]
    >>> place(2, 0, 3) == place(0, 2, 3)
    True
    """
    low, high = min(i, j), max(i, j)
    return low * n - low * (low - 1) // 2 + high - low


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


@dataclass(frozen=True, slots=True)
class Report:
    """Everything that a report says."""

    kind: str
    """`space` (all combinations), `pair`, `item` or `comparison`."""
    title: str
    subtitle: str
    game: str
    """Its title."""
    edition: str
    words: Mapping[str, str]
    """The game's own words: `variant`, `variants`, `item`, `items`."""
    answer: Answer
    sections: tuple[Section, ...]
    glossary: Mapping[str, str]
    """Term and explanation; texts mark a term as `[[term]]`."""
    provenance: Provenance
    atlas: Atlas | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)


_TERM: Final = re.compile(r"\[\[([^\[\]]+)\]\]")
_APART: Final = "\ue000"
"""A letter that means nothing to anybody; between two brackets it keeps them from marking a term."""


def literal(text: str) -> str:
    """Return words of somebody else's as a part of a text: what looks like the mark of a term is none.

    >>> list(spans("Note: " + literal("[[fine]]"), {"fine": "..."}))
    [('Note: [[fine]]', None)]
    """
    return text.replace("[[", f"[{_APART}[")


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
