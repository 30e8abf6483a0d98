"""Views on two runs that played the same deals: what both sides of a deal add up to, by groups of cells.

The views of each run are in a schema of their own, `base` and `candidate`. Integers throughout: a difference
is made of them by `balance.stats.ratio`, or by the macro `difference_from`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from balance.dataset import sql_quote
from balance.dataset.measures import Fraction
from balance.dataset.parquet import Stream
from balance.dataset.run import Run
from balance.dataset.schema import stored_table
from balance.dataset.views import create_views
from balance.games.contract import Facts

if TYPE_CHECKING:
    import duckdb

_SAME_GAME: Final = 10_000_000_000_000
"""The id of a game modulo this is its deal and replicate, whatever the cell."""
_ALIKE: Final = {"1": "games", "players": "seats"}
"""Denominators that every game of a cell has alike, as columns."""
_FIGURE: Final = "'own': sums({x}, {y}), 'base': sums({u}, {v}), 'common': common({x}, {y}, {u}, {v})"
"""The sums of x of y in the candidate, of u of v in the base, and of both."""


def create_paired(
    con: duckdb.DuckDBPyConnection,
    base: Run,
    candidate: Run,
    cells: Sequence[tuple[int, int, int, int]],
    members: Sequence[tuple[int, int, bool]],
) -> None:
    """Make the views of two runs in schemas of their own, and the tables of cells and of their groups.

    `cells` have a number, players, and the id in each run; `members` are the number of a cell, its group, and
    whether it is the only one there.
    """
    for place, (name, run) in enumerate((("base", base), ("candidate", candidate)), 2):
        con.execute(f"create schema {name}; use {name}")
        create_views(con, [run], sorted(cell[place] for cell in cells), metrics=False)
    con.execute("use main")
    con.execute(sql_quote.MACROS.read_text(encoding="utf-8"))
    _fill(con, "paired", {"number": int, "players": int, "base_id": int, "candidate_id": int}, cells)
    _fill(con, "members", {"number": int, "part": int, "alone": bool}, members)


def _fill(
    con: duckdb.DuckDBPyConnection, table: str, columns: Mapping[str, type], rows: Sequence[Sequence[object]]
) -> None:
    import polars as pl

    con.register(f"{table}_rows", Stream(pl.DataFrame(rows, columns, orient="row")))
    con.execute(f"create table {table} as from {table}_rows")


def create_paired_sums(con: duckdb.DuckDBPyConnection, figures: Sequence[Fraction]) -> None:
    """Make `paired_deals`, a row for each deal of a cell, and `paired_sums`, one per group and figure.

    Cells of a group are put together by deal first: the unit is the deal.
    """
    named = dict.fromkeys(name for one in figures for name in (one.num, one.den) if name)
    both = [
        f"{side}.{sql_quote.name(name)} as {sql_quote.name(f'{side}:{name}')}"
        for side in "ab"
        for name in named
    ]
    sides = [
        f"select p.number, p.players, d.* from paired p join {side}.deals d on d.cell_id = p.{side}_id"
        for side in ("base", "candidate")
    ]
    # materialized, or DuckDB would join all cells by deal first
    con.execute(f"""create view paired_deals as
with a as materialized ({sides[0]}), b as materialized ({sides[1]})
select a.number, a.deal, a.games, a.games * a.players as seats, {", ".join(both)}
from a join b on b.number = a.number and b.deal = a.deal""")
    columns = ["games", "seats", *(sql_quote.name(f"{side}:{name}") for side in "ab" for name in named)]
    added = ", ".join(f"sum({name})::bigint as {name}" for name in columns)
    made = ",\n  ".join(map(_figure, figures))
    con.execute(f"""create view paired_sums as
