"""The catalog of Nefarious: all inventions, twists and editions, loaded and checked as a whole.

The official files lie in data/nefarious; overlays add, change or remove entries. A catalog either holds
together or raises CatalogError with every problem. Nothing here knows how a rule is played.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from itertools import chain
from pathlib import Path
from typing import Any, Final, TypeVar

from balance.errors import UsageError
from balance.games import tomlfile
from balance.games.nefarious import vocabulary as v
from balance.games.nefarious.items import Change, Edition, Invention, Item, Switches, Twist, canonical
from balance.games.nefarious.players import (
    NO_TWIST,
    OFFSET,
    Offset,
    Policies,
    official_policies,
    read_offsets,
    with_offsets,
)
from balance.games.nefarious.reading import (
    FIRST_OWN_ID,
    LAST_OWN_ID,
    read_edition,
    read_invention,
    read_twist,
)
from balance.games.tomlfile import Entry, Fields, Problems
from balance.resources import data_dir
from balance.suggest import unknown

__all__ = [
    "KINDS",
    "Catalog",
    "Change",
    "Edition",
    "Invention",
    "Item",
    "Switches",
    "Twist",
    "canonical",
    "catalog_text",
    "changed_parameters",
    "load_catalog",
    "matching",
    "read_catalog",
    "rebuilt",
]

KINDS: Final = ("invention", "twist", "edition")
OFFICIAL_FILES: Final = ("inventions.toml", "twists.toml", "editions.toml")
LONGEST_VERSION: Final = 20


@dataclass(frozen=True)
class Catalog:
    """All facts of the game, checked. Entries are in the order of their files."""

    inventions: tuple[Invention, ...]
    twists: tuple[Twist, ...]
    editions: tuple[Edition, ...]
    version: str
    policies: Policies = field(default_factory=official_policies, repr=False, compare=False)
    """The players' parameters; they have a hash of their own."""
    entries: tuple[Entry, ...] = field(default=(), repr=False, compare=False)
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
        """Return the edition of an id or name; UsageError with the nearest names otherwise."""
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
    wanted = tomlfile.folded(name)
    return bool(wanted) and wanted in [tomlfile.folded(n) for n in (str(item.id), item.name, item.name_ru)]


def load_catalog(overlays: Iterable[str | Path] = ()) -> Catalog:
    """Load the official catalog and lay overlays (files or folders) over it, in the order given.

    >>> load_catalog().invention("Moon Base").cost
    13
    """
    problems = Problems()
    version, official = _official()
    entries, last_file = list(official), official[-1].file
    named = {NO_TWIST, *(entry.id for entry in official if entry.kind == "twist")}
    offsets: list[tuple[str, Offset]] = []
    for overlay in overlays:
        for path in tomlfile.toml_files(Path(overlay), problems):
            last_file = str(path)
            document = tomlfile.read_toml(path, problems)
            version = _version(document, last_file, problems) or version
            found = _entries(document, last_file, problems)
            named |= {entry.id for entry in found if entry.kind == "twist"}
            offsets += [(last_file, offset) for offset in read_offsets(document, last_file, problems)]
            _check_new_ids(entries, found, problems)
            entries = tomlfile.merge(entries, found, problems)
    catalog = _build(entries, version, problems, last_file)
    for file, offset in offsets:
        if offset.twist and offset.twist not in named:  # one that an overlay removes may have offsets
            problems.add(file, f"offset '{offset.twist}'", "twist", unknown("twist", offset.twist, named))
    problems.raise_if_any()
    return replace(catalog, policies=with_offsets(official_policies(), [offset for _, offset in offsets]))


def catalog_text(catalog: Catalog) -> str:
    """Return a catalog as one TOML file, in the order of its entries."""
    return tomlfile.toml_text({"version": catalog.version}, catalog.entries)


def read_catalog(path: Path) -> Catalog:
    """Read a whole catalog from one file; the official one does not lie beneath it."""
    problems = Problems()
    document = tomlfile.read_toml(path, problems)
    problems.raise_if_any()
    version = _version(document, str(path), problems)
    catalog = _build(_entries(document, str(path), problems), version, problems, str(path))
    problems.raise_if_any()
    return catalog


def rebuilt(catalog: Catalog, entries: Sequence[Entry]) -> Catalog:
    """Return a catalog of other entries, with the same players; CatalogError with every problem."""
    problems = Problems()
    made = _build(entries, catalog.version, problems, entries[-1].file if entries else "")
    problems.raise_if_any()
    return replace(made, policies=catalog.policies)


@cache
def _official() -> tuple[str, tuple[Entry, ...]]:
    """Read the official files: their version and entries. They belong to the installation and stay."""
    problems = Problems()
    version, entries = "", []
    for path in (data_dir("nefarious") / name for name in OFFICIAL_FILES):
        document = tomlfile.read_toml(path, problems)
        version = _version(document, str(path), problems) or version
        entries += _entries(document, str(path), problems)
    problems.raise_if_any()
    return version, tuple(entries)


