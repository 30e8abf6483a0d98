"""The value of an item: what being dealt it is worth, in win points and in coins, and under which variants.

Chance deals opening hands, so win points of the seats that were dealt an item, less the 1.00 of a fair share,
are caused by it. What was drawn later or acquired is shown beside it and is biased: docs/item-value.md says
how. Counting is done in `balance.analysis.itemcounts`, the worth of a coin in `balance.analysis.handicap`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Final, NamedTuple

from balance.analysis.blocks import Figure, Moments, mean_of, p_not_zero, quantile_of
from balance.analysis.corrections import benjamini_yekutieli
from balance.analysis.handicap import Coin
from balance.analysis.intervals import Interval, fieller, wilson
from balance.analysis.itemcounts import (
    Item,
    ItemCounts,
    Versus,
    choose_cells,
    count_items,
    count_versus,
    items_of,
)
from balance.dataset.run import Run
from balance.games.variants import combinations_of

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "FEWEST",
    "Ends",
    "ItemInteraction",
    "ItemValue",
    "interaction_sentences",
    "interactions",
    "interactions_from_counts",
    "interactions_of_items",
    "item_sentences",
    "item_values",
    "mispriced",
    "value_of_items",
    "values_from_counts",
]

FEWEST: Final = 10
"""Blocks of deals below which the spread between them says too little for a comparison."""
LEVEL: Final = 0.05
"""The false discovery rate at which something is named."""
_DIGITS: Final = 6


class Ends(NamedTuple):
    """A figure with its 95% interval; an end that is None cannot be given: the interval is open there."""

    value: float | None = None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class ItemValue:
    """Everything that games say of one item, at one number of players or over all of them."""

    id: int
    name: str
    players: int | None
    """None: over all numbers of players, each counting alike."""
    cost: int | None
    score: int | None
    """Printed points."""
    seats: int
    """Seats that were dealt the item."""
    blocks: int
    """Independent blocks of deals behind them."""
    value: Ends
    """Win points of seats that were dealt it, minus 1."""
    p: float | None
    """Two-sided, against "worth no more and no less than the average item"."""
    adjusted: float | None
    """The same, corrected over all rows that were looked at (Benjamini and Yekutieli)."""
    drawn_seats: int
    drawn: Ends
    """Win points of seats that came by it later, minus 1: biased."""
    built_times: int
    built: Ends
    """Win points of seats that acquired it, minus 1: biased."""
    share_built: Ends
    """Times acquired per seat that held it, however it came to it."""
    share_built_opening: Ends
    """Of the seats that were dealt it, how many acquired it."""
    round_built: float | None
    score_per_money: float | None
    """Printed points for each coin that was paid."""
    money: Ends
    """The value in coins at the start."""
    fair_cost: Ends
    """Estimate of the cost at which it would be worth what the average item is."""


@dataclass(frozen=True, slots=True)
class ItemInteraction:
    """How much more an item is worth under a variant than without it."""

    id: int
    name: str
    variant: str
    players: int | None
    seats: int
    """Seats that were dealt it under the variant."""
    blocks: int
    """Independent blocks of deals behind them; the fewest of all numbers of players."""
    with_value: float | None
    without_value: float | None
    difference: Ends
    p: float | None
    adjusted: float | None


# --- values


def value_of_items(
    runs: Sequence[Run],
    *,
    lineup: str | None = None,
    players: Iterable[int] | None = None,
    variants: str | Iterable[str] | None = None,
    coins: Mapping[int, Coin] | None = None,
) -> pl.DataFrame:
    """Return the value of every item as a table, one row per item and number of players.

    The rows with `players` empty are over all numbers of players. `variants` are combinations as `--twists`
    takes them; `coins` comes from `balance.analysis.handicap.coins_of_runs`; without it nothing is said of
    money.
    """
    values = item_values(runs, lineup=lineup, players=players, variants=variants, coins=coins)
    return _frame(values, ItemValue)


def item_values(
    runs: Sequence[Run],
    *,
    lineup: str | None = None,
    players: Iterable[int] | None = None,
    variants: str | Iterable[str] | None = None,
    coins: Mapping[int, Coin] | None = None,
) -> list[ItemValue]:
    """Return the same as records: by item, over all numbers of players first."""
    wanted = None if variants is None else _combinations(runs[0], variants)
    cells = choose_cells(runs, lineup, players, wanted)
    return values_from_counts(items_of(runs[0]), count_items(runs, cells), coins or {})


def values_from_counts(
    items: Sequence[Item], counts: Sequence[ItemCounts], coins: Mapping[int, Coin] | None = None
) -> list[ItemValue]:
    """Return the values that counts say, by item."""
    found: list[ItemValue] = []
    for k, item in enumerate(items):
        each = [_measured(k, one) for one in counts]
        slopes = [coins[one.players].slope if coins and one.players in coins else None for one in counts]
        if len(counts) > 1:
            found.append(_value(item, None, each, slopes))
        found += [
            _value(item, one.players, [own], [slope])
            for one, own, slope in zip(counts, each, slopes, strict=True)
        ]
    return _corrected(found)


def _combinations(run: Run, variants: str | Iterable[str]) -> list[tuple[str, ...]]:
    given = [variants] if isinstance(variants, str) else list(variants)
    return combinations_of(run.game, run.catalog, run.plan.edition, given)


@dataclass(frozen=True)
class _Measured:
    """The figures of one item at one number of players."""

    players: int
    seats: int
    drawn_seats: int
    built_times: int
    opening: Figure | None
    """Win points."""
    opening_blocks: int
    opening_share: Figure | None
    together: float
    """The covariance of these two."""
    drawn: Figure | None
    built: Figure | None
    share: Figure | None
    rounds: int
    paid: int


def _measured(k: int, counts: ItemCounts) -> _Measured:
    c = counts
    dealt = Moments.of([c.opening_score[:, k], c.opening[:, k], c.built_opening[:, k]])
    held = c.opening[:, k] + c.drawn[:, k]
    return _Measured(
        c.players,
        int(c.opening[:, k].sum()),
        int(c.drawn[:, k].sum()),
        int(c.built[:, k].sum()),
        dealt.ratio(0, 1),
        dealt.blocks,
        dealt.ratio(2, 1),
        dealt.covariance((0, 1), (2, 1)) if dealt.totals[1] else 0.0,
        Moments.of([c.drawn_score[:, k], c.drawn[:, k]]).ratio(0, 1),
        Moments.of([c.built_score[:, k], c.built[:, k]]).ratio(0, 1),
        Moments.of([c.built[:, k], held]).ratio(0, 1),
        int(c.rounds[k]),
        int(c.paid[k]),
    )


def _value(
    item: Item, players: int | None, each: Sequence[_Measured], slopes: Sequence[Figure | None]
) -> ItemValue:
    """Put together what is known of an item, from one number of players or from several."""
    known = [(m, slope) for m, slope in zip(each, slopes, strict=True) if m.opening is not None]
    worth = _mean([m.opening for m, _ in known])
    times, paid = sum(m.built_times for m in each), sum(m.paid for m in each)
    money, fair_cost = _in_money(item, [m for m, _ in known], [slope for _, slope in known])
    return ItemValue(
        id=item.id,
        name=item.name,
        players=players,
        cost=item.cost,
        score=item.score,
        seats=sum(m.seats for m in each),
        blocks=sum(m.opening_blocks for m in each),
        value=_points(worth, players),
        p=None if worth is None else p_not_zero(replace(worth, value=worth.value - 1)),
        adjusted=None,
        drawn_seats=sum(m.drawn_seats for m in each),
        drawn=_points(_mean([m.drawn for m in each]), players),
        built_times=times,
        built=_points(_mean([m.built for m in each]), players),
        share_built=_share(_mean([m.share for m in each])),
        share_built_opening=_share(_mean([m.opening_share for m, _ in known])),
        round_built=round(sum(m.rounds for m in each) / times, _DIGITS) if times else None,
        score_per_money=round(item.score * times / paid, _DIGITS)
        if paid and item.score is not None
        else None,
        money=money,
        fair_cost=fair_cost,
    )


def _mean(figures: Sequence[Figure | None]) -> Figure | None:
    known = [figure for figure in figures if figure is not None]
    return (known[0] if len(known) == 1 else mean_of(known)) if known else None


def _points(figure: Figure | None, players: int | None) -> Ends:
    """Return win points minus 1; Wilson's interval where the greatest possible number is known."""
    if figure is None:
        return Ends()
    if players is None:
        return _ends(figure.interval or Interval(figure.value, -math.inf, math.inf), minus=1)
    value, low, high = _wilson(
        replace(figure, value=figure.value / players, variance=figure.variance / players**2)
    )
    return _ends(Interval(players * value, players * low, players * high), minus=1)


