"""What a game gives to the toolkit. Code outside a game's folder knows a game by this alone.

A game declares its facts first; then it looks after its catalog, compiles the rules of a cell, plays batches
of games into columns, and replays one game into events.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar, runtime_checkable

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from balance.games.lineup import Lineup

__all__ = [
    "Accepting",
    "Adjustable",
    "Catalog",
    "Cell",
    "Column",
    "Description",
    "Difference",
    "Doubt",
    "Doubtful",
    "Entry",
    "Event",
    "Facts",
    "Fitting",
    "Game",
    "Handicap",
    "Holdings",
    "ItemColumns",
    "Kind",
    "Measured",
    "Measures",
    "Notated",
    "Number",
    "Reading",
    "Strength",
    "Table",
    "Throughput",
    "Tunable",
    "Tuned",
    "Warming",
]

ROLES = (
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


class Catalog(Protocol):
    """All facts of a game, checked."""

    @property
    def version(self) -> str:
        """The version that its author gave it."""

    @property
    def hash(self) -> str:
        """A digest of the content; equal for equal catalogs, however they were written."""


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of entry of a game's catalog, in the game's own words."""

    name: str
    """As in the files: `twist`."""
    plural: str
    """As a user asks for them: `twists`."""
    columns: tuple[str, ...]
    """The columns of a listing."""
    brief: tuple[str, ...]
    """Those of them that a table for people shows."""
    filters: tuple[str, ...] = ()
    """By what a listing can be narrowed: `edition`, `confidence`, `effect`."""


class Entry(NamedTuple):
    """One entry of a catalog."""

    kind: str
    id: str
    name: str


@dataclass(frozen=True, slots=True)
class Description:
    """An entry explained: for people as paragraphs under headings, for programs as data."""

    title: str
    sections: tuple[tuple[str, tuple[str, ...]], ...]
    data: Mapping[str, object]


class Difference(NamedTuple):
    """One thing that differs between two catalogs."""

    change: str
    """`added`, `removed` or `changed`."""
    kind: str
    id: str
    name: str
    field: str = ""
    old: object = None
    new: object = None


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
    """Which columns hold what metrics are made of; an empty name: the game has no such thing.

    The columns have the role `measure`: only here is said what they are to code that does not know the game.
    """

    lead_changes: str = ""
    """In `games`: how often the lead changed hands."""
    extension: str = ""
    """In `games`: rounds played after somebody first reached the goal."""
    exhausted: str = ""
    """In `games`: whether something that all draw from ran out."""
    half_score: str = ""
    """In `seats`: the score half-way through the game."""
    money: str = ""
    """In `seats`: money at the end."""
    hand: str = ""
    """In `seats`: cards in hand at the end."""
    chosen: tuple[str, ...] = ()
    """In `seats`: how often each action was chosen, in the order of `Facts.actions`."""
    acted: str = ""
    """In the table with a row per round and seat: the actions of the round as a mask, the first bit 0."""


@dataclass(frozen=True, slots=True)
class ItemColumns:
    """Which columns say what was paid for an item, and what it is worth on paper; empty: no such thing."""

    paid: str = ""
    """In the table with the role `item`: what was paid."""
    cost: str = ""
    """In the listing of the items' kind: the printed cost."""
    score: str = ""
    """In the listing of the items' kind: the printed points."""


class Strength(NamedTuple):
    """How well those play whom a lineup seats, for sentences such as "broken in casual play"."""

    lineup: str
    """A lineup, or how its text begins."""
    name: str
    learned: bool = True
    """Whether they know variants from tuning; players who think everything out do not need it."""


