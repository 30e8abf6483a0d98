"""Whether a measurement still holds: digests of everything that decides how games are played.

A measurement is stale as soon as play, the policies or the catalog differ from those that were measured. Play
is known by the digest of fixed games (`Facts.fixed_games`), which a refactoring leaves alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from balance.dataset.plan import Plan
from balance.games.contract import Catalog, Game, Tuned


def policies_hash(game: Game[Any, Any], catalog: Catalog) -> str:
    """Return the hash of the policies' weights; empty if the game has none."""
    return game.policies_hash(catalog) if isinstance(game, Tuned) else ""


def stamp(game: Game[Any, Any], catalog: Catalog) -> dict[str, str]:
    """Return the digests of everything that decides how games are played."""
    policies = policies_hash(game, catalog)
    return {"play": game.facts.fixed_games, "policies": policies, "catalog": catalog.hash}


def run_stamp(game: Game[Any, Any], plan: Plan) -> dict[str, str]:
    """Return the digests of what a run was played with; how another engine plays is not known."""
    play = game.facts.fixed_games if plan.engine_hash == game.engine_hash() else "another engine"
    return {"play": play, "policies": plan.policies_hash, "catalog": plan.catalog_hash}


@dataclass(frozen=True)
class Stamped:
    """What every measurement carries, so that readers notice when it is stale."""

    game: str
    seed: int
    games: int
    stamp: dict[str, str]
    """Digests of play, policies and catalog as they were when measured."""

    def stale(self, now: dict[str, str]) -> tuple[str, ...]:
        """Return what has changed since (`play`, `policies`, `catalog`); empty if the figures hold."""
        return tuple(name for name in now if self.stamp.get(name) != now[name])

    def stale_today(self, game: Game[Any, Any]) -> tuple[str, ...]:
        """Return what of the installed game has changed since."""
        return self.stale(stamp(game, game.load_catalog()))
