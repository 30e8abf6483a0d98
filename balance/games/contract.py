"""The contract between a game and the toolkit. Code outside a game's folder knows a game by this alone.

A game declares its facts first; then it looks after its catalog, compiles the rules of a cell, plays batches
of games into columns, and replays one game into events.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar, runtime_checkable

from balance.games.facts import ROLES as ROLES
from balance.games.facts import Column as Column
from balance.games.facts import Facts as Facts
from balance.games.facts import Holdings as Holdings
from balance.games.facts import ItemColumns as ItemColumns
from balance.games.facts import Measures as Measures
from balance.games.facts import Strength as Strength
from balance.games.facts import SweepTable as SweepTable
from balance.games.facts import Table as Table

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


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
    meaning: str
    """What a row of a listing is: `one row per twist of the catalog`"""
    columns: Mapping[str, str]
    """The columns of a listing, each with its meaning."""
    brief: tuple[str, ...]
    """Those of them that a table for people shows."""


class CatalogEntry(NamedTuple):
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


class Cell(Protocol):
    """The compiled rules of one combination of edition, players and variants."""

    @property
    def players(self) -> int:
        """The number of players."""


Event = dict[str, Any]
"""One thing that happened, `event` first."""

C = TypeVar("C", bound=Catalog)
R = TypeVar("R", bound=Cell)


class Game(Protocol[C, R]):
    """A game; `balance.games.register` makes it known to every command."""

    @property
    def name(self) -> str:
        """The name in options: `nefarious`."""

    @property
    def facts(self) -> Facts:
        """The facts of the game, before it is played."""

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

    def rows(self, catalog: C, kind: Kind) -> list[dict[str, Any]]:
        """Return the entries of a kind as rows with its columns."""

    def find(self, catalog: C, name: str) -> Sequence[CatalogEntry]:
        """Return the entries of all kinds that `name` may mean; UsageError with the nearest if none."""

    def describe(self, catalog: C, entry: CatalogEntry) -> Description:
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
        """Play one game again and return everything that happens, in order.

        The first event is `setup`; every round begins with `{"event": "round", "round": K}`; the last event
        is `end`.
        """

    def rows_of(self, cell: R, events: Sequence[Event]) -> dict[str, list[dict[str, int]]]:
        """Recompute from its events alone what a game leaves in every table."""

    def transcript(self, cell: R, events: Sequence[Event]) -> str:
        """Return a game as text for people."""


# --- what a game may offer beyond that; code asks with isinstance


@runtime_checkable
class Warming(Protocol):
    """A game that may need a while before its first game is played."""

    def warm_up_note(self, *, replay: bool) -> str | None:
        """Return a message for the user before a replay, or a batch, is played; None if there is none."""


@runtime_checkable
class Tuned(Protocol):
    """A game whose policies have weights; they come with a catalog, since overlays may change them."""

    def policies_hash(self, catalog: Any) -> str:
        """Return a digest of the weights; equal for equal weights, however they were written."""

    def policies_text(self, catalog: Any) -> str:
        """Return the weights as one TOML text: what a run keeps beside its catalog."""

    def with_policies(self, catalog: Any, path: Path) -> Any:
        """Return a catalog with the weights that `policies_text` wrote; CatalogError with every problem."""


@runtime_checkable
class Learnable(Protocol):
    """A game whose default player is a network that learned by self-play (`balance.learning`)."""

    def network(self, catalog: Any) -> bytes:
        """Return the file of its weights: what a run keeps beside the other policies."""

    def trainable(self, catalog: Any) -> Any:
        """Return what `balance.learning.training.Trainable` asks for."""


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
    normal: int | None = None
    """The value with which the entry would leave the game as it is; None: there is none."""


@runtime_checkable
class Adjustable(Protocol):
    """A game whose catalog can be changed one number at a time, to play what would be.

    Kinds are those of `Game.kinds`, ids those of `Game.find`. A changed catalog has the weights of the old
    one: players play on as they have learned.
    """

    def numbers(self, catalog: Any, kind: str, id_: str) -> Sequence[Number]:
        """Return the numbers of an entry; the columns of `Facts.item_columns` are paths of an item."""

    def with_number(self, catalog: Any, kind: str, id_: str, path: str, value: int) -> Any:
        """Return the catalog with one number changed; CatalogError if it does not hold together."""

    def overlay_text(self, old: Any, new: Any) -> str:
        """Return the overlay that makes the catalog `new` of `old`; empty if nothing differs."""


class Part(NamedTuple):
    """One rule of a variant, and the catalog without it."""

    words: str
    """The rule as a sentence: `Research draws 2 cards.`."""
    catalog: Any
    """The whole catalog in which the variant lacks it."""


@runtime_checkable
class Explaining(Protocol):
    """A game that says in its own words why games went as they did."""

    def stall_cause(self, cell: Any, events: Sequence[Event]) -> str:
        """Return why nobody won a replayed game: `the deck is closed and all hands are empty`."""

    def parts(self, catalog: Any, edition: str, variant: str) -> Sequence[Part]:
        """Return the rules of a variant that are in force in an edition, each with a catalog without it."""


@runtime_checkable
class Featured(Protocol):
    """A game that describes rules in a few figures, so that cells which were not played can be predicted."""

    def rule_features(self, catalog: Any, edition: str, variants: Sequence[str]) -> Mapping[str, float]:
        """Return figures of the rules in force by name, the same names for all rules; never ids or names."""


class Reading(NamedTuple):
    """Another reading of an entry that somebody has transcribed."""

    text: str
    """The reading in words."""
    catalog: Any
    """The whole catalog in which the entry reads so."""


class Doubt(NamedTuple):
    """An entry whose facts are not beyond doubt."""

    entry: CatalogEntry
    confidence: str
    """The catalog's word for how well it is known: `contested`."""
    meaning: str
    note: str
    """The catalog's note on its sources; may be empty."""
    readings: tuple[Reading, ...]
    """Other readings, as far as the catalog has them."""


@runtime_checkable
class Doubtful(Protocol):
    """A game whose catalog says how well each entry is known."""

    def doubts(self, catalog: Any, edition: str) -> Sequence[Doubt]:
        """Return the items and variants of an edition whose facts are in doubt, in the file's order."""