def _share(figure: Figure | None) -> Ends:
    """Return a share; one above 1 (acquired without having been held) has no interval."""
    if figure is None:
        return Ends()
    if not 0 <= figure.value <= 1:
        return Ends(round(figure.value, _DIGITS))
    return _ends(_wilson(figure))


def _wilson(figure: Figure) -> Interval:
    """Return Wilson's interval, with the number of trials that would tell as much if independent.

    Where all blocks are alike, each counts as one trial.
    """
    share = figure.value
    trials = share * (1 - share) / figure.variance if figure.variance else figure.freedom + 1
    return wilson(share, trials, quantile_of(figure.freedom))


def _ends(interval: Interval, minus: float = 0.0) -> Ends:
    """Return an interval as told: rounded, without an end where that is infinite."""
    value, low, high = (round(end - minus, _DIGITS) + 0.0 if math.isfinite(end) else None for end in interval)
    return Ends(value, low, high)


def _in_money(item: Item, each: Sequence[_Measured], slopes: Sequence[Figure | None]) -> tuple[Ends, Ends]:
    """Return the value in coins, and the cost at which the item would be worth what the average one is.

    A coin on the price is paid only by those who acquire the item, so the price moves by the value over the
    slope times their share.
    """
    known = [slope for slope in slopes if slope is not None]
    if not each or len(known) < len(each):
        return Ends(), Ends()
    count = len(each)
    worth, share, slope = (
        _mean([m.opening for m in each]),
        _mean([m.opening_share for m in each]),
        _mean(known),
    )
    assert worth is not None
    assert share is not None
    assert slope is not None
    freedom = min(worth.freedom, slope.freedom)
    if freedom <= 0 or not slope.variance:
        return Ends(), Ends()
    z = quantile_of(freedom)
    money = _ends(fieller(worth.value - 1, slope.value, worth.variance, slope.variance, 0.0, z))
    if item.cost is None or not share.value:
        return money, Ends()
    both = sum(m.together for m in each) / count**2
    below = slope.value * share.value
    v_below = share.value**2 * slope.variance + slope.value**2 * share.variance
    moved = fieller(worth.value - 1, below, worth.variance, v_below, slope.value * both, z)
    fair = Interval(*(max(0.0, item.cost + end) if math.isfinite(end) else end for end in moved))
    return money, _ends(fair)


