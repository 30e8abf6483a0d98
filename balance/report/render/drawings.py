"""Drawings of the model set into a page: only what is drawn, ids of their own, the ink of the page.

matplotlib writes whole documents. Inside a page their ids would clash, their style would hold for everything
around them, and black ink would vanish in the dark.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final
from xml.etree import ElementTree as ET

from balance.report.model import Chart
from balance.report.render.charts import VERDICT_COLOURS, svg

SVG: Final = "{http://www.w3.org/2000/svg}"
HREF: Final = "{http://www.w3.org/1999/xlink}href"
INKS: Final = {
    "#000000": "var(--ink)",
    "#333333": "var(--ink)",
    "#444444": "var(--muted)",
    "#555555": "var(--muted)",
    "#dddddd": "var(--line)",
    "#ffffff": "var(--paper)",
    "#0072b2": "var(--blue)",
    **{
        VERDICT_COLOURS[verdict].lower(): f"var(--{verdict}-fill)"
        for verdict in ("broken", "undecided", "bent", "fine")
    },
}
"""Greys, the blue and the verdicts of the drawings, and what they are in the page, light or dark."""
_COLOUR: Final = re.compile(r"#[0-9a-fA-F]{6}")
_LONG: Final = re.compile(r"-?\d+\.\d{3,}")
_LETTER: Final = re.compile(r"[A-Z][A-Za-z]+(?:-[A-Z][A-Za-z]+)?-[0-9a-f]+")
_PAPER: Final = ("patch_1", "patch_2")
_MARK: Final = re.compile(r"mark-(\d+)")
_REFERENCE: Final = re.compile(r"url\(#([^)]+)\)")


class Drawings:
    """The figures of one page, and the letters that they share: each is in the page once."""

    def __init__(self) -> None:
        self._letters: dict[str, str] = {}

    def draw(self, figure: Chart, links: Sequence[str] = ()) -> str:
        """Return a figure as an SVG element, its ids beginning with its own.

        What is called `mark-K` shows the text of the K-th mark to those who point at it, and leads to the
        K-th of `links`, empty for none. Outlines of letters are kept, for `letters`.
        """
        marks = list(zip((mark.tip for mark in figure.marks), links, strict=True)) if links else []
        root = ET.fromstring(svg(figure))  # noqa: S314 - drawn by us just now
        for parent in root.iter():
            for child in list(parent):
                if child.tag in (f"{SVG}metadata", f"{SVG}style") or child.get("id") in _PAPER:
                    parent.remove(child)
        for parent in root.iter(f"{SVG}defs"):
            for child in list(parent):
                if _is_letter(child.get("id", "")):
                    parent.remove(child)
                    name, transform = child.attrib["id"], child.get("transform")
                    turned = f' transform="{transform}"' if transform else ""
                    self._letters[name] = (
                        f'<path id="{name}" d="{" ".join(child.get("d", "").split())}"{turned}/>'
                    )
        used = {
            name
            for element in root.iter()
            for value in element.attrib.values()
            for name in [value[1:] if value.startswith("#") else "", *_REFERENCE.findall(value)]
        }
        seen: set[str] = set()
        for element in root.iter():
            element.tag = element.tag.removeprefix(SVG)
            pointed = _MARK.fullmatch(element.get("id", ""))
            if pointed and marks:
                _pointed(element, *marks[int(pointed[1])], seen)
            element.text = element.tail = None
            own = {key: _attribute(key, value, figure.id, used) for key, value in element.attrib.items()}
            element.attrib.clear()
            element.attrib.update({"href" if k == HREF else k: v for k, v in own.items() if v is not None})
        for size in ("width", "height", "version"):
            root.attrib.pop(size, None)
        root.attrib.update(
            {
                "role": "group" if seen else "img",
                "aria-label": figure.alt,
                "fill": "currentColor",
                "stroke-linejoin": "round",
            }
        )
        return ET.tostring(root, encoding="unicode", short_empty_elements=True)

    def letters(self) -> str:
        """Return the outlines of all letters that were drawn, as an element that is not seen."""
        if not self._letters:
            return ""
        outlines = "".join(outline for _, outline in sorted(self._letters.items()))
        return f'<svg width="0" height="0" class="unseen" aria-hidden="true"><defs>{outlines}</defs></svg>'


def _pointed(element: ET.Element, tip: str, link: str, seen: set[str]) -> None:
    """Let an element show a text, and lead somewhere; the keyboard stops once for each address."""
    element.attrib.update({"data-tip": tip, "class": "mark", "pointer-events": "all"})
    if link:
        element.tag = "a"
        element.attrib.update(
            {"href": link, "aria-label": tip} | ({"tabindex": "-1"} if link in seen else {})
        )
        seen.add(link)


def _is_letter(name: str) -> bool:
    """Return whether an id is that of a letter: fonts and numbers within them, `DejaVuSans-13`."""
    return _LETTER.fullmatch(name) is not None


def _attribute(key: str, value: str, prefix: str, used: set[str]) -> str | None:
    if key == "id":
        return f"{prefix}-{value}" if value in used else None
    if key == HREF:
        return value if _is_letter(value[1:]) else f"#{prefix}-{value[1:]}"
    if key in ("d", "x", "y", "points"):
        return " ".join(_LONG.sub(_short, value).split())
    value = _REFERENCE.sub(lambda found: f"url(#{prefix}-{found[1]})", value)
    return _COLOUR.sub(lambda found: INKS.get(found[0].lower(), found[0]), value)


def _short(number: re.Match[str]) -> str:
    return f"{float(number[0]):.2f}".rstrip("0").rstrip(".")
