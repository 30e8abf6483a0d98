"""Drawings of the model set into the page: their ids made its own, their ink that of the page."""

from __future__ import annotations

from balance.report.model import Figure

__all__ = ["inline_svg"]


def inline_svg(figure: Figure) -> str:
    """Return a figure as an SVG element."""
    return f"<!-- {figure.id} -->"
