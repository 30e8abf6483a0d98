"""Variants as users name them: ids and names, alone, in lists, or as a word for many combinations."""

from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import Any, Final

from balance.errors import UsageError
from balance.games.contract import Catalog, Game
from balance.nearest import unknown

WORDS: Final = {"none": 0, "singles": 1, "pairs": 2}
"""A word for all combinations of N variants, and N."""
ALL: Final = "all"
"""All of them, up to the number of variants that the game has at once."""

Combination = tuple[str, ...]


def variant_names(game: Game[Any, Any], catalog: Catalog, given: Iterable[str]) -> list[str]:
    """Return the variants that a user named; a value that is not a name as a whole is a list."""
    names: list[str] = []
    for value in given:
        if not value.strip():
            continue  # an empty text names none
        if _entries(game, catalog, value):
            names.append(value)
            continue
        parts = [part.strip() for part in value.split(",")]
        if "" in parts:
            word = game.facts.variants
            raise UsageError(f"{word} {value}: a name is missing beside a comma", parameter=word)
        names += parts
    return names


def variant_id(game: Game[Any, Any], catalog: Catalog, name: str) -> str:
    """Return the id of the variant that a user named; UsageError with the nearest names if there is none."""
    found = _entries(game, catalog, name)
    if not found:
        known = game.rows(catalog, next(k for k in game.kinds if k.name == game.facts.variant))
        raise UsageError(unknown(game.facts.variant, name, [str(row["id"]) for row in known]))
    return found[0]


def variant_ids(game: Game[Any, Any], catalog: Catalog, edition: str, given: Iterable[str]) -> Combination:
    """Return the ids of the variants named, in order; UsageError if they cannot be in force together."""
    names = variant_names(game, catalog, given)
    game.compile(catalog, edition, game.facts.players[0], names)
    return tuple(_entries(game, catalog, name)[0] for name in names)


def combinations_of(
    game: Game[Any, Any], catalog: Catalog, edition: str, given: Sequence[str]
) -> list[Combination]:
    """Return the combinations that a user asks for, sorted, each once.

    A value is a word (`pairs`, `singles`, `none`, `all`), a word for some variants (`all:A,B,C`) or a list of
    names, whose order does not matter.
    """
    facts = game.facts
    words = [word for word, count in WORDS.items() if count <= facts.variants_at_once]
    every = sorted(game.variants(catalog, edition))
    found: set[Combination] = set()
    for value in given:
        asked, _, some = value.strip().partition(":")
        asked = asked.lower() if asked.lower() in (ALL, *WORDS) else value.strip().lower()
        if asked in WORDS and asked not in words:
            raise UsageError(f"{facts.title} has at most {facts.variants_at_once} {facts.variants} at once")
        if asked == ALL or asked in words:
            names = variant_names(game, catalog, [some])
            ids_of = {variant_ids(game, catalog, edition, [name]) for name in names}
            known = sorted(one for (one,) in ids_of) or every
            for word in words if asked == ALL else [asked]:
                found.update(combinations(known, WORDS[word]))
        else:
            found.add(tuple(sorted(variant_ids(game, catalog, edition, [value]))))
    return sorted(found)


def entry_names(game: Game[Any, Any], catalog: Catalog, *kinds: str) -> dict[str, str]:
    """Return the names of all entries of some kinds by id."""
    return {
        str(row["id"]): str(row.get("name") or row["id"])
        for kind in game.kinds
        if kind.name in kinds
        for row in game.rows(catalog, kind)
    }


def texts_of(given: str | int | Iterable[Any] | None) -> list[str]:
    """Return one or several values as a list of texts.

    >>> texts_of(4), texts_of(["2", 3]), texts_of(None)
    (['4'], ['2', '3'], [])
    """
    if given is None:
        return []
    return [str(given)] if isinstance(given, str | int) else [str(value) for value in given]


def _entries(game: Game[Any, Any], catalog: Catalog, name: str) -> list[str]:
    """Return the ids of the variants that a name may mean."""
    try:
        return [entry.id for entry in game.find(catalog, name) if entry.kind == game.facts.variant]
    except UsageError:
        return []
