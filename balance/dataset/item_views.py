"""The views on items: what became of the seats that held each item, summed up by deal.

`item_openings` and `item_deals` have one row per lineup, players, deal and item; `item_versus` has the seats
that were dealt an item with each variant in force and in the same combinations without it. Integers
throughout: macros divide.
"""

from __future__ import annotations

from collections.abc import Sequence

from balance.dataset import sql_quote
from balance.dataset.deals import deals_files
from balance.dataset.item_sums import DEALT, ItemRows, has_items, item_list
from balance.dataset.metric_views import CountedDeals
from balance.dataset.run import Run
from balance.games.contract import Facts


def item_views(runs: Sequence[Run], counted: CountedDeals) -> dict[str, str]:
    """Return the query behind each view on items; none if the game has no items."""
    game = runs[0].game
    facts = game.facts
    if not has_items(game):
        return {}
    views = {
        "item_list": item_list(facts, sql_quote.name(facts.items)),
        "item_deals": _placed(_rows(runs, counted).everything()),
    }
    if facts.mask("opening"):
        views["item_openings"] = _placed(openings(runs, counted))
        views["item_versus"] = _versus(facts, counted)
    else:  # nobody is dealt an item: questions about openings have no rows
        columns = ", ".join(("lineup", "players", "deal", "item", *DEALT))
        views["item_openings"] = f"select {columns} from item_deals where false"
    return views


def openings(runs: Sequence[Run], counted: CountedDeals) -> str:
    """Return a query for the seats that were dealt each item, by table and deal; kept if all games count."""
    if not counted.all:
        return _rows(runs, counted).dealt()
    sums = ", ".join(f"sum({name})::bigint as {name}" for name in DEALT)
    return f"""select table_id, deal, item, {sums} from (
  select t.table_id, d.deal, unnest(d.items, recursive := true)
  from (select cell_id, deal, items from {sql_quote.parquet(deals_files(runs))} where items is not null) d
  join cell_tables t on t.cell_id = d.cell_id
) group by table_id, deal, item"""


def _rows(runs: Sequence[Run], counted: CountedDeals) -> ItemRows:
    facts = runs[0].game.facts
    tables = {
        table.name: sql_quote.parquet(file for run in runs for file in run.files(table.name))
        for table in runs[0].tables
    }
    most = max(cell.replicates for run in runs for cell in run.plan.cells)
    items = runs[0].small(facts.items).height
    return ItemRows(facts, tables, items, most, counted.where("deal(x.game_id)", "x."))


def _placed(rows: str) -> str:
    return f"""select c.lineup, c.players, d.* exclude (table_id)
from ({rows}) d join cells c on c.cell_id = d.table_id"""


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
