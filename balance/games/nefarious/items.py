"""Inventions, twists and editions as immutable objects: what a catalog is made of.

How they are read from files is `reading`'s; how they are played is the kernel's.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from balance.games.nefarious import vocabulary as v


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
    return {name: _plain(getattr(item, name), name) for name in item.__dataclass_fields__}


def _plain(value: Any, name: str = "") -> Any:
    if isinstance(value, v.Effect | v.Condition):
        return str(value)
    if isinstance(value, tuple):
        items = [_plain(item) for item in value]
        # in whatever order these were written, they say the same
        return sorted(items) if name in ("editions", "conditions") else items
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if hasattr(value, "__dataclass_fields__"):
        return {name: _plain(getattr(value, name), name) for name in value.__dataclass_fields__}
    return value
