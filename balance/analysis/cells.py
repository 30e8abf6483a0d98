"""What the games of a cell add up to: whole numbers from which every metric of the cell can be computed.

One pass over the Parquet files, in SQL, a few shards at a time. The unit is the deal (a game, or the games
that share a shuffle): sums over deals of two numbers and of their products are enough for a share, a mean or
a ratio and its variance. Everything is an integer and adds up in any order, so the same runs give the same
numbers on every machine. Columns are found by their roles; must stay free of thresholds and verdicts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, TypeVar

from balance.analysis.winpoints import Tally
from balance.dataset import sqltext
from balance.dataset.plan import PlannedCell
from balance.dataset.run import Run
from balance.dataset.schema import stored_table
from balance.errors import UsageError
from balance.games.contract import Facts, Game
from balance.games.lineup import parse_lineup

if TYPE_CHECKING:
    import duckdb

__all__ = [
    "DEAL_OF_GAME",
    "DEFICITS",
    "PAIRED",
    "CellStatistics",
    "Layout",
    "Paired",
    "Part",
    "Statistics",
    "Sums",
    "batches",
    "by_deal",
    "connect",
    "layout_of",
    "planned_cells",
    "refuse_chosen",
    "statistics",
]

DEFICITS: Final = ((1, 1), (2, 3), (4, 7), (8, 15), (16, 2**31))
"""How many points a seat can be behind at half-time, in classes: ends included."""
PAIRED: Final = ("length", "money", "hand")
"""What is compared with games without variants, deal by deal."""
DEAL_OF_GAME: Final = "(game_id // 1000 % 10000000000)"
"""SQL for the index of the deal of a row of games or seats."""
_SHARDS_AT_ONCE: Final = 4
"""A shard has at most 450,000 seats; a few of them stay well below the memory limit."""
_MEMORY: Final = "1500MB"


@dataclass(frozen=True, slots=True)
class Sums:
    """How much (`num`) of how many (`den`), over deals, with what their variance needs."""

    deals: int = 0
    num: int = 0
    den: int = 0
    num2: int = 0
    """Sums over deals of squares and of the product."""
    den2: int = 0
    cross: int = 0

    def __add__(self, other: Sums) -> Sums:
        return Sums(
            self.deals + other.deals,
            self.num + other.num,
            self.den + other.den,
            self.num2 + other.num2,
            self.den2 + other.den2,
            self.cross + other.cross,
        )

    @classmethod
    def of(cls, nums: Iterable[int], dens: Iterable[int]) -> Sums:
        """Sum up deals that are at hand one by one.

        >>> Sums.of([1, 0, 2], [2, 2, 3])
        Sums(deals=3, num=3, den=7, num2=5, den2=17, cross=8)
        """
        pairs = [(int(num), int(den)) for num, den in zip(nums, dens, strict=True)]
        return cls(
            len(pairs),
            sum(num for num, _ in pairs),
            sum(den for _, den in pairs),
            sum(num * num for num, _ in pairs),
            sum(den * den for _, den in pairs),
            sum(num * den for num, den in pairs),
        )

    def tally(self, players: int) -> Tally:
        """Return the same as a tally of win points: scores in units of 1/players of a win, and seats."""
        return Tally(players, self.deals, self.den, self.num, self.den2, self.num2, self.cross)


@dataclass(frozen=True, slots=True)
class Paired:
    """Sums of a cell and of its baseline over the deals that both have played."""

    deals: int = 0
    own: int = 0
    base: int = 0
    product: int = 0

    def __add__(self, other: Paired) -> Paired:
        return Paired(
            self.deals + other.deals,
            self.own + other.own,
            self.base + other.base,
            self.product + other.product,
        )


@dataclass(frozen=True)
class CellStatistics:
    """One cell: what its games add up to."""

    id: int
    players: int
    variants: tuple[str, ...]
    lineup: str
    replicates: int
    """Games of each deal."""
    deals: int = 0
    lengths: Mapping[int, int] = field(default_factory=dict)
    """How many games lasted so many rounds."""
    lead_changes: Mapping[int, int] = field(default_factory=dict)
    sums: Mapping[str, Sums] = field(default_factory=dict)
    """By name: `stalled`, `action:work`, `policy:adaptive` ...; docs/metrics.md tells all."""
    paired: Mapping[str, Paired] = field(default_factory=dict)
    """With the cell without variants of the same players and lineup, if that is at hand."""
    wins_within: Mapping[tuple[int, ...], int] = field(default_factory=dict)
    """How many deals had these wins by seat among their replicates; only where deals were replicated."""

    @property
    def games(self) -> int:
        """How many games."""
        return self.deals * self.replicates

    def __str__(self) -> str:
        return f"{self.players} players, {' + '.join(self.variants) or 'plain'}, {self.lineup}"


@dataclass(frozen=True)
class Statistics:
    """The cells of one or several runs that are read together."""

    facts: Facts
    cells: Mapping[int, CellStatistics]

    def find(self, players: int, variants: Sequence[str], lineup: str) -> CellStatistics | None:
        """Return the cell with these variants, if it was played."""
        return self._by_key.get((players, tuple(variants), lineup))

    @cached_property
    def _by_key(self) -> dict[tuple[int, tuple[str, ...], str], CellStatistics]:
        return {(c.players, c.variants, c.lineup): c for c in self.cells.values()}

    def baseline(self, cell: CellStatistics) -> CellStatistics | None:
        """Return the cell without variants of the same players and lineup; None if there is none."""
        return self.find(cell.players, (), cell.lineup)


# --- which columns, and what is made of them


@dataclass(frozen=True, slots=True)
class Part:
    """One number per game, and of how many it is a part: both SQL over a row per game."""

    name: str
    num: str
    den: str
    """A constant of the cell (`1`, `players`) or a column."""

    @property
    def constant(self) -> bool:
        """Whether the denominator is the same in every game of a cell."""
        return self.den in ("1", "players")


@dataclass(frozen=True)
class Layout:
    """The names of a game's columns, and the numbers that are made of them."""

    facts: Facts
    policies: tuple[str, ...]
    """Those that meet others in some lineup."""
    replicated: bool = True
    """Whether a deal may have several games."""
    items: tuple[int, ...] = ()
    """The items that are counted in opening hands, all of the catalog in order of id, or none."""

    @property
    def seats(self) -> range:
        """The seats of the largest table."""
        return range(self.facts.players[1])

    def column(self, table: str, role: str) -> str:
        """Return the column of a role, quoted."""
        return sqltext.name(stored_table(self.facts, table).column(role).name)

    @cached_property
    def parts(self) -> list[Part]:
        """Return everything that is summed over games."""
        m = self.facts.measures
        found = [Part("length", "length", "1"), Part("stalled", "stalled", "1")]
        if m.extension:
            found.append(Part("extended", "(extension > 0)::int", "1"))
        if m.lead_changes:
            found.append(Part("no_lead_change", "(lead_changes = 0)::int", "1"))
        if m.exhausted:
            found.append(Part("exhausted", "exhausted", "1"))
        found += [Part(name, name, "players") for name in ("money", "hand") if getattr(m, name)]
        if m.chosen:
            found += [Part(f"action:{a}", f"a{k}", "choices") for k, a in enumerate(self.facts.actions)]
        if m.half_score:
            found.append(Part("half_leader", "leader_won", "sole_leader"))
            found += [Part(f"comeback:{low}", f"back{low}", f"behind{low}") for low, _ in DEFICITS]
        found += [Part(f"seat:{k}", f"if(stalled = 1, 1, players * s{k})", "1") for k in self.seats]
        for k, policy in enumerate(self.policies):
            found.append(Part(f"policy:{policy}", f"score{k}", f"held{k}"))
            found.append(Part(f"beside:{policy}", f"beside{k}", f"around{k}"))
        for item in self.items:
            won = f"if(stalled = 1, dealt{item}, players * dealt_won{item})"
            found.append(Part(f"item:{item}", won, f"dealt{item}"))
        return found

    # --- the rows

    def per_game(self, games: str, seats: str, where: str = "true") -> str:
        """Return SQL for one row per game, from the files (as SQL) of both tables."""
        m = self.facts.measures
        own = [
            f"{self.column('games', 'index')} as deal",
            f"{self.column('games', 'players')}::int as players",
            f"{self.column('games', 'length')}::int as length",
            f"{self.column('games', 'outcome')}::int as winner",
            f"{self.column('games', 'stalled')}::int as stalled",
        ]
        own += [
            f"{sqltext.name(name)}::int as {alias}"
            for name, alias in (
                (m.extension, "extension"),
                (m.lead_changes, "lead_changes"),
                (m.exhausted, "exhausted"),
            )
            if name
        ]
        return f"""
            with seated as (
              select game_id, {", ".join(self._seated())}
              from {seats} where {where} group by game_id
            ), joined as (
              select g.cell_id, {", ".join(own)}, seated.* exclude (game_id)
              from (select * from {games} where {where}) g join seated using (game_id)
            ), looked as (
              select *, {", ".join(self._looked())} from joined
            ), counted as (
              select *, {", ".join(self._counted())} from looked
            )
            select * from counted"""

    def _seated(self) -> list[str]:
        """Return what is summed over the seats of a game, and what each seat brings."""
        m = self.facts.measures
        seat = self.column("seats", "seat")
        found = [
            f"sum({sqltext.name(name)})::bigint as {alias}"
            for name, alias in ((m.money, "money"), (m.hand, "hand"))
            if name
        ]
        found += [f"sum({sqltext.name(name)})::int as a{k}" for k, name in enumerate(m.chosen)]
        if m.half_score:
            half = sqltext.name(m.half_score)
            found += [f"max(if({seat} = {k}, {half}, null))::int as v{k}" for k in self.seats]
        if self.policies:
            cases = " ".join(f"when {sqltext.text(name)} then {k}" for k, name in enumerate(self.policies))
            number = f"case {self.column('seats', 'policy')} {cases} end"
            found += [f"max(if({seat} = {k}, {number}, null))::tinyint as p{k}" for k in self.seats]
        won = self.column("seats", "won")
        for k, item in enumerate(self.items):
            word = sqltext.name(self.facts.mask("opening")[k // 64])
            dealt = f"(({word} >> {k % 64}::utinyint) & 1)::int"
            found.append(f"sum({dealt})::int as dealt{item}")
            found.append(f"sum(if({won}, {dealt}, 0))::int as dealt_won{item}")
        return found or ["count(*) as rows_held"]

    def _looked(self) -> list[str]:
        """Return what follows from one game's row: who won, who led, who sat beside the winner."""
        m = self.facts.measures
        found = [f"coalesce((winner = {k})::int, 0) as s{k}" for k in self.seats]
        if m.chosen:
            found.append(" + ".join(f"a{k}" for k in range(len(m.chosen))) + " as choices")
        if m.half_score:
            found.append(f"greatest({', '.join(f'v{k}' for k in self.seats)}) as top")
            found.append(f"{_case('winner', self.seats, 'v')} as own_half")
        if self.policies:
            beside = ("winner", "(winner + 1) % players", "(winner + players - 1) % players")
            names = ("won_by", "left_by", "right_by")
            found += [
                f"{_case(at, self.seats, 'p')} as {name}" for at, name in zip(beside, names, strict=True)
            ]
            for number in range(len(self.policies)):
                count = " + ".join(f"coalesce((p{k} = {number})::int, 0)" for k in self.seats)
                found.append(f"{count} as held{number}")
        return found

    def _counted(self) -> list[str]:
        """Return the counts that need what `_looked` has found."""
        found = ["1 as one"]
        if self.facts.measures.half_score:
            leaders = " + ".join(f"coalesce((v{k} = top)::int, 0)" for k in self.seats)
            found.append(f"({leaders} = 1)::int as sole_leader")
            found.append(f"({leaders} = 1 and coalesce(own_half = top, false))::int as leader_won")
            for low, high in DEFICITS:
                behind = [f"coalesce((top - v{k} between {low} and {high})::int, 0)" for k in self.seats]
                found.append(f"{' + '.join(behind)} as behind{low}")
                found.append(f"coalesce((top - own_half between {low} and {high})::int, 0) as back{low}")
        for k in range(len(self.policies)):
            won = f"coalesce((won_by = {k})::int, 0)"
            near = f"coalesce((left_by = {k})::int, 0) + coalesce((right_by = {k})::int, 0)"
            found.append(f"if(stalled = 1, held{k}, players * {won}) as score{k}")
            # with three everybody is a neighbour: nothing to compare
            found.append(f"if(players > 3 and stalled = 0, (players - 1) * ({near}), 0) as beside{k}")
            found.append(f"if(players > 3 and stalled = 0, 2 * (held{k} - {won}), 0) as around{k}")
        return found

    def per_deal(self, games: str, seats: str, where: str = "true") -> str:
        """Return SQL for one row per deal with the numbers of every part, sums over the deal's games."""
        named = {f"n:{part.name}": part.num for part in self.parts}
        named |= {f"d:{part.den}": part.den for part in self.parts if not part.constant}
        rows = self.per_game(games, seats, where)
        if not self.replicated:  # a deal is a game
            made = [f"({sql})::bigint as {sqltext.name(name)}" for name, sql in named.items()]
            return f"select cell_id, deal, {', '.join(made)} from ({rows})"
        made = [f"sum({sql})::bigint as {sqltext.name(name)}" for name, sql in named.items()]
        return f"select cell_id, deal, {', '.join(made)} from ({rows}) group by cell_id, deal"


def _case(what: str, seats: Iterable[int], prefix: str) -> str:
    """Return SQL that picks the column of a seat."""
    return f"case {what} {' '.join(f'when {k} then {prefix}{k}' for k in seats)} end"


# --- reading

Observe = Callable[["duckdb.DuckDBPyConnection", Layout], None]
"""Looks at the table `deals`, whose columns the layout tells."""


def connect() -> duckdb.DuckDBPyConnection:
    """Return a connection of its own, within the memory that an analysis may take."""
    import duckdb

    con = duckdb.connect(
        ":memory:", config={"memory_limit": _MEMORY, "autoinstall_known_extensions": "false"}
    )
    con.execute("set preserve_insertion_order = false")
    con.execute("set enable_progress_bar = false")  # it would be drawn into the output
    return con


def statistics(
    runs: Sequence[Run],
    cells: Iterable[int] | None = None,
    con: duckdb.DuckDBPyConnection | None = None,
    *,
    items: bool = False,
    within: Mapping[int, tuple[int, int]] | None = None,
    observe: Observe | None = None,
) -> Statistics:
    """Return what the games of every cell (or of some, and their baselines) add up to.

    With `items` also what every item in an opening hand has won: dozens of sums more, for a few cells.
    With `within` only some deals of some cells count: from an index up to the one before another, by cell.
    `observe` is called for every few shards, while the temporary table `deals` holds their deals: that takes
    most of the time, so what else is made of deals need not do it again.
    """
    if not runs:
        raise UsageError("no run is given")
    refuse_chosen(runs)
    planned = planned_cells(runs, None if cells is None else set(cells))
    con = con or connect()
    layout = layout_of(runs[0], planned, items=items)
    counted = _within(within or {})
    where = counted if cells is None else f"cell_id in (select cell_id from planned) and {counted}"
    _make_cells_table(con, planned, runs[0].game)
    plain = [cell.id for cell in planned.values() if not cell.variants]
    by_deal(con, layout, runs, "plain", plain, counted)
    sums, paired = _summed(con, layout, runs, planned, counted, observe)
    lengths = _histogram(con, runs, layout.column("games", "length"), where)
    leads: dict[int, dict[int, int]] = {}
    if layout.facts.measures.lead_changes:
        leads = _histogram(con, runs, sqltext.name(layout.facts.measures.lead_changes), where)
    wins = _wins_within(con, layout, runs, planned, counted)
    return Statistics(
        layout.facts,
        {
            number: CellStatistics(
                number,
                cell.players,
                cell.variants,
                cell.lineup,
                cell.replicates,
                sum(lengths.get(number, {}).values()) // cell.replicates,
                lengths.get(number, {}),
                leads.get(number, {}),
                sums.get(number, {}),
                paired.get(number, {}),
                wins.get(number, {}),
            )
            for number, cell in sorted(planned.items())
        },
    )


def _within(within: Mapping[int, tuple[int, int]]) -> str:
    """Return SQL for whether a row of games or seats is of a deal that counts."""
    if not within:
        return "true"
    cells: dict[tuple[int, int], list[int]] = {}
    for number, deals in within.items():
        cells.setdefault(deals, []).append(number)
    cases = " ".join(
        f"when cell_id in ({', '.join(map(str, sorted(own)))}) "
        f"then {DEAL_OF_GAME} >= {first} and {DEAL_OF_GAME} < {stop}"
        for (first, stop), own in sorted(cells.items())
    )
    return f"(case {cases} else true end)"


def refuse_chosen(runs: Sequence[Run]) -> None:
    """Refuse runs that say nothing of games in general, because their deals were chosen."""
    for run in runs:
        if run.plan.chosen:
            raise UsageError(f"{run.path} says nothing of games in general: its deals were chosen")


def planned_cells(runs: Sequence[Run], wanted: set[int] | None = None) -> dict[int, PlannedCell]:
    """Return the cells that were played and are asked for, with their baselines, by id."""
    found: dict[int, PlannedCell] = {}
    for cell in (cell for run in runs for cell in run.plan.cells if cell.games):
        found.setdefault(cell.id, cell)
    if wanted is None:
        return found
    unknown = sorted(wanted - set(found))
    if unknown:
        raise UsageError(f"there is no cell {unknown[0]} with games in these runs")
    plain = {(cell.players, cell.lineup): cell.id for cell in found.values() if not cell.variants}
    bases = {plain.get((found[k].players, found[k].lineup), k) for k in wanted}
    return {number: found[number] for number in sorted(wanted | bases)}


def layout_of(run: Run, planned: Mapping[int, PlannedCell], *, items: bool = False) -> Layout:
    """Return the layout of a game, with the policies of all lineups in which different ones meet."""
    facts = run.game.facts
    met: set[str] = set()
    for players, lineup in {(cell.players, cell.lineup) for cell in planned.values()}:
        seated = parse_lineup(lineup, players, run.game)
        met |= set(seated.policies) if seated.mixed else set()
    order = {name: k for k, name in enumerate(facts.policies)}
    policies = tuple(sorted(met, key=lambda name: (order.get(name, len(order)), name)))
    counted = sorted(run.small(facts.items)["id"].to_list()) if items and facts.mask("opening") else []
    replicated = any(cell.replicates > 1 for cell in planned.values())
    return Layout(facts, policies, replicated, tuple(counted))


def _make_cells_table(
    con: duckdb.DuckDBPyConnection, planned: Mapping[int, PlannedCell], game: Game[Any, Any]
) -> None:
    """Tell the connection which cell is the baseline of which, and where different policies meet."""
    plain = {(cell.players, cell.lineup): cell.id for cell in planned.values() if not cell.variants}
    lineups = {(cell.players, cell.lineup) for cell in planned.values()}
    meet = {key: parse_lineup(key[1], key[0], game).mixed for key in lineups}
    rows = [
        f"({cell.id}, {plain.get((cell.players, cell.lineup), 'null')}, {meet[cell.players, cell.lineup]})"
        for cell in planned.values()
    ]
    con.execute("create or replace temp table planned (cell_id int, base_id int, mixed bool)")
    con.execute(f"insert into planned values {', '.join(rows)}")


def by_deal(
    con: duckdb.DuckDBPyConnection,
    layout: Layout,
    runs: Sequence[Run],
    table: str,
    cells: Sequence[int],
    where: str = "true",
) -> None:
    """Make a temporary table with one row per deal of some cells."""
    wanted = f"cell_id in ({', '.join(map(str, cells)) or '-1'}) and {where}"
    files = sqltext.parquet(f for run in runs for f in run.files("games"))
    seats = sqltext.parquet(f for run in runs for f in run.files("seats"))
    con.execute(f"create or replace temp table {table} as {layout.per_deal(files, seats, wanted)}")


def batches(runs: Sequence[Run]) -> Iterator[tuple[list[Any], list[Any]]]:
    """Yield the files of a few shards at a time, of games and of seats."""
    for run in runs:
        games, seats = run.files("games"), run.files("seats")
        for at in range(0, len(games), _SHARDS_AT_ONCE):
            yield games[at : at + _SHARDS_AT_ONCE], seats[at : at + _SHARDS_AT_ONCE]


def _summed(
    con: duckdb.DuckDBPyConnection,
    layout: Layout,
    runs: Sequence[Run],
    planned: Mapping[int, PlannedCell],
    counted: str,
    observe: Observe | None,
) -> tuple[dict[int, dict[str, Sums]], dict[int, dict[str, Paired]]]:
    """Sum up the deals of every cell, batch by batch."""
    found: dict[int, dict[str, Sums]] = {}
    paired: dict[int, dict[str, Paired]] = {}
    # half of the sums are about policies, and say nothing where all seats play alike
    for own_layout, mixed in ((layout, True), (replace(layout, policies=()), False)):
        columns, selects = _aggregates(own_layout)
        where = f"cell_id in (select cell_id from planned where mixed = {mixed}) and {counted}"
        if not con.execute(f"select count(*) from planned where mixed = {mixed}").fetchall()[0][0]:
            continue
        for games, seats in batches(runs):
            deals_sql = own_layout.per_deal(sqltext.parquet(games), sqltext.parquet(seats), where)
            if observe is not None:
                con.execute(f"create or replace temp table deals as {deals_sql}")
                observe(con, own_layout)
            rows = con.execute(f"""
                select d.cell_id, count(*), {", ".join(selects)}
                from {"deals" if observe is not None else f"({deals_sql})"} d
                join planned using (cell_id)
                left join plain b on b.cell_id = planned.base_id and b.deal = d.deal
                group by d.cell_id""").fetchall()
            for number, deals, *values in rows:
                seen = {name: int(value or 0) for name, value in zip(columns, values, strict=True)}
                _add(found.setdefault(number, {}), _sums_of(own_layout, planned[number], int(deals), seen))
                _add(paired.setdefault(number, {}), _paired_of(seen))
    con.execute("drop table if exists deals")
    return found, paired


A = TypeVar("A", Sums, Paired)


def _add(totals: dict[str, A], new: Iterable[tuple[str, A]]) -> None:
    for name, sums in new:
        totals[name] = totals[name] + sums if name in totals else sums


def _paired_of(seen: Mapping[str, int]) -> Iterator[tuple[str, Paired]]:
    for name in PAIRED:
        if f"p:{name}" in seen:
            yield name, Paired(*(seen[f"{key}:{name}"] for key in ("p", "px", "pb", "pxb")))


def _aggregates(layout: Layout) -> tuple[list[str], list[str]]:
    """Return the names of the sums over deals, and their SQL."""
    made: dict[str, str] = {}
    for part in layout.parts:
        num = f"d.{sqltext.name(f'n:{part.name}')}"
        made[f"n:{part.name}"] = f"sum({num})"
        made[f"n2:{part.name}"] = f"sum({num} * {num})"
        if not part.constant:
            den = f"d.{sqltext.name(f'd:{part.den}')}"
            made[f"d:{part.den}"] = f"sum({den})"
            made[f"d2:{part.den}"] = f"sum({den} * {den})"
            made[f"x:{part.name}"] = f"sum({num} * {den})"
        if part.name in PAIRED:
            column = sqltext.name(f"n:{part.name}")
            made[f"p:{part.name}"] = f"count(b.{column})"
            made[f"px:{part.name}"] = f"sum(if(b.{column} is null, 0, d.{column}))"
            made[f"pb:{part.name}"] = f"sum(b.{column})"
            made[f"pxb:{part.name}"] = f"sum(d.{column} * b.{column})"
    return list(made), list(made.values())


def _sums_of(
    layout: Layout, cell: PlannedCell, deals: int, seen: Mapping[str, int]
) -> Iterator[tuple[str, Sums]]:
    """Yield the sums of every part; what is the same in every game of a cell was not summed."""
    for part in layout.parts:
        num, num2 = seen[f"n:{part.name}"], seen[f"n2:{part.name}"]
        kind, _, what = part.name.partition(":")
        if kind == "seat" and int(what) >= cell.players:
            continue
        if part.constant:
            each = cell.replicates * (1 if part.den == "1" else cell.players)
            yield part.name, Sums(deals, num, deals * each, num2, deals * each * each, num * each)
        elif kind not in ("policy", "beside") or seen[f"d:{part.den}"]:
            den, den2 = seen[f"d:{part.den}"], seen[f"d2:{part.den}"]
            yield part.name, Sums(deals, num, den, num2, den2, seen[f"x:{part.name}"])


def _histogram(
    con: duckdb.DuckDBPyConnection, runs: Sequence[Run], column: str, where: str
) -> dict[int, dict[int, int]]:
    """Return how many games of each cell have each value of a column of `games`."""
    files = sqltext.parquet(f for run in runs for f in run.files("games"))
    rows = con.execute(
        f"select cell_id, {column}::int as value, count(*) from {files} where {where} "
        "group by all order by all"
    ).fetchall()
    found: dict[int, dict[int, int]] = {}
    for number, value, count in rows:
        found.setdefault(number, {})[value] = count
    return found


def _wins_within(
    con: duckdb.DuckDBPyConnection,
    layout: Layout,
    runs: Sequence[Run],
    planned: Mapping[int, PlannedCell],
    counted: str,
) -> dict[int, dict[tuple[int, ...], int]]:
    """Return how wins were spread over seats within deals, where a deal was replicated and not rotated."""
    game = runs[0].game
    again = [
        cell
        for cell in planned.values()
        if cell.replicates > 1 and parse_lineup(cell.lineup, cell.players, game).rotations == 1
    ]
    if not again:
        return {}
    files = sqltext.parquet(f for run in runs for f in run.files("games"))
    winner, deal = layout.column("games", "outcome"), layout.column("games", "index")
    wins = ", ".join(f"count(*) filter (where {winner} = {k}) as w{k}" for k in layout.seats)
    rows = con.execute(f"""
        select cell_id, {", ".join(f"w{k}" for k in layout.seats)}, count(*) from (
          select cell_id, {wins} from {files}
          where cell_id in ({", ".join(str(cell.id) for cell in again)}) and {counted}
          group by cell_id, {deal}
        ) group by all order by all""").fetchall()
    found: dict[int, dict[tuple[int, ...], int]] = {}
    for number, *pattern, count in rows:
        seats = tuple(int(wins) for wins in pattern[: planned[number].players])
        found.setdefault(number, {})[seats] = count
    return found
