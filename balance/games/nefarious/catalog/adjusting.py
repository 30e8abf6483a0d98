"""Catalogs with one thing changed: a number of a card or a twist, a rule left out, another reading of it.

What a designer asks "what if" about. Every number that the effect language knows can be found and changed
here; what it may be is the vocabulary's. Nothing is written to any file.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from balance.errors import CatalogError, UsageError
from balance.games import contract, tomlfile
from balance.games.contract import Doubt, Number, Part, Reading
from balance.games.nefarious import vocabulary as v
from balance.games.nefarious.catalog import descriptions, english, phrases
from balance.games.nefarious.catalog.loading import rebuilt
from balance.games.nefarious.catalog.model import Catalog, Invention, Item, Twist
from balance.games.nefarious.catalog.reading import change_range, read_invention
from balance.games.tomlfile import Problems, RawEntry
from balance.nearest import unknown

UNSURE: Final = ("contested", "inferred", "one", "one+")
"""The confidences that leave doubts; the printed rules and two transcriptions that agree leave none."""
_MULTIPLIER: Final = (0, 10)
_PER: Final = (2, 20)
_COMPARED: Final = 99
"""Conditions compare with 0 to this, or with what they compare now."""
_SWITCH_RANGES: Final = {"rest": v.REST_RANGE, "echo": v.ECHO_RANGE}


@dataclass(frozen=True, slots=True)
class _Place:
    """A number, and how the value of the field that holds it looks with another one."""

    number: Number
    field: str
    keys: tuple[str | int, ...]
    """The way from the field's value down to what holds the number."""
    text: v.Effect | v.Condition | None = None
    """The text that holds it, read; None if it stands alone."""
    attribute: str = ""
    """Which part of the text it is; `test`: the number in the test of what an effect counts."""

    def written(self, value: int) -> Any:
        """Return what stands there with another number."""
        if self.text is None:
            return value
        changed: dict[str, Any] = {self.attribute: value}
        if self.attribute == "test" and isinstance(self.text, v.Effect) and self.text.test:
            changed = {"test": replace(self.text.test, right=value)}
        return str(replace(self.text, **changed))


def numbers(catalog: Catalog, kind: str, id_: str) -> list[Number]:
    """Return every number of an entry, in the order of its fields.

    >>> from balance.games.nefarious.catalog.loading import load_catalog
    >>> numbers(load_catalog(), "twist", "embezzling-minions")[0]
    Number(path='lines.1.do', value=1, low=1, high=20, normal=0)
    """
    return [place.number for place in _places(_entry(catalog, kind, id_))]


def with_number(catalog: Catalog, kind: str, id_: str, path: str, value: int) -> Catalog:
    """Return the catalog with one number changed; CatalogError if it does not hold together."""
    entry = _entry(catalog, kind, id_)
    places = {place.number.path: place for place in _places(entry)}
    if path not in places:
        raise UsageError(unknown(f"number of {entry.label}", path, places))
    place = places[path]
    changed = _put(entry.fields[place.field], place.keys, place.written(value))
    return _changed(catalog, entry, {place.field: changed})


def parts(catalog: Catalog, edition: str, variant: str) -> list[Part]:
    """Return every change, switch and line of a twist in words, each with the catalog without it.

    A part that another one needs, such as a line that counts what an earlier one discards, is left out.

    >>> from balance.games.nefarious.catalog.loading import load_catalog
    >>> [part.words for part in parts(load_catalog(), "ascora-2011", "forgotten-epiphanies")]
    ['Research draws 2 cards (normally 1; 1 more).', 'Every invention gains a last line: "Discard a card."']
    """
    entry, here = _entry(catalog, "twist", variant), catalog.edition(edition)
    said = english.twist_rule(catalog.twist(variant), here)
    found = []
    for fields in _reduced(entry.fields):
        try:
            changed = _changed(catalog, entry, fields)
        except CatalogError:
            continue
        left = english.twist_rule(changed.twist(variant), here)
        gone = [sentence for sentence in said if sentence not in left]
        if gone:
            found.append(Part(" ".join(gone), changed))
    return found


