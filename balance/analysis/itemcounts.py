"""What the games of runs say of items, as whole numbers by player count, block of deals and item.

A pass of SQL over the seats (the masks of what each seat was dealt and drew), and one over what was acquired.
The same deal comes back in every cell, so games are counted by deal, never by game: see
`balance.analysis.blocks`. Columns are found by their roles; nothing is judged here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from balance.analysis.blocks import BLOCKS
from balance.analysis.cells import connect, refuse_chosen
from balance.dataset import sqltext
from balance.dataset.plan import PlannedCell
from balance.dataset.run import Run
from balance.dataset.schema import stored_table
from balance.errors import UsageError
from balance.games.contract import Facts, Kind, Table
from balance.suggest import unknown

if TYPE_CHECKING:
    import duckdb
    import numpy as np
    import numpy.typing as npt

    Numbers = npt.NDArray[np.int64]

__all__ = [
    "Item",
    "ItemCounts",
    "Versus",
    "acquired_table",
    "choose_cells",
    "count_items",
    "count_versus",
    "items_from",
    "items_of",
]

_WORD: Final = 64
_SEATS_AT_ONCE: Final = 400_000
_LOST, _WON, _STALLED = range(3)
Combination = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Item:
    """One item as its catalog prints it."""

    id: int
    name: str
    cost: int | None
    score: int | None


@dataclass(frozen=True, slots=True, eq=False)
class ItemCounts:
    """Counts at one number of players: a row per block of deals, a column per item.

    A score is in win points: the number of players for a win, 1 for every seat of a stalled game.
    """

    players: int
    games: int
    deals: int
    opening: Numbers
    """Seats that were dealt the item before the first decision."""
    opening_score: Numbers
    drawn: Numbers
    """Seats that came by it later."""
    drawn_score: Numbers
    built: Numbers
    """Times it was acquired."""
    built_score: Numbers
    built_opening: Numbers
    """Times it was acquired by a seat that had been dealt it."""
    rounds: Numbers
    """By item: the sum of the rounds in which it was acquired."""
    paid: Numbers
    """By item: the sum of what was paid for it."""

    def half(self, odd: int) -> ItemCounts:
        """Return the counts of every other block: one half chooses what is named, the other is quoted."""
        by_block = (
            "opening", "opening_score", "drawn", "drawn_score", "built", "built_score", "built_opening",
        )  # fmt: skip
        return replace(self, **{name: getattr(self, name)[odd::2] for name in by_block})


@dataclass(frozen=True, slots=True, eq=False)
class Versus:
    """Openings at one number of players, with each variant and without it, over the same deals.

    By variant, block and item. Each combination with the variant has its counterpart: the same without it.
    """

    players: int
    variants: tuple[str, ...]
    with_seats: Numbers
    with_score: Numbers
    without_seats: Numbers
    without_score: Numbers

    def half(self, odd: int) -> Versus:
        """Return the counts of every other block."""
        by_block = ("with_seats", "with_score", "without_seats", "without_score")
        return replace(self, **{name: getattr(self, name)[:, odd::2] for name in by_block})


# --- which games


def items_of(run: Run) -> list[Item]:
    """Return the items of a run in the order of their bits: by id."""
    kind: Kind = next(kind for kind in run.game.kinds if kind.name == run.game.facts.item)
    return items_from(run.game.facts, run.small(kind.plural).to_dicts())


def items_from(facts: Facts, rows: Iterable[Mapping[str, Any]]) -> list[Item]:
    """Return the items that rows of a catalog's listing tell of, in the order of their bits: by id."""
    named = facts.item_columns
    return [
        Item(
            int(row["id"]),
            str(row["name"]),
            int(row[named.cost]) if named.cost else None,
            int(row[named.score]) if named.score else None,
        )
        for row in sorted(rows, key=lambda row: int(row["id"]))
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
    refuse_chosen(runs)
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


# --- counting


def count_items(
    runs: Sequence[Run], cells: Sequence[PlannedCell], deals: tuple[int, int] | None = None
) -> list[ItemCounts]:
    """Count what happened to every item in some cells, one result per number of players.

    `deals` are the first game index that counts, and the first that does not any more.
    """
    source = _Source(runs)
    found = []
    for players in sorted({cell.players for cell in cells}):
        own = [cell for cell in cells if cell.players == players]
        con = connect()
        source.prepare(con, [(cell.id, 0) for cell in own], deals)
        held = source.held(con, 1, "opening", "drawn")
        dealt, later = source.halves
        opening, opening_score = _scored(held[0, :, :, dealt], players)
        drawn, drawn_score = _scored(held[0, :, :, later], players)
        built, built_score, built_opening = source.acquired(con, players)
        found.append(
            ItemCounts(
                players,
                *source.size(con),
                opening,
                opening_score,
                drawn,
                drawn_score,
                built,
                built_score,
                built_opening,
                *source.prices(con),
            )
        )
    return found


def count_versus(runs: Sequence[Run], cells: Sequence[PlannedCell]) -> list[Versus]:
    """Count openings with and without each variant; where nothing can be compared, no player count.

    A cell counts if the same combination without one variant was played too, and then for that variant.
    Only deals that all of these cells have played count, so that both sides had the same cards.
    """
    source = _Source(runs)
    if not source.facts.mask("opening"):
        raise UsageError(f"{source.facts.title} deals no {source.facts.items} before the first decision")
    found = []
    for players in sorted({cell.players for cell in cells}):
        sides = _sides([cell for cell in cells if cell.players == players])
        if not sides.names:
            continue
        con = connect()
        source.prepare(con, sides.groups, _common(runs, {number for number, _ in sides.groups}))
        held = source.held(con, sides.count, "opening")
        seats, score = _scored(held, players)
        (with_seats, without_seats), (with_score, without_score) = sides.split(seats), sides.split(score)
        found.append(Versus(players, sides.names, with_seats, with_score, without_seats, without_score))
    return found


@dataclass(frozen=True)
class _Sides:
    """Which cell counts where: the first groups are "with a variant", the others single combinations."""

    names: tuple[str, ...]
    groups: list[tuple[int, int]]
    """Cell and group."""
    counterparts: list[list[int]]
    """For each variant, the groups without it, one for each combination that has a counterpart."""

    @property
    def count(self) -> int:
        return 1 + max((group for _, group in self.groups), default=-1)

    def split(self, counted: Numbers) -> tuple[Numbers, Numbers]:
        """Return the counts with each variant and without it."""
        import numpy as np

        without = [counted[groups].sum(axis=0) for groups in self.counterparts]
        return counted[: len(self.names)], np.stack(without)


def _sides(cells: Sequence[PlannedCell]) -> _Sides:
    """Match every combination with the same one without a variant, as far as both were played."""
    by_combination: dict[Combination, list[int]] = {}
    for cell in cells:
        by_combination.setdefault(tuple(sorted(cell.variants)), []).append(cell.id)
    matched = [
        (variant, combination, rest)
        for combination in sorted(by_combination)
        for variant in combination
        if (rest := tuple(name for name in combination if name != variant)) in by_combination
    ]
    names = tuple(sorted({variant for variant, _, _ in matched}))
    rests = {rest: len(names) + k for k, rest in enumerate(sorted({rest for _, _, rest in matched}))}
    groups = {
        (number, names.index(variant))
        for variant, combination, _ in matched
        for number in by_combination[combination]
    }
    groups |= {(number, group) for rest, group in rests.items() for number in by_combination[rest]}
    counterparts = [[rests[rest] for variant, _, rest in matched if variant == name] for name in names]
    return _Sides(names, sorted(groups), counterparts)


def _common(runs: Sequence[Run], cells: set[int]) -> tuple[int, int]:
    """Return the first deal that all of some cells have, and the first that one of them has not."""
    ranges: dict[int, tuple[int, int]] = {}
    for cell in (cell for run in runs for cell in run.plan.cells if cell.games and cell.id in cells):
        low, high = ranges.get(cell.id, (cell.first, cell.first))
        ranges[cell.id] = min(low, cell.first), max(high, cell.first + cell.deals)
    return max(low for low, _ in ranges.values()), min(high for _, high in ranges.values())


def _scored(held: Numbers, players: int) -> tuple[Numbers, Numbers]:
    """Return seats and scores from counts by outcome, the last axis but one."""
    return held.sum(axis=-2), players * held[..., _WON, :] + held[..., _STALLED, :]


class _Source:
    """The files of some runs, and how their columns are called."""

    def __init__(self, runs: Sequence[Run]) -> None:
        self.run = runs[0]
        self.facts: Facts = self.run.game.facts
        opening, drawn = self.facts.mask("opening"), self.facts.mask("drawn")
        self.ids = [item.id for item in items_of(self.run)]
        for words in (opening, drawn):
            if words and len(self.ids) > _WORD * len(words):
                raise UsageError(f"{len(self.ids)} {self.facts.items} do not fit into {len(words)} words")
        self.acquiring = acquired_table(self.facts)
        self.files = {
            table.name: sqltext.parquet(path for run in runs for path in run.files(table.name))
            for table in self.facts.tables
        }

    @property
    def halves(self) -> tuple[slice, slice]:
        """Where the counts of openings lie, and those of what came later."""
        return slice(0, len(self.ids)), slice(len(self.ids), None)

    def column(self, table: str, role: str) -> str:
        return sqltext.name(stored_table(self.facts, table).column(role).name)

    def prepare(
        self,
        con: duckdb.DuckDBPyConnection,
        groups: Sequence[tuple[int, int]],
        deals: tuple[int, int] | None = None,
    ) -> None:
        """Tell the connection which cells count for which group, and which games have stalled."""
        con.execute("create table chosen (cell_id int, part int)")
        con.execute(f"insert into chosen values {', '.join(f'({cell}, {part})' for cell, part in groups)}")
        low, high = min(cell for cell, _ in groups), max(cell for cell, _ in groups)
        index = "(game_id // 1000) % 10000000000"
        self.where = f"cell_id between {low} and {high}"
        if deals is not None:
            self.where += f" and {index} >= {deals[0]} and {index} < {deals[1]}"
        self.block = f"({index} % {BLOCKS})::smallint"
        stalled = self.column("games", "stalled")
        con.execute(
            "create table stalled as "
            f"select game_id from {self.files['games']} where {self.where} and {stalled}"
        )

    def size(self, con: duckdb.DuckDBPyConnection) -> tuple[int, int]:
        """Return how many games and how many different deals count."""
        (row,) = con.execute(
            f"select count(*), count(distinct {self.column('games', 'index')}) "
            f"from {self.files['games']} semi join chosen using (cell_id) where {self.where}"
        ).fetchall()
        return int(row[0]), int(row[1])

    def _seats(self, *columns: str) -> str:
        """Return SQL for the seats that count, with their block and outcome."""
        outcome = (
            f"(case when {self.column('seats', 'won')} then {_WON} "
            f"when game_id in (from stalled) then {_STALLED} else {_LOST} end)::tinyint"
        )
        named = "".join(f", {sqltext.name(name)}" for name in columns)
        return (
            f"select game_id, cell_id, {self.block} as block, {outcome} as outcome{named} "
            f"from {self.files['seats']} where {self.where}"
        )

    def held(self, con: duckdb.DuckDBPyConnection, groups: int, *ways: str) -> Numbers:
        """Return how many seats hold each item in each of some ways, by group, block and outcome.

        Every seat is read once and its bits are counted where they are set: few are, of many.
        """
        import numpy as np

        counted = np.zeros((groups, BLOCKS, 3, len(ways), len(self.ids)), np.int64)
        masks = dict.fromkeys(word for way in ways for word in self.facts.mask(way))
        if not masks:
            return counted.reshape(groups, BLOCKS, 3, -1)
        seats = con.execute(self._seats(*masks)).fetchnumpy()
        parts = self._parts(con, seats["cell_id"])
        place = seats["block"].astype(np.int32) * 3 + seats["outcome"]
        for at in range(0, len(place), _SEATS_AT_ONCE):
            some = slice(at, at + _SEATS_AT_ONCE)
            places = [np.where(part[some] < 0, -1, part[some] * (3 * BLOCKS) + place[some]) for part in parts]
            for number, way in enumerate(ways):
                for k, held in enumerate(self._bits(seats, way, some)):
                    rows = np.flatnonzero(held)
                    for every in places:
                        own = every[rows]
                        found = np.bincount(own[own >= 0], minlength=groups * BLOCKS * 3)
                        counted[..., number, k] += found.reshape(groups, BLOCKS, 3)
        return counted.reshape(groups, BLOCKS, 3, -1)

    def _parts(self, con: duckdb.DuckDBPyConnection, cells: Numbers) -> list[npt.NDArray[np.int32]]:
        """Return a group for each seat, -1 for none, as often as it takes for all groups of its cell."""
        import numpy as np

        groups: dict[int, list[int]] = {}
        for cell, part in con.execute("select cell_id, part from chosen order by all").fetchall():
            groups.setdefault(cell, []).append(part)
        found = []
        for level in range(max(map(len, groups.values()), default=0)):
            table = np.full(max(int(cells.max(initial=0)), *groups, 0) + 1, -1, np.int32)
            for cell, own in groups.items():
                if level < len(own):
                    table[cell] = own[level]
            found.append(table[cells])
        return found

    def _bits(
        self, seats: Mapping[str, npt.NDArray[np.uint64]], way: str, some: slice
    ) -> Iterator[npt.NDArray[np.bool_]]:
        """Yield for each item who holds it in a way; what was drawn counts if it had not been dealt."""
        import numpy as np

        opening = self.facts.mask("opening")
        for word, name in enumerate(self.facts.mask(way)):
            held = seats[name][some]
            if way == "drawn" and opening:
                held = held & ~seats[opening[word]][some]
            count = min(_WORD, len(self.ids) - _WORD * word)
            if count <= 0:
                return
            octets = held.astype("<u8").view(np.uint8).reshape(-1, 8)
            bits = np.unpackbits(octets, axis=1, bitorder="little")[:, :count]
            yield from np.ascontiguousarray(bits.T).view(np.bool_)

    def acquired(self, con: duckdb.DuckDBPyConnection, players: int) -> tuple[Numbers, Numbers, Numbers]:
        """Return the columns of `ItemCounts` from `built` to `built_opening`: by block and item."""
        import numpy as np

        counted = np.zeros((BLOCKS, len(self.ids), 3, 2), np.int64)
        if self.acquiring is not None:
            self._make_masks(con)
            rows = con.execute(self._acquired_sql(self.acquiring)).fetchnumpy()
            counted.reshape(-1)[np.asarray(rows["place"], np.int64)] = rows["times"]
        built, score = _scored(counted.sum(axis=3).swapaxes(1, 2), players)
        return built, score, counted[..., 1].sum(axis=2)

    def _acquired_sql(self, table: Table) -> str:
        """Return SQL for how often each item was acquired, by block, outcome and whether it had been dealt.

        These are packed into one number: a group by one key takes half the time of a group by four.
        """
        words = self.facts.mask("opening")
        seat, item = self.column("seats", "seat"), self.column(table.name, "item")
        dealt = (
            " or ".join(f"{sqltext.name(word)} & mask_{k} <> 0" for k, word in enumerate(words)) or "false"
        )
        return f"""
            select ((block::int * {len(self.ids)} + bit) * 3 + outcome) * 2 + ({dealt})::int as place,
              count(*) as times
            from (from {self.files[table.name]} where {self.where}) b
            join ({self._seats(seat.strip('"'), *words)}) s
              on b.game_id = s.game_id and b.{self.column(table.name, "seat")} = s.{seat}
            join masks on masks.item = b.{item}
            semi join chosen on chosen.cell_id = b.cell_id
            group by place"""

    def prices(self, con: duckdb.DuckDBPyConnection) -> tuple[Numbers, Numbers]:
        """Return the sums of the rounds in which each item was acquired, and of what was paid."""
        import numpy as np

        rounds, paid = (np.zeros(len(self.ids), np.int64) for _ in range(2))
        table, price = self.acquiring, self.facts.item_columns.paid
        if table is None:
            return rounds, paid
        dated = any(column.role == "round" for column in table.columns)
        sums = (
            f"sum({self.column(table.name, 'round')})" if dated else "0",
            f"sum({sqltext.name(price)})" if price else "0",
        )
        place = {item: k for k, item in enumerate(self.ids)}
        for item, *own in con.execute(
            f"select {self.column(table.name, 'item')}, {', '.join(sums)} "
            f"from {self.files[table.name]} semi join chosen using (cell_id) where {self.where} group by 1"
        ).fetchall():
            rounds[place[item]], paid[place[item]] = own
        return rounds, paid

    def _make_masks(self, con: duckdb.DuckDBPyConnection) -> None:
        """Tell the connection which bit of which word is an item's."""
        words = len(self.facts.mask("opening"))
        columns = "".join(f", mask_{k} ubigint" for k in range(words))
        con.execute(f"create table masks (item int, bit int{columns})")
        masks = [
            (item, k, *(1 << k % _WORD if k // _WORD == word else 0 for word in range(words)))
            for k, item in enumerate(self.ids)
        ]
        con.executemany(f"insert into masks values ({', '.join('?' * (2 + words))})", masks)


def acquired_table(facts: Facts) -> Table | None:
    """Return the table of what was acquired, if the game has one."""
    return next((table for table in facts.tables if any(c.role == "item" for c in table.columns)), None)