def _version(document: Mapping[str, Any], file: str, problems: Problems) -> str:
    """Return what the table `[catalog]` of a file says; an overlay may carry a version of its own."""
    table = document.get("catalog", {})
    if not isinstance(table, dict):
        problems.add(file, "", "catalog", f"expected a table [catalog], found {tomlfile.describe(table)}")
        return ""
    return Fields(Entry("catalog", None, file, table), problems, ("version",)).text(
        "version", LONGEST_VERSION
    )


def _entries(document: Mapping[str, Any], file: str, problems: Problems) -> list[Entry]:
    lists = {key: value for key, value in document.items() if key not in ("catalog", OFFSET)}
    return tomlfile.entries_of(lists, file, KINDS, problems)


def _check_new_ids(known: Sequence[Entry], overlay: Sequence[Entry], problems: Problems) -> None:
    """Refuse an added invention outside the range of own cards, so that official ids stay official."""
    ids = {entry.id for entry in known if entry.kind == "invention"}
    for entry in overlay:
        new = entry.kind == "invention" and entry.id not in ids and "remove" not in entry.fields
        if new and isinstance(entry.id, int) and 1 <= entry.id < FIRST_OWN_ID:
            allowed = f"{FIRST_OWN_ID}..{LAST_OWN_ID}"
            problems.add(entry.file, entry.label, "id", f"own cards take ids {allowed}, found {entry.id}")


def _build(entries: Sequence[Entry], version: str, problems: Problems, last_file: str) -> Catalog:
    of_kind = {kind: [e for e in entries if e.kind == kind] for kind in KINDS}
    editions = tuple(read_edition(e, problems) for e in of_kind["edition"])
    edition_ids = [e.id for e in editions if e.id]
    most_minions = _most_minions(entries)
    inventions = tuple(read_invention(e, problems) for e in of_kind["invention"])
    twists = tuple(read_twist(e, problems, edition_ids, most_minions) for e in of_kind["twist"])
    catalog = Catalog(inventions, twists, editions, version, entries=tuple(entries))
    _check_names(of_kind, problems)
    _check_whole(catalog, of_kind["twist"], problems, last_file)
    return catalog


def _most_minions(entries: Sequence[Entry]) -> int:
    """Return the most minions a player can own: the basic number, unless some entry changes it."""
    parameter = v.PARAMETERS["minions"]
    tables = [e.fields.get(how) for e in entries for how in v.CHANGES]
    changed = any(isinstance(table, dict) and "minions" in table for table in tables)
    return parameter.high if changed else parameter.basic


def _check_names(of_kind: Mapping[str, Sequence[Entry]], problems: Problems) -> None:
    """Refuse two entries of a kind that a user could not tell apart by id, English or Russian name."""
    for entries in of_kind.values():
        ids = [(entry, "id", tomlfile.describe(entry.id).strip("'")) for entry in entries]
        named = [(entry, name, entry.fields.get(name)) for name in ("name", "name_ru") for entry in entries]
        texts = [(entry, name, text) for entry, name, text in named if isinstance(text, str)]
        for first, second, name in tomlfile.duplicates([*ids, *texts]):
            shown = tomlfile.describe(second.fields[name])
            message = f"{shown} is the name or id of {first.label} already"
            problems.add(second.file_of(name), second.label, name, message)


def _check_whole(
    catalog: Catalog, twist_entries: Sequence[Entry], problems: Problems, last_file: str
) -> None:
    """Refuse what only the whole catalog can break: the deck, the editions."""
    cards = len(catalog.inventions)
    if not catalog.editions:
        problems.add(last_file, "catalog", "edition", "no edition is left; at least one is needed")
    if cards > v.MOST_CARDS:
        message = f"the deck has {cards} cards; at most {v.MOST_CARDS} are possible"
        problems.add(last_file, "catalog", "invention", message)
    entry_of = dict(zip(catalog.twists, twist_entries, strict=True))
    for edition in (e for e in catalog.editions if e.id):
        label = f"edition '{edition.id}'"
        twists = catalog.twists_of(edition.id)
        if len(twists) < 2:
            message = f"has {len(twists)} twists; an edition needs at least 2 (see `editions` of the twists)"
            problems.add(last_file, label, "id", message)
        hand = edition.parameters["opening_cards"]
        if _too_small(cards, hand):
            problems.add(last_file, label, "opening_cards", _too_small(cards, hand))
            continue
        for twist in twists:
            message = _too_small(cards, changed_parameters(edition, [twist])["opening_cards"])
            if message:
                entry = entry_of[twist]
                how = next(c.how for c in twist.changes if c.parameter == "opening_cards")
                place = f"{how}.opening_cards"
                problems.add(entry.file_of(how), entry.label, place, f"{message} in {edition.id}")


def _too_small(cards: int, hand: int) -> str:
    need = hand * v.MOST_PLAYERS
    if need <= cards:
        return ""
    return f"the deck has {cards} cards, too few for {v.MOST_PLAYERS} opening hands of {hand} ({need})"


def changed_parameters(edition: Edition, twists: Sequence[Twist]) -> dict[str, int]:
    """Return the rule parameters in force: every `set` in order, then every `add`, then every `multiply`.

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
