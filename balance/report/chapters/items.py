"""What items are worth: value against cost, over- and underpriced ones, and under which variants."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from balance.analysis.handicap import Coin
from balance.analysis.items import LEVEL, Ends, ItemInteraction, ItemValue, mispriced
from balance.dataset import sqltext
from balance.report.material import Items, Material
from balance.report.model import Block, Cell, Column, Figure, Paragraph, Section, Source, Table
from balance.report.words import count, ends, number, printed, whole

__all__ = ["interactions_table", "section", "value_sql"]

_TOP: Final = 10
_VALUE: Final = "95%, Student, from the variance between blocks of deals"


def section(m: Material) -> Section | None:
    """Return the chapter; None if the game has no items."""
    if m.items is None:
        return None
    items = m.items
    word, words = m.facts.item, m.facts.items
    known = [value for value in overall(items.values) if value.value.value is not None]
    if not known:
        return Section(
            "items",
            words.capitalize(),
            (
                Paragraph(
                    f"Chance deals no {words} before the first decision, so what one is worth cannot be "
                    "told from who "
                    "comes by it. How often each was acquired, and when:"
                ),
                _acquired(m, items),
            ),
        )
    blocks: list[Block] = [
        Paragraph(
            f"The [[value]] of {_a(word)} is what being dealt it at the start is worth, in [[win points]] "
            "beyond a fair "
            f"share: 0 is the average {word}. Chance deals, so the difference is caused by the {word}, not "
            "by who plays it. "
            f"In {m.strength_name(items.lineup)} ({items.lineup}), each number of players counting alike."
        )
    ]
    if items.coins:
        told = "; ".join(
            f"{n} players {_slope(coin)}" for n, coin in sorted(items.coins.items()) if coin.told
        )
        blocks.append(
            Paragraph(
                "A coin more at the start is worth so many win points: "
                f"{told or 'too little to be told from 0'}. By that the value is also given in coins, and "
                "as a [[fair cost]]."
            )
        )
    scatter = _scatter(m, items, known)
    blocks += [*([scatter] if scatter else []), _ranked(m, items, known)]
    blocks += _mispriced(m, items)
    blocks += _with_variants(m, items)
    return Section("items", words.capitalize(), tuple(blocks))


def _slope(coin: Coin) -> str:
    found = coin.slope.interval
    assert found is not None
    return f"{found.value:.3f} ({found.low:.3f} to {found.high:.3f})"


def _a(word: str) -> str:
    return f"an {word}" if word[:1] in "aeiou" else f"a {word}"


def overall(values: Sequence[ItemValue]) -> list[ItemValue]:
    """Return the rows over all numbers of players, or those of the only one."""
    return [value for value in values if value.players is None] or list(values)


def value_sql(m: Material, items: Items, where: str = "true", name: str = "item") -> str:
    """Return the query for the values of items: each number of players counts alike."""
    assert m.facts.holdings is not None
    item, view = sqltext.name(m.facts.item), sqltext.name(m.facts.holdings.name)
    return (
        f"select {name}, avg(value) as value, sum(seats) as seats\nfrom (\n"
        f"  select {item} as {name}, players, count(*) as seats, sum(win_points) / count(*) - 1 as value\n"
        f"  from {view} where how = 'opening' and {m.ask.scope} and {m.ask.lineup(items.lineup)} and "
        f"{where}\n"
        f"  group by all\n) group by {name} order by {name}"
    )


def _source(items: Items, sql: str, games: int | None = None) -> Source:
    return Source(count(items.games if games is None else games, "game", "games"), _VALUE, sql)


def _scatter(m: Material, items: Items, known: Sequence[ItemValue]) -> Figure | None:
    """Return value against cost; None if no item has a cost."""
    shown = [value for value in known if value.cost is not None]
    if not shown:
        return None
    assert m.facts.holdings is not None
    best = max(shown, key=lambda v: v.value.value or 0.0)
    worst = min(shown, key=lambda v: v.value.value or 0.0)
    sql = (
        value_sql(m, items)
        .replace(" as value, sum(seats) as seats", " as y")
        .replace("item,", "item as id,", 1)
    )
    return Figure(
        "value-by-cost",
        f"Value against cost of all {len(shown)} {m.facts.items}",
        "scatter",
        {
            "id": tuple(v.id for v in shown),
            "label": tuple(v.name for v in shown),
            "x": tuple(v.cost for v in shown),
            "y": tuple(v.value.value for v in shown),
            "low": tuple(v.value.low for v in shown),
            "high": tuple(v.value.high for v in shown),
            "series": tuple("told" if (v.adjusted or 1.0) <= LEVEL else "not told" for v in shown),
        },
        _source(items, sql),
        f"Dots with intervals. Highest: {best.name}, cost {best.cost}, "
        f"{printed(best.value.value, 'signed')} win points; "
        f"lowest: {worst.name}, cost {worst.cost}, {printed(worst.value.value, 'signed')}.",
        ("id",),
        x_title="printed cost",
        y_title="value in win points",
        reference=0.0,
        note=f"Filled: can be told from the average {m.facts.item}, corrected for all that were looked at.",
    )


def _ranked(m: Material, items: Items, known: Sequence[ItemValue]) -> Table:
    columns = [
        Column("rank", "", "integer"),
        Column("item", m.facts.item.capitalize(), "item"),
        Column("cost", "Cost", "integer"),
        Column("value", "Value", "interval", "Win points for being dealt it, beyond a fair share."),
        Column(
            "told", "Told", "text", "Whether it can be told from the average one, corrected for all looks."
        ),
    ]
    if items.coins:
        columns += [
            Column("money", "In coins", "interval", "As much as so many coins more at the start."),
            Column(
                "fair", "Fair cost", "interval", "An estimate: the cost at which it would be an average one."
            ),
        ]
    columns += [
        Column("built", "Built", "interval", "The share of those dealt it who acquired it."),
        Column("seats", "Dealt", "integer", "Seats that were dealt it."),
    ]
    rows = []
    for place, v in enumerate(sorted(known, key=lambda v: (-(v.value.value or 0.0), v.id)), 1):
        row = [
            whole(place),
            Cell(v.id, v.name),
            whole(v.cost),
            ends(v.value, "signed"),
            Cell((v.adjusted or 1.0) <= LEVEL, "yes" if (v.adjusted or 1.0) <= LEVEL else "no"),
        ]
        if items.coins:
            row += [ends(v.money, "signed"), ends(v.fair_cost)]
        row += [ends(v.share_built_opening, "share"), whole(v.seats)]
        rows.append(tuple(row))
    return Table(
        "values",
        f"All {len(rows)} {m.facts.items} by value",
        tuple(columns),
        tuple(rows),
        _source(items, value_sql(m, items)),
        ("item",),
        "Values are against the average; where all hands have the same size they add up to 0. The ranks "
        "next to each other "
        "are rarely told apart: look at the intervals.",
        long=True,
    )


def _mispriced(m: Material, items: Items) -> list[Block]:
    """Return what looks too cheap or too dear: chosen by one half of the deals, quoted from the other."""
    if not items.coins:
        return [Paragraph("What a coin is worth was not measured, so nothing is said of prices.")]
    quoted = {v.id: v for v in overall(items.quoted)}
    chosen = [v for v in overall(items.chosen) if mispriced(v) and v.id in quoted]
    cheap = sorted((v for v in chosen if mispriced(v) > 0), key=lambda v: (-_off(v), v.id))[:_TOP]
    dear = sorted((v for v in chosen if mispriced(v) < 0), key=lambda v: (_off(v), v.id))[:_TOP]
    found: list[Block] = [
        Paragraph(
            "What looks over- or underpriced was chosen by the deals of even number, and is quoted from "
            "those of odd number, so "
            "that luck that made it look extreme does not count twice."
        )
    ]
    for name, caption, some in (
        ("too-cheap", "Look too cheap", cheap),
        ("too-dear", "Look too expensive", dear),
    ):
        if some:
            found.append(_priced(m, items, name, caption, [quoted[v.id] for v in some]))
        else:
            found.append(Paragraph(f"{caption}: none that half of the deals could tell."))
    return found


def _off(value: ItemValue) -> float:
    return (value.fair_cost.value or 0.0) - (value.cost or 0)


def _priced(m: Material, items: Items, name: str, caption: str, some: Sequence[ItemValue]) -> Table:
    rows = tuple(
        (
            Cell(v.id, v.name),
            whole(v.cost),
            ends(v.fair_cost),
            ends(v.value, "signed"),
            ends(v.share_built_opening, "share"),
            whole(v.seats),
            Cell(mispriced(v), "yes" if mispriced(v) else "no"),
        )
        for v in some
    )
    odd = f"deal(game_id) % 2 = 1 and {sqltext.name(m.facts.item)} in ({', '.join(str(v.id) for v in some)})"
    return Table(
        name,
        caption,
        (
            Column("item", m.facts.item.capitalize(), "item"),
            Column("cost", "Cost", "integer"),
            Column(
                "fair", "Fair cost", "interval", "An estimate: the cost at which it would be an average one."
            ),
            Column("value", "Value", "interval"),
            Column("built", "Built", "interval"),
            Column("seats", "Dealt", "integer"),
            Column("holds", "Holds", "text", "Whether these deals alone say so beyond doubt."),
        ),
        rows,
        _source(items, value_sql(m, items, odd), items.games // 2),
        ("item",),
        "A fair cost is a straight line drawn far: read it as a direction.",
    )


# --- under which variants


def _with_variants(m: Material, items: Items) -> list[Block]:
    if not items.interactions:
        return []
    looks = sum(one.p is not None for one in items.interactions)
    told = [one for one in items.interactions if (one.adjusted or 1.0) <= LEVEL]
    head = (
        f"{len(told):,} of {looks:,} combinations of {_a(m.facts.item)} and a {m.facts.variant} differ "
        "beyond doubt from the "
        f"{m.facts.item} without the {m.facts.variant} (corrected for all of them)."
    )
    chosen = [one for one in items.interactions_chosen if one.p is not None][:_TOP]
    quoted = {(one.id, one.variant): one for one in items.interactions_quoted}
    found = [quoted[one.id, one.variant] for one in chosen if (one.id, one.variant) in quoted]
    shown = [one for one in found if one.difference.value is not None]
    if not shown:
        return [Paragraph(head)]
    return [
        Paragraph(head),
        interactions_table(
            m, items, "items-by-variant",
            f"Where {_a(m.facts.item)} is worth more or less under a {m.facts.variant}", shown,
            "Chosen by the deals of even number, quoted from those of odd number.", odd=True,
        ),
    ]  # fmt: skip


def interactions_table(
    m: Material,
    items: Items,
    name: str,
    caption: str,
    shown: Sequence[ItemInteraction],
    note: str,
    *,
    odd: bool = False,
) -> Table:
    """Return what items are worth under variants, against the same games without."""
    rows = tuple(
        (
            Cell(one.id, one.name),
            Cell(one.variant, m.names.get(one.variant, one.variant)),
            ends(one.difference, "signed"),
            number(one.with_value, "signed"),
            number(one.without_value, "signed"),
            whole(one.seats),
        )
        for one in shown
    )
    return Table(
        name,
        caption,
        (
            Column("item", m.facts.item.capitalize(), "item"),
            Column("variant", m.facts.variant.capitalize(), "variant"),
            Column("difference", "Difference", "interval", "Its value under it, less its value without."),
            Column("with_value", "Under it", "number"),
            Column("without_value", "Without", "number"),
            Column("seats", "Dealt", "integer"),
        ),
        rows,
        _source(items, _interaction_sql(m, items, shown, odd=odd), items.games // (2 if odd else 1)),
        ("item", "variant"),
        note,
    )


def _interaction_sql(m: Material, items: Items, shown: Sequence[ItemInteraction], *, odd: bool) -> str:
    """Return the query: every combination with the variant against the same one without it."""
    assert m.facts.holdings is not None
    item, view = sqltext.name(m.facts.item), sqltext.name(m.facts.holdings.name)
    pairs = ", ".join(f"({one.id}, {sqltext.text(one.variant)})" for one in shown)
    variants = f"list_sort(list_filter([{', '.join(m.ask.variants)}], lambda x: x is not null))"
    half = " and deal(game_id) % 2 = 1" if odd else ""
    ids = ", ".join(str(number) for number in sorted({one.id for one in shown})) or "-1"
    return f"""with asked(item, variant) as (values {pairs or "(null, null)"}),
