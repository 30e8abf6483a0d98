"""What the atlas of a report holds: whole numbers and words, as the page reads them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

VERDICT_CODES: Final[Mapping[str, str]] = {
    "b": "broken",
    "u": "undecided",
    "e": "bent",
    "f": "fine",
    ".": "not played",
}
SCALE: Final = 10_000
"""The atlas stores each number multiplied by this, rounded to a whole one."""


@dataclass(frozen=True, slots=True)
class AtlasVariant:
    """One row and column of the atlas."""

    id: str
    name: str
    rule: str


@dataclass(frozen=True, slots=True)
class AtlasMetric:
    """A metric that the colour of the atlas can show."""

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
class AtlasView:
    """The atlas at one number of players and one strength of play; every tuple has one entry per place."""

    players: int
    lineup: str
    strength: str
    """The strength of play: "casual play"."""
    cells: tuple[int | None, ...]
    """The cells of the run; None: not played."""
    games: tuple[int, ...]
    verdicts: str
    """One of VERDICT_CODES per place."""
    values: Mapping[str, Scaled]
    """The values by metric id."""
    lengths: tuple[tuple[int, ...], ...]
    """How many games fell into each of `Atlas.length_bins`; empty if not played."""
    styles: Mapping[str, Scaled]
    """Win points by policy, where different policies meet; 1 is fair."""
    interactions: Mapping[str, Scaled]
    """By measure of `Atlas.interactions`: what the pair does beyond its two variants alone."""
    sure: Mapping[str, str]
    """By measure: `1` where its corrected p-value is at most 5%, otherwise `0`, `.` where unknown."""
    replays: tuple[str | None, ...]
    """The command that prints a game worth looking at."""
    reasons: tuple[tuple[str, ...], ...]
    """Findings that break it or keep it undecided."""
    causes: tuple[str, ...]
    """The title of the metric that breaks it most; empty if it is not broken."""


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
    usual: str
    """The lineup that decides: that of the default player, if it was played."""
    views: tuple[AtlasView, ...]
    """The views by number of players, then by lineup."""
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
    query: str
    """The command that gives the numbers of a panel, `{}` standing for the cell."""


def place(i: int, j: int, n: int) -> int:
    """Return where the pair of two of `n` variants stands: the upper triangle row by row, diagonal included.

    >>> [place(i, j, 3) for i in range(3) for j in range(i, 3)]
    [0, 1, 2, 3, 4, 5]
    >>> place(2, 0, 3) == place(0, 2, 3)
    True
    """
    low, high = min(i, j), max(i, j)
    return low * n - low * (low - 1) // 2 + high - low
