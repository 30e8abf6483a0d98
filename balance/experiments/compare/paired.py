"""Two runs compared deal by deal: what differs where both have played the same shuffle.

Both sides of a deal are summed up as whole numbers, per cell and over cells that share the deal, so that the
difference of a deal is one observation: what the luck of the deal does to both sides cancels. The unit is the
deal, never the game or the seat. Nothing is judged here.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from balance.dataset import sql_quote
from balance.dataset.deals import deals_files
from balance.dataset.measures import Fraction, declared, fractions, met_policies
from balance.dataset.plan import PlannedCell
from balance.dataset.run import Run
from balance.dataset.schema import stored_table
from balance.dataset.shards import cut
from balance.measure.cells import connect, connect_to
from balance.stats.ratio import Common, Difference, Ratio

if TYPE_CHECKING:
    import duckdb

_AT_ONCE: Final = 60_000
"""Deals that are compared at a time."""
_SAME_GAME: Final = 10_000_000_000_000
"""The id of a game modulo this is its index and replicate, whatever the cell."""
_EVERY: Final = _SAME_GAME // 1000
"""Above every index of a deal."""
_BASE, _CANDIDATE = "a", "b"
_ALIKE: Final = {"1": "games", "players": "seats"}
"""The columns of denominators that every game of a cell has alike."""
_DEAL_OF_GAME: Final = sql_quote.deal()
"""SQL for the index of the deal of a row of games or seats."""


@dataclass(frozen=True, slots=True)
class Pairing:
    """A cell that both sides have played."""

    number: int
    players: int
    variants: tuple[str, ...]
    lineup: str
    replicates: int
    deals: int
    """That both have."""
    base: int
    """The id of the cell in the run of the base."""
    candidate: int


@dataclass(frozen=True, slots=True)
class Group:
    """Cells whose deals are put together: all of some players and lineup, those with a variant, or one."""

    players: int
    lineup: str
    variants: tuple[str, ...] | None = None
    """None: all combinations."""
    whole: bool = False
    """Whether `variants` is the whole combination: one cell."""


@dataclass(frozen=True, slots=True)
class Phase:
    """Two runs on the same deals."""

    base: Run
    candidate: Run
    pairings: tuple[Pairing, ...]
    until: Mapping[tuple[int, int], int] = field(default_factory=dict)
    """Where deals were chosen, by item and players: only below this index are all deals with the item there.

    Further deals hold it beside another item for which more were chosen, and would count that one too often.
    """


def pair_cells(base: Run, candidate: Run, wanted: Iterable[tuple[int, tuple[str, ...], str]]) -> Phase:
    """Match the cells of two runs that both have played; those without a common deal are left out."""
    known = {cell.key: cell for cell in candidate.plan.cells if cell.games}
    keys = set(wanted)
    found: list[Pairing] = []
    for cell in sorted(base.plan.cells, key=lambda cell: cell.key):
        other = known.get(cell.key)
        if cell.key not in keys or not cell.games or other is None or other.replicates != cell.replicates:
            continue
        common = _common_deals(base, cell, candidate, other)
        if common:
            found.append(Pairing(len(found), *cell.key, cell.replicates, common, cell.id, other.id))
    return Phase(base, candidate, tuple(found))


def _common_deals(base: Run, cell: PlannedCell, candidate: Run, other: PlannedCell) -> int:
    one, two = (
        run.plan.indices(own.players, own.first, own.deals) for run, own in ((base, cell), (candidate, other))
    )
    if isinstance(one, range) and isinstance(two, range):
        return max(0, min(one.stop, two.stop) - max(one.start, two.start))
    return len(set(one) & set(two))


def groups_of(pairings: Sequence[Pairing]) -> dict[Group, list[int]]:
    """Return every group with the numbers of its cells: all combinations, each variant, each combination."""
    found: dict[Group, list[int]] = {}
    for own in pairings:
        at = (own.players, own.lineup)
        found.setdefault(Group(*at), []).append(own.number)
        for variant in own.variants:
            found.setdefault(Group(*at, (variant,)), []).append(own.number)
        found.setdefault(Group(*at, own.variants, whole=True), []).append(own.number)
    whole = {
        (group.players, group.lineup): len(own) for group, own in found.items() if group.variants is None
    }

    def tells_more(group: Group, own: Sequence[int]) -> bool:
        """Return whether it is neither one combination alone nor all of them under another name."""
        every = len(own) == whole[group.players, group.lineup]
        return group.whole or (len(own) > 1 and (group.variants is None or not every))

    return {group: own for group, own in found.items() if tells_more(group, own)}


# --- sums


class _Sums:
    """The sums of columns and of their products that a difference needs, each once, as SQL."""

    def __init__(self) -> None:
        self.sql: dict[str, str] = {}

    def need(self, columns: Sequence[str]) -> None:
        """Ask for everything that the difference of two ratios, given as four columns, takes."""
        for k, one in enumerate(columns):
            self.sql.setdefault(one, f"sum({sql_quote.name(one)})")
            for two in columns[k:]:
                self.sql.setdefault(_product(one, two), f"sum({sql_quote.name(one)} * {sql_quote.name(two)})")
        for below in ([columns[1]], [columns[3]], [columns[1], columns[3]]):
            some = " or ".join(f"{sql_quote.name(name)} <> 0" for name in below)
            self.sql.setdefault(_some(below), f"count_if({some})")

    def rows(self, con: duckdb.DuckDBPyConnection, table: str, key: str) -> dict[int, dict[str, int]]:
        """Return the sums over the rows of a table, by a column of it."""
        rows = con.execute(f"select {key}, {', '.join(self.sql.values())} from {table} group by 1").fetchall()
        return {
            int(own): {name: int(value or 0) for name, value in zip(self.sql, values, strict=True)}
            for own, *values in rows
        }


def _product(one: str, two: str) -> str:
    return "*".join(sorted((one, two)))


def _some(below: Iterable[str]) -> str:
    return "#" + "|".join(sorted(set(below)))


def _difference(columns: Sequence[str], sums: Mapping[str, int]) -> Difference:
    x, y, u, v = columns

    def ratio(num: str, den: str) -> Ratio:
        num2, den2, numden = (sums[_product(*two)] for two in ((num, num), (den, den), (num, den)))
        return Ratio(sums[_some([den])], sums[num], sums[den], num2, den2, numden, math.inf)

    crossed = (sums[_product(one, two)] for one in (x, y) for two in (u, v))
    common = Common(sums[_some([y, v])], *(sums[name] for name in columns), *crossed)
    return Difference(ratio(x, y), ratio(u, v), common)


# --- measures


Measured = dict[Group, dict[str, Difference]]
"""By group and name of the part: the candidate's figure less that of the base."""


