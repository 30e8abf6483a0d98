"""Items: what the catalog prints of them, and what being dealt one is worth, by the query files of reports.

Chance deals opening hands, so win points of the seats that were dealt an item, less the 1.00 of a fair share,
are caused by it; docs/metrics.md has the reasons. Nothing is counted here.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from balance.dataset.plan import PlannedCell
from balance.dataset.run import Run
from balance.dataset.saved_queries import bind, find_question
from balance.errors import UsageError
from balance.games.contract import Catalog, Game
from balance.games.variants import combinations_of
from balance.measure.cells import connect_to
from balance.nearest import unknown

if TYPE_CHECKING:
    import polars as pl

Combination = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Item:
    """One item as its catalog prints it."""

    id: int
    name: str
    cost: int | None
    score: int | None


def items_of(game: Game[Any, Any], catalog: Catalog) -> list[Item]:
    """Return the items of a catalog in the order of their bits: by id."""
    named, kind = game.facts.item_columns, next(kind for kind in game.kinds if kind.name == game.facts.item)
    return [
        Item(
            int(row["id"]),
            str(row["name"]),
            int(row[named.cost]) if named.cost else None,
            int(row[named.score]) if named.score else None,
        )
        for row in sorted(game.rows(catalog, kind), key=lambda row: int(row["id"]))
    ]


def choose_cells(
    runs: Sequence[Run],
    lineup: str | None = None,
    players: Iterable[int] | None = None,
    combinations: Iterable[Combination] | None = None,
) -> list[PlannedCell]:
    """Return the cells to look at, of one lineup; UsageError if there is none.

    Without a lineup it is the first that the game declares for sweeps and the runs have played, or else the
    first that they have played.
    """
    if not runs:
        raise UsageError("no run is given")
    played = {cell.id: cell for run in runs for cell in run.plan.cells if cell.games}
    lineups = sorted({cell.lineup for cell in played.values()})
    if lineup is None:
        facts = runs[0].game.facts
        lineup = next((name for name in facts.default_sweep_lineups if name in lineups), lineups[0])
    if lineup not in lineups:
        raise UsageError(unknown("lineup of these runs", lineup, lineups))
    counts = None if players is None else set(players)
    wanted = None if combinations is None else {tuple(sorted(names)) for names in combinations}
    found = [
        cell
        for _, cell in sorted(played.items())
        if cell.lineup == lineup
        and (counts is None or cell.players in counts)
        and (wanted is None or tuple(sorted(cell.variants)) in wanted)
    ]
    if not found:
        raise UsageError("the runs have no game of the cells asked for")
    return found


def values(
    runs: Run | Sequence[Run],
    *,
    lineup: str | None = None,
    players: Iterable[int] | None = None,
    variants: str | Iterable[str] | None = None,
) -> pl.DataFrame:
    """Return the value of every item that was dealt, the best first: the query file `report/item-values`.

    `variants` are combinations as in `balance.simulate`.
    """
    import polars as pl

    opened = [runs] if isinstance(runs, Run) else list(runs)
    combinations = None
    if variants is not None and opened:
        given = [variants] if isinstance(variants, str) else list(variants)
        run = opened[0]
        combinations = combinations_of(run.game, run.catalog, run.plan.edition, given)
    cells = choose_cells(opened, lineup, players, combinations)
    question = find_question("report/item-values")
    with connect_to(opened, [cell.id for cell in cells]) as con:
        result = con.execute(question.sql, bind(con, question, {"lineup": cells[0].lineup}))
        columns = [column[0] for column in result.description or []]
        return pl.DataFrame(result.fetchall(), schema=columns, orient="row", infer_schema_length=None)
