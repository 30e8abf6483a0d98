"""Declaring a measure: how much of how many, as SQL over a row per game.

A figure of a game is defined here and nowhere else: `deals` sums numerator and denominator over the games of
a deal, `metrics` turns the sums into a value with its interval. What follows from the roles of columns is
declared by the toolkit (`balance.dataset.measures`), the rest by the game in `Facts.declared`.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

KINDS = ("share", "points", "mean")
"""A share of 0 to 1, win points (a share times the number of players), or an amount without a limit."""

LOG = "log"
"""Pairs are compared with both variants alone by the logarithm of a factor."""
POINTS = "points"
"""Pairs are compared with both variants alone by a difference of shares or win points."""


class From(NamedTuple):
    """A column that measures need beside those of `games`."""

    table: str
    """The table whose rows of a game are aggregated; empty: computed from the row of the game."""
    name: str
    sql: str
    """An aggregate over the table's rows, `sum(money)`; or an expression over the row of the game."""
    mixed: bool = False
    """Whether it is needed only in cells where different policies meet."""


class Compared(NamedTuple):
    """The metric that gives a measure as a multiple of its value in the base game."""

    name: str
    title: str
    sentence: str
    atlas: bool = False


class Beyond(NamedTuple):
    """What a measure is called where a pair of variants is compared with both alone."""

    title: str
    """As in a sentence, with `{of}` for the thing: "length", "win points of {of}"."""
    atlas: bool = False
    """Whether reports compare it in every pair, and the atlas offers it."""


@dataclass(frozen=True, slots=True)
class Measure:
    """One figure, or one for each thing in `of`.

    >>> Measure("stalls", "share of games that nobody wins", "stalled").den
    '1'
    """

    name: str
    title: str
    """As in a table: "share of games that nobody wins"."""
    num: str
    """SQL over a row per game: an integer or a boolean; NULL counts 0. `{of}` stands for the thing."""
    den: str = "1"
    """The denominator; `1` and `players` are the same in every game of a cell."""
    kind: str = "share"
    of: tuple[str, ...] = ()
    """What it is measured of, each a figure: actions, seats, policies. None: it is one figure."""
    columns: tuple[From, ...] = ()
    sentence: str = ""
    """With `{x}` for the figure and `{of}` (first in a sentence `{Of}`) for the thing: "Nobody wins {x}"."""
    most: str = ""
    """The greatest value, as SQL over `players`; by default 1 for a share, `players` for win points."""
    neutral: float | None = None
    """The value that says "nothing special", if there is one: thresholds are margins around it."""
    multiple: Compared | None = None
    """Whether it is compared with the base game, on common deals, and under which name."""
    beyond: Beyond | None = None
    """Whether pairs are compared with both variants alone, deal by deal: as logarithms of means where it has
    a multiple, otherwise as differences. The denominator must be alike with and without variants."""
    atlas: bool = False
    """Whether the atlas offers it."""
    compared: str = ""
    """What `compare` shows it under, `length`, `winning` or `play`; empty: it is not compared.

    All figures that are compared are corrected together: each makes the others a little less sure.
    """
    compares: bool = False
    """Whether it compares policies: only those are judged that are trained for the variants in force."""

    @property
    def limit(self) -> str:
        """The greatest value as SQL over `players`; empty for an amount."""
        return self.most or {"share": "1", "points": "players"}.get(self.kind, "")

    def each(self) -> Iterator[tuple[str, "Measure"]]:
        """Yield it once for each thing, `{of}` filled in.

        >>> [(of, one.num) for of, one in Measure("seat", "win points", "won_{of}", of=("0", "1")).each()]
        [('0', 'won_0'), ('1', 'won_1')]
        """
        if not self.of:
            yield "", self
        for place, of in enumerate(self.of):
            num, den = (sql.replace("{of}", of).replace("{k}", str(place)) for sql in (self.num, self.den))
            yield of, replace(self, num=num, den=den)