def count_measures(phase: Phase, groups: Mapping[Group, Sequence[int]]) -> Measured:
    """Hold every measure of both sides against each other, by group; the parts are those of a cell's sums."""
    if not phase.pairings:
        return {}
    cells = {own.base: phase.base.plan.cell(own.base) for own in phase.pairings}
    game = phase.base.game
    figures = fractions(declared(game.facts, met_policies(game, [cell for cell in cells.values() if cell])))
    parts = {f"{one.measure.name}:{one.of}" if one.of else one.measure.name: _columns(one) for one in figures}
    sums = _Sums()
    for columns in parts.values():
        sums.need(columns)
    con = connect()
    single = {group: own[0] for group, own in groups.items() if group.whole}
    several = [group for group in groups if not group.whole]
    found: dict[int, dict[str, int]] = {}
    _make_membership(con, [(number, k) for k, group in enumerate(several) for number in groups[group]])
    for part in _chunks(phase.pairings):
        _make_paired(con, figures, phase, part)
        found |= sums.rows(con, "paired", "number")
        _gather(con, dict.fromkeys(name for columns in parts.values() for name in columns))
    by_group = sums.rows(con, "groups", "part")
    made = {group: found[number] for group, number in single.items() if number in found}
    made |= {group: by_group[k] for k, group in enumerate(several) if k in by_group}
    return {
        group: {name: _difference(columns, own) for name, columns in parts.items() if _there(name, group)}
        for group, own in made.items()
    }


