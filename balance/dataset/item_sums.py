"""What became of each item, by deal: sums over the seats that were dealt it, drew it later, or acquired it.

Queries over the tables as stored, in a connection with `cell_tables`, `item_list` and the macros. A sweep
leaves the sums of `dealt` in `deals`; where only some games count, they are behind the views on items.
Integers throughout.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from balance.dataset import sql_quote
from balance.games.contract import Facts, Game, Table

WORD: Final = 64
"""Items in one column of a mask."""
_LANE: Final = 16
MOST_COUNT: Final = 2**_LANE - 1
DEALT: Final = ("opening", "opening_points", "built_opening")
"""Of the seats that were dealt an item: how many, their win points, how often they acquired it."""
_DRAWN: Final = ("drawn", "drawn_points")
_ACQUIRED: Final = ("built", "built_points", "rounds", "paid")


def has_items(game: Game[Any, Any]) -> bool:
    """Return whether a game has items."""
    return any(kind.name == game.facts.item for kind in game.kinds)


def acquired_table(facts: Facts) -> Table | None:
    """Return the table of what was acquired, if the game has one."""
    return next((table for table in facts.tables if any(c.role == "item" for c in table.columns)), None)


def cell_tables(cells: str) -> str:
    """Return SQL for the lineup and the number of players of each cell as one number, the first such cell.

    To group by numbers takes a tenth of the time.
    """
    return f"""select cell_id, players, min(cell_id) over (partition by lineup, players) as table_id
from {cells}"""


def item_list(facts: Facts, rows: str) -> str:
    """Return SQL for the items as their catalog prints them, each with its bit in the masks.

    The bit is in a list: DuckDB 2.0 breaks off with an internal error ("dict-surviving cache") where a join
    on a bit follows one with a small table; what holds a list is not cached, and so is safe.
    """
    named = facts.item_columns
    cost, score = (
        f"i.{sql_quote.name(name)}::int" if name else "null::int" for name in (named.cost, named.score)
    )
    return f"""select item, item_name, cost, score, place // {WORD} as word,
  (place % {WORD})::int as place,
  [1::ubigint << (place % {WORD})::ubigint] as bit
from (
  select i.id as item, i.name as item_name, {cost} as cost, {score} as score,
    row_number() over (order by i.id) - 1 as place
  from {rows} i
)"""


@dataclass(frozen=True)
class ItemRows:
    """The rows that sums of items are made of."""

    facts: Facts
    tables: Mapping[str, str]
    items: int
    games_of_deal: int
    where: str = "true"
    """Which rows of `x` count, by cell and game."""

    def held(self, how: str) -> str:
        """Return SQL for how many seats held each item in a way, and their win points.

        Who was dealt an item and draws it again was dealt it.
        """
        masks = [f"x.{sql_quote.name(mask)}" for mask in self.facts.mask(how)]
        if how == "drawn":
            dealt = [f" & ~x.{sql_quote.name(mask)}" for mask in self.facts.mask("opening")]
            masks = [own + without for own, without in zip(masks, dealt or [""] * len(masks), strict=True)]
        at_once = max(1, MOST_COUNT // (self.facts.players[1] * self.games_of_deal))
        won = f"x.{self._column('seats', 'won')}"
        return f"""select table_id, deal, item, sum(n) as held,
    sum(n * case when stalled then 1 when won then players else 0 end) as points
  from (
    select table_id, players, deal, item, won, stalled, {count_of("counts")} as n
    from (
      select t.table_id, t.players, deal(x.game_id) as deal, {won} as won, z.game_id is not null as stalled,
        {counts_of(masks, self.items)} as counts
      from {self.tables["seats"]} x {self._joined}
      where {self.where}
      group by t.table_id, t.players, deal(x.game_id), {won}, z.game_id is not null, x.cell_id // {at_once}
    ), item_list
  ) group by table_id, deal, item"""

    def dealt(self) -> str:
        """Return SQL for the sums `DEALT`."""
        words = enumerate(self.facts.mask("opening"))
        mask = " ".join(f"when {k} then s.{sql_quote.name(word)}" for k, word in words)
        built = f"""