def _corrected(values: Sequence[ItemValue]) -> list[ItemValue]:
    """Adjust p-values for having looked at all of them."""
    tested = [value for value in values if value.p is not None]
    adjusted = iter(benjamini_yekutieli([value.p for value in tested if value.p is not None]))
    return [value if value.p is None else replace(value, adjusted=next(adjusted)) for value in values]


# --- interactions


def interactions_of_items(
    runs: Sequence[Run],
    *,
    lineup: str | None = None,
    players: Iterable[int] | None = None,
    by_players: bool = False,
) -> pl.DataFrame:
    """Return how much more each item is worth under each variant than without it, the surest first.

    One row per item and variant over all numbers of players; `by_players` adds one for each.
    """
    return _frame(interactions(runs, lineup=lineup, players=players, by_players=by_players), ItemInteraction)


def interactions(
    runs: Sequence[Run],
    *,
    lineup: str | None = None,
    players: Iterable[int] | None = None,
    by_players: bool = False,
) -> list[ItemInteraction]:
    """Return the same as records; p-values are corrected over everything that was looked at."""
    counted = count_versus(runs, choose_cells(runs, lineup, players))
    return interactions_from_counts(items_of(runs[0]), counted, by_players=by_players)


def interactions_from_counts(
    items: Sequence[Item], counted: Sequence[Versus], *, by_players: bool = False
) -> list[ItemInteraction]:
    """Return the interactions that counts say, the surest first."""
    names = sorted({name for one in counted for name in one.variants})
    found: list[ItemInteraction] = []
    for name in names:
        here = [(one, one.variants.index(name)) for one in counted if name in one.variants]
        for k, item in enumerate(items):
            each = [_compared(one, v, k) for one, v in here]
            if len(here) > 1 or not by_players:
                found.append(_interaction(item, name, None if len(here) > 1 else here[0][0].players, each))
            if by_players:
                found += [
                    _interaction(item, name, one.players, [own])
                    for (one, _), own in zip(here, each, strict=True)
                ]
    tested = [one for one in found if one.p is not None]
    adjusted = iter(benjamini_yekutieli([one.p for one in tested if one.p is not None]))
    done = [one if one.p is None else replace(one, adjusted=next(adjusted)) for one in found]
    return sorted(done, key=lambda one: (one.p is None, one.p or 0.0, one.variant, one.id, one.players or 0))