@dataclass(frozen=True, slots=True)
class Holdings:
    """Which items a seat came to hold, and how: bit masks in the table `seats`, of type uint64.

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
    """What can be said of a game before any code of it runs."""

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
    default_sweep_lineups: tuple[str, ...] = ()
    """The lineups of a sweep that names none; none here: the default lineup."""
    bench_lineups: tuple[tuple[str, int], ...] = ()
    """What a benchmark measures: lineups, and of how many games each plays one (slow players play few)."""
    measures: Measures = Measures()
    """The columns that metrics are made of, as far as the game has such."""
    item_columns: ItemColumns = ItemColumns()
    """The columns that the value of an item is made of, as far as the game has such."""
    strengths: tuple[Strength, ...] = ()
    """How well players play, weakest first; a lineup that is not here is called by its own text."""
    expert_lineup: str = ""
    """Slow players who think everything out: what a check of the highest strength plays too; may be none."""
    adapting: tuple[str, ...] = ()
    """The policies that are tuned for variants; where variants are in force, only they are compared."""
    doubtful: tuple[str, ...] = ()
    """What the listing of items says under `confidence` of one whose print is not known for sure."""
    holdings: Holdings | None = None
    """Where the rows of `seats` say which items a seat held, if they do."""

    def table(self, name: str) -> Table:
        """Return the table of a name; KeyError if there is none."""
        return {table.name: table for table in self.tables}[name]

    def mask(self, how: str) -> tuple[str, ...]:
        """Return the columns of `seats` with the mask of items held in a way; none: the game has no such."""
        return dict(self.holdings.ways).get(how, ()) if self.holdings else ()


class Handicap(NamedTuple):
    """What a seat starts with more (or less) than the rules give it."""

    money: int = 0
    cards: int = 0


class Throughput(NamedTuple):
    """What was played, and how long that took."""

    games: int
    rounds: int
    decisions: int
    seconds: float
    """By the clock on the wall."""


class Cell(Protocol):
    """The compiled rules of one combination of edition, players and variants."""

    @property
    def players(self) -> int:
        """How many play."""


Event = dict[str, Any]
"""One thing that happened, `event` first."""

C = TypeVar("C", bound=Catalog)
R = TypeVar("R", bound=Cell)


class Game(Protocol[C, R]):
    """A game; `balance.games.register` makes it known to every command."""

    @property
    def name(self) -> str:
        """How options name it: `nefarious`."""

    @property
    def facts(self) -> Facts:
        """What it is, before it is played."""

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """The kinds of entries of its catalog."""

    def load_catalog(self, overlays: Iterable[str | Path] = ()) -> C:
        """Load the official catalog with overlays laid over it; CatalogError with every problem."""

    def catalog_text(self, catalog: C) -> str:
        """Return a whole catalog as one TOML text: what a run keeps, so that it explains itself later."""

    def read_catalog(self, path: Path) -> C:
        """Read what `catalog_text` wrote, nothing official beneath it; CatalogError with every problem."""

    def engine_hash(self) -> str:
        """Return a digest of everything but catalog and policies that decides what a game's rows are."""

    def rows(self, catalog: C, kind: Kind, filters: Mapping[str, str]) -> list[dict[str, Any]]:
        """Return the entries of a kind as rows with its columns; UsageError for an unknown filter value."""

    def find(self, catalog: C, name: str) -> Sequence[Entry]:
        """Return the entries of all kinds that `name` may mean; UsageError with the nearest if none."""

    def describe(self, catalog: C, entry: Entry) -> Description:
        """Explain one entry."""

    def diff(self, old: C, new: C) -> list[Difference]:
        """Return what was added, removed and changed from one catalog to another, field by field."""

    def variants(self, catalog: C, edition: str) -> tuple[str, ...]:
        """Return the ids of the variants that an edition has, in the catalog's order."""

    def policy_number(self, name: str) -> int:
        """Return a policy's number, as in the role `policy`; UsageError with the nearest names if none."""

    def policy_name(self, number: int) -> str:
        """Return the name of a policy, the same for every way to write it; UsageError if there is none."""

    def compile(
        self,
        catalog: C,
        edition: str,
        players: int,
        variants: Sequence[str] = (),
        handicaps: Mapping[int, Handicap] | None = None,
    ) -> R:
        """Compile the rules of a cell; UsageError says what is wrong and what would be right."""

    def play(
        self,
        cell: R,
        seed: int,
        indices: "Sequence[int] | npt.NDArray[np.int64]",
        policies: "npt.NDArray[np.int64]",
        replicates: "Sequence[int] | npt.NDArray[np.int64] | None" = None,
    ) -> "dict[str, dict[str, npt.NDArray[np.generic]]]":
        """Play one game per index into the columns of every table.

        `policies` holds their numbers, a row per game and a column per seat (`balance.games.lineup` makes
        them). UsageError for numbers out of range (`balance.games.keys`) and for policies that do not exist
        or do not seat everybody.
        """

    def replay(
        self, cell: R, seed: int, game_index: int, policies: Sequence[str], replicate: int = 0
    ) -> list[Event]:
        """Play one game again, telling everything that happens, in the form of `balance.games.eventlog`."""

    def rows_of(self, cell: R, events: Sequence[Event]) -> dict[str, list[dict[str, int]]]:
        """Recompute from its events alone what a game leaves in every table."""

    def broken_laws(self, cell: R, events: Sequence[Event]) -> list[str]:
        """Return what in the events contradicts the laws of the game; empty if nothing does."""

    def transcript(self, cell: R, events: Sequence[Event], first_round: int = 1) -> str:
        """Tell a game for people, from a round on."""


# --- what a game may offer beyond that; code asks with isinstance


@runtime_checkable
class Warming(Protocol):
    """A game that may need a while before its first game is played."""

    def warm_up_note(self, *, replay: bool) -> str | None:
        """Return what to tell the user before a replay, or a batch, is played; None if nothing."""