union all
select t.table_id, deal(x.game_id), l.item, 0, 0, count(*)
{self._builders} where {self.where} and (case l.word {mask} end >> l.place::ubigint) & 1 = 1
group by t.table_id, deal(x.game_id), l.item"""
        return _added_up(f"""
select table_id, deal, item, held as opening, points as opening_points, 0 as built_opening
from ({self.held("opening")}){built if acquired_table(self.facts) else ""}""", DEALT)  # fmt: skip

    def everything(self) -> str:
        """Return SQL for all sums."""
        parts: list[tuple[str, Mapping[str, str]]] = []
        if self.facts.mask("opening"):
            parts.append((self.dealt(), {name: name for name in DEALT}))
        if self.facts.mask("drawn"):
            parts.append((self.held("drawn"), {"drawn": "held", "drawn_points": "points"}))
        if acquired_table(self.facts):
            parts.append((self._acquired(), {name: name for name in _ACQUIRED}))
        names = (*DEALT, *_DRAWN, *_ACQUIRED)
        rows = "\nunion all\n".join(
            f"select table_id, deal, item, {', '.join(f'{own.get(name, 0)} as {name}' for name in names)}\n"
            f"from ({rows})"
            for rows, own in parts
        )
        return _added_up(rows, names)

    def _acquired(self) -> str:
        table = acquired_table(self.facts)
        assert table is not None
        round_ = next((column.name for column in table.columns if column.role == "round"), "")
        rounds, paid = (
            f"coalesce(sum(x.{sql_quote.name(name)}), 0)" if name else "0"
            for name in (round_, self.facts.item_columns.paid)
        )
        won = f"s.{self._column('seats', 'won')}"
        return f"""select t.table_id, deal(x.game_id) as deal, l.item, count(*) as built,
  t.players * count(*) filter ({won}) + count(z.game_id) as built_points, {rounds} as rounds, {paid} as paid
{self._builders} where {self.where} group by t.table_id, t.players, deal(x.game_id), l.item"""

    @property
    def _joined(self) -> str:
        return f"""join cell_tables t on t.cell_id = x.cell_id
left join (select game_id from {self.tables["games"]} where {self._column("games", "stalled")}) z
  on z.game_id = x.game_id"""

    @property
    def _builders(self) -> str:
        """What was acquired `x`, and the seat `s` that acquired the item `l`."""
        table = acquired_table(self.facts)
        if table is None:
            return ""
        item, seat = (self._column(table.name, role) for role in ("item", "seat"))
        return f"""from {self.tables[table.name]} x
join {self.tables["seats"]} s on s.game_id = x.game_id and s.{self._column("seats", "seat")} = x.{seat}
join item_list l on l.item = x.{item} {self._joined}"""

    def _column(self, table: str, role: str) -> str:
        return sql_quote.name(self.facts.table(table).column(role).name)


def _added_up(rows: str, names: Sequence[str]) -> str:
    sums = ", ".join(f"sum({name})::bigint as {name}" for name in names)
    return f"select table_id, deal, item, {sums}\nfrom ({rows}\n) group by table_id, deal, item"


def counts_of(masks: Sequence[str], items: int) -> str:
    """Return SQL that counts the hands of a group by item: numbers with four counts of 16 bits each.

    They are sums of every 16th bit of the masks; no more than `MOST_COUNT` hands may be put together.
    """
    sums = (
        f"sum(every_16th({mask}, {k}))::ubigint" for mask in masks[: -(-items // WORD)] for k in range(_LANE)
    )
    return f"[{', '.join(sums)}]"


def count_of(counts: str) -> str:
    """Return SQL for the count of an item of `item_list` in a list of counts."""
    number = f"{counts}[word * {_LANE} + place % {_LANE} + 1]"
    return f"coalesce(({number} >> (place // {_LANE} * {_LANE})::ubigint) & {MOST_COUNT}, 0)"
