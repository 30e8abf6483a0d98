"""Nefarious as the toolkit sees it: the implementation of `balance.games.contract.Game`."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from balance.errors import UsageError
from balance.games.contract import Description, Difference, Doubt, Entry, Kind, Number
from balance.games.nefarious import adjusting, descriptions, english
from balance.games.nefarious import vocabulary as v
from balance.games.nefarious.catalog import (
    KINDS,
    Catalog,
    Edition,
    Invention,
    Item,
    Twist,
    catalog_text,
    load_catalog,
    matching,
    read_catalog,
)
from balance.games.nefarious.items import written
from balance.games.nefarious.playing import Playing
from balance.suggest import unknown

__all__ = ["GAME", "Nefarious"]

_FILTERS: Final = ("edition", "confidence", "effect")

TWISTS: Final = Kind(
    name="twist",
    plural="twists",
    columns=("id", "name", "name_ru", "name_source", "rule", "editions", "confidence", "note"),
    brief=("id", "name", "rule", "confidence"),
    filters=_FILTERS,
)
INVENTIONS: Final = Kind(
    name="invention",
    plural="inventions",
    columns=(
        "id",
        "name",
        "name_ru",
        "name_source",
        "cost",
        "vp",
        "vp_per_built",
        "self",
        "others",
        "rule",
        "confidence",
        "note",
    ),
    brief=("id", "name", "cost", "vp", "rule", "confidence"),
    filters=_FILTERS,
)
EDITIONS: Final = Kind(
    name="edition",
    plural="editions",
    columns=("id", "name", "name_ru", "twists", "deck", "rule", "confidence", "note"),
    brief=("id", "name", "twists", "deck"),
    filters=("edition", "confidence"),
)


class Nefarious(Playing):
    """The game; it has no state of its own."""

    name = "nefarious"
    kinds = (TWISTS, INVENTIONS, EDITIONS)

    def load_catalog(self, overlays: Iterable[str | Path] = ()) -> Catalog:
        """Load the official catalog with overlays laid over it."""
        return load_catalog(overlays)

    def catalog_text(self, catalog: Catalog) -> str:
        """Return a whole catalog as one TOML text."""
        return catalog_text(catalog)

    def read_catalog(self, path: Path) -> Catalog:
        """Read what `catalog_text` wrote."""
        return read_catalog(path)

    def rows(self, catalog: Catalog, kind: Kind, filters: Mapping[str, str]) -> list[dict[str, Any]]:
        """Return the entries of a kind as rows, narrowed by edition, confidence or a word of their effect."""
        edition = catalog.edition(filters["edition"]).id if "edition" in filters else None
        confidence = filters.get("confidence")
        if confidence is not None and confidence not in v.CONFIDENCES:
            raise UsageError(
                f"{unknown('confidence', confidence, v.CONFIDENCES)} ({', '.join(v.CONFIDENCES)})"
            )
        effect = _effect_word(filters["effect"]) if "effect" in filters else None
        return [
            _row(catalog, item)
            for item in catalog.items(kind.name)
            if (edition is None or edition in _editions(catalog, item))
            and confidence in (None, item.confidence)
            and (effect is None or effect in _words(item))
        ]

    def find(self, catalog: Catalog, name: str) -> Sequence[Entry]:
        """Return the entries of all kinds with this id, English or Russian name, in any case."""
        every = [(kind, item) for kind in KINDS for item in catalog.items(kind)]
        found = [Entry(kind, str(item.id), item.name) for kind, item in every if matching(item, name)]
        if not found:
            names = [n for _, item in every for n in (str(item.id), item.name, item.name_ru) if n]
            raise UsageError(unknown("invention, twist or edition", name, names))
        return found

    def describe(self, catalog: Catalog, entry: Entry) -> Description:
        """Explain an invention, a twist or an edition."""
        match entry.kind:
            case "invention":
                return descriptions.describe_invention(catalog, catalog.invention(entry.id))
            case "twist":
                return descriptions.describe_twist(catalog, catalog.twist(entry.id))
            case _:
                return descriptions.describe_edition(catalog, catalog.edition(entry.id))

    def numbers(self, catalog: Catalog, kind: str, id_: str) -> list[Number]:
        """Return every number of an invention or a twist."""
        return adjusting.numbers(catalog, kind, id_)

    def with_number(self, catalog: Catalog, kind: str, id_: str, path: str, value: int) -> Catalog:
        """Return the catalog with one number changed."""
        return adjusting.with_number(catalog, kind, id_, path, value)

    def without(self, catalog: Catalog, kind: str, id_: str) -> Catalog:
        """Return the catalog without an entry."""
        return adjusting.without(catalog, kind, id_)

    def overlay_text(self, old: Catalog, new: Catalog) -> str:
        """Return the overlay that makes one catalog of another."""
        return adjusting.overlay_text(old, new)

    def doubts(self, catalog: Catalog, edition: str) -> list[Doubt]:
        """Return the inventions and twists of an edition whose facts are not beyond doubt."""
        return adjusting.doubts(catalog, edition)

    def diff(self, old: Catalog, new: Catalog) -> list[Difference]:
        """Return what was added, removed and changed, field by field."""
        found: list[Difference] = []
        if old.version != new.version:
            found.append(Difference("changed", "catalog", "", "", "version", old.version, new.version))
        for kind in KINDS:
            before = {item.id: item for item in old.items(kind)}
            after = {item.id: item for item in new.items(kind)}
            for key in dict.fromkeys((*before, *after)):
                found += _difference(kind, before.get(key), after.get(key), old, new)
        return found


GAME: Final = Nefarious()


def _difference(
    kind: str, old: Item | None, new: Item | None, before: Catalog, after: Catalog
) -> list[Difference]:
    if old is None and new is not None:
        return [Difference("added", kind, str(new.id), new.name, "rule", None, _row(after, new)["rule"])]
    if old is not None and new is None:
        return [Difference("removed", kind, str(old.id), old.name, "rule", _row(before, old)["rule"], None)]
    if old is None or new is None:
        return []
    had, has = written(old), written(new)
    return [
        Difference("changed", kind, str(new.id), new.name, field, had.get(field), has.get(field))
        for field in dict.fromkeys((*had, *has))
        if had.get(field) != has.get(field)
    ]


def _editions(catalog: Catalog, item: Item) -> Sequence[str]:
    """Return the editions that have an entry; every edition uses the whole deck."""
    if isinstance(item, Twist):
        return item.editions
    return [item.id] if isinstance(item, Edition) else [edition.id for edition in catalog.editions]


def _row(catalog: Catalog, item: Item) -> dict[str, Any]:
    row: dict[str, Any] = {
        "id": item.id,
        "name": item.name,
        "name_ru": item.name_ru or None,
        "name_source": item.name_source,
        "confidence": item.confidence,
        "note": item.note or None,
    }
    match item:
        case Invention():
            # the column VP says the fixed part
            value = [english.invention_value(item)] if item.vp_per_built else []
            row |= {"cost": item.cost, "vp": item.vp, "vp_per_built": item.vp_per_built}
            row |= {
                "self": [str(e) for e in item.self_effects],
                "others": [str(e) for e in item.others_effects],
            }
            row["rule"] = " ".join(value + english.invention_lines(item))
        case Twist():
            row |= {
                "rule": " ".join(english.twist_rules(item, catalog.editions)),
                "editions": list(item.editions),
            }
        case Edition():
            row |= {"rule": " ".join(english.edition_rules(item)), "deck": item.deck}
            row["twists"] = len(catalog.twists_of(item.id))
    return row


# --- the words of an entry, for the filter `effect`

_EVERY_WORD: Final = (
    *v.WHATS,
    *v.MOMENTS,
    *v.STEPS,
    *v.ACTIONS,
    *v.WHOM,
    *v.PERS,
    *v.QUANTITIES,
    *v.PARAMETERS,
    *v.CHANGES,
    *v.SWITCHES,
    "played",
    "first",
    "or_else",
)


def _effect_word(text: str) -> str:
    """Return the word or the effect to look for; UsageError if the effect language has no such thing."""
    word = " ".join(text.split())
    if word in _EVERY_WORD:
        return word
    try:
        return str(v.parse_effect(word))
    except v.WordError:
        raise UsageError(
            f"{unknown('effect word', text, _EVERY_WORD)} (docs/catalog.md lists them)"
        ) from None


def _words(item: Item) -> set[str]:
    if isinstance(item, Invention):
        words = {"self"} if item.self_effects else set()
        words |= {"others"} if item.others_effects else set()
        return words.union(*map(_effect_words, (*item.self_effects, *item.others_effects)))
    if isinstance(item, Edition):
        return set()
    words = {change.parameter for change in item.changes} | {change.how for change in item.changes}
    words |= {name for name in v.SWITCHES if getattr(item.switches, name)}
    return words.union(item.switches.bars, *map(_line_words, item.lines))


def _line_words(line: v.Line) -> set[str]:
    words = {line.when, line.who} | _effect_words(line.effect)
    words |= {line.step} if line.step else set()
    words |= {"first"} if line.first else set()
    words |= {"or_else"} | _effect_words(line.or_else) if line.or_else else set()
    return words.union(*({c.left, str(c.right)} for c in line.conditions))


def _effect_words(effect: v.Effect) -> set[str]:
    return {word for word in (str(effect), effect.what, effect.per, effect.zone) if word}