def _compared(versus: Versus, v: int, k: int) -> Moments:
    columns = (versus.with_score, versus.with_seats, versus.without_score, versus.without_seats)
    return Moments.of([column[v, :, k] for column in columns])


def _interaction(item: Item, variant: str, players: int | None, each: Sequence[Moments]) -> ItemInteraction:
    known = [(m, found) for m in each if (found := m.difference((0, 1), (2, 3))) is not None]
    figure = _mean([found for _, found in known])
    fewest = min((m.blocks for m, _ in known), default=0)
    sure = figure is not None and figure.variance > 0 and fewest >= FEWEST
    difference = Ends()
    if figure is not None:
        whole = figure.interval if sure else None
        difference = _ends(whole or Interval(figure.value, -math.inf, math.inf))
    return ItemInteraction(
        item.id,
        item.name,
        variant,
        players,
        sum(m.totals[1] for m in each),
        fewest,
        _less_one([m.ratio(0, 1) for m, _ in known]),
        _less_one([m.ratio(2, 3) for m, _ in known]),
        difference,
        p_not_zero(figure) if sure and figure is not None else None,
        None,
    )


def _less_one(figures: Sequence[Figure | None]) -> float | None:
    mean = _mean(figures)
    return None if mean is None else round(mean.value - 1, _DIGITS) + 0.0


# --- for people and for programs


def _frame(records: Sequence[ItemValue] | Sequence[ItemInteraction], kind: type) -> pl.DataFrame:
    """Return records as a table; a figure becomes three columns."""
    import polars as pl

    whole = {"id", "players", "cost", "score", "seats", "blocks", "drawn_seats", "built_times"}
    columns: dict[str, list[object]] = {}
    types: dict[str, type[pl.DataType]] = {}
    for field in fields(kind):
        values = [getattr(record, field.name) for record in records]
        if field.type == "Ends":
            for place, suffix in enumerate(("", "_low", "_high")):
                columns[field.name + suffix] = [value[place] for value in values]
                types[field.name + suffix] = pl.Float64
        else:
            columns[field.name] = values
            plain = pl.Int64 if field.name in whole else pl.Float64
            types[field.name] = pl.String if field.name in ("name", "variant") else plain
    return pl.DataFrame(columns, schema=types)


