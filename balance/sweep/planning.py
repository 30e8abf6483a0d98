"""Making the plan of a run: which cells, which games of each, and everything else that decides its bytes.

A plan is normalised: however a user orders the options, the same cells come in the same order with the same
ids. Nothing is played here.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from importlib import metadata
from itertools import product
from typing import Any, Final

import balance
from balance.dataset.deals import digest
from balance.dataset.measures import DECLARED
from balance.dataset.plan import Plan, PlannedCell
from balance.dataset.schema import MOST_CELLS, MOST_REPLICATES
from balance.dataset.shards import cut
from balance.dataset.stamp import policies_hash
from balance.errors import UsageError
from balance.games.contract import Catalog, Facts, Game
from balance.games.facts import SweepTable
from balance.games.keys import HIGHEST_GAME, check_keys
from balance.games.lineup import parse_lineup
from balance.stats.intervals import Z

DEFAULT_DEALS: Final = 500
_LIBRARIES: Final = ("numpy", "numba", "polars")

Combination = tuple[str, ...]


# --- what users write


def parse_players(texts: Iterable[str], facts: Facts) -> tuple[int, ...]:
    """Return the player counts of texts like `4`, `2-6` or `2,4-6`, ascending.

    UsageError if a text is neither, or the game is not for that many players.
    """
    low, high = facts.players
    found: set[int] = set()
    for part in (part.strip() for text in texts for part in text.split(",")):
        match = re.fullmatch(r"(\d{1,3})(?:\s*-\s*(\d{1,3}))?", part)
        if not match:
            raise UsageError(
                f"players {part}: expected a number or a range such as {low}-{high}", parameter="players"
            )
        ends = sorted((int(match[1]), int(match[2] or match[1])))
        if ends[0] < low or ends[1] > high:
            raise UsageError(
                f"players {part}: {facts.title} is for {low} to {high} players", parameter="players"
            )
        found.update(range(ends[0], ends[1] + 1))
    return tuple(sorted(found))


def parse_precision(text: str) -> float:
    """Return a half-width as a share.

    >>> parse_precision("1pp")
    0.01
    """
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*pp", text.strip())
    if not match or not 0 < float(match[1]) <= 50:
        raise UsageError(
            f"precision {text}: expected percentage points such as 1pp or 0.5pp, at most 50pp",
            parameter="precision",
        )
    return float(match[1]) / 100


# --- how sure


def deals_for(precision: float, players: int) -> int:
    """Return how many deals give the 95% interval of one seat's win share, at 1/players, this half-width.

    >>> deals_for(0.01, 4)
    7203
    """
    share = 1 / players
    return math.ceil(Z**2 * share * (1 - share) / precision**2)


# --- the plan


def make_plan(
    game: Game[Any, Any],
    catalog: Catalog,
    *,
    edition: str,
    deals: Mapping[int, int],
    combinations: Sequence[Combination],
    lineups: Sequence[str],
    replicates: int = 1,
    seed: int = 0,
) -> Plan:
    """Return the plan of a run of its own; `deals` by player count. Without lineups: the default sweep."""
    check_keys(seed, 0)
    default = {one.lineup: one for one in game.facts.default_sweep}
    tables = default or {game.facts.default_lineup: SweepTable(game.facts.default_lineup)}
    if lineups:  # all of them in full; luck needs its replicates
        tables = {text: default.get(text, SweepTable(text))._replace(share=1.0) for text in lineups}
    cells = []
    for number, key in enumerate(_keys(game, sorted(deals), combinations, list(tables))):
        table = tables.get(key[2], SweepTable(key[2]))
        part = math.ceil(deals[key[0]] * table.share)
        cells.append(_cell(game, number, key, part, replicates * table.replicates))
    return _plan(game, catalog, cells, edition=edition, seed=seed)


def plan_of_cells(
    game: Game[Any, Any],
    catalog: Catalog,
    cells: Sequence[PlannedCell],
    *,
    edition: str,
    seed: int,
) -> Plan:
    """Return the plan of a run that plays just these deals of these cells, numbered anew."""
    check_keys(seed, 0)
    numbered = [replace(cell, id=k) for k, cell in enumerate(sorted(cells, key=lambda cell: cell.key))]
    return _plan(game, catalog, numbered, edition=edition, seed=seed)


def extended_plan(
    game: Game[Any, Any],
    catalog: Catalog,
    parent: Plan,
    *,
    players: Sequence[int],
    combinations: Sequence[Combination],
    lineups: Sequence[str],
    deals: Mapping[int, int],
) -> Plan:
    """Return the plan of a run that plays on where another one ended, or cells that it did not have.

    What is empty is taken from the parent. Cells of the parent that are not asked for keep their ids.
    """
    asked = known = [cell.key for cell in parent.cells]
    if players or combinations or lineups:
        asked = _keys(
            game,
            players or [cell.players for cell in parent.cells],
            combinations or [cell.variants for cell in parent.cells],
            lineups or [cell.lineup for cell in parent.cells],
        )
    wanted, had = set(asked), set(known)
    most: dict[int, int] = {}
    for cell in parent.cells:
        most[cell.players] = max(cell.deals, most.get(cell.players, 0))

    def more(cell: PlannedCell) -> int:
        """Return with how many deals a cell plays on: as large a part as it had of the most."""
        part = cell.deals / most[cell.players] if cell.deals else 1.0
        return math.ceil(deals[cell.players] * part) if cell.key in wanted else 0

    cells = [replace(cell, first=cell.indices.stop, deals=more(cell)) for cell in parent.cells]
    replicates = min(  # what the parent was asked for, before rotations
        cell.replicates // parse_lineup(cell.lineup, cell.players, game).rotations for cell in parent.cells
    )
    new = [key for key in asked if key not in had]
    for number, key in enumerate(new, max(cell.id for cell in cells) + 1):
        cells.append(_cell(game, number, key, deals[key[0]], replicates))
    return _plan(game, catalog, cells, edition=parent.edition, seed=parent.seed, parent=parent.id)


def _keys(
    game: Game[Any, Any], players: Sequence[int], combinations: Sequence[Combination], lineups: Sequence[str]
) -> list[tuple[int, Combination, str]]:
    """Return the cells in their order: by players, then variants (compiled once), then lineups."""
    normal = {
        count: sorted({parse_lineup(lineup, count, game).text for lineup in set(lineups)})
        for count in set(players)
    }
    return [
        (count, variants, lineup)
        for count, variants in product(sorted(set(players)), sorted(set(combinations)))
        for lineup in normal[count]
    ]


def _cell(
    game: Game[Any, Any], number: int, key: tuple[int, Combination, str], deals: int, replicates: int
) -> PlannedCell:
    players, variants, lineup = key
    rotations = parse_lineup(lineup, players, game).rotations
    return PlannedCell(number, players, variants, lineup, 0, deals, replicates * rotations)


def _plan(
    game: Game[Any, Any],
    catalog: Catalog,
    cells: Sequence[PlannedCell],
    *,
    edition: str,
    seed: int,
    parent: str = "",
) -> Plan:
    if not any(cell.games for cell in cells):
        raise UsageError("no game is asked for")
    if len(cells) > MOST_CELLS:
        raise UsageError(f"{len(cells)} cells; at most {MOST_CELLS} are possible")
    for cell in cells:
        if cell.indices.stop - 1 > HIGHEST_GAME:
            raise UsageError(f"the cell {cell} has no game index left: 0..{HIGHEST_GAME} (2^32-1)")
        if cell.replicates > MOST_REPLICATES:
            times = f"plays each deal {cell.replicates} times"
            raise UsageError(f"the cell {cell} {times}; at most {MOST_REPLICATES} are possible")
    return Plan(
        game=game.name,
        edition=edition,
        seed=seed,
        ordered=False,
        parent=parent,
        catalog_version=catalog.version,
        catalog_hash=catalog.hash,
        policies_hash=policies_hash(game, catalog),
        engine_hash=game.engine_hash(),
        versions=versions(game.facts),
        shards=len(cut(cells)),
        cells=tuple(cells),
    )


def versions(facts: Facts) -> dict[str, str]:
    """Return the versions of what decides about bytes, a digest of the declared measures among them."""
    own = {"balance": balance.__version__, DECLARED: digest(facts)}
    return own | {name: metadata.version(name) for name in _LIBRARIES}
