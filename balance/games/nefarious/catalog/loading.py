"""Loading the catalog of Nefarious: all inventions, twists and editions, checked as a whole.

The official files are in data/nefarious; overlays add, change or remove entries. A catalog either holds
together or raises CatalogError with every problem. Nothing here knows how a rule is played.
"""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import product
from pathlib import Path
from typing import Annotated, Any, Final

from balance.games import tomlfile
from balance.games.folding import folded
from balance.games.forms import Form, read, text
from balance.games.nefarious import vocabulary as v
from balance.games.nefarious.catalog.model import KINDS, Catalog, changed_parameters
from balance.games.nefarious.catalog.reading import (
    FIRST_OWN_ID,
    LAST_OWN_ID,
    read_edition,
    read_invention,
    read_twist,
)
from balance.games.nefarious.policies.reading import official_policies, read_network
from balance.games.tomlfile import Problems, RawEntry
from balance.resources import data_dir

OFFICIAL_FILES: Final = ("inventions.toml", "twists.toml", "editions.toml")
LONGEST_VERSION: Final = 20
WEIGHTS_SUFFIX: Final = ".npz"


class _Head(Form):
    """The table `[catalog]` of a file."""

    version: Annotated[str, text(LONGEST_VERSION, empty=True)] = ""


def load_catalog(overlays: Iterable[str | Path] = ()) -> Catalog:
    """Load the official catalog and lay overlays (files or folders) over it, in the order given.

    >>> load_catalog().invention("Moon Base").cost
    13
    """
    problems = Problems()
    version, official = _official()
    entries, last_file = list(official), official[-1].file
    network = official_policies().network
    for overlay in overlays:
        for weights in _weights_files(Path(overlay)):
            network = read_network(weights, problems)
        if Path(overlay).suffix == WEIGHTS_SUFFIX:
            continue
        for path in tomlfile.toml_files(Path(overlay), problems):
            last_file = str(path)
            document = tomlfile.read_toml(path, problems)
            version = _version(document, last_file, problems) or version
            found = _entries(document, last_file, problems)
            _check_new_ids(entries, found, problems)
            entries = tomlfile.merge(entries, found, problems)
    catalog = _build(entries, version, problems, last_file)
    problems.raise_if_any()
    return replace(catalog, policies=replace(official_policies(), network=network))


def _weights_files(overlay: Path) -> list[Path]:
    """Return the files of weights that an overlay is, or holds."""
    if overlay.suffix == WEIGHTS_SUFFIX:
        return [overlay]
    return sorted(overlay.glob(f"*{WEIGHTS_SUFFIX}")) if os.path.isdir(overlay) else []  # noqa: PTH112 - False for a path that cannot exist


def catalog_text(catalog: Catalog) -> str:
    """Return a catalog as one TOML file: by kind, as it is read back, in the order of its entries."""
    kinds = list(dict.fromkeys(entry.kind for entry in catalog.entries))
    by_kind = sorted(catalog.entries, key=lambda entry: kinds.index(entry.kind))
    return tomlfile.toml_text({"version": catalog.version}, by_kind)


def read_catalog(path: Path) -> Catalog:
    """Read a whole catalog from one file; the official one is not merged with it."""
    problems = Problems()
    document = tomlfile.read_toml(path, problems)
    problems.raise_if_any()
    version = _version(document, str(path), problems)
    catalog = _build(_entries(document, str(path), problems), version, problems, str(path))
    problems.raise_if_any()
    return catalog


def rebuilt(catalog: Catalog, entries: Sequence[RawEntry]) -> Catalog:
    """Return a catalog of other entries, with the same players; CatalogError with every problem."""
    problems = Problems()
    made = _build(entries, catalog.version, problems, entries[-1].file if entries else "")
    problems.raise_if_any()
    return replace(made, policies=catalog.policies)


@cache
def _official() -> tuple[str, tuple[RawEntry, ...]]:
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
    """Return the version in the table `[catalog]` of a file; an overlay may carry one of its own."""
    table = document.get("catalog", {})
    if not isinstance(table, dict):
        problems.add(file, "", "catalog", f"expected a table [catalog], found {tomlfile.describe(table)}")
        return ""
    return read(_Head, RawEntry("catalog", None, file, table), problems).version


def _entries(document: Mapping[str, Any], file: str, problems: Problems) -> list[RawEntry]:
    lists = {key: value for key, value in document.items() if key != "catalog"}
    return tomlfile.entries_of(lists, file, KINDS, problems)


def _check_new_ids(known: Sequence[RawEntry], overlay: Sequence[RawEntry], problems: Problems) -> None:
    """Refuse an added invention outside the range of own cards, so that official ids stay official."""
    ids = {entry.id for entry in known if entry.kind == "invention"}
    for entry in overlay:
        new = entry.kind == "invention" and entry.id not in ids and "remove" not in entry.fields
        if new and isinstance(entry.id, int) and 1 <= entry.id < FIRST_OWN_ID:
            allowed = f"{FIRST_OWN_ID}..{LAST_OWN_ID}"
            problems.add(entry.file, entry.label, "id", f"own cards take ids {allowed}, found {entry.id}")


def _build(entries: Sequence[RawEntry], version: str, problems: Problems, last_file: str) -> Catalog:
    of_kind = {kind: [e for e in entries if e.kind == kind] for kind in KINDS}
    editions = tuple(read_edition(e, problems) for e in of_kind["edition"])
    edition_ids = [e.id for e in editions if e.id]
    most_minions = _most_minions(entries)
    inventions = tuple(read_invention(e, problems) for e in of_kind["invention"])
    twists = tuple(read_twist(e, problems, edition_ids, most_minions) for e in of_kind["twist"])
    catalog = Catalog(inventions, twists, editions, version, official_policies(), tuple(entries))
    _check_names(of_kind, problems)
    _check_whole(catalog, of_kind["twist"], problems, last_file)
    return catalog


def _most_minions(entries: Sequence[RawEntry]) -> int:
    """Return the most minions a player can own: the basic number, unless some entry changes it."""
    parameter = v.PARAMETERS["minions"]
    tables = [e.fields.get(how) for e in entries for how in v.CHANGES]
    changed = any(isinstance(table, dict) and "minions" in table for table in tables)
    return parameter.high if changed else parameter.basic


def _check_names(of_kind: Mapping[str, Sequence[RawEntry]], problems: Problems) -> None:
    """Refuse two entries of a kind that a user could not tell apart by id, English or Russian name."""
    for entries in of_kind.values():
        seen: dict[str, RawEntry] = {}
        for name, entry in product(("id", "name", "name_ru"), entries):
            value = entry.fields.get(name)
            key = folded(
                value if isinstance(value, str) else tomlfile.describe(value) if name == "id" else ""
            )
            first = seen.setdefault(key, entry)
            if key and first is not entry:
                message = f"{tomlfile.describe(value)} is the name or id of {first.label} already"
                problems.add(entry.file_of(name), entry.label, name, message)


def _check_whole(
    catalog: Catalog, twist_entries: Sequence[RawEntry], problems: Problems, last_file: str
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
