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


def written(item: Item) -> dict[str, Any]:
    """Return an entry field by field under the names of the files, tables spread out: `set.goal`.

    Fields that say nothing are left out, so that two entries can be compared as a designer would.
    """
    fields = _written(item)
    if not isinstance(item, Edition) and item.alternatives:
        fields["alternatives"] = [changed_fields(item, reading) for reading in item.alternatives]
    return fields


def _written(item: Item) -> dict[str, Any]:
    fields: dict[str, Any] = {"name": item.name, "name_source": item.name_source, "name_ru": item.name_ru}
    if isinstance(item, Invention):
        fields |= {"cost": item.cost, "vp": item.vp, "vp_per_built": item.vp_per_built or None}
        fields["self"] = [str(effect) for effect in item.self_effects]
        fields["others"] = [str(effect) for effect in item.others_effects]
    elif isinstance(item, Twist):
        fields["editions"] = list(item.editions)
        fields |= {f"{change.how}.{change.parameter}": change.value for change in item.changes}
        fields |= {f"lines.{number}": line_text(line) for number, line in enumerate(item.lines, 1)}
        fields |= {f"switches.{name}": _plain(getattr(item.switches, name)) for name in v.SWITCHES}
    else:
        fields |= {"deck": item.deck, "first_game_twists": item.first_game_twists}
        fields |= {f"set.{name}": value for name, value in item.parameters.items()}
        fields |= {f"words.{name}": word for name, word in item.words.items()}
    fields |= {"confidence": item.confidence, "note": item.note}
    zero = ("cost", "vp", "first_game_twists")
    said = {name: value for name, value in fields.items() if value or name in zero or "." in name}
    return {name: value for name, value in said.items() if value or not name.startswith("switches.")}


def changed_fields(item: Item, other: Item) -> dict[str, Any]:
    """Return the fields, as written, that `other` has differently; None where it has none."""
    old, new = _written(item), _written(other)
    return {name: new.get(name) for name in dict.fromkeys((*old, *new)) if old.get(name) != new.get(name)}


def line_text(line: v.Line) -> str:
    """Return a line of a twist as it stands in a file.

    >>> line_text(v.Line("end", v.parse_effect("-1 card"), conditions=(v.parse_condition("hand >= 2"),)))
    '{ when = "end", if = "hand >= 2", do = "-1 card" }'
    """
    parts = [f'when = "{line.moment}"']
    conditions = [f'"{condition}"' for condition in line.conditions]
    if conditions:
        several = f"[{', '.join(conditions)}]"
        parts.append(f"if = {conditions[0] if len(conditions) == 1 else several}")
    if line.who != "self":
        parts.append(f'who = "{line.who}"')
    parts.append(f'do = "{line.effect}"')
    if line.first:
        parts.append("first = true")
    if line.or_else:
        parts.append(f'or_else = "{line.or_else}"')
    if line.editions:
        quoted = ", ".join(f'"{edition}"' for edition in line.editions)
        parts.append(f"editions = [{quoted}]")
    return f"{{ {', '.join(parts)} }}"