def _there(name: str, group: Group) -> bool:
    """Return whether a group can have a part: a seat that nobody has is not there."""
    kind, _, of = name.partition(":")
    return kind != "seat" or int(of) < group.players


def _columns(one: Fraction) -> tuple[str, str, str, str]:
    """Return the columns of a figure: numerator and denominator, of the candidate and of the base."""
    below = [f"{side}:{one.den}" for side in (_CANDIDATE, _BASE)] if one.den else [_ALIKE[one.den_sql]] * 2
    return f"{_CANDIDATE}:{one.num}", below[0], f"{_BASE}:{one.num}", below[1]


def _chunks(pairings: Sequence[Pairing]) -> Iterator[list[Pairing]]:
    held: list[Pairing] = []
    deals = 0
    for own in pairings:
        held.append(own)
        deals += own.deals
        if deals >= _AT_ONCE:
            yield held
            held, deals = [], 0
    if held:
        yield held


def _make_membership(con: duckdb.DuckDBPyConnection, rows: Sequence[tuple[int, int]]) -> None:
    con.execute("create or replace temp table membership (number int, part int)")
    if rows:
        con.execute(f"insert into membership values {', '.join(f'({n}, {k})' for n, k in rows)}")


def _make_paired(
    con: duckdb.DuckDBPyConnection, figures: Sequence[Fraction], phase: Phase, pairings: Sequence[Pairing]
) -> None:
    """Make the table of the deals that both sides have played, the numbers of each side beside each other."""
    values = ", ".join(
        f"({p.number}, {p.base}, {p.candidate}, {p.replicates}, {p.replicates * p.players})" for p in pairings
    )
    columns = "number int, base int, candidate int, games bigint, seats bigint"
    con.execute(f"create or replace temp table pairings ({columns})")
    con.execute(f"insert into pairings values {values}")
    named = dict.fromkeys(name for one in figures for name in (one.num, one.den) if name)
    selected = [
        f"{side}.{sql_quote.name(name)} as {sql_quote.name(f'{side}:{name}')}"
        for side in (_BASE, _CANDIDATE)
        for name in named
    ]
    sides = [
        f"select * from {sql_quote.parquet(deals_files([run]))} "
        f"where cell_id in ({', '.join(map(str, sorted(ids)))})"
        for run, ids in (
            (phase.base, {p.base for p in pairings}),
            (phase.candidate, {p.candidate for p in pairings}),
        )
    ]
    con.execute(f"""
        create or replace temp table paired as
        select p.number, {_BASE}.deal, p.games, p.seats, {", ".join(selected)}
        from pairings p
        join ({sides[0]}) {_BASE} on {_BASE}.cell_id = p.base
        join ({sides[1]}) {_CANDIDATE} on {_CANDIDATE}.cell_id = p.candidate
          and {_CANDIDATE}.deal = {_BASE}.deal""")


def _gather(con: duckdb.DuckDBPyConnection, columns: Iterable[str]) -> None:
    """Add the deals of `paired` to those of the groups that its cells belong to."""
    added = ", ".join(f"sum({sql_quote.name(name)})::bigint as {sql_quote.name(name)}" for name in columns)
    con.execute(f"""
        create or replace temp table joined as
        select part, deal, {added} from paired join membership using (number) group by part, deal""")
    con.execute("create temp table if not exists groups as from joined limit 0")
    con.execute(f"""
        create or replace temp table groups as
        select part, deal, {added} from (from groups union all from joined) group by part, deal""")


def _files(run: Run, cells: set[int]) -> tuple[str, str]:
    """Return the files of games and of seats that hold some cells, as SQL."""
    shards = [shard for shard in cut(run.plan.cells) if any(p.cell.id in cells for p in shard.pieces)]
    games, seats = (
        sql_quote.parquet(run.path / shard.file(table) for shard in shards) for table in ("games", "seats")
    )
    return games, seats


# --- items


@dataclass(frozen=True, slots=True)
class Dealt:
    """An item, and where each side keeps in its masks who was dealt it."""

    id: int
    base: int | None
    """Its place among the items of the base, by id; None: the base does not have it."""
    candidate: int | None