with together as (
  select m.part, d.deal, {added} from paired_deals d join members m using (number)
  where not m.alone group by m.part, d.deal
)
select part, unnest([{made}], max_depth := 2) from together group by part
union all
select m.part, unnest([{made}], max_depth := 2)
from paired_deals d join members m using (number) where m.alone group by m.part""")


def _figure(one: Fraction) -> str:
    u, x = (sql_quote.name(f"{side}:{one.num}") for side in "ab")
    v, y = (sql_quote.name(f"{side}:{one.den}") if one.den else _ALIKE[one.den_sql] for side in "ab")
    sums = _FIGURE.format(x=x, y=y, u=u, v=v)
    return f"{{'measure': {sql_quote.text(one.measure.name)}, 'of': {sql_quote.text(one.of)}, {sums}}}"


def create_item_sums(con: duckdb.DuckDBPyConnection, spans: Iterable[tuple[int, str, int, int]]) -> None:
    """Make `item_sums`: of every item that both sides have, over all their cells at a table.

    `spans` are players, lineup, the first deal that all cells have and the first that one lacks.
    """
    columns = {"players": int, "lineup": str, "first_deal": int, "stop_deal": int}
    _fill(con, "spans", columns, list(spans))
    dealt, built = (
        f"{{'measure': '{name}', {_FIGURE.format(x=f'b_{x}', y=f'b_{y}', u=f'a_{x}', v=f'a_{y}')}}}"
        for name, x, y in (("dealt", "points", "opening"), ("built", "built", "held"))
    )
    sides = ", ".join(
        f"coalesce({side}.{sql}, 0) as {side}_{name}"
        for side in "ab"
        for name, sql in (("points", "opening_points"), ("opening", "opening"), ("built", "built"))
    )
    held = ", ".join(f"coalesce({side}.opening + {side}.drawn, 0) as {side}_held" for side in "ab")
    con.execute(f"""create view item_sums as
select players, lineup, item, unnest([{dealt}, {built}], max_depth := 2)
from (
  select players, lineup, deal, item, {sides}, {held}
  from base.item_deals a full join candidate.item_deals b using (players, lineup, deal, item)
) join spans using (players, lineup)
semi join base.item_list using (item) semi join candidate.item_list using (item)
where deal >= first_deal and deal < stop_deal
group by players, lineup, item""")


def create_dealt_sums(con: duckdb.DuckDBPyConnection, facts: Facts, items: Mapping[int, bool]) -> None:
    """Make `dealt_sums`: win points of the seats that were dealt an item, and of the same seats opposite.

    `items` says whether the base decides which seat was dealt it: the candidate does if it alone has it.
    """
    by_side = {side: [item for item, by_base in items.items() if by_base is side] for side in (True, False)}
    parts = [_dealt(facts, own, by_base) for by_base, own in by_side.items() if own]
    sums = _FIGURE.format(x="b", y="seats", u="a", v="seats")
    con.execute(f"""create view dealt_sums as
select part, item, unnest({{{sums}}}) from (
  select m.part, d.item, d.deal, sum(a)::bigint as a, sum(b)::bigint as b, sum(seats)::bigint as seats
  from ({" union all ".join(parts)}) d join members m using (number) group by m.part, d.item, d.deal
) group by part, item""")


def _dealt(facts: Facts, items: Sequence[int], by_base: bool) -> str:
    """Return a query for the score of seats on both sides, by cell, deal and item."""
    assert facts.holdings is not None
    seat = sql_quote.name(stored_table(facts, "seats").column("seat").name)
    item, held = sql_quote.name(facts.item), sql_quote.name(facts.holdings.name)
    asked, other = ("base", "candidate") if by_base else ("candidate", "base")
    score = {asked: "h", other: "s"}
    return f"""select p.number, h.{item} as item, deal(h.game_id) as deal, count(*) as seats,
  sum({score["base"]}.win_points) as a, sum({score["candidate"]}.win_points) as b
from {asked}.{held} h join paired p on p.{asked}_id = h.cell_id
join {other}.seats s on s.cell_id = p.{other}_id and s.{seat} = h.{seat}
  and s.game_id % {_SAME_GAME} = h.game_id % {_SAME_GAME}
where h.how = 'opening' and h.{item} in ({", ".join(map(str, items))})
group by all"""