def item_sentences(
    values: Sequence[ItemValue],
    items: str = "items",
    most: int = 5,
    fresh: Sequence[ItemValue] | None = None,
) -> list[str]:
    """Tell the best and the worst items, then those that cost too little or too much.

    Who is named was chosen by `values`. The best of many look better than they are; so quote figures of games
    that did not choose them: `fresh`, the values of other games.
    """
    chosen = [v for v in _overall(values) if v.value.value is not None]
    if not chosen:
        return [f"Nothing can be said of {items}: chance dealt none before the first decision."]
    quoted = {v.id: v for v in _overall(fresh)} if fresh is not None else {v.id: v for v in chosen}
    told = [v for v in chosen if v.adjusted is not None and v.adjusted <= LEVEL and v.id in quoted]
    if not told:
        return [f"None of {len(chosen)} {items} can be told from the average one."]
    order = sorted(told, key=lambda v: (-(v.value.value or 0.0), v.id))
    best = [v for v in order if (v.value.value or 0) > 0][:most]
    worst = [v for v in reversed(order) if (v.value.value or 0) < 0][:most]
    found = [
        f"{len(told)} of {len(chosen)} {items} can be told from the average one (corrected for all looks)."
    ]
    found += [_worth_sentence(quoted[v.id]) for v in (*best, *worst)]
    priced = [(quoted[v.id], mispriced(quoted[v.id])) for v in order]
    cheap = [v for v, by in priced if by > 0][:most]
    dear = [v for v, by in reversed(priced) if by < 0][:most]
    found += [_price_sentence(v, "cheap") for v in cheap] + [_price_sentence(v, "expensive") for v in dear]
    return found


def _overall(values: Sequence[ItemValue]) -> list[ItemValue]:
    """Return the rows over all numbers of players, or those of the only one."""
    overall = [value for value in values if value.players is None]
    return overall or list(values)


def mispriced(value: ItemValue) -> int:
    """Return 1 if an item surely costs too little, -1 if too much, else 0."""
    _, low, high = value.fair_cost
    if value.cost is None or low is None or high is None:
        return 0
    return (low > value.cost) - (high < value.cost)


def _worth_sentence(value: ItemValue) -> str:
    text = f"{value.name}: {_told(value.value, '+.2f')} win points for being dealt it"
    if value.money.value is None:
        return f"{text}."
    if value.money.low is None:
        return f"{text}; what that is in coins cannot be said, as a coin is worth next to nothing."
    return f"{text}, as much as {_told(value.money, '+.1f')} coins at the start."


def _price_sentence(value: ItemValue, word: str) -> str:
    end = " (it cannot cost less)" if not value.fair_cost.value else ""
    return (
        f"{value.name} looks too {word}: it costs {value.cost}, "
        f"and about {_told(value.fair_cost, '.1f')} would make it an average one{end}; an estimate."
    )


def interaction_sentences(found: Sequence[ItemInteraction], most: int = 5) -> list[str]:
    """Tell the surest interactions, as far as they can be told after the correction."""
    looks = sum(one.p is not None for one in found)
    told = [one for one in found if one.adjusted is not None and one.adjusted <= LEVEL]
    if not told:
        return [f"No interaction can be told from 0; {looks} were looked at."]
    head = f"{len(told)} of {looks} interactions can be told from 0 (corrected for all looks)."
    return [head] + [
        f"{one.name}: {_told(one.difference, '+.2f')} win points for being dealt it under {one.variant}, "
        f"against games without ({one.with_value:+.2f} under it, {one.without_value:+.2f} without)."
        for one in told[:most]
    ]


def _told(ends: Ends, form: str) -> str:
    """Return a figure with its interval in words.

    >>> _told(Ends(0.214, 0.118, 0.31), "+.2f")
    '+0.21 (+0.12 to +0.31)'
    """
    value, low, high = ends
    if value is None:
        return "unknown"
    if low is None or high is None:
        return f"{value:{form}} (open-ended)"
    return f"{value:{form}} ({low:{form}} to {high:{form}})"
