"""Entries of a catalog as they stand in files: for comparing two catalogs, and for showing an entry."""

from typing import Any

from balance.games.nefarious import vocabulary as v
from balance.games.nefarious.catalog.model import Edition, Invention, Item, Twist, plain


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
        fields |= {f"switches.{name}": plain(getattr(item.switches, name)) for name in v.SWITCHES}
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

    >>> from balance.games.nefarious.catalog.phrases import parse_condition, parse_effect
    >>> line_text(v.Line("end", parse_effect("-1 card"), conditions=(parse_condition("hand >= 2"),)))
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
