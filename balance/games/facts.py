"""The facts that a game declares before any code of it runs: tables, words, editions, lineups.

Plain data. What a game must be able to do is `balance.games.contract`.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from balance.games.measures import Measure


ROLES: Final = (
    "game",
    "index",
    "replicate",
    "seat",
    "policy",
    "outcome",
    "won",
    "stalled",
    "length",
    "score",
    "item",
    "round",
    "measure",
)
"""What a column can be to code that does not know the game."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a table that a game writes."""

    name: str
    type: str
    """A NumPy type of whole numbers or `bool`: `int16`."""
    role: str
    """One of ROLES; `measure` for what only the game knows."""
    meaning: str
    null: int | None = None
    """The number that stands for "none"."""


@dataclass(frozen=True, slots=True)
class Table:
    """One table that a game writes; every table but `games` points to its game with the column `game`."""

    name: str
    meaning: str
    columns: tuple[Column, ...]

    def column(self, role: str) -> Column:
        """Return the first column with a role; KeyError if there is none."""
        for column in self.columns:
            if column.role == role:
                return column
        raise KeyError(f"the table {self.name} has no column with the role {role}")


@dataclass(frozen=True, slots=True)
class Measures:
    """Columns of the role `measure` that the toolkit measures too; an empty name: there is no such column."""

    lead_changes: str = ""
    """In `games`: how often the lead changed hands."""
    half_score: str = ""
    """In `seats`: the score half-way through the game."""
    acted: str = ""
    """In the table with a row per round and seat: the actions of the round as a mask, the first bit 0."""


@dataclass(frozen=True, slots=True)
class ItemColumns:
    """The columns with the price paid for an item, and with its printed worth; empty: there is none."""

    paid: str = ""
    """In the table with the role `item`: what was paid."""
    cost: str = ""
    """In the listing of the items' kind: the printed cost."""
    score: str = ""
    """In the listing of the items' kind: the printed points."""


class SweepTable(NamedTuple):
    """A lineup of a sweep that names none, and how much of it is played."""

    lineup: str
    share: float = 1.0
    """Its deals, as a part of those of a cell."""
    replicates: int = 1
    """How many times each deal is played."""


class Strength(NamedTuple):
    """A name for how well the players of a lineup play, as in "broken in casual play"."""

    lineup: str
    """A lineup, or how its text begins."""
    name: str
    learned: bool = True
    """Whether they know variants from tuning; players who think everything out do not need it."""


@dataclass(frozen=True, slots=True)
class Holdings:
    """Which items a seat came to hold, and how: bit masks in the table `seats`, of type uint64.

    An item exists once: in a game at most one seat is dealt it.
    The first column of a mask holds the 64 items with the lowest ids, bit k the k-th of them from 0; the next
    column holds the next 64.
    """

    name: str
    """What the unpacked table is called: `cards`."""
    ways: tuple[tuple[str, tuple[str, ...]], ...]
    """Each way and the columns of its mask: `("opening", ("opening_0", "opening_1"))`.

    `opening` is what chance gave before anybody decided anything, `drawn` what came into the hand later.
    """


@dataclass(frozen=True, slots=True)
class Facts:
    """The facts of a game, known before any code of it runs."""

    title: str
    players: tuple[int, int]
    """Fewest and most."""
    editions: tuple[str, ...]
    default_edition: str
    variant: str
    """The game's word for what varies, and its plural: `twist`, `twists`."""
    variants: str
    variants_at_once: int
    variants_ordered: bool
    item: str
    items: str
    actions: tuple[str, ...]
    policies: tuple[str, ...]
    """The names of those that need no number behind them; a game may know `search:200` beyond these."""
    field: tuple[str, ...]
    """The policies that seats draw from in the lineup `field`; none: there is no such lineup."""
    default_lineup: str
    round_limit: int
    tables: tuple[Table, ...]
    default_sweep: tuple[SweepTable, ...] = ()
    """What a sweep plays that names no lineup; none here: the default lineup."""
    fixed_games: str = ""
    """Digest of fixed games, as a test computes it: measurements that ship are valid while it holds."""
    measures: Measures = Measures()
    """The columns that metrics are made of, as far as the game has such."""
    item_columns: ItemColumns = ItemColumns()
    """The columns that the value of an item is made of, as far as the game has such."""
    strengths: tuple[Strength, ...] = ()
    """How well players play, weakest first; a lineup that is not here is called by its own text."""
    expert_lineup: str = ""
    """Slow players who think everything out: what a check of the highest strength plays too; may be none."""
    policy_words: tuple[tuple[str, str], ...] = ()
    """What policies do, in a few words for readers of reports."""
    probes: tuple[str, ...] = ()
    """Policies beside `policies` that a check tries in one seat, to see what better play gains."""
    seats_alike: bool = False
    """Whether the rules treat all seats alike; a test must show it. What a seat wins is then judged over
    everything that was played, and not for each combination of variants."""
    doubtful: tuple[str, ...] = ()
    """The values of `confidence` in the listing of items whose print is not known for sure."""
    holdings: Holdings | None = None
    """The columns of `seats` that hold which items a seat held, if there are any."""
    declared: "tuple[Measure, ...]" = ()
    """What is measured beyond what follows from the roles of columns."""

    @property
    def usual(self) -> str:
        """The policy of the default lineup."""
        return self.default_lineup.rpartition("mirror:")[2]

    @property
    def default_sweep_lineups(self) -> tuple[str, ...]:
        """The lineups of a sweep that names none."""
        return tuple(one.lineup for one in self.default_sweep)

    def table(self, name: str) -> Table:
        """Return the table of a name; KeyError if there is none."""
        return {table.name: table for table in self.tables}[name]

    def mask(self, how: str) -> tuple[str, ...]:
        """Return the columns of `seats` with the mask of items held in a way; none: the game has no such."""
        return dict(self.holdings.ways).get(how, ()) if self.holdings else ()
