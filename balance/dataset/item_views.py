"""The views on items: what became of the seats that held each item, summed up by deal.

`item_deals` has one row per lineup, players, deal and item; `item_versus` has the seats that were dealt an
item with each variant in force and in the same combinations without it. Integers throughout: macros divide.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from balance.dataset import sql_quote
from balance.dataset.metric_views import CountedDeals
from balance.games.contract import Facts, Game, Table

WORD: Final = 64
"""Items in one column of a mask."""
_SUMS: Final = (
    *("opening", "opening_points", "drawn", "drawn_points"),
    *("built", "built_points", "built_opening", "rounds", "paid"),
)


def item_views(game: Game[Any, Any], counted: CountedDeals) -> dict[str, str]:
    """Return the query behind each view on items; none if the game has no items."""
    if not any(kind.name == game.facts.item for kind in game.kinds):
        return {}
    views = {"item_list": _listed(game), "item_deals": _deals(game.facts, counted)}
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


def _deals(facts: Facts, counted: CountedDeals) -> str:
    """Return a query for what became of each item, by deal."""
    where = counted.where("deal(game_id)")
    parts = []
    if facts.holdings:
        item, held = sql_quote.name(facts.item), sql_quote.name(facts.holdings.name)
        dealt, later = "how = 'opening'", "how = 'drawn' and first_time"  # dealt and drawn again: dealt
        parts.append(
            _part(
                f"h.{item}",
                f"{held} h",
                where,
                {
                    "opening": f"count(*) filter ({dealt})",
                    "opening_points": f"sum(win_points) filter ({dealt})",
                    "drawn": f"count(*) filter ({later})",
                    "drawn_points": f"sum(win_points) filter ({later})",
                },
            )
        )
    table = acquired_table(facts)
    if table is not None:
        parts.append(_acquired(facts, table, where))
    sums = ", ".join(f"sum({name})::bigint as {name}" for name in _SUMS)
    rows = "\nunion all\n".join(parts)
    return (
        f"select lineup, players, deal, item, {sums}\nfrom (\n{rows}\n) group by lineup, players, deal, item"
    )


def _acquired(facts: Facts, table: Table, where: str) -> str:
    roles = {column.role: column.name for column in table.columns}
    item, seat = (sql_quote.name(roles[role]) for role in ("item", "seat"))
    own = sql_quote.name(facts.table("seats").column("seat").name)
    paid = facts.item_columns.paid
    words = facts.mask("opening")
    dealt = " or ".join(
        f"l.word = {k} and s.{sql_quote.name(word)} & l.bit[1] <> 0" for k, word in enumerate(words)
    )
    source = (
        f"(from {sql_quote.name(table.name)} where {where}) b\n"
        f"  join (from seats where {where}) s on s.cell_id = b.cell_id"
        f" and s.game_id = b.game_id and s.{own} = b.{seat}\n  join item_list l on l.item = b.{item}"
    )
    sums = {"built": "count(*)", "built_points": "sum(s.win_points)"}
    sums["built_opening"] = f"count(*) filter ({dealt})" if words else "0"
    if "round" in roles:
        sums["rounds"] = f"sum(b.{sql_quote.name(roles['round'])})"
    if paid:
        sums["paid"] = f"sum(b.{sql_quote.name(paid)})"
    return _part(f"b.{item}", source, "true", sums, prefix="b.")


def _part(item: str, source: str, where: str, sums: Mapping[str, str], prefix: str = "") -> str:
    """Return a query for some of the sums; the others are 0."""
    every = ", ".join(f"coalesce({sums.get(name, '0')}, 0)::bigint as {name}" for name in _SUMS)
    keys = (
        f"{prefix}lineup as lineup, {prefix}players as players, deal({prefix}game_id) as deal, {item} as item"
    )
    return f"  select {keys}, {every}\n  from {source} where {where} group by 1, 2, 3, 4"


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
), member as (
  select distinct cell_id, variant, 1 as own, 0 as other from matched
  union all
  select base_id, variant, 0, count(distinct variants) from matched group by base_id, variant
), common as (  -- the deals that all of these cells have
  select lineup, players, max(first_index) as first_deal, min(stop) as stop_deal
  from combination semi join member using (cell_id) group by lineup, players
), hand as (
  select s.lineup, s.players, m.variant, deal(s.game_id) as deal, {masks},
    sum(own * win_points) as x, sum(own) as y, sum(other * win_points) as u, sum(other) as v
  from seats s join member m on m.cell_id = s.cell_id
  join common c on c.lineup = s.lineup and c.players = s.players
  where deal(s.game_id) >= first_deal and deal(s.game_id) < stop_deal
  group by s.lineup, s.players, m.variant, deal(s.game_id), {masks}
)
select h.lineup, h.players, h.variant, h.deal, l.item, sum(x)::bigint as x, sum(y)::bigint as y,
  sum(u)::bigint as u, sum(v)::bigint as v
from hand h join item_list l on {held}
group by h.lineup, h.players, h.variant, h.deal, l.item"""
