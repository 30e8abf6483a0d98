"""Which cells are compared: those that both sides have, or can play, and that may differ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from balance.dataset.plan import PlannedCell
from balance.errors import DataError, UsageError
from balance.experiments.compare.comparison import Side, Uncompared
from balance.experiments.compare.sides import AskedCells, Sides, moving_variants, seed_of
from balance.games.contract import Game
from balance.games.variants import Combination, combinations_of, texts_of

Key = tuple[int, Combination, str]
DEALS: Final = 400


_NAMED: Final = 3


def cells_of(sides: Sides, asked: AskedCells) -> tuple[list[PlannedCell], list[Uncompared]]:
    """Return the cells that both sides have, or can play, and may differ; and what is left out."""
    wanted = _wanted(sides, asked)
    uncompared = _one_sided(sides, wanted)
    if sides.runs:
        asked.refuse_with(sides.runs)
        cells, missing = _cells_of_runs(sides, asked, wanted)
        uncompared += missing
    else:
        cells = _fresh_cells(sides, asked, wanted)
    moving = moving_variants(sides)
    if moving is None:
        return cells, uncompared
    differing = [cell for cell in cells if moving & set(cell.variants)]
    still = {cell.variants for cell in cells} - {cell.variants for cell in differing}
    if still:
        why = f"without a changed {sides.game.facts.variant} cannot differ"
        uncompared.append(Uncompared(why, len(still)))
    plain = [cell for cell in cells if not cell.variants]  # what multiples are multiples of
    return (plain + differing if differing else []), uncompared


def _wanted(sides: Sides, asked: AskedCells) -> set[Combination] | None:
    """Return the combinations that a user asks for; None: all. Those of one side alone drop out later."""
    if asked.variants is None:
        return None
    found: set[Combination] = {()}  # metrics that are multiples need the games without variants
    for value in texts_of(asked.variants):
        problems: list[UsageError] = []
        for side in sides.both:
            try:
                found |= set(combinations_of(sides.game, side.catalog, side.edition, [value]))
            except UsageError as error:
                problems.append(error)
        if len(problems) == 2:
            raise problems[0]
    return found


def _possible(game: Game[Any, Any], side: Side) -> set[Combination]:
    return set(combinations_of(game, side.catalog, side.edition, ["all"]))


def _one_sided(sides: Sides, wanted: set[Combination] | None) -> list[Uncompared]:
    found = []
    possible = [_possible(sides.game, side) for side in sides.both]
    for k, name in enumerate(("base", "candidate")):
        own, other = possible[k], possible[1 - k]
        alone = {combination for combination in own - other if wanted is None or combination in wanted}
        if alone:
            known = {variant for combination in other for variant in combination}
            named = sorted({variant for combination in alone for variant in combination} - known)
            found.append(Uncompared(f"that only the {name} has", len(alone), tuple(named)))
    return found


def _fresh_cells(sides: Sides, asked: AskedCells, wanted: set[Combination] | None) -> list[PlannedCell]:
    from balance.sweep.planning import make_plan, parse_players
    from balance.sweep.simulation import deals_of

    facts = sides.game.facts
    common = _possible(sides.game, sides.base) & _possible(sides.game, sides.candidate)
    counts = parse_players(texts_of(asked.players) or ["{}-{}".format(*facts.players)], facts)
    deals = deals_of(facts, asked.games_per_cell, asked.precision, DEALS)
    plan = make_plan(
        sides.game,
        sides.base.catalog,
        edition=sides.base.edition,
        deals={count: deals[count] for count in counts},
        combinations=sorted(common if wanted is None else common & wanted),
        lineups=texts_of(asked.lineups) or [facts.default_lineup],
        seed=seed_of(sides, asked),
    )
    return list(plan.cells)


def _cells_of_runs(
    sides: Sides, asked: AskedCells, wanted: set[Combination] | None
) -> tuple[list[PlannedCell], list[Uncompared]]:
    """Return the cells of the runs at hand, as far as the other side has them or can play them."""
    from balance.sweep.planning import parse_players

    counts = set(parse_players(texts_of(asked.players), sides.game.facts))
    lineups = set(texts_of(asked.lineups))

    def chosen(side: Side) -> dict[Key, PlannedCell]:
        return {
            cell.key: cell
            for cell in (side.run.plan.cells if side.run else ())
            if cell.games
            and (not counts or cell.players in counts)
            and (wanted is None or tuple(sorted(cell.variants)) in wanted)
            and (not lineups or cell.lineup in lineups)
        }

    missing: list[Uncompared] = []
    if len(sides.runs) == 2:
        one, two = chosen(sides.base), chosen(sides.candidate)
        for name, own, other in (("base", one, two), ("candidate", two, one)):
            alone = [cell for key, cell in own.items() if key not in other]
            if alone:
                missing.append(
                    Uncompared(f"that only the run of the {name} has", len(alone), some_cells(alone), "cells")
                )
        both = [(cell, two[key]) for key, cell in one.items() if key in two]
        apart = [a for a, b in both if not a.common(b) or a.replicates != b.replicates]
        if apart:
            missing.append(
                Uncompared("of which no deal is in both runs", len(apart), some_cells(apart), "cells")
            )
        cells = [cell for cell, _ in both if cell not in apart]
    else:
        with_run, other_side = sides.both if sides.base.run else sides.both[::-1]
        possible = _possible(sides.game, other_side)
        cells = [cell for cell in chosen(with_run).values() if tuple(sorted(cell.variants)) in possible]
        if asked.games_per_cell is not None:
            cells = [replace(cell, deals=min(cell.deals, asked.games_per_cell)) for cell in cells]
    if not cells:
        raise DataError("the two sides have no cell in common with these players, variants and lineups")
    return cells, missing


def some_cells(cells: Sequence[PlannedCell]) -> tuple[str, ...]:
    """Return a few of many cells in words."""
    named = [str(cell) for cell in cells[:_NAMED]]
    return (*named, "...") if len(cells) > _NAMED else tuple(named)
