"""Reading measurements that ship with a game: as what they were written, and whether they still hold."""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypeVar

from balance.dataset.plan import Plan
from balance.errors import DataError
from balance.games.contract import Catalog, Game, Tuned

T = TypeVar("T")


def stamp(game: Game[Any, Any], catalog: Catalog) -> dict[str, str]:
    """Return the digests of everything that decides how games are played."""
    policies = game.policies_hash(catalog) if isinstance(game, Tuned) else ""
    return {"play": game.facts.fixed_games, "policies": policies, "catalog": catalog.hash}


def run_stamp(game: Game[Any, Any], plan: Plan) -> dict[str, str]:
    """Return the digests of what a run was played with; how another engine plays is not known."""
    play = game.facts.fixed_games if plan.engine_hash == game.engine_hash() else "another engine"
    return {"play": play, "policies": plan.policies_hash, "catalog": plan.catalog_hash}


def read_json(file: Path, kind: type[T], what: str) -> T:
    """Read a JSON file as a dataclass; DataError with the first field that does not fit."""
    import json

    try:
        content = json.loads(file.read_bytes())
    except OSError as error:
        raise DataError(f"{file}: cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise DataError(f"{file}: not {what}: {error}") from error
    return parsed(content, kind, file, what)


def parsed(content: Any, kind: type[T], file: Path, what: str) -> T:
    """Return plain values of a file as dataclasses; DataError with the first field that does not fit."""
    from pydantic import TypeAdapter, ValidationError

    try:
        return TypeAdapter(kind).validate_python(content)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise DataError(f"{file}: not {what}: {f'{where}: ' if where else ''}{first['msg']}") from error
