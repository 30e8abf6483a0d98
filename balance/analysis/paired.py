"""Two runs held against each other deal by deal: what differs where both have played the same shuffle.

Both sides of a deal are summed up as whole numbers, per cell and over cells that share the deal, so that the
difference of a deal is one observation: what the luck of the deal does to both sides cancels. The unit is the
deal, never the game or the seat. Nothing is judged or told here (`balance.analysis.comparing`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from balance.analysis.blocks import Moments
from balance.analysis.cells import DEAL_OF_GAME, Layout, connect, layout_of
from balance.dataset import sqltext
from balance.dataset.plan import PlannedCell
from balance.dataset.run import Run
from balance.dataset.schema import stored_table

if TYPE_CHECKING:
    import duckdb

__all__ = ["Group", "Pairing", "Phase", "count_dealt", "count_measures", "groups_of", "pair_cells"]

_AT_ONCE: Final = 60_000
"""Deals that are held against each other at a time."""
_SAME_GAME: Final = 10_000_000_000_000
"""The id of a game modulo this is its index and replicate, whatever the cell."""
_EVERY: Final = _SAME_GAME // 1000
"""Above every index of a deal."""
_BASE, _CANDIDATE = "a", "b"


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
        """Whether it is neither one combination alone nor all of them under another name."""
        every = len(own) == whole[group.players, group.lineup]
        return group.whole or (len(own) > 1 and (group.variants is None or not every))

    return {group: own for group, own in found.items() if tells_more(group, own)}


# --- sums


class _Sums:
    """The sums of columns and of their products that moments need, each once, as SQL."""

    def __init__(self) -> None:
        self.sql: dict[str, str] = {}

    def need(self, columns: Sequence[str]) -> None:
        """Ask for everything that moments of these columns take."""
        for k, one in enumerate(columns):
            self.sql.setdefault(one, f"sum({sqltext.name(one)})")
            for two in columns[k:]:
                self.sql.setdefault(_product(one, two), f"sum({sqltext.name(one)} * {sqltext.name(two)})")
        below = sorted({columns[1], columns[3]})
        some = " or ".join(f"{sqltext.name(name)} <> 0" for name in below)
        self.sql.setdefault(_some(columns), f"count_if({some})")

    def rows(self, con: duckdb.DuckDBPyConnection, table: str, key: str) -> dict[int, dict[str, int]]:
        """Return the sums over the rows of a table, by a column of it."""
        rows = con.execute(f"select {key}, {', '.join(self.sql.values())} from {table} group by 1").fetchall()
        return {
            int(own): {name: int(value or 0) for name, value in zip(self.sql, values, strict=True)}
            for own, *values in rows
        }


def _product(one: str, two: str) -> str:
    return "*".join(sorted((one, two)))


def _some(columns: Sequence[str]) -> str:
    return "#" + "|".join(sorted({columns[1], columns[3]}))


def _moments(columns: Sequence[str], sums: Mapping[str, int]) -> Moments:
    return Moments(
        sums[_some(columns)],
        tuple(sums[name] for name in columns),
        tuple(tuple(sums[_product(one, two)] for two in columns) for one in columns),
    )


# --- measures


Measured = dict[Group, dict[str, Moments]]
"""By group and name of the part: moments of the candidate's number, of how many, and the same of the base."""


def count_measures(phase: Phase, groups: Mapping[Group, Sequence[int]]) -> Measured:
    """Hold every measure of both sides against each other, by group; the parts are those of a cell's sums."""
    if not phase.pairings:
        return {}
    cells = {own.base: phase.base.plan.cell(own.base) for own in phase.pairings}
    layout = layout_of(phase.base, {number: cell for number, cell in cells.items() if cell is not None})
    parts = {part.name: _columns(part.name, part.den, part.constant) for part in layout.parts}
    sums = _Sums()
    for columns in parts.values():
        sums.need(columns)
    con = connect()
    single = {group: own[0] for group, own in groups.items() if group.whole}
    several = [group for group in groups if not group.whole]
    found: dict[int, dict[str, int]] = {}
    _make_membership(con, [(number, k) for k, group in enumerate(several) for number in groups[group]])
    for part in _chunks(phase.pairings):
        _make_paired(con, layout, phase, part)
        found |= sums.rows(con, "paired", "number")
        _gather(con, dict.fromkeys(name for columns in parts.values() for name in columns))
    by_group = sums.rows(con, "groups", "part")
    made = {group: found[number] for group, number in single.items() if number in found}
    made |= {group: by_group[k] for k, group in enumerate(several) if k in by_group}
    return {
        group: {name: _moments(columns, own) for name, columns in parts.items() if _there(name, group)}
        for group, own in made.items()
    }