def _reduced(fields: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the fields of a twist that differ if one change, switch or line is taken away."""
    for field in (*v.CHANGES, "switches"):
        table = fields.get(field, {})
        for name in table:
            yield {field: {key: value for key, value in table.items() if key != name}}
    lines = fields.get("lines", ())
    for number in range(len(lines)):
        yield {"lines": [line for place, line in enumerate(lines) if place != number]}


def overlay_text(old: Catalog, new: Catalog) -> str:
    """Return the overlay that makes one catalog of another."""
    return tomlfile.overlay_text(old.entries, new.entries)


def doubts(catalog: Catalog, edition: str) -> list[Doubt]:
    """Return what is contested, known from one source or inferred, and what has another reading."""
    found = []
    twists = {twist.id for twist in catalog.twists_of(catalog.edition(edition).id)}
    items: Iterable[tuple[str, Item]] = [
        *(("invention", card) for card in catalog.inventions),
        *(("twist", twist) for twist in catalog.twists if twist.id in twists),
    ]
    for kind, item in items:
        assert isinstance(item, Invention | Twist)
        if item.alternatives or item.confidence in UNSURE:
            entry = contract.CatalogEntry(kind, str(item.id), item.name)
            meaning = v.CONFIDENCES[item.confidence]
            found.append(
                Doubt(entry, item.confidence, meaning, item.note, tuple(_readings(catalog, kind, item)))
            )
    return found


def _readings(catalog: Catalog, kind: str, item: Invention | Twist) -> Iterator[Reading]:
    entry = _entry(catalog, kind, str(item.id))
    others: Sequence[Item] = item.alternatives
    for changed, other in zip(entry.fields.get("alternatives", ()), others, strict=True):
        yield Reading(descriptions.other_reading(catalog, item, other), _changed(catalog, entry, changed))


# --- entries and their numbers


def _entry(catalog: Catalog, kind: str, id_: str) -> RawEntry:
    own = [entry for entry in catalog.entries if entry.kind == kind]
    for entry in own:
        if str(entry.id) == id_:
            return entry
    raise UsageError(unknown(kind, id_, [str(entry.id) for entry in own]))


def _changed(catalog: Catalog, entry: RawEntry, fields: Mapping[str, Any]) -> Catalog:
    """Return the catalog with some fields of an entry changed."""
    new = replace(entry, fields={**entry.fields, **fields})
    entries = [new if one is entry else one for one in catalog.entries]
    if entry.kind != "invention":
        return rebuilt(catalog, entries)
    # a card is read by itself: searches change thousands of them
    problems = Problems()
    card = read_invention(new, problems)
    problems.raise_if_any()
    cards = tuple(card if one.id == card.id else one for one in catalog.inventions)
    return replace(catalog, inventions=cards, entries=tuple(entries))


def _put(value: Any, keys: Sequence[str | int], new: Any) -> Any:
    """Return a copy of nested tables and lists with one value in them replaced."""
    if not keys:
        return new
    first, *rest = keys
    copy = value.copy()
    copy[first] = _put(value[first], rest, new)
    return copy


def _places(entry: RawEntry) -> Iterator[_Place]:
    fields = entry.fields
    if entry.kind == "invention":
        for name, (low, high) in (("cost", v.COST_RANGE), ("vp", v.VP_RANGE), ("vp_per_built", v.VP_RANGE)):
            if name in fields:
                yield _Place(Number(name, fields[name], low, high), name, ())
        for name in ("self", "others"):
            for place, text in enumerate(fields.get(name, ())):
                yield from _effect(f"{name}.{place + 1}", name, (place,), text)
    for how in v.CHANGES if entry.kind == "twist" else ():
        for name, value in fields.get(how, {}).items():
            low, high = change_range(how, v.PARAMETERS[name])
            normal = {"set": v.PARAMETERS[name].basic, "add": 0, "multiply": 1}[how]
            yield _Place(Number(f"{how}.{name}", value, low, high, normal), how, (name,))
    for number, line in enumerate(fields.get("lines", ())):
        yield from _line(f"lines.{number + 1}", number, line)
    for name, bounds in _SWITCH_RANGES.items():
        if name in fields.get("switches", {}):
            value = fields["switches"][name]
            yield _Place(Number(f"switches.{name}", value, *bounds, 0), "switches", (name,))


def _line(path: str, number: int, line: Mapping[str, Any]) -> Iterator[_Place]:
    """Yield the numbers of one line of a twist: of its effects and of its conditions."""
    for name in ("do", "or_else"):
        if name in line:
            yield from _effect(f"{path}.{name}", "lines", (number, name), line[name])
    written = line.get("if", [])
    several = isinstance(written, list)
    for place, text in enumerate(written if several else [written]):
        condition = phrases.parse_condition(text)
        if isinstance(condition.right, int):
            keys = (number, "if", place) if several else (number, "if")
            named = f"{path}.if.{place + 1}" if several else f"{path}.if"
            yield _Place(_compared(named, condition.right), "lines", keys, condition, "right")


def _compared(path: str, now: int) -> Number:
    return Number(path, now, min(0, now), max(_COMPARED, now))


def _effect(path: str, field: str, keys: tuple[str | int, ...], text: str) -> Iterator[_Place]:
    effect = phrases.parse_effect(text)
    if not effect.everything and effect.what != "commit":
        low, high = _MULTIPLIER if effect.op == "x" else v.AMOUNT_RANGE
        yield _Place(
            Number(path, effect.amount, low, high, int(effect.op == "x")), field, keys, effect, "amount"
        )
    if effect.per and effect.per.endswith("N"):
        yield _Place(Number(f"{path}.per", effect.per_n, *_PER), field, keys, effect, "per_n")
    if effect.test and isinstance(effect.test.right, int):
        yield _Place(_compared(f"{path}.with", effect.test.right), field, keys, effect, "test")
