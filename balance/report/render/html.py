"""A report as one HTML file that needs nothing else: no request, no font, no script from anywhere.

Texts of the model stay text: the templates escape them, data for the atlas travels as base64 of packed JSON,
and the page forbids itself any script whose digest it does not name. Nothing is computed or worded
here that the model does not say; the same model gives the same bytes.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from importlib import resources
from typing import Any, Final
from urllib.parse import quote

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from balance import __version__
from balance.report.formatting import slug
from balance.report.model import (
    FIRST_SCREEN,
    NUMERIC,
    ON_FRESH,
    Answer,
    Cell,
    Heading,
    Mark,
    Section,
    Table,
    spans,
)
from balance.report.render.drawings import Drawings
from balance.report.render.text import SIGNS

FOLDED: Final = 12
"""How many rows of a long table are seen before it is unfolded."""
FEW: Final = 8
"""How many parts a chapter may have before each of them is folded."""
LICENCES: Final = ("NOTICE-echarts.txt", "LICENSE-echarts.txt", "LICENSE-d3.txt")


def render(report: Answer) -> str:
    """Return a report as the text of one HTML file."""
    scripts = [_read("static", "page.js")]
    if report.atlas is not None:
        scripts = [_read("vendor", "echarts.min.js"), *scripts, _read("static", "atlas.js")]
    early = _read("static", "theme.js")
    links = _Links(
        frozenset(variant["id"] for variant in report.atlas["variants"]) if report.atlas else frozenset(),
        frozenset(part.id for section in report.sections for part in section.sections),
        *_listed_items(report),
    )
    sections = list(_sections(report))
    drawings = Drawings()
    page = _environment().get_template("page.html")
    return page.render(
        report=report,
        sections=sections,
        behind=[b for section in report.sections if section.id == "answer" for b in section.blocks],
        commands_told=report.commands_shown,
        atlas_data=_packed(report.atlas) if report.atlas is not None else "",
        css=_own(_read("static", "page.css")),
        early=_own(early),
        scripts=[_own(script) for script in scripts],
        policy=_policy([early, *scripts]),
        licences=[(name, _read("vendor", name)) for name in LICENCES] if report.atlas is not None else [],
        version=__version__,
        folded=FOLDED,
        few=FEW,
        first_screen=FIRST_SCREEN,
        rich=partial(_rich, glossary=report.glossary),
        links=links,
        on_fresh=ON_FRESH,
        drawing=lambda figure: _own(drawings.draw(figure, [links.mark(mark) for mark in figure.marks])),
        letters=lambda: _own(drawings.letters()),
    )


def _listed_items(report: Answer) -> tuple[frozenset[Any], str]:
    """Return the items that a table lists one by one, and the id of the first such table."""
    for block in report.blocks():
        if isinstance(block, Table):
            for k, heading in enumerate(block.headings):
                found = (
                    frozenset(row[k].value for row in block.rows) if heading.kind == "item" else frozenset()
                )
                if found and len(found) == len(block.rows):
                    return found, block.id
    return frozenset(), ""


def _sections(report: Answer) -> Iterator[Section]:
    """Yield the chapters after the answer; the atlas has a place even if the model gives it no words."""
    has_place = any(section.id == "atlas" for section in report.sections)
    if report.atlas is not None and not has_place:
        yield Section("atlas", "Atlas", ())
    yield from (section for section in report.sections if section.id != "answer")


# --- what the templates call


def _rich(text: str, glossary: Mapping[str, str]) -> Markup:
    """Return a text with its terms linked to the glossary."""
    pieces = []
    for piece, term in spans(text, glossary):
        if term is None:
            pieces.append(escape(piece))
        else:
            pieces.append(Markup('<a class="term" href="#{}">{}</a>').format(term_id(term), piece))
    return Markup("").join(pieces)


def term_id(term: str) -> str:
    """Return where the glossary explains a term.

    >>> term_id("win points")
    'term-win-points'
    """
    return "term-" + "".join(c if c.isalnum() else "-" for c in term.lower())


@dataclass(frozen=True)
class _Links:
    """The targets of names within the page."""

    places: frozenset[str]
    """Variants that the atlas knows."""
    parts: frozenset[str]
    """Ids of parts of chapters."""
    items: frozenset[Any]
    """Items that have a row of their own."""
    listed: str
    """The id of the table with these rows."""

    def atlas(self, variants: Sequence[str], players: int | None = None) -> str:
        """Return the deep link to a combination; nothing if the atlas does not hold it."""
        if not variants or len(variants) > 2 or not self.places.issuperset(variants):
            return ""
        address = "#pair=" + "+".join(quote(name, safe="") for name in variants)
        return address if players is None else f"{address}&players={players}"

    def mark(self, mark: Mark) -> str:
        """Return where a part of a chart, or an entry of a table, leads; nothing if nowhere."""
        match mark.kind, mark.value:
            case "pair", (tuple() | list()) as variants:
                return self.atlas([str(name) for name in variants])
            case "variant", str() as variant:
                part = f"variant-{slug(variant)}"
                return f"#{part}" if part in self.parts else self.atlas([variant])
            case "item", item if item in self.items:
                return f"#item-{item}"
        return ""

    def cell(self, cell: Cell, column: Heading) -> str:
        """Return where an entry of a table leads; nothing if nowhere."""
        return self.mark(Mark("", column.kind, cell.value))

    def entry(self, part: str) -> str:
        """Return the place in the atlas of a part of a chapter that is about one variant."""
        return self.atlas([part.removeprefix("variant-")]) if part.startswith("variant-") else ""


def _sort_value(cell: Cell, column: Heading) -> str:
    """Return what a column is sorted by, where that is not what is printed."""
    if column.kind not in NUMERIC:
        return ""
    value = cell.value
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return "none"
    return repr(value)


# --- the pieces of the page


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("balance.report.render", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {
        "kind": lambda block: type(block).__name__.lower(),
        "term_id": term_id,
        "thousands": "{:,}".format,
    }
    environment.globals |= {
        "numeric": NUMERIC,
        "sort_value": _sort_value,
        "is_long": lambda table: table.long and len(table.rows) > FOLDED + 3,
        "verdict_class": lambda verdict: verdict if verdict in tuple(SIGNS) else "none",
    }
    return environment


def _own(text: str) -> Markup:
    """Vouch for a text that is ours or was escaped for where it goes."""
    return Markup(text)  # noqa: S704 - the one place where that is said


@cache
def _read(folder: str, name: str) -> str:
    return resources.files("balance.report.render").joinpath(folder, name).read_text(encoding="utf-8")


def _policy(scripts: Sequence[str]) -> str:
    """Return what the page allows itself: its own scripts by their digests, no network at all."""
    digests = [base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts]
    allowed = " ".join(f"'sha256-{digest}'" for digest in digests)
    # Styles are inline in the drawings and set by the charting library; they cannot fetch anything.
    return (
        f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; img-src data: blob:; "
        "base-uri 'none'; form-action 'none'"
    )


def _packed(value: Any) -> str:
    """Return JSON as base64 of its gzip: letters and digits, whatever it holds."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return base64.b64encode(gzip.compress(text.encode("utf-8"), 9, mtime=0)).decode("ascii")
