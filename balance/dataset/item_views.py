"""The views on items: what became of the seats that held each item, summed up by deal.

`item_deals` has one row per lineup, players, deal and item; `item_versus` has the seats that were dealt an
item with each variant in force and in the same combinations without it. Integers throughout: macros divide.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from balance.dataset import sql_quote
from balance.dataset.metric_views import CountedDeals
from balance.dataset.run import Run
from balance.games.contract import Facts, Game, Table

WORD: Final = 64
"""Items in one column of a mask."""
_LANE: Final = 16
MOST_COUNT: Final = 2**_LANE - 1
"""The largest number that one of several counts in a number can be."""
_SUMS: Final = (
    *("opening", "opening_points", "drawn", "drawn_points"),
    *("built", "built_points", "built_opening", "rounds", "paid"),
)


def item_views(runs: Sequence[Run], counted: CountedDeals) -> dict[str, str]:
    """Return the query behind each view on items; none if the game has no items."""
    game = runs[0].game
    if not any(kind.name == game.facts.item for kind in game.kinds):
        return {}
    views = {"item_list": _listed(game), "item_deals": _deals(runs, counted)}
    if game.facts.mask("opening"):
        views["item_versus"] = _versus(game.facts, counted)
    return views


def acquired_table(facts: Facts) -> Table | None:
    """Return the table of what was acquired, if the game has one."""
    return next((table for table in facts.tables if any(c.role == "item" for c in table.columns)), None)


def _listed(game: Game[Any, Any]) -> str:
    """Return a query for the items as their catalog prints them, each with its bit in the masks.

    The bit is in a list: DuckDB 2.0 breaks off with an internal error ("dict-surviving cache") where a join
    on a bit follows one with a small table; what holds a list is not cached, and so is safe.
    """
    named = game.facts.item_columns
    cost, score = (
        f"i.{sql_quote.name(name)}::int" if name else "null::int" for name in (named.cost, named.score)
    )
    return f"""select item, item_name, cost, score, place // {WORD} as word,
  (place % {WORD})::int as place,
  [1::ubigint << (place % {WORD})::ubigint] as bit
from (
  select i.id as item, i.name as item_name, {cost} as cost, {score} as score,
    row_number() over (order by i.id) - 1 as place
  from {sql_quote.name(game.facts.items)} i
)"""


def _deals(runs: Sequence[Run], counted: CountedDeals) -> str:
    """Return a query for what became of each item, by deal."""
    facts = runs[0].game.facts
    parts = []
    if facts.holdings:
        parts.append(_held(runs, counted))
    table = acquired_table(facts)
    if table is not None:
        parts.append(_acquired(runs, table, counted))
    sums = ", ".join(f"sum({name})::bigint as {name}" for name in _SUMS)
    rows = "\nunion all\n".join(parts)
    return f"""select c.lineup, c.players, d.* exclude (table_id)