def _there(name: str, group: Group) -> bool:
    """Return whether a group can have a part: a seat that nobody has is not there."""
    kind, _, of = name.partition(":")
    return kind != "seat" or int(of) < group.players


def _columns(name: str, den: str, constant: bool) -> tuple[str, str, str, str]:
    """Return the columns of a part: number and of how many, of the candidate and of the base."""
    below = [f"{side}:d:{den}" for side in (_CANDIDATE, _BASE)] if not constant else ["games", "games"]
    return f"{_CANDIDATE}:n:{name}", below[0], f"{_BASE}:n:{name}", below[1]


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
    con: duckdb.DuckDBPyConnection, layout: Layout, phase: Phase, pairings: Sequence[Pairing]
) -> None:
    """Make the table of the deals that both sides have played, the numbers of each side beside each other."""
    values = ", ".join(f"({p.number}, {p.base}, {p.candidate}, {p.replicates})" for p in pairings)
    con.execute("create or replace temp table pairings (number int, base int, candidate int, games int)")
    con.execute(f"insert into pairings values {values}")
    named = [f"n:{part.name}" for part in layout.parts]
    named += dict.fromkeys(f"d:{part.den}" for part in layout.parts if not part.constant)
    selected = [
        f"{side}.{sqltext.name(name)} as {sqltext.name(f'{side}:{name}')}"
        for side in (_BASE, _CANDIDATE)
        for name in named
    ]
    sides = [
        layout.per_deal(*_files(run, ids), f"cell_id in ({', '.join(map(str, sorted(ids)))})")
        for run, ids in (
            (phase.base, {p.base for p in pairings}),
            (phase.candidate, {p.candidate for p in pairings}),
        )
    ]
    con.execute(f"""
        create or replace temp table paired as
        select p.number, {_BASE}.deal, p.games::bigint as games, {", ".join(selected)}
        from pairings p
        join ({sides[0]}) {_BASE} on {_BASE}.cell_id = p.base
        join ({sides[1]}) {_CANDIDATE} on {_CANDIDATE}.cell_id = p.candidate
          and {_CANDIDATE}.deal = {_BASE}.deal""")


def _gather(con: duckdb.DuckDBPyConnection, columns: Iterable[str]) -> None:
    """Add the deals of `paired` to those of the groups that its cells belong to."""
    added = ", ".join(f"sum({sqltext.name(name)})::bigint as {sqltext.name(name)}" for name in columns)
    con.execute(f"""
        create or replace temp table joined as
        select part, deal, {added} from paired join membership using (number) group by part, deal""")
    con.execute("create temp table if not exists groups as from joined limit 0")
    con.execute(f"""
        create or replace temp table groups as
        select part, deal, {added} from (from groups union all from joined) group by part, deal""")


def _files(run: Run, cells: set[int]) -> tuple[str, str]:
    """Return the files of games and of seats that hold some cells, as SQL."""
    from balance.sweep.shards import cut

    shards = [shard for shard in cut(run.plan.cells) if any(p.cell.id in cells for p in shard.pieces)]
    games, seats = (
        sqltext.parquet(run.path / shard.file(table) for shard in shards) for table in ("games", "seats")
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
) -> dict[Group, Moments]:
    """Hold the win points of the seat that was dealt an item against those of that seat on the other side.

    Who was dealt it is asked of the base, or of the candidate if the base does not have the item; so with a
    removed item it is told what its holder has lost. Several phases have different deals of the same cells.
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
    return {group: _moments(columns, found[k]) for k, group in enumerate(keys) if k in found}


def _dealt_sql(phase: Phase, pairings: Sequence[Pairing], item: Dealt) -> str:
    """Return SQL for number, deal, seats, and the score of these seats on both sides."""
    place = item.base if item.base is not None else item.candidate
    assert place is not None
    facts = phase.base.game.facts
    table = stored_table(facts, "seats")
    seat, won = (sqltext.name(table.column(role).name) for role in ("seat", "won"))
    stalled = sqltext.name(stored_table(facts, "games").column("stalled").name)
    word, bit = divmod(place, 64)
    held = f"{sqltext.name(facts.mask('opening')[word])} & {1 << bit}::ubigint <> 0"
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
            where {DEAL_OF_GAME} < c.until {f"and s.{held}" if asked else ""}""")
    return f"""
        select {_BASE}.number, {_BASE}.same // 1000, count(*), sum({_BASE}.score), sum({_CANDIDATE}.score)
        from ({sides[0]}) {_BASE} join ({sides[1]}) {_CANDIDATE} using (number, same, seat)
        group by 1, 2"""