@runtime_checkable
class Measured(Protocol):
    """A game that counts what it plays, so that `balance bench` can say how fast it is."""

    def measure(
        self,
        cells: Sequence[Any],
        seed: int,
        first_index: int,
        games: int,
        lineup: "Lineup",
        threads: int,
    ) -> Throughput:
        """Play so many games of each cell into rows, on so many threads, and throw the rows away."""


@runtime_checkable
class Tuned(Protocol):
    """A game whose policies have weights; they come with a catalog, since overlays may change them."""

    def policies_hash(self, catalog: Any) -> str:
        """Return a digest of the weights; equal for equal weights, however they were written."""

    def policies_text(self, catalog: Any) -> str:
        """Return the weights as one TOML text: what a run keeps beside its catalog."""

    def with_policies(self, catalog: Any, path: Path) -> Any:
        """Return a catalog with the weights that `policies_text` wrote; CatalogError with every problem."""


class Fitting(NamedTuple):
    """What tuning has found for a variant."""

    text: str
    """The weights as an overlay."""
    gain: float
    """Win points that they gain on fresh games, with the ends of the 95% interval."""
    low: float
    high: float
    games: int
    """How many games were played in all."""
    fresh: int
    """How many of them to measure the gain."""

    @property
    def gains(self) -> bool:
        """Whether the gain can be told from 0; if it cannot, the weights change nothing."""
        return self.low > 0


@runtime_checkable
class Tunable(Protocol):
    """A game whose policies can be tuned for a variant."""

    def unfitted(self, catalog: Any, variants: Sequence[str]) -> tuple[str, ...]:
        """Return those of some variants for which, as they are worded now, no policy was tuned."""

    def tune(
        self,
        catalog: Any,
        edition: str,
        variant: str,
        combinations: Sequence[tuple[str, ...]],
        budget: int,
        seed: int,
        jobs: int,
        advance: Callable[[int], object],
    ) -> Fitting:
        """Tune the policies for a variant, alone and in those of the combinations that have it.

        Plays at most `budget` games on `jobs` threads, whose number changes nothing, and tells `advance` how
        many were played. UsageError for a budget that is too small or too large.
        """


@runtime_checkable
class Accepting(Protocol):
    """A game that ships the ranges within which its designers accept a metric."""

    def thresholds_file(self) -> Path:
        """Return the TOML file with the official thresholds."""


@runtime_checkable
class Notated(Protocol):
    """A game with a text notation of a whole state."""

    def state_after(
        self,
        cell: Any,
        seed: int,
        game_index: int,
        policies: Sequence[str],
        round_: int,
        replicate: int = 0,
    ) -> str:
        """Return the state after a round (0: as dealt); UsageError if the game has no such round."""


class Number(NamedTuple):
    """A whole number that an entry of a catalog gives, and within which bounds it may be changed."""

    path: str
    """Where it stands in the entry: `cost`, `set.goal`, `lines.1.do`."""
    value: int
    low: int
    high: int


@runtime_checkable
class Adjustable(Protocol):
    """A game whose catalog can be changed one number or one entry at a time, to play what would be.

    Kinds are those of `Game.kinds`, ids those of `Game.find`. A changed catalog has the weights of the old
    one: players play on as they have learned.
    """

    def numbers(self, catalog: Any, kind: str, id_: str) -> Sequence[Number]:
        """Return the numbers of an entry; the columns of `Facts.item_columns` are paths of an item."""

    def with_number(self, catalog: Any, kind: str, id_: str, path: str, value: int) -> Any:
        """Return the catalog with one number changed; CatalogError if it does not hold together."""

    def without(self, catalog: Any, kind: str, id_: str) -> Any:
        """Return the catalog without an entry; CatalogError if it does not hold together."""

    def overlay_text(self, old: Any, new: Any) -> str:
        """Return the overlay that makes the catalog `new` of `old`; empty if nothing differs."""


class Reading(NamedTuple):
    """Another reading of an entry that somebody has transcribed."""

    text: str
    """What it says, in words."""
    catalog: Any
    """The whole catalog in which the entry reads so."""


class Doubt(NamedTuple):
    """An entry whose facts are not beyond doubt."""

    entry: Entry
    confidence: str
    """The catalog's word for how well it is known: `contested`."""
    meaning: str
    note: str
    """What the catalog says of its sources; may be empty."""
    readings: tuple[Reading, ...]
    """Other readings; none: nobody has written down another one."""


@runtime_checkable
class Doubtful(Protocol):
    """A game whose catalog says how well each entry is known."""

    def doubts(self, catalog: Any, edition: str) -> Sequence[Doubt]:
        """Return the items and variants of an edition whose facts are in doubt, in the file's order."""