from (
  select table_id, deal, item, {sums}
  from (
{rows}
  ) group by table_id, deal, item
) d join cells c on c.cell_id = d.table_id"""


def _held(runs: Sequence[Run], counted: CountedDeals) -> str:
    """Return a query for the seats that were dealt each item, and that drew it later.

    Who was dealt an item and draws it again was dealt it.
    """
    facts, item_count = runs[0].game.facts, runs[0].small(runs[0].game.facts.items).height
    stalled, won = (
        sql_quote.name(facts.table(table).column(role).name)
        for table, role in (("games", "stalled"), ("seats", "won"))
    )
    replicates = max(cell.replicates for run in runs for cell in run.plan.cells)
    at_once = max(1, MOST_COUNT // (facts.players[1] * replicates))
    opening, drawn = (
        [f"s.{sql_quote.name(mask)}" for mask in facts.mask(how)] for how in ("opening", "drawn")
    )
    later = (
        [f"{own} & ~{dealt}" for own, dealt in zip(drawn, opening, strict=True)]
        if opening and drawn
        else drawn
    )
    points = "case when stalled then 1 when won then players else 0 end"
    empty = ", ".join(f"0 as {name}" for name in _SUMS[4:])
    return f"""  select table_id, deal, item, sum(o) as opening, sum(o * {points}) as opening_points,
    sum(d) as drawn, sum(d * {points}) as drawn_points, {empty}
  from (
    select table_id, players, deal, item, won, stalled, {count_of("dealt")} as o, {count_of("later")} as d
    from (
      select t.table_id, s.players, deal(s.game_id) as deal, s.{won} as won, s.{stalled} as stalled,
        {counts_of(opening, item_count)} as dealt, {counts_of(later, item_count)} as later
      from seats s join cell_tables t on t.cell_id = s.cell_id where {counted.where("deal(s.game_id)", "s.")}
      group by t.table_id, s.players, deal(s.game_id), s.{won}, s.{stalled}, s.cell_id // {at_once}
    ), item_list
  ) group by table_id, deal, item"""


def _acquired(runs: Sequence[Run], table: Table, counted: CountedDeals) -> str:
    """Return a query for the seats that acquired each item; it reads the files, whose rows are many."""
    facts = runs[0].game.facts
    roles = {column.role: column.name for column in table.columns}
    item, seat = (sql_quote.name(roles[role]) for role in ("item", "seat"))
    seats = facts.table("seats")
    own, won = (f"s.{sql_quote.name(seats.column(role).name)}" for role in ("seat", "won"))
    words = facts.mask("opening")
    masks = " ".join(f"when {k} then s.{sql_quote.name(word)}" for k, word in enumerate(words))
    dealt = f"(case l.word {masks} end >> l.place::ubigint) & 1 = 1"
    paid = facts.item_columns.paid
    sums = {
        "built": "count(*)",
        "built_points": f"t.players * count(*) filter ({won}) + count(z.game_id)",
        "built_opening": f"count(*) filter ({dealt})" if words else "0",
        "rounds": f"sum(b.{sql_quote.name(roles['round'])})" if "round" in roles else "0",
        "paid": f"sum(b.{sql_quote.name(paid)})" if paid else "0",
    }
    every = ", ".join(f"coalesce({sums.get(name, '0')}, 0)::bigint as {name}" for name in _SUMS)
    files = {
        name: sql_quote.parquet(file for run in runs for file in run.files(name))
        for name in (table.name, "seats", "games")
    }
    stalled = sql_quote.name(facts.table("games").column("stalled").name)
    return f"""  select t.table_id, deal(b.game_id) as deal, b.{item} as item, {every}
  from {files[table.name]} b join cell_tables t on t.cell_id = b.cell_id
  join {files["seats"]} s on s.game_id = b.game_id and {own} = b.{seat}
  left join (select game_id from {files["games"]} where {stalled}) z on z.game_id = b.game_id
  join item_list l on l.item = b.{item}
  where {counted.where("deal(b.game_id)", "b.")}
  group by t.table_id, t.players, deal(b.game_id), b.{item}"""


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


def _versus(facts: Facts, counted: CountedDeals) -> str:
    """Return a query for openings with each variant and in the same combinations without it, on common deals.

    Seats are summed up by what they were dealt before the masks are unpacked: in all cells a deal gives out
    nearly the same hands.
    """
    words = [sql_quote.name(word) for word in facts.mask("opening")]
    masks = ", ".join(f"s.{word}" for word in words)
    held = " or ".join(f"l.word = {k} and h.{word} & l.bit[1] <> 0" for k, word in enumerate(words))
    return f"""with combination as (
  select c.cell_id, c.edition, c.players, c.lineup, k.variants, c.first_index, c.first_index + c.deals as stop
  from cells c join combinations k using (cell_id) where c.deals > 0 and {counted.where("0")}
), matched as (  -- a combination with a variant, and the same one without it
  select a.cell_id, a.variant, a.variants, b.cell_id as base_id
  from (select *, unnest(variants) as variant from combination) a
  join combination b on b.edition = a.edition and b.players = a.players and b.lineup = a.lineup
    and b.variants = list_filter(a.variants, lambda one: one <> a.variant)
), numbered as (
  select variant, row_number() over (order by variant) as number from (select distinct variant from matched)
), member as (
  select distinct cell_id, number, 1 as own, 0 as other from matched join numbered using (variant)
  union all
  select base_id, number, 0, count(distinct variants) from matched join numbered using (variant)
  group by base_id, number
), common as (  -- the deals that all of these cells have
  select table_id, max(first_index) as first_deal, min(stop) as stop_deal
  from combination semi join member using (cell_id) join cell_tables using (cell_id) group by table_id
), hand as (
  select t.table_id, m.number, deal(s.game_id) as deal, {masks},
    sum(own * win_points) as x, sum(own) as y, sum(other * win_points) as u, sum(other) as v
  from seats s join member m on m.cell_id = s.cell_id join cell_tables t on t.cell_id = s.cell_id
  join common c on c.table_id = t.table_id
  where deal(s.game_id) >= first_deal and deal(s.game_id) < stop_deal
  group by t.table_id, m.number, deal(s.game_id), {masks}
)
select c.lineup, c.players, n.variant, d.* exclude (table_id, number) from (
  select h.table_id, h.number, h.deal, l.item, sum(x)::bigint as x, sum(y)::bigint as y,
    sum(u)::bigint as u, sum(v)::bigint as v
  from hand h join item_list l on {held}
  group by h.table_id, h.number, h.deal, l.item
) d join cells c on c.cell_id = d.table_id join numbered n using (number)"""
