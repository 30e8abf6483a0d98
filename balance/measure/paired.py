"""Two runs deal by deal: which cells meet, how they are grouped, and every figure of one side less the other.

What the luck of the deal does to both sides cancels: the difference of a deal is one observation. The views
of `balance.dataset.paired_views` add up; nothing is aggregated or judged here.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from balance.dataset.measures import declared, fractions, met_policies
from balance.dataset.paired_views import (
    create_dealt_sums,
    create_item_sums,
    create_paired,
    create_paired_sums,
)
from balance.dataset.run import Run
from balance.measure.cells import connect
from balance.stats.ratio import Common, Difference, Ratio

if TYPE_CHECKING:
    import duckdb

_SUMS: Final = "own, base, common"


@dataclass(frozen=True, slots=True)
class Pairing:
    """A cell that both sides have played."""

    number: int
    players: int
    variants: tuple[str, ...]
    lineup: str
    replicates: int
    deals: int
    base: int
    candidate: int


@dataclass(frozen=True, slots=True)
class Group:
    """Cells whose deals are put together: all of some players and lineup, those with a variant, or one."""

    players: int
    lineup: str
    variants: tuple[str, ...] | None = None
    whole: bool = False
    without: bool = False


@dataclass(frozen=True, slots=True)
class Phase:
    """Two runs on the same deals."""

    base: Run
    candidate: Run
    pairings: tuple[Pairing, ...]

    def common(self, pairings: Iterable[Pairing]) -> tuple[int, int]:
        """Return the first deal that all of some cells have on both sides, and the first that one lacks."""
        runs = ((self.base, "base"), (self.candidate, "candidate"))
        every = [run.plan.cell(getattr(p, side)) for p in pairings for run, side in runs]
        cells = [cell for cell in every if cell is not None]
        return max(cell.first for cell in cells), min(cell.first + cell.deals for cell in cells)


def pair_cells(base: Run, candidate: Run, wanted: Iterable[tuple[int, tuple[str, ...], str]]) -> Phase:
    """Match the cells of two runs that both have played; those without a common deal are left out."""
    known = {cell.key: cell for cell in candidate.plan.cells if cell.games}
    keys = set(wanted)
    found: list[Pairing] = []
    for cell in sorted(base.plan.cells, key=lambda cell: cell.key):
        other = known.get(cell.key)
        if cell.key not in keys or not cell.games or other is None or other.replicates != cell.replicates:
            continue
        common = len(cell.common(other))
        if common:
            found.append(Pairing(len(found), *cell.key, cell.replicates, common, cell.id, other.id))
    return Phase(base, candidate, tuple(found))


def groups_of(pairings: Sequence[Pairing]) -> dict[Group, list[int]]:
    """Return every group with the numbers of its cells: all combinations, each variant, each combination."""
    found: dict[Group, list[int]] = {}
    for own in pairings:
        at = (own.players, own.lineup)
        found.setdefault(Group(*at), []).append(own.number)
        for variant in own.variants:
            found.setdefault(Group(*at, (variant,)), []).append(own.number)
        found.setdefault(Group(*at, own.variants, whole=True), []).append(own.number)
    every = {
        (group.players, group.lineup): len(own) for group, own in found.items() if group.variants is None
    }
    return {  # neither one combination alone nor all of them under another name
        group: own
        for group, own in found.items()
        if group.whole
        or (len(own) > 1 and (group.variants is None or len(own) < every[group.players, group.lineup]))
    }


# --- differences


def paired_measures(
    phase: Phase, groups: Mapping[Group, Sequence[int]]
) -> dict[Group, dict[str, Difference]]:
    """Return the differences of all measures that are compared, by group and name: `action:work`."""
    game = phase.base.game
    cells = [phase.base.plan.cell(own.base) for own in phase.pairings]
    measures = declared(game.facts, met_policies(game, [cell for cell in cells if cell]))
    figures = [one for one in fractions(measures) if one.measure.compared]
    found: dict[Group, dict[str, Difference]] = {}
    # those of one number of players and lineup at a time: they have cells in common
    for table in dict.fromkeys((group.players, group.lineup) for group in groups):
        some = {group: own for group, own in groups.items() if (group.players, group.lineup) == table}
        with _connect(phase, some) as con:
            create_paired_sums(con, figures)
            rows = con.execute(f'select part, measure, "of", {_SUMS} from paired_sums').fetchall()
        order = {(one.measure.name, one.of): k for k, one in enumerate(figures)}
        for group, own in _by_group(some, rows):
            for measure, of, *sums in sorted(own, key=lambda row: order[row[0], row[1]]):
                if measure == "seat" and int(of) >= group.players:  # nobody sits there
                    continue
                found.setdefault(group, {})[f"{measure}:{of}" if of else measure] = _difference(*sums)
    return found


def paired_items(phase: Phase) -> dict[tuple[int, str], dict[tuple[str, int], Difference]]:
    """Return what became of every item that both sides have, by players and lineup, then `dealt` or `built`.

    `dealt` are the win points of seats that were dealt it, `built` its builds by seats that held it.
    """
    tables: dict[tuple[int, str], list[Pairing]] = {}
    for own in phase.pairings:
        tables.setdefault((own.players, own.lineup), []).append(own)
    found: dict[tuple[int, str], dict[tuple[str, int], Difference]] = {}
    with _connect(phase, {}) as con:
        create_item_sums(con, [(*table, *phase.common(own)) for table, own in tables.items()])
        rows = con.execute(
            f"select players, lineup, measure, item, {_SUMS} from item_sums order by item, measure desc"
        ).fetchall()
    for players, lineup, measure, item, *sums in rows:
        found.setdefault((players, lineup), {})[measure, item] = _difference(*sums)
    return found


def paired_dealt(
    phase: Phase, groups: Mapping[Group, Sequence[int]], items: Mapping[int, bool]
) -> dict[int, dict[Group, Difference]]:
    """Compare the win points of the seat that was dealt an item with those of that seat on the other side.

    Items come with whether the base has them: it decides which seat was dealt it, else the candidate does. So
    with a removed item the figure is what its holder lost.
    """
    found: dict[int, dict[Group, Difference]] = {item: {} for item in items}
    if not items:
        return found
    with _connect(phase, groups) as con:
        create_dealt_sums(con, phase.base.game.facts, items)
        rows = con.execute(f"select part, item, {_SUMS} from dealt_sums").fetchall()
    for group, own in _by_group(groups, rows):
        for item, *sums in own:
            found[item][group] = _difference(*sums)
    return found


def _connect(phase: Phase, groups: Mapping[Group, Sequence[int]]) -> duckdb.DuckDBPyConnection:
    con = connect()
    numbers = {number for own in groups.values() for number in own}
    cells = [
        (own.number, own.players, own.base, own.candidate)
        for own in phase.pairings
        if not groups or own.number in numbers
    ]
    members = [(number, part, len(own) == 1) for part, own in enumerate(groups.values()) for number in own]
    create_paired(con, phase.base, phase.candidate, cells, members)
    return con


def _by_group(
    groups: Mapping[Group, Sequence[int]], rows: Iterable[Sequence[Any]]
) -> Iterator[tuple[Group, list[Sequence[Any]]]]:
    by_part: dict[int, list[Sequence[Any]]] = {}
    for part, *row in rows:
        by_part.setdefault(part, []).append(row)
    for part, group in enumerate(groups):
        yield group, by_part.get(part, [])


def _difference(own: Mapping[str, int], base: Mapping[str, int], common: Mapping[str, int]) -> Difference:
    return Difference(Ratio(**own, most=math.inf), Ratio(**base, most=math.inf), Common(**common))
