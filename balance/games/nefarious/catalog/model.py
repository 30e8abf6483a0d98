"""The catalog as immutable objects: inventions, twists and editions, found by name, and what twists change.

How they are read from files is in `reading` and `loading`; how they are played is the kernel's. This module
decides rows, so what only describes or checks a catalog must stay out of it.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, TypeVar

from balance.errors import UsageError
from balance.games.folding import folded
from balance.games.nefarious import vocabulary as v
from balance.games.nefarious.policies.weights import Policies
from balance.nearest import unknown

if TYPE_CHECKING:
    from balance.games.tomlfile import RawEntry

KINDS: Final = ("invention", "twist", "edition")


@dataclass(frozen=True, slots=True)
class Invention:
    """One card of the deck."""

    id: int
    name: str
    name_source: str
    name_ru: str
    cost: int
    vp: int
    vp_per_built: int
    self_effects: tuple[v.Effect, ...]
    others_effects: tuple[v.Effect, ...]
    confidence: str
    note: str
    alternatives: tuple["Invention", ...] = ()
    """Other readings of a contested card, each complete."""

    @property
    def blank(self) -> bool:
        """Whether the card prints no effect line."""
        return not self.self_effects and not self.others_effects


@dataclass(frozen=True, slots=True)
class Change:
    """A twist's change of one rule parameter."""

    parameter: str
    how: str
    """`set`, `add` or `multiply`."""
    value: int


@dataclass(frozen=True, slots=True)
class Switches:
    """The structural rules that a twist switches on; see vocabulary.SWITCHES."""

    bars: tuple[str, ...] = ()
    rest: int = 0
    echo: int = 0
    per_hand_counts: str = ""


@dataclass(frozen=True, slots=True)
class Twist:
    """One rule-changing card."""

    id: str
    name: str
    name_source: str
    name_ru: str
    editions: tuple[str, ...]
    changes: tuple[Change, ...]
    lines: tuple[v.Line, ...]
    switches: Switches
    confidence: str
    note: str
    alternatives: tuple["Twist", ...] = ()


@dataclass(frozen=True, slots=True)
class Edition:
    """One printed edition: its numbers, its deck rule and its words."""

    id: str
    name: str
    name_source: str
    name_ru: str
    deck: str
    first_game_twists: int
    parameters: Mapping[str, int]
    """Every rule parameter of the edition, before twists."""
    words: Mapping[str, str]
    confidence: str
    note: str


Item = Invention | Twist | Edition


def canonical(item: Item) -> dict[str, Any]:
    """Return an entry as plain data with every field filled in, the way the content hash sees it."""
    return {name: plain(getattr(item, name), name) for name in item.__dataclass_fields__}


def plain(value: Any, name: str = "") -> Any:
    """Return a value of an entry as plain data."""
    if isinstance(value, v.Effect | v.Condition):
        return str(value)
    if isinstance(value, tuple):
        items = [plain(item) for item in value]
        # in whatever order these were written, they say the same
        return sorted(items) if name in ("editions", "conditions") else items
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    if hasattr(value, "__dataclass_fields__"):
        return {name: plain(getattr(value, name), name) for name in value.__dataclass_fields__}
    return value


@dataclass(frozen=True)
class Catalog:
    """All facts of the game, checked. Entries are in the order of their files."""

    inventions: tuple[Invention, ...]
    twists: tuple[Twist, ...]
    editions: tuple[Edition, ...]
    version: str
    policies: Policies = field(repr=False, compare=False)
    """The players' parameters; they have a hash of their own."""
    entries: "tuple[RawEntry, ...]" = field(default=(), repr=False, compare=False)
    """What was read, overlays merged: the catalog can be written down as it was."""

    @cached_property
    def hash(self) -> str:
        """SHA-256 over the content; the order of entries, comments and layout do not matter."""
        content: dict[str, Any] = {"version": self.version}
        for kind in KINDS:
            entries = sorted(
                (canonical(item) for item in self.items(kind)), key=lambda entry: str(entry["id"])
            )
            content[f"{kind}s"] = entries
        return hashlib.sha256(json.dumps(content, sort_keys=True, ensure_ascii=True).encode()).hexdigest()

    def items(self, kind: str) -> Sequence[Item]:
        """Return all entries of a kind: `invention`, `twist` or `edition`."""
        items: dict[str, Sequence[Item]] = {
            "invention": self.inventions,
            "twist": self.twists,
            "edition": self.editions,
        }
        return items[kind]

    def edition(self, name: str) -> Edition:
        """Return the edition of an id or name; UsageError with the nearest names if there is none."""
        return _find("edition", name, self.editions)

    def twist(self, name: str) -> Twist:
        """Return the twist of an id, English or Russian name."""
        return _find("twist", name, self.twists)

    def invention(self, name: str | int) -> Invention:
        """Return the invention of an id, English or Russian name."""
        return _find("invention", str(name), self.inventions)

    def twists_of(self, edition: str) -> tuple[Twist, ...]:
        """Return the twists that an edition has."""
        return tuple(t for t in self.twists if edition in t.editions)


ItemT = TypeVar("ItemT", Invention, Twist, Edition)


def _find(kind: str, name: str, items: Sequence[ItemT]) -> ItemT:
    # programs give ids, thousands of them; only people write names
    found = [item for item in items if str(item.id) == name] or [i for i in items if matching(i, name)]
    if found:
        return found[0]
    names = [n for item in items for n in (str(item.id), item.name, item.name_ru) if n]
    raise UsageError(unknown(kind, name, names))


def matching(item: Item, name: str) -> bool:
    """Return whether a user who wrote `name` meant this entry: id, English or Russian name, in any case."""
    wanted = folded(name)
    return bool(wanted) and wanted in [folded(n) for n in (str(item.id), item.name, item.name_ru)]


def changed_parameters(edition: Edition, twists: Sequence[Twist]) -> dict[str, int]:
    """Return the rule parameters in force: every `set` in order, then every `add`, then every `multiply`.

    >>> from balance.games.nefarious.catalog.loading import load_catalog
    >>> catalog = load_catalog()
    >>> mice = catalog.twist("Blood, Sweat & Mice")
    >>> changed_parameters(catalog.edition("ascora-2011"), [mice])["work_money"]
    6
    """
    parameters = dict(edition.parameters)
    changes = list(chain.from_iterable(twist.changes for twist in twists))
    for change in (c for how in v.CHANGES for c in changes if c.how == how):
        now = parameters[change.parameter]
        if change.how == "set":
            parameters[change.parameter] = change.value
        elif change.how == "add":
            parameters[change.parameter] = now + change.value
        else:
            parameters[change.parameter] = now * change.value
    for name, parameter in v.PARAMETERS.items():
        parameters[name] = min(max(parameters[name], parameter.low), parameter.high)
    return parameters
