"""The report as a PDF, set by typst from the model.

What the report says goes to the typesetter as data, never as markup, so no text can do anything but be
printed. The fonts are those inside the wheels of typst and matplotlib: the same model gives the same bytes on
every machine, without a network and without fonts of the system.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any, Final, Literal

import balance
from balance.errors import Failed
from balance.report.model import (
    FIRST_SCREEN,
    Answer,
    Block,
    Bullets,
    Chart,
    Code,
    Paragraph,
    Section,
    Source,
    Table,
    plain,
    spans,
)
from balance.report.render.charts import font_folder, svg

PAPERS: Final[Mapping[str, str]] = {"a4": "a4", "letter": "us-letter"}
_LONG_TEXT: Final = 24
"""Letters beyond which a column shares the width that the others leave, and its texts break."""
_ROOM: Final = 470.0
"""Points between the margins of the narrowest paper."""
_LETTER: Final = 0.5
"""The width of a letter, as a part of its size; digits and capitals are as wide as that."""
_GAP: Final = 7.0
"""Points between two columns."""
_EPOCH: Final = 0
"""The time of a PDF is part of its bytes, so it is always the same."""


def render(report: Answer, paper: str = "a4", advance: Callable[[str], None] = lambda _: None) -> bytes:
    """Return the report as the bytes of a PDF; `paper` is one of PAPERS."""
    import typst

    made = _Made(report.glossary, report.kind != "space")
    advance("figures")
    document = made.document(report, PAPERS[paper])
    advance("typesetting")
    template = files("balance.report.render").joinpath("typst/report.typ").read_bytes()
    inputs = {"report": json.dumps(document, ensure_ascii=False), **made.pictures}
    try:
        try:  # read aloud, too: headings, tables and pictures say what they are
            pdf = _set(template, inputs, "ua-1")
        except typst.TypstError as error:
            if "missing codepoints" not in error.message:
                raise
            pdf = _set(template, inputs, "1.7")  # names in a script that no font here has: boxes
    except typst.TypstError as error:
        raise Failed(f"the PDF could not be set: {error.message}") from error
    return pdf


def _set(template: bytes, inputs: dict[str, str], standard: Literal["ua-1", "1.7"]) -> bytes:
    """Let typst set the report, by its own fonts and those of the figures alone."""
    import typst

    pdf = typst.compile(
        template,
        format="pdf",
        font_paths=typst.Fonts(
            include_system_fonts=False, include_embedded_fonts=True, font_paths=[str(font_folder())]
        ),
        sys_inputs=inputs,
        pdf_standards=standard,
        timestamp=_EPOCH,
    )
    assert isinstance(pdf, bytes)
    return pdf


@dataclass
class _Made:
    """The model as the data of the template; a term is explained where it comes first."""

    glossary: Mapping[str, str]
    sheet: bool = False
    """Whether it is a short report: everything is set smaller."""
    explained: set[str] = field(default_factory=set)
    pictures: dict[str, str] = field(default_factory=dict)
    tables: int = 0
    sources: list[list[str]] = field(default_factory=list)
    """The commands behind tables and figures, each with what it gives: they follow at the end."""

    def document(self, report: Answer, paper: str) -> dict[str, Any]:
        """Return everything that the template sets."""
        answer = report.summary
        sections = [self.section(section) for section in report.sections]
        return {
            "title": report.title,
            "subtitle": report.subtitle,
            "edition": report.edition,
            "paper": paper,
            "footer": f"{report.game}, {report.provenance.games:,} games, balance {balance.__version__}",
            "sheet": self.sheet,
            "answer": {
                "headline": answer.headline,
                "warning": answer.warning,
                "counts": [
                    [
                        "all" if c.players is None else str(c.players),
                        f"{c.broken:,}\n{c.estimate('broken')}".strip()
                        + (f"\n{c.unconfirmed:,} not confirmed" if c.unconfirmed else ""),
                        f"{c.undecided:,}",
                        f"{c.bent:,}\n{c.estimate('bent')}".strip(),
                        f"{c.fine:,}\n{c.estimate('fine')}".strip(),
                        f"{c.total:,}",
                        f"{c.games:,}" if c.games else "",
                    ]
                    for c in answer.counts
                    if report.kind != "pair"  # a single pair has a verdict, and its own table says which
                ],
                "worst": [
                    [
                        one.title,
                        f"{one.where}, {one.tag}" if one.tag else one.where,
                        one.sentence,
                        one.again,
                        one.mend,
                        one.mended,
                    ]
                    for one in answer.worst
                ],
                "first": FIRST_SCREEN,
                "bent": [[one.title, one.where, one.sentence] for one in answer.bent],
                "play": plain(answer.play),
                "next": list(answer.next_steps),
            },
            "sections": sections,
            "sources": self.sources,
        }

    def section(self, section: Section) -> dict[str, Any]:
        return {
            "title": section.title,
            "blocks": [self.block(block) for block in section.blocks],
            "sections": [self.section(part) for part in section.sections],
        }

    def text(self, text: str) -> list[list[str]]:
        """Return the pieces of a text: one entry for words, two for a term, three to explain it."""
        return list(self._pieces(text))

    def _pieces(self, text: str) -> Iterator[list[str]]:
        for piece, term in spans(text, self.glossary):
            if term is None:
                yield [piece]
            elif term in self.explained:
                yield [piece, term]
            else:
                self.explained.add(term)
                yield [piece, term, self.glossary[term]]

    def block(self, block: Block) -> dict[str, Any]:
        match block:
            case Paragraph(text):
                return {"kind": "paragraph", "text": self.text(text)}
            case Bullets(items):
                return {"kind": "bullets", "items": [self.text(item) for item in items]}
            case Code(text, _):
                return {"kind": "code", "text": text}
            case Table():
                return self.table(block)
            case Chart():
                return self.figure(block)

    def table(self, table: Table) -> dict[str, Any]:
        """Return a table, with the width that each of its columns needs."""
        self.tables += 1
        self._sourced(f"Table {self.tables}", table)
        size = 8.2 if len(table.headings) < 7 and not self.sheet else 7.2
        return {
            "kind": "table",
            "caption": self.text(table.caption),
            "titles": [column.title for column in table.headings],
            "kinds": [column.kind for column in table.headings],
            "widths": _widths(table, size),
            "rows": [[cell.text for cell in row] for row in table.rows],
            "size": size,
            "note": self.text(table.note),
            "source": _source(table.source),
        }

    def figure(self, figure: Chart) -> dict[str, Any]:
        """Return a figure; its picture goes beside the data."""
        name = f"figure-{len(self.pictures)}"
        self.pictures[name] = svg(figure, letters=True)
        self._sourced(f"Figure {len(self.pictures)}", figure)
        return {
            "kind": "figure",
            "caption": self.text(figure.caption),
            "picture": name,
            "alt": figure.alt,
            "width": 0.66
            if self.sheet
            else 1.0
            if figure.kind != "bars" or len(figure.data["x"]) > 20
            else 0.8,
            "note": self.text(figure.note),
            "source": _source(figure.source),
        }

    def _sourced(self, name: str, block: Table | Chart) -> None:
        """Note the command that gives the numbers of a table or figure."""
        if block.source.invocation:
            self.sources.append([name, plain(block.caption), block.source.invocation])


def _source(source: Source) -> dict[str, str]:
    return {"n": source.n, "interval": source.interval}


def _widths(table: Table, size: float) -> list[list[float]]:
    """Return the width of each column: points, and its part of the width that is left.

    A heading may break between words, and so may a long text. Where even that would not fit, every entry may,
    and a column has at least the width of its longest word.
    """
    columns = list(zip(*([cell.text for cell in row] for row in table.rows), strict=True))
    columns = columns or [()] * len(table.headings)
    found: list[list[float]] = []
    least, most = [], []
    for heading, texts in zip(table.headings, columns, strict=True):
        longest = max(map(len, texts), default=0)
        words = [len(word) for text in (heading.title, *texts) for word in text.split()]
        title = max((len(word) for word in heading.title.split()), default=0)
        wide = heading.kind in ("text", "pair", "variant", "item") and longest > _LONG_TEXT
        least.append(max(words, default=0) * _LETTER * size + _GAP)
        most.append(least[-1] if wide else max(longest, title) * _LETTER * size + _GAP)
        found.append([0.0, 3.0 if longest > 60 else 2.0] if wide else [most[-1], 0.0])
    spare = _ROOM - sum(least)
    if sum(most) <= _ROOM or spare <= 0:
        return found
    wished = sum(most) - sum(least)
    return [[low + spare * (high - low) / wished, 0.0] for low, high in zip(least, most, strict=True)]