named as (
  select cell_id, players, {variants} as variants
  from cells where deals > 0 and {m.ask.scope} and {m.ask.lineup(items.lineup)}
), parts as (
  select cell_id, players, variants, unnest(variants) as variant from named
), sides as (  -- every combination with a variant, and the same without it
  select distinct w.variant, s.side, if(s.side = 'with', w.cell_id, o.cell_id) as cell_id
  from (select *, list_filter(variants, lambda x: x <> variant) as rest from parts) w
  join named o on o.players = w.players and o.variants = w.rest, (values ('with'), ('without')) s(side)
), times as (  -- a counterpart counts for each combination that it stands for
  select w.variant, o.cell_id, count(*) as times
  from (select *, list_filter(variants, lambda x: x <> variant) as rest from parts) w
  join named o on o.players = w.players and o.variants = w.rest group by all
), held as (
  select cell_id, players, {item} as item, count(*) as seats, sum(win_points) as points
  from {view} where how = 'opening' and {item} in ({ids}) and {m.ask.scope}
    and {m.ask.lineup(items.lineup)}{half}
  group by all
), summed as (
  select item, variant, players, side, sum(seats * coalesce(if(side = 'with', 1, times), 1)) as seats,
    sum(points * coalesce(if(side = 'with', 1, times), 1)) as points
  from asked join sides using (variant) join held using (cell_id, item)
    left join times using (variant, cell_id)
  group by all
), valued as (
  select item, variant, players, sum(seats) filter (side = 'with') as seats,
    sum(points) filter (side = 'with') / sum(seats) filter (side = 'with') - 1 as with_value,
    sum(points) filter (side = 'without') / sum(seats) filter (side = 'without') - 1 as without_value
  from summed group by all
)
select item, variant, avg(with_value) as with_value, avg(without_value) as without_value,
  avg(with_value - without_value) as difference, sum(seats) as seats
