"""What a game gives to the toolkit. Code outside a game's folder knows a game by this alone.

For now the part about catalogs: looking up, checking and comparing what a game is made of.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeVar

__all__ = ["Catalog", "Description", "Difference", "Entry", "Game", "Kind"]


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


C = TypeVar("C", bound=Catalog)


class Game(Protocol[C]):
    """A game; `balance.games.register` makes it known to every command."""

    @property
    def name(self) -> str:
        """How options name it: `nefarious`."""

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """The kinds of entries of its catalog."""

    def load_catalog(self, overlays: Iterable[str | Path] = ()) -> C:
        """Load the official catalog with overlays laid over it; CatalogError with every problem."""

    def rows(self, catalog: C, kind: Kind, filters: Mapping[str, str]) -> list[dict[str, Any]]:
        """Return the entries of a kind as rows with its columns; UsageError for an unknown filter value."""

    def find(self, catalog: C, name: str) -> Sequence[Entry]:
        """Return the entries of all kinds that `name` may mean; UsageError with the nearest if none."""

    def describe(self, catalog: C, entry: Entry) -> Description:
        """Explain one entry."""

    def diff(self, old: C, new: C) -> list[Difference]:
        """Return what was added, removed and changed from one catalog to another, field by field."""