def count_dealt(
    phases: Sequence[Phase], groups: Mapping[Group, Sequence[int]], item: Dealt
) -> dict[Group, Difference]:
    """Compare the win points of the seat that was dealt an item with those of that seat on the other side.

    The base decides which seat was dealt it, or the candidate if the base does not have the item; so with a
    removed item the figure is what its holder lost. Several phases have different deals of the same cells.
    """
    con = connect()
    con.execute("create temp table dealt (number int, deal bigint, games bigint, a bigint, b bigint)")
    for phase in phases:
        for pairings in _chunks(phase.pairings):
            con.execute(f"insert into dealt {_dealt_sql(phase, pairings, item)}")
    columns = ("b", "games", "a", "games")
    sums = _Sums()
    sums.need(columns)
    keys = list(groups)
    _make_membership(con, [(number, k) for k, group in enumerate(keys) for number in groups[group]])
    by_deal = (
        "(select part, deal, sum(games)::bigint as games, sum(a)::bigint as a, sum(b)::bigint as b "
        "from dealt join membership using (number) group by part, deal)"
    )
    found = sums.rows(con, by_deal, "part")
    return {group: _difference(columns, found[k]) for k, group in enumerate(keys) if k in found}


def _dealt_sql(phase: Phase, pairings: Sequence[Pairing], item: Dealt) -> str:
    """Return SQL for number, deal, seats, and the score of these seats on both sides."""
    place = item.base if item.base is not None else item.candidate
    assert place is not None
    facts = phase.base.game.facts
    table = stored_table(facts, "seats")
    seat, won = (sql_quote.name(table.column(role).name) for role in ("seat", "won"))
    stalled = sql_quote.name(stored_table(facts, "games").column("stalled").name)
    word, bit = divmod(place, 64)
    held = f"{sql_quote.name(facts.mask('opening')[word])} & {1 << bit}::ubigint <> 0"
    sides = []
    for name, run, ids in (
        (_BASE, phase.base, {p.base: p for p in pairings}),
        (_CANDIDATE, phase.candidate, {p.candidate: p for p in pairings}),
    ):
        games, seats = _files(run, set(ids))
        numbers = ", ".join(
            f"({own}, {p.number}, {p.players}, {phase.until.get((item.id, p.players), _EVERY)})"
            for own, p in ids.items()
        )
        asked = name == (_BASE if item.base is not None else _CANDIDATE)
        sides.append(f"""
            select c.number, game_id % {_SAME_GAME} as same, s.{seat} as seat,
              (case when s.{won} then c.players when g.{stalled} then 1 else 0 end)::bigint as score
            from {seats} s
            join (values {numbers}) c(cell_id, number, players, until) using (cell_id)
            join (select game_id, {stalled} from {games}) g using (game_id)
            where {_DEAL_OF_GAME} < c.until {f"and s.{held}" if asked else ""}""")
    return f"""
        select {_BASE}.number, {_BASE}.same // 1000, count(*), sum({_BASE}.score), sum({_CANDIDATE}.score)
        from ({sides[0]}) {_BASE} join ({sides[1]}) {_CANDIDATE} using (number, same, seat)
        group by 1, 2"""


def count_items(
    phase: Phase, pairings: Sequence[Pairing], deals: range, items: Sequence[int]
) -> tuple[Difference, Difference]:
    """Compare what became of items over some cells: of the seats that were dealt each, and its builds.

    Both are arrays with a figure for each item.
    """
    import numpy as np

    place = {item: k for k, item in enumerate(items)}
    columns: list[list[Any]] = []
    for run, ids in (
        (phase.candidate, [p.candidate for p in pairings]),
        (phase.base, [p.base for p in pairings]),
    ):
        within = dict.fromkeys(ids, (deals.start, deals.stop))
        sums = np.zeros((4, len(items), len(deals)), np.int64)
        with connect_to([run], ids, within) as con:
            rows = con.execute(
                "select item, deal, opening_points, opening, built, opening + drawn from item_deals"
            ).fetchall()
        for item, deal, *own in rows:
            if item in place:
                sums[:, place[item], deal - deals.start] = own
        columns.append(list(sums))
    (x, y, built, held), (u, v, built_before, held_before) = columns
    return Difference.of(x, y, u, v), Difference.of(built, held, built_before, held_before)
