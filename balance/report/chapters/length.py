"""How long games last: by number of players and variant; the longest, the shortest, those that stall."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from balance.analysis.cells import Sums
from balance.analysis.estimates import Mean, Quotient, Share
from balance.analysis.metrics import metric
from balance.analysis.pooled import Halved
from balance.report.material import Material
from balance.report.model import Block, Cell, Column, Figure, Paragraph, Section, Source, Table
from balance.report.words import count, interval, slug, text, whole

__all__ = ["section"]

_TOP: Final = 10
_LAST: Final = 60
"""Rounds beyond which a histogram shows nothing more."""


def section(m: Material) -> Section:
    """Return the chapter."""
    blocks: list[Block] = [
        Paragraph(
            "A game has so many rounds. Half of the games are no longer than the [[median]]. A game that "
            "nobody has "
            f"won after {m.facts.round_limit} rounds is broken off: it [[stalls]]."
        ),
        _by_players(m),
    ]
    blocks += [_histogram(m, lineup) for lineup in m.lineups]
    if m.size:
        blocks.append(_by_variant(m))
        blocks += _extremes(m)
    return Section("length", "How long games last", tuple(blocks))


def _by_players(m: Material) -> Table:
    rows = []
    for lineup in m.lineups:
        for n in m.players:
            found = m.quantiles.get((n, lineup))
            pooled = m.pool.every.get((n, lineup))
            if found is None or pooled is None:
                continue
            _, (short, middle, long) = found
            stalled = pooled.sums["stalled"]
            rows.append(
                (
                    text(m.strength_name(lineup)),
                    text(lineup),
                    whole(n),
                    whole(pooled.games),
                    interval(short, "integer"),
                    interval(middle, "integer"),
                    interval(long, "integer"),
                    interval(Mean(pooled.sums["length"]).interval),
                    interval(Share(stalled).interval, "share"),
                )
            )
    ask = m.ask
    return Table(
        "length-by-players",
        "Length of games in rounds, all combinations together",
        (
            Column("strength", "In"),
            Column("lineup", "Lineup"),
            Column("players", "Players", "integer"),
            Column("games", "Games", "integer"),
            Column("p05", "5% end within", "interval", "One game in twenty is no longer than that."),
            Column("p50", "Median", "interval"),
            Column("p95", "95% end within", "interval", "One game in twenty is longer than that."),
            Column("mean", "Mean", "interval"),
            Column("stalled", "Nobody wins", "interval", "The share of games that stall."),
        ),
        tuple(rows),
        Source(
            count(m.games, "game", "games"),
            "95%, from the variance over deals: Woodruff for quantiles, Student for the mean, Wilson for "
            "the share",
            f"select lineup, players, count(*) as games, quantile_disc({ask.length}, 0.05) as p05,\n"
            f"  median({ask.length}) as p50, quantile_disc({ask.length}, 0.95) as p95,\n"
            f"  sum({ask.length}) / count(*) as mean, count(*) filter ({ask.stalled}) / count(*) as stalled\n"
            f"from games where {ask.scope}\ngroup by all order by all",
        ),
        ("lineup", "players"),
    )


def _histogram(m: Material, lineup: str) -> Figure:
    xs, series, ys = [], [], []
    told = []
    for n in m.players:
        found = m.quantiles.get((n, lineup))
        if found is None:
            continue
        counts, quantiles = found
        total = sum(counts.values())
        for rounds in range(1, min(max(counts), _LAST) + 1):
            xs.append(rounds)
            series.append(n)
            ys.append(counts.get(rounds, 0) / total)
        told.append(f"{n} players: median {quantiles[1].value:.0f} rounds")
    ask = m.ask
    return Figure(
        f"length-{slug(lineup)}",
        f"How long games last by number of players, {m.strength_name(lineup)}, all combinations together",
        "histogram",
        {"x": tuple(xs), "series": tuple(series), "y": tuple(ys)},
        Source(
            count(sum(p.games for key, p in m.pool.every.items() if key[1] == lineup), "game", "games"),
            "",
            f"select {ask.length} as x, players as series,\n"
            f"  count(*) / sum(count(*)) over (partition by players) as y\n"
            f"from games where {ask.scope} and {ask.lineup(lineup)}\n"
            f"group by x, series qualify x <= {_LAST} order by series, x",
        ),
        f"Shares of games by length. {'; '.join(told)}.",
        ("x", "series"),
        x_title="rounds",
        y_title="share of games",
        y_kind="share",
        note=f"Games beyond {_LAST} rounds are counted, but not drawn."
        if any(max(found[0]) > _LAST for found in m.quantiles.values())
        else "",
    )


def _by_variant(m: Material) -> Table:
    """Return the length under each variant alone, as a multiple of that without any."""
    lineup = m.usual
    variants = sorted({c.variants[0] for c in m.statistics.cells.values() if len(c.variants) == 1})
    rows = []
    for variant in sorted(variants, key=lambda v: (m.names.get(v, v), v)):
        cells: list[Cell] = [Cell(variant, m.names.get(variant, variant))]
        for n in m.players:
            cell, base = m.cell(n, (variant,), lineup), m.cell(n, (), lineup)
            if cell and base and "length" in cell.paired and base.sums["length"].num:
                quotient = Quotient(cell.sums["length"], base.sums["length"], cell.paired["length"])
                cells.append(interval(quotient.interval))
            else:
                cells.append(interval(None))
        rows.append(tuple(cells))
    ask = m.ask
    value = (
        f"(sum({ask.length}) filter ({{0}} and v is not null) / count(*) filter ({{0}} and v is not null))\n"
        f"    / (select sum({ask.length}) / count(*) from games\n"
        f"       where {{0}} and {ask.plain} and {ask.lineup(lineup)})"
    )
    others = "".join(f" and {name} is null" for name in ask.variants[1:])
    return Table(
        "length-by-variant",
        f"Length under each {m.facts.variant} alone, as a multiple of that without any, "
        f"{m.strength_name(lineup)}",
        (
            Column("variant", m.facts.variant.capitalize(), "variant"),
            *(Column(f"p{n}", f"{n} players", "interval") for n in m.players),
        ),
        tuple(rows),
        Source(
            count(
                sum(
                    c.games for c in m.statistics.cells.values() if len(c.variants) < 2 and c.lineup == lineup
                ),
                "game",
                "games",
            ),
            "95%, Fieller, on common deals",
            f"select v as variant,\n  {ask.wide(value, m.players)}\n"
            f"from (select *, {ask.variants[0]} as v from games\n"
            f"  where {ask.scope} and {ask.lineup(lineup)} and {ask.varied}{others})\n"
            "group by v order by v",
        ),
        ("variant",),
        metric("length_ratio").title.capitalize() + ".",
        long=True,
    )


# --- extremes


def _extremes(m: Material) -> list[Block]:
    """Return the longest, the shortest and the most stalling combinations."""
    every = [h for number, h in m.halves.items() if len(m.statistics.cells[number].variants) == m.size]

    def mean(half: int) -> Callable[[Halved], float]:
        return lambda h: h.length[half].num / h.length[half].den

    def stalls(half: int) -> Callable[[Halved], float]:
        return lambda h: h.stalled[half].num / h.stalled[half].den

    found: list[Block] = [
        Paragraph(
            "The longest, the shortest and those that stall most. They were chosen by one half of the "
            "deals (those of "
            "even number), and what is printed is from the other half: so no figure is extreme by luck."
        )
    ]
    longest = sorted(every, key=lambda h: (-mean(0)(h), h.cell))[:_TOP]
    shortest = sorted(every, key=lambda h: (mean(0)(h), h.cell))[:_TOP]
    stalling = sorted((h for h in every if h.stalled[0].num), key=lambda h: (-stalls(0)(h), h.cell))[:_TOP]
    found.append(_extreme(m, "longest", "The longest games", longest))
    found.append(_extreme(m, "shortest", "The shortest games", shortest))
    if stalling:
        found.append(_extreme(m, "stalling", "Where most games stall", stalling))
    else:
        found.append(Paragraph("No combination stalled in the half of the deals that chooses."))
    return found


def _extreme(m: Material, name: str, caption: str, chosen: Sequence[Halved]) -> Table:
    rows = []
    for halved in chosen:
        cell = m.statistics.cells[halved.cell]
        sums: Sums = halved.length[1]
        rows.append(
            (
                Cell(cell.variants, m.title(cell.variants)),
                whole(cell.players),
                text(m.strength_name(cell.lineup)),
                interval(Mean(sums).interval),
                interval(Share(halved.stalled[1]).interval, "share"),
                whole(sums.den),
                Cell(cell.id, str(cell.id)),
            )
        )
    ask = m.ask
    return Table(
        name,
        caption,
        (
            Column("pair", m.combination.capitalize(), "pair"),
            Column("players", "Players", "integer"),
            Column("strength", "In"),
            Column("mean", "Mean rounds", "interval"),
            Column("stalled", "Nobody wins", "interval"),
            Column("games", "Games", "integer"),
            Column("cell_id", "Cell", "integer", "Its number in the run, for SQL."),
        ),
        tuple(rows),
        Source(
            count(sum(h.length[1].den for h in chosen), "game", "games") + " of odd deals",
            "95%, Student for the mean, Wilson for the share",
            f"select cell_id, players, count(*) as games, sum({ask.length}) / count(*) as mean,\n"
            f"  count(*) filter ({ask.stalled}) / count(*) as stalled\n"
            f"from games where {ask.index} % 2 = 1 and {ask.cells(h.cell for h in chosen)}\n"
            "group by all order by mean",
        ),
        ("cell_id",),
    )
