"""The two sides of a comparison: what the user named, opened and loaded, and how their catalogs differ."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from balance import games
from balance.dataset import manifest as states
from balance.dataset.run import Run, open_run
from balance.dataset.stamp import policies_hash
from balance.errors import DataError, UsageError
from balance.experiments.compare.comparison import Side
from balance.games.contract import Difference, Game
from balance.games.variants import entry_names
from balance.nearest import unknown

OFFICIAL: Final = "official"


@dataclass(frozen=True)
class AskedCells:
    """The cells that a user asked for."""

    players: str | int | Sequence[int] | None
    variants: str | Iterable[str] | None
    lineups: str | Iterable[str] | None
    games_per_cell: int | None
    precision: str | None
    seed: int | None

    def refuse_with(self, runs: Sequence[Run]) -> None:
        """Refuse what runs have decided already."""
        given: dict[str, object] = {"seed": self.seed, "precision": self.precision}
        if len(runs) == 2:
            given["games_per_cell"] = self.games_per_cell
        for name, value in given.items():
            if value is not None:
                raise UsageError(f"{name} does not go with a run: its games are there", parameter=name)


@dataclass(frozen=True)
class Sides:
    """Both sides, and where their catalogs differ."""

    game: Game[Any, Any]
    base: Side
    candidate: Side
    differences: tuple[Difference, ...]
    same_policies: bool

    @property
    def both(self) -> tuple[Side, Side]:
        """The base and the candidate."""
        return self.base, self.candidate

    @property
    def runs(self) -> list[Run]:
        """The runs of the sides that are runs."""
        return [side.run for side in self.both if side.run]

    def entries(self, kind: str) -> list[str]:
        """Return the ids of the entries of a kind that differ."""
        return list(dict.fromkeys(found.id for found in self.differences if found.kind == kind))


def sides_of(base: str, candidate: str, name: str | None, edition: str | None) -> Sides:
    """Find out what both sides are; UsageError or DataError for what cannot be compared."""
    texts = (base, candidate)
    runs = [_opened(text) for text in texts]
    opened = [run for run in runs if run is not None]
    _refuse_unlike(opened)
    game = opened[0].game if opened else games.get(name or games.DEFAULT)
    if name is not None and name != game.name:
        raise UsageError(f"game {name}: {opened[0].path} is a run of {game.facts.title}", parameter="game")
    printed = [_edition(game, text, run) for text, run in zip(texts, runs, strict=True)]
    if edition is not None and any(printed):
        raise UsageError(
            "edition does not go with a run or an edition: they say it themselves", parameter="edition"
        )
    fallback = next((own for own in printed if own), edition or game.facts.default_edition)
    one, two = (
        _side(game, text, run, own, fallback) for text, run, own in zip(texts, runs, printed, strict=True)
    )
    differences = tuple(game.diff(one.catalog, two.catalog))
    same = policies_hash(game, one.catalog) == policies_hash(game, two.catalog)
    return Sides(game, one, two, differences, same)


def _opened(text: str) -> Run | None:
    path = Path(text)
    return (
        open_run(path) if any(os.path.lexists(path / name) for name in (states.RUN, states.STATE)) else None
    )


def _edition(game: Game[Any, Any], text: str, run: Run | None) -> str | None:
    """Return the edition that a side names, if any: that of a run, or the one with this id or name."""
    if run is not None:
        return run.plan.edition
    try:
        found = game.find(game.load_catalog(), text)
    except UsageError:
        return None
    return next((entry.id for entry in found if entry.kind == "edition"), None)


def _side(game: Game[Any, Any], text: str, run: Run | None, printed: str | None, fallback: str) -> Side:
    if run is not None:
        return Side(text, "run", run.plan.edition, run.catalog, run)
    if printed is not None:
        return Side(printed, "edition", printed, game.load_catalog())
    kind = OFFICIAL if text.strip().lower() == OFFICIAL else "overlay"
    path = Path(text)
    if kind == "overlay" and not os.path.lexists(path):
        if len(path.parts) > 1 or path.suffix:
            raise DataError(f"there is no run or overlay at {text}")
        known = unknown("run, overlay or edition", text, [OFFICIAL, *game.facts.editions])
        raise UsageError(f"{known} (a run is a folder of balance simulate, an overlay a TOML file)")
    catalog = game.load_catalog([text] if kind == "overlay" else [])
    game.variants(catalog, fallback)  # refuses an edition that it has not
    return Side(text, kind, fallback, catalog)


def _refuse_unlike(runs: Sequence[Run]) -> None:
    if len(runs) < 2:
        return
    one, two = runs
    both = f"{one.path} and {two.path} cannot be compared"
    if one.plan.game != two.plan.game:
        raise UsageError(f"{both}: they are runs of different games, {one.plan.game} and {two.plan.game}")
    if one.plan.seed != two.plan.seed:
        raise UsageError(
            f"{both}: their seeds are {one.plan.seed} and {two.plan.seed}, so no deal is in both and nothing "
            "can be paired; play one of them again with the seed of the other"
        )
    if one.plan.engine_hash != two.plan.engine_hash:
        raise DataError(
            f"{both}: they were played by different engines ({one.plan.engine_hash[:12]} and "
            f"{two.plan.engine_hash[:12]}), so not only what you changed differs; play them again"
        )


def sameness(sides: Sides) -> str:
    """Return why the two sides are the same, or nothing."""
    one, two = sides.both
    equal = one.catalog.hash == two.catalog.hash and one.edition == two.edition and sides.same_policies
    return "the candidate equals the base" if equal else ""


def seed_of(sides: Sides, asked: AskedCells) -> int:
    """Return the seed of a comparison: that of its runs, or the one that was asked for."""
    return sides.runs[0].plan.seed if sides.runs else asked.seed or 0


def names_of(sides: Sides) -> dict[str, str]:
    """Return the names of variants by id, and of items by number."""
    facts = sides.game.facts
    one, two = (entry_names(sides.game, side.catalog, facts.variant, facts.item) for side in sides.both)
    return one | two


def moving_variants(sides: Sides) -> set[str] | None:
    """Return the variants that differ, if nothing else does; combinations without them cannot differ."""
    facts = sides.game.facts
    others = {found.kind for found in sides.differences} - {facts.variant, "catalog"}
    if others or not sides.same_policies or sides.base.edition != sides.candidate.edition:
        return None
    return set(sides.entries(facts.variant))
