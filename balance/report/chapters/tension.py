"""Is it open to the end: lead changes, half-time leaders, comebacks; and which actions are used when."""

from __future__ import annotations

from typing import Final

from balance.analysis.cells import DEFICITS, connect
from balance.analysis.estimates import Share
from balance.analysis.pooled import Pooled
from balance.dataset import sqltext
from balance.dataset.schema import StoredTable, stored_tables
from balance.report.material import Material
from balance.report.model import Block, Cell, Column, Figure, Paragraph, Section, Source, Table
from balance.report.words import count, interval, slug, text, whole

__all__ = ["section"]

_FEWEST_SEATS: Final = 30
"""A class of deficits of fewer seats is not drawn."""
_LAST: Final = 25
"""Rounds that the figures of actions show."""
_SOURCE: Final = "95%, from the variance over deals: Wilson for shares, Student for means"


def section(m: Material) -> Section:
    """Return the chapter."""
    blocks: list[Block] = []
    if m.facts.measures.lead_changes or m.facts.measures.half_score:
        blocks.append(
            Paragraph(
                "A game is tense if the lead changes hands and who is behind at half-time may still win. "
                "[[Half-time]] is "
                "after half the rounds, rounded up."
            )
        )
        blocks.append(_tension(m))
    if m.facts.measures.half_score:
        figure = _comebacks(m)
        blocks.append(figure or Paragraph("Comebacks: too few games to say."))
    if m.facts.measures.chosen:
        blocks.append(_actions(m))
        for lineup in m.lineups:
            figure = _by_round(m, lineup)
            if figure is not None:
                blocks.append(figure)
    if not blocks:
        blocks.append(Paragraph("The games of this run say nothing about tension and actions."))
    return Section("tension", "Tension and actions", tuple(blocks))


def _each(m: Material) -> list[tuple[str, int, Pooled]]:
    return [(x, n, m.pool.every[n, x]) for x in m.lineups for n in m.players if (n, x) in m.pool.every]


def _share(pooled: Pooled, name: str) -> Cell:
    sums = pooled.sums.get(name)
    return interval(Share(sums).interval if sums is not None and sums.den else None, "share")


def _head(m: Material, lineup: str, players: int, games: int) -> tuple[Cell, ...]:
    return text(m.strength_name(lineup)), text(lineup), whole(players), whole(games)


_HEAD: Final = (
    Column("strength", "In"),
    Column("lineup", "Lineup"),
    Column("players", "Players", "integer"),
    Column("games", "Games", "integer"),
)


def _tension(m: Material) -> Table:
    measures = m.facts.measures
    columns = list(_HEAD)
    selects = ["count(*) as games"]
    if measures.lead_changes:
        changes = sqltext.name(measures.lead_changes)
        columns += [
            Column(
                "no_lead_change", "Lead never changes", "interval", "The share of games with one leader only."
            ),
        ]
        selects.append(f"count(*) filter ({changes} = 0) / count(*) as no_lead_change")
    if measures.extension:
        columns.append(
            Column("extended", "Goes on after the goal", "interval", "Somebody had reached the goal before.")
        )
        selects.append(f"count(*) filter ({sqltext.name(measures.extension)} > 0) / count(*) as extended")
    join = ""
    if measures.half_score:
        columns.append(
            Column("half_leader", "Half-time leader wins", "interval", "Of games with one leader alone.")
        )
        half, seat = sqltext.name(measures.half_score), m.ask.seat
        join = (
            f" join (\n  select game_id, max({half}) as top, max({half}) filter ({m.ask.won}) as "
            "winner_half,\n"
            f"    arg_max({seat}, {half} * 8 + {seat}) = arg_max({seat}, {half} * 8 - {seat}) as alone\n"
            f"  from seats where {m.ask.scope} group by game_id\n) using (game_id)"
        )
        selects.append(
            "count(*) filter (alone and coalesce(winner_half = top, false)) / nullif(count(*) filter "
            "(alone), 0) "
            "as half_leader"
        )
    rows = []
    for lineup, n, pooled in _each(m):
        row = list(_head(m, lineup, n, pooled.games))
        row += [_share(pooled, column.key) for column in columns[len(_HEAD) :]]
        rows.append(tuple(row))
    return Table(
        "tension",
        "How open games are, all combinations together",
        tuple(columns),
        tuple(rows),
        Source(
            count(m.games, "game", "games"),
            _SOURCE,
            f"select lineup, players, {(', ' + chr(10) + '  ').join(selects)}\nfrom games{join}\n"
            f"where {m.ask.scope}\ngroup by all order by all".replace(", \n", ",\n"),
        ),
        ("lineup", "players"),
    )


