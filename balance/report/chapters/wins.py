"""Who wins: by strategy, seat, number of players and variant, and how strong the players are."""

from __future__ import annotations

from collections.abc import Sequence

from balance.analysis.cells import Sums
from balance.analysis.estimates import Mean, Share
from balance.analysis.intervals import Interval
from balance.analysis.pooled import Pooled
from balance.report.material import Material
from balance.report.model import Block, Cell, Column, Figure, Paragraph, Section, Source, Table
from balance.report.words import count, interval, slug, text, whole

__all__ = ["DEAL", "section"]

DEAL = "95%, Wilson, from the variance over deals"
_UNIT = "Games that share a shuffle are one deal, in whatever cell they were played; the deal is the unit."


def section(m: Material) -> Section:
    """Return the chapter."""
    blocks: list[Block] = [
        Paragraph(
            "Who wins is told in [[win points]]: 1.00 is a fair share, whatever the number of players. In "
            f"{_strengths(m)}."
        )
    ]
    for lineup in m.mixed:
        blocks += [_policies(m, lineup), _policies_figure(m, lineup)]
    if not m.mixed:
        blocks.append(
            Paragraph("In these games all seats followed the same policy, so styles do not compare.")
        )
    for lineup in m.lineups:
        blocks.append(_seats(m, lineup))
    for lineup in m.mixed:
        if any(key[1] == lineup for key in m.pool.by_variant):
            blocks.append(_by_variant(m, lineup))
    blocks += _ladder(m)
    return Section("wins", "Who wins", tuple(blocks))


def _strengths(m: Material) -> str:
    told = []
    for lineup in m.lineups:
        who = "every seat follows another style" if lineup in m.mixed else "all seats play alike"
        told.append(f"{m.strength_name(lineup)} (the lineup {lineup}) {who}")
    return "; in ".join(told)


def _at(m: Material, players: int, lineup: str) -> Pooled | None:
    return m.pool.every.get((players, lineup))


def _points(sums: Sums | None, players: int) -> Interval | None:
    return Share(sums, players).interval if sums is not None and sums.den else None


def _games(m: Material, lineup: str) -> str:
    return count(sum(p.games for key, p in m.pool.every.items() if key[1] == lineup), "game", "games")


def policies_of(m: Material, lineup: str) -> list[str]:
    """Return the policies that met in a lineup, in the game's order."""
    met = {
        name.partition(":")[2]
        for key, found in m.pool.every.items()
        if key[1] == lineup
        for name in found.sums
        if name.startswith("policy:")
    }
    order = {name: k for k, name in enumerate(m.facts.policies)}
    return sorted(met, key=lambda name: (order.get(name, len(order)), name))


def _win_points_sql(m: Material, lineup: str, by: str, name: str) -> str:
    ask = m.ask
    value = "sum(win_points) filter ({0}) / count(*) filter ({0})"
    return (
        f"select {by} as {name},\n  {ask.wide(value, m.players)}\n"
        f"from seats where {ask.scope} and {ask.lineup(lineup)}\ngroup by 1 order by 1"
    )


def _wide_columns(counts: Sequence[int]) -> list[Column]:
    return [Column(f"p{n}", f"{n} players", "interval") for n in counts]


def _policies(m: Material, lineup: str) -> Table:
    rows = []
    for policy in policies_of(m, lineup):
        found = ((at.sums.get(f"policy:{policy}") if (at := _at(m, n, lineup)) else None) for n in m.players)
        points = [_points(sums, n) for sums, n in zip(found, m.players, strict=True)]
        rows.append((text(policy), *(interval(one) for one in points)))
    return Table(
        f"wins-by-strategy-{slug(lineup)}",
        f"Win points of each strategy, {m.strength_name(lineup)}",
        (Column("policy", "Strategy"), *_wide_columns(m.players)),
        tuple(rows),
        Source(_games(m, lineup), DEAL, _win_points_sql(m, lineup, m.ask.policy, "policy")),
        ("policy",),
        _UNIT,
    )


def _policies_figure(m: Material, lineup: str) -> Figure:
    each = []
    for policy in policies_of(m, lineup):
        for n in m.players:
            at = _at(m, n, lineup)
            found = _points(at.sums.get(f"policy:{policy}"), n) if at else None
            if found is not None:
                each.append((policy, n, found))
    best = max(each, key=lambda one: one[2].value, default=None)
    alt = "Dots with intervals." + (
        f" Highest: {best[0]} with {best[1]} players, {best[2].value:.2f} win points." if best else ""
    )
    return Figure(
        f"wins-by-strategy-{slug(lineup)}-figure",
        f"Win points of each strategy by number of players, {m.strength_name(lineup)}; the line is a fair "
        "share",
        "dots",
        {
            "label": tuple(policy for policy, _, _ in each),
            "series": tuple(n for _, n, _ in each),
            "y": tuple(found.value for _, _, found in each),
            "low": tuple(found.low for _, _, found in each),
            "high": tuple(found.high for _, _, found in each),
        },
        Source(
            _games(m, lineup),
            DEAL,
            f"select {m.ask.policy} as label, players as series, sum(win_points) / count(*) as y\n"
            f"from seats where {m.ask.scope} and {m.ask.lineup(lineup)}\ngroup by all order by all",
        ),
        alt,
        ("label", "series"),
        y_title="win points",
        x_title="players",
        reference=1.0,
    )


