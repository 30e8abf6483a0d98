"""How a training goes: its log read back, drawn, and whether it still gains."""

import json
from collections.abc import Mapping, Sequence
from math import nan, sqrt
from pathlib import Path
from statistics import fmean, variance
from typing import Any, Final

from balance.learning.training import LOG

PICTURE: Final = "progress.svg"
_FEWEST: Final = 24
"""Evaluations after the last stage before a plateau is looked for."""
_GAIN: Final = 0.02


def read_progress(folder: Path) -> list[dict[str, Any]]:
    """Return the entries of a training's log."""
    with (folder / LOG).open(encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def has_plateaued(entries: Sequence[Mapping[str, Any]], figure: str, since: int = 0) -> bool:
    """Whether the later half of the evaluations since some games is hardly better than the earlier half.

    Evaluations are noisy: the difference must be small with one standard error added.

    >>> level = [{"won": 2 + 0.01 * (n % 3), "games": n} for n in range(40)]
    >>> has_plateaued(level, "won"), has_plateaued(level, "won", since=30)
    (True, False)
    >>> has_plateaued([{"won": 0.01 * n, "games": n} for n in range(40)], "won")
    False
    """
    values = [entry[figure] for entry in entries if figure in entry and entry["games"] >= since]
    if len(values) < _FEWEST:
        return False
    half = len(values) // 2
    before, after = values[-2 * half : -half], values[-half:]
    error = sqrt((variance(before) + variance(after)) / half)
    return fmean(after) - fmean(before) + error < _GAIN


def draw_progress(entries: Sequence[Mapping[str, Any]], figure: str, folder: Path) -> None:
    """Draw win points among bots, and what bots and one who searches win among learned, by games played."""
    from matplotlib.figure import Figure

    measured = [entry for entry in entries if figure in entry]
    picture = Figure(figsize=(7, 4), layout="constrained")
    axes = picture.subplots()
    games = [entry["games"] / 1e6 for entry in measured]
    names = [
        name
        for name, value in measured[-1].items()
        if name.startswith((figure, "adaptive", "none", "search"))
    ]
    for name in names:
        axes.plot(games, [entry.get(name, nan) for entry in measured], label=name.replace("_", " "))
    replies = [entry for entry in entries if "reply_gain" in entry]
    axes.plot(
        [entry["games"] / 1e6 for entry in replies],
        [1.0 + entry["reply_gain"] for entry in replies],
        ".",
        label="best reply in one cell",
    )
    axes.axhline(1.0, color="grey", linewidth=0.8)
    axes.set_xlabel("million games")
    axes.set_ylabel("win points")
    axes.legend(frameon=False)
    picture.savefig(folder / PICTURE)
