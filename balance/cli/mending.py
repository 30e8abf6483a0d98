"""What `balance check --suggest` adds: the search for what mends a combination, and how it is told."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from balance.cli import diagnostics, terminal

if TYPE_CHECKING:
    from balance.analysis.checking import Check
    from balance.analysis.remedies import Change, Remedy

__all__ = ["document", "lines", "remedy"]


def remedy(found: Check, thresholds: Sequence[str], strength: str, jobs: int | None) -> Remedy | None:
    """Search for a remedy; None if nothing is broken."""
    from balance.analysis import remedies
    from balance.analysis.thresholds import load_thresholds

    if found.verdict.value != "broken":
        return None
    possible = min(len(remedies.candidates(found)), remedies.MOST_SCREENED)
    with diagnostics.progress("mending", possible) as line:
        accepted = load_thresholds(found.game, thresholds)
        return remedies.suggest(found, accepted, strength, jobs, lambda change: line.advance(1, change))


def lines(found: Check, remedy: Remedy | None, *, asked: bool) -> Iterator[str]:
    """Yield what would mend it, and the overlay to try it."""
    from balance.cli.check import wrapped  # which imports this module

    if not asked:
        return
    width = terminal.line_width(None)
    yield ""
    yield "What would mend it"
    if remedy is None:
        yield f"  It is {found.verdict.value}, not broken: there is nothing to mend."
        return
    for sentence in remedy.sentences(found.game):
        yield from wrapped(sentence, width, "  ")
    if remedy.overlay:
        yield ""
        yield from remedy.overlay.rstrip("\n").split("\n")


def document(found: Check, remedy: Remedy | None, *, asked: bool) -> dict[str, object]:
    """Return the same for programs."""
    if not asked:
        return {}
    if remedy is None:
        return {"suggestion": None}
    return {
        "suggestion": {
            "change": None if remedy.change is None else _change(remedy.change),
            "sentences": remedy.sentences(found.game),
            "overlay": remedy.overlay,
            "does_nothing": remedy.does_nothing,
            "carried": remedy.carried,
            "searched": remedy.searched,
            "possible": remedy.possible,
            "refused": remedy.refused,
            "tried": [
                {
                    **_change(one.change),
                    "screened": one.screened.value,
                    "judged": None if one.judged is None else one.judged.value,
                    "fresh": None if one.fresh is None else one.fresh.value,
                    "reason": one.reason,
                }
                for one in remedy.tried
            ],
            "deals": {str(players): deals for players, deals in remedy.deals},
            "games": remedy.games,
        }
    }


def _change(change: Change) -> dict[str, object]:
    return {"variant": change.variant, "number": change.path, "old": change.old, "new": change.new}