def _seats(m: Material, lineup: str) -> Table:
    rows = []
    for seat in range(max(m.players)):
        points = []
        for n in m.players:
            at = _at(m, n, lineup)
            points.append(_points(at.sums.get(f"seat:{seat}"), n) if at and seat < n else None)
        rows.append((whole(seat), *(interval(one) for one in points)))
    return Table(
        f"wins-by-seat-{slug(lineup)}",
        f"Win points of each seat, {m.strength_name(lineup)}",
        (Column("seat", "Seat", "integer", "Counted from 0."), *_wide_columns(m.players)),
        tuple(rows),
        Source(_games(m, lineup), DEAL, _win_points_sql(m, lineup, m.ask.seat, "seat")),
        ("seat",),
        _UNIT,
    )


def _by_variant(m: Material, lineup: str) -> Table:
    """Return the win points of every policy under every variant, over all numbers of players."""
    policies = policies_of(m, lineup)
    variants = sorted(
        {v for _, name, v in m.pool.by_variant if name == lineup}, key=lambda v: (m.names[v], v)
    )
    rows = []
    for variant in variants:
        cells: list[Cell] = [Cell(variant, m.names[variant])]
        for policy in policies:
            total = Sums()
            for n in m.players:
                at = m.pool.by_variant.get((n, lineup, variant))
                own = at.sums.get(f"policy:{policy}") if at else None
                total = total + own if own else total
            mean = Mean(total).interval if total.den else None
            cells.append(interval(mean and mean._replace(low=max(mean.low, 0.0))))
        rows.append(tuple(cells))
    keys = [f"w{k}" for k in range(len(policies))]
    ask = m.ask
    values = ",\n  ".join(
        f"sum(win_points) filter ({ask.policy} = '{policy}') / count(*) filter ({ask.policy} = '{policy}') "
        f"as {key}"
        for key, policy in zip(keys, policies, strict=True)
    )
    return Table(
        f"wins-by-variant-{slug(lineup)}",
        f"Win points of each strategy under each {m.facts.variant}, alone or with another, "
        f"{m.strength_name(lineup)}, all numbers of players together",
        (
            Column("variant", m.facts.variant.capitalize(), "variant"),
            *(Column(key, policy, "interval") for key, policy in zip(keys, policies, strict=True)),
        ),
        tuple(rows),
        Source(
            _games(m, lineup),
            "95%, Student, from the variance over deals",
            f"select variant, {values}\nfrom (\n"
            f"  select unnest([{', '.join(ask.variants)}]) as variant, {ask.policy}, win_points\n"
            f"  from seats where {ask.scope} and {ask.lineup(lineup)}\n"
            ") where variant is not null group by variant order by variant",
        ),
        ("variant",),
        f"Only players that weigh the options know the {m.facts.variants}; how the others fare says more "
        f"about their style than about the {m.facts.variant}.",
        long=True,
    )


def _ladder(m: Material) -> list[Block]:
    """Return how strong the policies are against each other, as measured before."""
    if m.strength is None:
        return [Paragraph("How strong the players are against each other was not measured for this game.")]
    blocks: list[Block] = []
    stale = m.strength.stale
    told = "Measured on games of their own, which are no part of this run: mixed tables of all policies. "
    if stale:
        told += f"Since then {', '.join(stale)} changed: the figures are of players as they were."
    blocks.append(Paragraph(f"The skill ladder. {told}"))
    plain = [
        ladder for ladder in m.strength.ladders if ladder.variants == "none" and ladder.players in m.players
    ]
    policies: dict[str, None] = {}
    for ladder in plain:
        policies |= dict.fromkeys(f.policy for f in ladder.figures if f.measure == "mixed")
    rows = []
    for policy in policies:
        cells = [text(policy)]
        for ladder in plain:
            found = next((f for f in ladder.figures if f.measure == "mixed" and f.policy == policy), None)
            known = found is not None and found.low is not None and found.high is not None
            cells.append(interval(Interval(found.value, found.low, found.high) if known else None))  # type: ignore[union-attr, arg-type]
        rows.append(tuple(cells))
    if rows:
        blocks.append(
            Table(
                "ladder",
                f"The skill ladder: win points at mixed tables, without {m.facts.variants}",
                (
                    Column("policy", "Policy"),
                    *(
                        Column(f"p{ladder.players}", f"{ladder.players} players", "interval")
                        for ladder in plain
                    ),
                ),
                tuple(rows),
                Source(
                    f"{m.strength.games:,} games of each pair of policies, and as many mixed ones for each",
                    "95%, Wilson, from the variance over deals",
                    "",
                    plain[0].command,
                ),
                ("policy",),
            )
        )
    return blocks