from valued group by all order by item, variant"""


def _acquired(m: Material, items: Items) -> Table:
    rows = tuple(
        (
            Cell(v.id, v.name),
            whole(v.cost),
            whole(v.built_times),
            number(v.round_built),
            ends(Ends(*v.built), "signed"),
        )
        for v in sorted(overall(items.values), key=lambda v: (-v.built_times, v.id))
    )
    table = next(t.name for t in m.facts.tables if any(c.role == "item" for c in t.columns))
    own = next(t for t in m.facts.tables if t.name == table)
    item, round_ = (sqltext.name(own.column(role).name) for role in ("item", "round"))
    return Table(
        "acquired",
        f"How often each {m.facts.item} was acquired",
        (
            Column("item", m.facts.item.capitalize(), "item"),
            Column("cost", "Cost", "integer"),
            Column("times", "Times", "integer"),
            Column("round", "Mean round", "number"),
            Column("built", "Win points of those who did", "interval", "Biased: whoever acquires much wins."),
        ),
        rows,
        Source(
            count(items.games, "game", "games"),
            _VALUE,
            f"select {item} as item, count(*) as times, sum({round_}) / count(*) as round\n"
            f"from {sqltext.name(table)} where {m.ask.scope} and {m.ask.lineup(items.lineup)}\ngroup by "
            "all order by item",
        ),
        ("item",),
    )
