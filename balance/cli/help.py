"""Wording shared by the help texts of all commands."""

from __future__ import annotations

__all__ = ["examples"]


def examples(*commands: str) -> str:
    """Return the end of a help text, to be given to typer as `epilog`: one line per command."""
    title = "Example:" if len(commands) == 1 else "Examples:"
    # \b on a line of its own keeps the line breaks of the paragraph.
    return "\n".join(["\b", title, *(f"  {command}" for command in commands)])