def _comebacks(m: Material) -> Figure | None:
    """Return the chances of those who are behind; None if there are too few of them."""
    names = {
        low: (f"{low}" if low == high else f"{low}-{high}" if high < 2**20 else f"{low}+")
        for low, high in DEFICITS
    }
    each = []
    for lineup, n, pooled in _each(m):
        if lineup != m.usual:
            continue
        for low, name in names.items():
            sums = pooled.sums.get(f"comeback:{low}")
            if sums is not None and sums.den >= _FEWEST_SEATS:
                each.append((name, n, Share(sums).interval))
    if not each:
        return None
    half = sqltext.name(m.facts.measures.half_score)
    cases = " ".join(
        f"when top - {half} between {low} and {high} then '{names[low]}'" for low, high in DEFICITS
    )
    sql = (
        "with tops as (\n"
        f"  select game_id, max({half}) as top from seats\n"
        f"  where {m.ask.scope} and {m.ask.lineup(m.usual)} group by game_id\n)\n"
        f"select case {cases} end as label, players as series, count(*) filter ({m.ask.won}) / count(*) as "
        "y\n"
        f"from seats join tops using (game_id)\nwhere {m.ask.scope} and {m.ask.lineup(m.usual)} and top > "
        f"{half}\n"
        "group by all order by all"
    )
    return Figure(
        "comebacks",
        f"Chance to win for a seat that is so many points behind at half-time, {m.strength_name(m.usual)}",
        "dots",
        {
            "label": tuple(name for name, _, _ in each),
            "series": tuple(n for _, n, _ in each),
            "y": tuple(found.value for _, _, found in each),
            "low": tuple(found.low for _, _, found in each),
            "high": tuple(found.high for _, _, found in each),
        },
        Source(
            count(sum(p.games for x, _, p in _each(m) if x == m.usual), "game", "games"),
            "95%, Wilson, from the variance over deals",
            sql,
        ),
        "Dots with intervals. "
        + "; ".join(
            f"{n} players, {name} behind: {found.value:.0%}"
            for name, n, found in each
            if name == names[DEFICITS[1][0]]
        )
        + ".",
        ("label", "series"),
        x_title="players",
        y_title="chance to win",
        y_kind="share",
        note=f"Where fewer than {_FEWEST_SEATS} seats were so far behind, nothing is drawn.",
    )


def _actions(m: Material) -> Table:
    actions = m.facts.actions
    rows = []
    for lineup, n, pooled in _each(m):
        row = list(_head(m, lineup, n, pooled.games))
        row += [_share(pooled, f"action:{action}") for action in actions]
        rows.append(tuple(row))
    chosen = [sqltext.name(name) for name in m.facts.measures.chosen]
    total = " + ".join(f"sum({name})" for name in chosen)
    values = ",\n  ".join(f"sum({name}) / ({total}) as a{k}" for k, name in enumerate(chosen))
    return Table(
        "actions",
        f"Which of the {len(actions)} actions are chosen, all combinations together",
        (*_HEAD, *(Column(f"a{k}", action.capitalize(), "interval") for k, action in enumerate(actions))),
        tuple(rows),
        Source(
            count(m.games, "game", "games"),
            _SOURCE,
            f"select lineup, players, count(distinct game_id) as games,\n  {values}\n"
            f"from seats where {m.ask.scope}\ngroup by all order by all",
        ),
        ("lineup", "players"),
    )


def _rounds_table(m: Material) -> StoredTable | None:
    acted = m.facts.measures.acted
    return next(
        (
            table
            for table in stored_tables(m.facts)
            if acted
            and any(c.name == acted for c in table.columns)
            and any(c.role == "round" for c in table.columns)
        ),
        None,
    )


def _by_round(m: Material, lineup: str) -> Figure | None:
    """Return the share of each action by round; None if the game does not tell."""
    table = _rounds_table(m)
    if table is None or not any(run.files(table.name) for run in m.runs):
        return None
    mask, round_ = sqltext.name(m.facts.measures.acted), sqltext.name(table.column("round").name)
    cells = [c.id for c in m.statistics.cells.values() if c.lineup == lineup and c.games]
    files = sqltext.parquet(f for run in m.runs for f in run.files(table.name))
    counts = ", ".join(f"count(*) filter ({mask} & {1 << k} <> 0)" for k in range(len(m.facts.actions)))
    con = connect()
    con.execute("create temp table asked (cell_id int)")
    con.execute(f"insert into asked values {', '.join(f'({cell})' for cell in cells)}")
    rows = con.execute(
        f"select {round_}::int, count(distinct game_id), {counts} from {files} semi join asked using "
        "(cell_id) "
        f"where {round_} <= {_LAST} group by 1 order by 1"
    ).fetchall()
    xs, series, ys = [], [], []
    for number, _, *chosen in rows:
        for action, times in zip(m.facts.actions, chosen, strict=True):
            xs.append(number)
            series.append(action)
            ys.append(times / sum(chosen) if sum(chosen) else 0.0)
    games = rows[0][1] if rows else 0
    first = {action: y for x, action, y in zip(xs, series, ys, strict=True) if x == 1}
    every = ",\n".join(
        f"  select {round_} as x, '{action}' as series, count(*) filter ({mask} & {1 << k} <> 0) as times\n"
        f"  from {sqltext.name(table.name)} where {m.ask.scope} and {m.ask.lineup(lineup)} and {round_} <= "
        f"{_LAST} group by all"
        for k, action in enumerate(m.facts.actions)
    ).replace(",\n  select", "\n  union all\n  select")
    return Figure(
        f"actions-by-round-{slug(lineup)}",
        f"Which actions are chosen in which round, {m.strength_name(lineup)}, all combinations together",
        "bars",
        {"x": tuple(xs), "series": tuple(series), "y": tuple(ys)},
        Source(
            f"{count(games, 'game', 'games')} with their rounds on record",
            "",
            "select x, series, times / nullif(sum(times) over (partition by x), 0) as y\n"
            f"from (\n{every}\n) order by x, series",
        ),
        "Stacked bars by round. In round 1: "
        + ", ".join(f"{action} {value:.0%}" for action, value in first.items())
        + ".",
        ("x", "series"),
        x_title="round",
        y_title="share of choices",
        y_kind="share",
        stacked=True,
    )
