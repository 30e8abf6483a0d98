"""An answer as plain text: for a terminal, or as Markdown for a pull request or a wiki."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from balance import text_columns
from balance.report.model import (
    NUMERIC,
    Answer,
    Block,
    Bullets,
    Chart,
    Code,
    Heading,
    Paragraph,
    Section,
    Source,
    Table,
    Worst,
    plain,
)

SIGNS: Final = {"broken": "×", "undecided": "?", "bent": "~", "fine": "✓"}
"""The mark before a verdict, for readers who do not see colours."""
Paint = Callable[[str, str], str]
"""Colours a line: takes it with `title` or the verdict that it is about."""
_MOST_BARS: Final = 10
"""Lines of a drawn histogram at most, about."""


def markdown(answer: Answer, most: int | None = None) -> str:
    """Return an answer as Markdown; `most` are the rows that are shown of a long table."""
    return "\n".join(_Markdown(most).answer(answer)).rstrip("\n") + "\n"


def text(
    answer: Answer, width: int = 80, paint: Paint = lambda line, _: line, most: int | None = None
) -> str:
    """Return an answer as lines of at most `width` letters; `most` as for `markdown`."""
    return "\n".join(_Plain(most, width, paint).answer(answer)).rstrip("\n") + "\n"


def section_text(section: Section, width: int, paint: Paint, most: int | None = None) -> str:
    """Return one chapter, as `text` shows it; nothing if it has no blocks."""
    lines = _Plain(most, width, paint).section(section, 2) if section.blocks else ()
    return "\n".join(lines).rstrip("\n") + "\n" * bool(section.blocks)


def _named(one: Worst) -> str:
    """Return a combination that the first page names, in one paragraph."""
    parts = (
        f"{one.title} ({one.where}{f'; {one.tag}' if one.tag else ''}): {one.sentence}",
        one.again,
        one.mended,
        f"To mend it: {one.mend}" if one.mend else "",
    )
    return " ".join(part for part in parts if part)


class _Markdown:
    """The parts of an answer as lines of Markdown."""

    width = 80

    def __init__(self, most: int | None) -> None:
        self.most = most
        self.commands: tuple[str, ...] = ()
        """Commands that stand at the end anyway."""

    def answer(self, answer: Answer) -> Iterator[str]:
        summary, self.commands = answer.summary, answer.provenance.commands
        yield from self.head(answer)
        if summary.warning:
            yield from self.paragraph(f"Before you believe it: {summary.warning}")
        named = [_named(one) for one in (*summary.worst, *summary.bent)]
        if named:
            yield from self.bullets(named)
        if summary.play:
            yield from self.paragraph(f"How good the play is: {summary.play}")
        for section in answer.sections:
            yield from self.section(section, 2)
        if summary.next_steps:
            yield from self.title("What to do next", 2)
            yield from self.bullets(summary.next_steps)
        if answer.provenance.commands and not answer.commands_shown:
            yield from self.title("Make this again", 2)
            yield from self.code("\n".join(answer.provenance.commands))

    def head(self, answer: Answer) -> Iterator[str]:
        yield from self.title(answer.title, 1)
        yield from self.paragraph(answer.subtitle)
        yield from self.paragraph(answer.summary.headline)

    def section(self, section: Section, level: int) -> Iterator[str]:
        yield from self.title(section.title, level)
        for block in section.blocks:
            yield from self.block(block)
        for part in section.sections:
            yield from self.section(part, level + 1)

    def block(self, block: Block) -> Iterator[str]:
        """Yield one part of a chapter; a figure is what it shows, in words, and a histogram is drawn."""
        match block:
            case Paragraph(words):
                yield from self.paragraph(words)
            case Bullets(items):
                yield from self.bullets(items)
            case Code(words, caption):
                yield from self.paragraph(f"{caption}:" if caption else "")
                yield from self.code(words)
            case Table():
                rows = block.rows[: self.most] if block.long else block.rows
                yield from self.table(replace(block, rows=rows))
                more = len(block.rows) - len(rows)
                left = f"... and {more:,} more; --format csv has all." if more else ""
                yield from self.paragraph(" ".join((left, block.note, self.source(block.source))))
            case Chart():
                drawn = list(_histogram(block, self.width - 4))
                yield from self.paragraph(f"{block.caption}." if drawn else f"{block.caption}. {block.alt}")
                yield from self.code("\n".join(drawn))
                yield from self.paragraph(self.source(block.source))

    def source(self, source: Source) -> str:
        """Return where numbers come from, in one line."""
        command = "" if source.invocation in self.commands else source.invocation
        said = [f"n: {source.n}" if source.n else "", source.interval, command]
        return f"({'; '.join(part for part in said if part)})" if any(said) else ""

    def title(self, words: str, level: int) -> Iterator[str]:
        yield from (f"{'#' * level} {_escaped(_line(words))}", "")

    def paragraph(self, words: str) -> Iterator[str]:
        if words.strip():
            yield from (_escaped(_line(words)), "")

    def bullets(self, items: Sequence[str]) -> Iterator[str]:
        yield from (f"- {_escaped(_line(item))}" for item in items)
        yield ""

    def code(self, words: str) -> Iterator[str]:
        if words:
            yield from (*(f"    {line}" for line in words.splitlines()), "")

    def table(self, table: Table) -> Iterator[str]:
        yield from self.paragraph(table.caption)
        yield _row(_escaped(_line(heading.title)) for heading in table.headings)
        yield _row("---:" if heading.kind in NUMERIC else "---" for heading in table.headings)
        yield from (_row(_escaped(_line(cell.text)) for cell in row) for row in table.rows)
        yield ""


class _Plain(_Markdown):
    """The same for a terminal."""

    def __init__(self, most: int | None, width: int, paint: Paint) -> None:
        super().__init__(most)
        self.width = width
        self.paint = paint

    def head(self, answer: Answer) -> Iterator[str]:
        headline = answer.summary.headline
        yield from (self.paint(line, answer.verdict or "title") for line in self._wrapped(headline))
        yield from self._wrapped("" if answer.title in headline else answer.title)
        yield from (*self._wrapped(answer.subtitle), "")

    def title(self, words: str, level: int) -> Iterator[str]:
        """Yield a heading: underlined if it is that of a chapter."""
        yield self.paint(_line(words), "title")
        if level < 3:
            yield "-" * len(_line(words))

    def paragraph(self, words: str) -> Iterator[str]:
        if words.strip():
            yield from (*self._wrapped(words), "")

    def bullets(self, items: Sequence[str]) -> Iterator[str]:
        yield from (line for item in items for line in self._wrapped(item, "- ", "  "))
        yield ""

    def _entry(self, words: str, heading: Heading) -> str:
        """Return an entry of a table: a verdict with its sign, the sign alone in a column without title."""
        sign = SIGNS.get(words, "") if heading.kind == "verdict" else ""
        return sign if sign and not heading.title else f"{sign} {_line(words)}".strip()

    def _wrapped(self, words: str, first: str = "", later: str = "") -> list[str]:
        return textwrap.wrap(
            _line(words), self.width, initial_indent=first, subsequent_indent=later,
            break_long_words=False, break_on_hyphens=False,
        )  # fmt: skip

    def code(self, words: str) -> Iterator[str]:
        """Yield something to be copied as it is; a command that is too long goes on in the next line."""
        if words:
            lines = (text_columns.escape(line) for line in words.splitlines())
            yield from (*(part for line in lines for part in _continued(line, self.width - 2)), "")

    def table(self, table: Table) -> Iterator[str]:
        yield from self.paragraph(table.caption)
        verdicts = [k for k, heading in enumerate(table.headings) if heading.kind == "verdict"]
        cells = [
            [self._entry(cell.text, table.headings[k]) for k, cell in enumerate(row)] for row in table.rows
        ]

        def paint(row: int | None, line: str) -> str:
            if row is None:
                return self.paint(line, "title")
            return self.paint(line, table.rows[row][verdicts[0]].text) if verdicts else line

        heads, right = [h.title for h in table.headings], [h.kind in NUMERIC for h in table.headings]
        yield text_columns.table(heads, cells, right, self.width, paint)


def _continued(line: str, width: int) -> Iterator[str]:
    """Yield a command on as many lines as it needs, each but the last ending in a backslash."""
    words = re.findall(r"(?:'[^']*'|[^\s'])+", line) if line.startswith("balance ") else []
    if len(line) <= width or not words:
        yield f"  {line}"
        return
    first, *rest = words
    for word in rest:
        if len(first) + len(word) + 3 > width:
            yield f"  {first} \\"
            first = f"  {word}"
        else:
            first += f" {word}"
    yield f"  {first}"


def _histogram(chart: Chart, width: int) -> Iterator[str]:
    """Draw a histogram of shares, its series side by side; nothing for other figures."""
    series = list(dict.fromkeys(chart.data.get("series", ())))
    if (chart.kind, chart.y_kind) != ("histogram", "share") or not 0 < len(series) < 4:
        return
    points = list(zip(chart.data["x"], chart.data["series"], chart.data["y"], strict=True))
    first, last = min(x for x, _, _ in points), max(x for x, _, _ in points)
    step = max(1, -(-(last - first + 1) // _MOST_BARS))
    room = (width - 8) // len(series) - 2
    yield (f"{chart.x_title or 'x':>8}" + "".join(f"  {one:<{room}}" for one in series)).rstrip()
    for low in range(first, last + 1, step):
        high = low + step - 1
        bars = []
        for one in series:
            share = sum(y for x, own, y in points if own == one and low <= x <= high)
            bars.append(f"  {_bar(share, room - 6):<{room - 6}} {share:4.0%} ")
        label = str(low) if step == 1 else f"{low}-{high}"
        yield f"{label:>8}{''.join(bars)}".rstrip()


def _bar(share: float, room: int) -> str:
    full, rest = divmod(round(share * room * 8), 8)
    return "█" * full + ("", "▏", "▎", "▍", "▌", "▋", "▊", "▉")[rest]


def _row(entries: Iterable[str]) -> str:
    return f"| {' | '.join(entries)} |"


def _line(words: str) -> str:
    return text_columns.escape(" ".join(plain(words).split()))


def _escaped(words: str) -> str:
    """Return words that Markdown shows as they are."""
    for letter in "\\`*_[]<>|#":
        words = words.replace(letter, f"\\{letter}")
    return words
