"""The views on what is judged over everything that was played: seats, and items of the opening hand.

At the tables of the default player alone: neither is judged anywhere else. `metric_items` has sums per cell,
`metric_pools` sums over all cells with the same players. Integers throughout.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from balance.dataset import sql_quote
from balance.dataset.item_sums import MOST_COUNT, count_of, counts_of
from balance.dataset.item_views import openings
from balance.dataset.measures import declared, fractions
from balance.dataset.metric_views import CountedDeals
from balance.dataset.run import Run
from balance.games.contract import Facts
from balance.games.measures import Measure


def pooled_views(runs: Sequence[Run], counted: CountedDeals) -> dict[str, str]:
    """Return the query behind each view, in an order in which they can be made."""
    game = runs[0].game
    planned = [cell for run in runs for cell in run.plan.cells if cell.games]
    default = [cell for cell in planned if cell.lineup == game.facts.default_lineup]
    lineup = f"lineup = {sql_quote.text(game.facts.default_lineup)}" if default else "true"
    views = {}
    if game.facts.mask("opening"):
        replayed = any(cell.replicates > 1 for cell in default or planned)
        which = f"{lineup} and {counted.where('deal(game_id)')}"
        views["metric_items"] = _items_by_deal(game.facts, which) if replayed else _items(runs[0], which)
    return views | {"metric_pools": _pools(runs, declared(game.facts), counted, lineup)}


def _items_by_deal(facts: Facts, which: str) -> str:
    assert facts.holdings is not None
    item, held = sql_quote.name(facts.item), sql_quote.name(facts.holdings.name)
    return f"""select cell_id, players, 'item' as measure, item::varchar as "of", players::double as most,
  unnest(sums(points, seats))
from (
  select cell_id, players, deal(game_id) as deal, {item} as item, sum(win_points) as points, count(*) as seats
  from {held} where how = 'opening' and {which}
  group by cell_id, players, deal(game_id), {item}
) group by cell_id, players, item"""


def _items(run: Run, which: str) -> str:
    """Return a query for the same where every deal is one game: an item is in one hand, so it is counted."""
    facts = run.game.facts
    stalled = sql_quote.name(facts.table("games").column("stalled").name)
    won = sql_quote.name(facts.table("seats").column("won").name)
    counts = counts_of(
        [sql_quote.name(mask) for mask in facts.mask("opening")], run.small(facts.items).height
    )
    return f"""with hands as (
  select cell_id, players, {won} as won, {stalled} as stalled, {counts} as counts
  from seats where {which}
  group by cell_id, players, {won}, {stalled}, deal(game_id) // {MOST_COUNT // facts.players[1]}
), dealt as (
  select cell_id, players, item, won, stalled, {count_of("counts")} as n
  from hands, item_list
), counted as (
  select cell_id, players, item, sum(n) as n, coalesce(sum(n) filter (won), 0) as won,
    coalesce(sum(n) filter (stalled), 0) as stalled
  from dealt group by cell_id, players, item
)
select cell_id, players, 'item' as measure, item::varchar as "of", players::double as most, n as deals,
  players * won + stalled as num, n as den, players * players * won + stalled as num2, n as den2,
  players * won + stalled as numden
from counted where n > 0"""


_DRY: Final = "exhaustion"


def _pools(runs: Sequence[Run], measures: Sequence[Measure], counted: CountedDeals, lineup: str) -> str:
    """Return a query for sums by deal over all cells with the same players: what is judged over everything.

    Win points of seats, apart where the deck runs dry in most games, and of the seats that were dealt each
    item. At the same number of players a deal is the same shuffle in all cells, so that is the unit.
    """
    seats = [part for part in fractions(measures) if part.measure.name == "seat"]
    summed = ", ".join(f"sum({part.numerator}) as {part.numerator}" for part in seats)
    each = ",\n  ".join(
        f"{{'measure': 'seat', 'of': {sql_quote.text(part.of)}, 's': sums({part.numerator}, games)}}"
        for part in seats
    )
    query = f"""with dry as (
  select cell_id from metric_sums where measure = '{_DRY}' and 2 * num > den
), dealt as (
  select c.players, c.cell_id in (from dry) as dry, d.deal, sum(d.games) as games, {summed}
  from deals d join cells c on c.cell_id = d.cell_id where {lineup} group by all
)
select players, dry, measure, "of", players::double as most, deals, num, den, num2, den2, numden from (
  select players, dry, unnest([
  {each}
  ], recursive := true)
  from dealt group by players, dry
) where try_cast("of" as int) < players"""
    if not runs[0].game.facts.mask("opening"):
        return query
    return f"""{query}
union all
select players, false, 'item', item::varchar, players::double, unnest(sums(points, seats)) from (
  select c.players, deal, item, sum(opening_points) as points, sum(opening) as seats
  from ({openings(runs, counted)}) d join cells c on c.cell_id = d.table_id
  where {lineup} group by c.players, deal, item
) where seats > 0 group by players, item"""
