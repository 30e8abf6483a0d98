"""The views from `deals` to `metrics`: sums over the deals of a cell, then every metric with its interval.

Sums are integers and add up in any order; a float comes last, made by the macros of `macros.sql`. What judges
reads the sums (`metric_sums`, `metric_pairs`, `metric_items`, `metric_pools`, `lengths`, `luck`), what only
shows reads `metrics`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from balance.dataset import sql_quote
from balance.dataset.deals import deals_files
from balance.dataset.item_sums import cell_tables
from balance.dataset.measures import declared, fractions, met_policies, metrics_of
from balance.dataset.run import Run
from balance.dataset.schema import combination_columns, stored_table
from balance.games.contract import Game
from balance.games.lineup import parse_lineup
from balance.games.measures import LOG, POINTS, Measure

QUANTILES: Final = {"length": 0.5, "length_short": 0.05, "length_long": 0.95}
SUMS: Final = ("deals", "num", "den", "num2", "den2", "numden")
_FEWEST: Final = 2.0
"""Deals whose winner changes, for the error of luck: with none among D, up to 3.7 / D may (97.5%)."""
COMMON: Final = ("deals", "x", "y", "u", "v", "xu", "xv", "yu", "yv")


@dataclass(frozen=True, slots=True)
class CountedDeals:
    """Which deals count."""

    cells: Sequence[int] | None = None
    within: Mapping[int, tuple[int, int]] = field(default_factory=dict)
    """The first index that counts and the first that does not, by cell."""

    @property
    def all(self) -> bool:
        """Whether all deals of all cells count."""
        return self.cells is None and not self.within

    def where(self, deal: str, prefix: str = "") -> str:
        """Return SQL for whether a row with a `cell_id` counts, given SQL for its deal."""
        found = (
            [] if self.cells is None else [f"{prefix}cell_id in ({', '.join(map(str, self.cells)) or -1})"]
        )
        cells: dict[tuple[int, int], list[int]] = {}
        for number, deals in self.within.items():
            cells.setdefault(deals, []).append(number)
        cases = [
            f"when {prefix}cell_id in ({', '.join(map(str, sorted(own)))})"
            f" then {deal} >= {first} and {deal} < {stop}"
            for (first, stop), own in sorted(cells.items())
        ]
        found += [f"(case {' '.join(cases)} else true end)"] if cases else []
        return " and ".join(found) or "true"


_DESIGNS: Final = """select s.cell_id, s.deals, s.games,
  case when s.games > s.deals and s.deals > 1 then coalesce(greatest(1::double,
    (s.num2 * s.deals - s.num * s.num) / s.deals::double / s.deals / (s.games / s.deals)
    / nullif((l.squares * s.games - l.total * l.total) / s.games::double / s.games, 0)), 1)
  else 1 end as effect
from metric_sums s join (
  select cell_id, sum(length * games) as total, sum(length::hugeint * length * games) as squares
  from lengths group by cell_id
) l using (cell_id) where s.measure = 'mean_length'"""
"""How many times fewer independent games would say as much about length; 1 where every deal is one game."""


def metric_views(runs: Sequence[Run], counted: CountedDeals = CountedDeals()) -> dict[str, str]:  # noqa: B008 - it is frozen
    """Return the query behind each view, in an order in which they can be made; `cells` is there already."""
    game = runs[0].game
    planned = [cell for run in runs for cell in run.plan.cells]
    measures = declared(game.facts, met_policies(game, planned))
    views = {
        "measures": _measures(measures),
        "metric_list": _metric_list(game),
        "deals": _deals(runs, measures, counted),
        "metric_sums": _sums(game, measures),
        "metric_pairs": _pairs(game, measures),
        "lengths": _lengths(game, runs, counted),
        "designs": _DESIGNS,
        "luck": _luck(game, runs),
        "telling_games": _telling_games(game, runs),
        "cell_tables": cell_tables("cells where coalesce(lineup = getvariable('lineup'), true)"),
        "lineup_deals": _lineup_deals(measures),
        "lineup_figures": _figures(measures, "lineup_deals", "lineup", "players"),
        "combinations": _combinations(game),
        "variant_deals": _variant_deals(measures),
        "variant_figures": _figures(measures, "variant_deals", "lineup", "variant", "size", "players"),
    }
    if len(combination_columns(game.facts)) > 1:
        views["interactions"] = _interactions(measures)
    return views | {"metrics": _metrics(measures)}


def _measures(measures: Sequence[Measure]) -> str:
    rows = [
        (one.name, one.title, one.kind, " ".join(one.num.split()), one.den, ", ".join(one.of))
        for one in measures
    ]
    values = ",\n".join(f"({', '.join(map(sql_quote.text, row))})" for row in rows)
    return f'select * from (values\n{values}\n) as t("measure", title, kind, numerator, denominator, "of")'


def _metric_list(game: Game[Any, Any]) -> str:
    rows = ",\n".join(
        f"({', '.join(map(sql_quote.text, (one.name, one.title, one.form)))}, {one.atlas}, {one.order})"
        for one in metrics_of(game.facts).values()
    )
    return f"select * from (values\n{rows}\n) as t(metric, title, form, atlas, place)"


def _deals(runs: Sequence[Run], measures: Sequence[Measure], counted: CountedDeals) -> str:
    """Return a query for all deals; runs whose lineups differ have other columns: what is not there is 0."""
    keys = {"cell_id": "", "deal": "", "games": ""}
    columns = dict.fromkeys(name for part in fractions(measures) for name in (part.num, part.den) if name)
    plain = {name: sql_quote.name(name) for name in (*keys, *columns)}
    if len(runs) > 1:
        plain |= {name: f"coalesce({sql_quote.name(name)}, 0) as {sql_quote.name(name)}" for name in columns}
    files = sql_quote.parquet(deals_files(runs), union_by_name=len(runs) > 1)
    selected = ", ".join(f"d.{one}" if name in keys else one for name, one in plain.items())
    return f"select {selected} from {files} d where {counted.where('deal')}"


def _added_up(measures: Sequence[Measure]) -> str:
    names = dict.fromkeys(name for part in fractions(measures) for name in (part.num, part.den) if name)
    return ", ".join(f"sum({name})::bigint as {name}" for name in map(sql_quote.name, ("games", *names)))


def _lineup_deals(measures: Sequence[Measure]) -> str:
    return f"""select c.lineup, c.players, d.* exclude (table_id)
from (
  select t.table_id, d.deal, {_added_up(measures)}
  from deals d join cell_tables t using (cell_id) group by t.table_id, d.deal
) d join cells c on c.cell_id = d.table_id"""


def _variant_deals(measures: Sequence[Measure]) -> str:
    """Return a query for the same over the combinations with each variant; to group by numbers is quick."""
    return f"""with member as (
  select *, dense_rank() over (order by table_id, variant, size) as part
  from (select cell_id, size, unnest(variants) as variant from combinations) join cell_tables using (cell_id)
)
select c.lineup, c.players, p.variant, p.size, d.* exclude (part)
from (
  select m.part, d.deal, {_added_up(measures)}
  from deals d join member m using (cell_id) group by m.part, d.deal
) d join (select distinct part, table_id, variant, size from member) p using (part)
join cells c on c.cell_id = p.table_id"""


def _figures(measures: Sequence[Measure], table: str, *keys: str) -> str:
    """Return a query for one row per key, deal and figure; of one measure only its columns are read, once."""
    by_measure: dict[str, list[str]] = {}
    for part in fractions(measures):
        den = part.denominator.replace("players", "d.players")
        by_measure.setdefault(part.measure.name, []).append(
            f"{{'of': {sql_quote.text(part.of)}, 'num': d.{part.numerator}::bigint, 'den': ({den})::bigint}}"
        )
    selected = ", ".join(f"d.{key}" for key in (*keys, "deal", "games"))
    rows = [
        f"select {selected}, {sql_quote.text(name)} as measure, "
        f"unnest([{', '.join(figures)}], recursive := true) from {table} d"
        for name, figures in by_measure.items()
    ]
    return "\nunion all\n".join(rows)


def _combinations(game: Game[Any, Any]) -> str:
    names = ", ".join(f"c.{sql_quote.name(name)}" for name in combination_columns(game.facts))
    variants = f"list_sort(list_filter([{names}], lambda one: one is not null))"
    return f"select c.cell_id, {variants} as variants, len({variants})::int as size from cells c"


def _sums(game: Game[Any, Any], measures: Sequence[Measure]) -> str:
    """Return a query for the sums of every figure over the deals of each cell.

    What compares policies is there where several meet; `skill` are the win points of the usual player.
    """
    usual = sql_quote.text(game.facts.default_lineup.rpartition("mirror:")[2])
    rows = [
        f"{{'measure': {sql_quote.text(part.measure.name)}, 'of': {sql_quote.text(part.of)}, "
        f"'most': ({part.measure.limit or 'null'})::double, 's': sums({part.numerator}, {part.denominator})}}"
        for part in fractions(measures)
    ]
    every = ",\n  ".join(rows)
    return f"""with summed as (
  select * from (
    select cell_id, players, sum(games)::bigint as games, unnest([
    {every}
    ], recursive := true)
    from (select d.*, c.players from deals d join cells c on c.cell_id = d.cell_id)
    group by cell_id, players
  ) where den > 0 and (measure <> 'seat' or try_cast("of" as int) < players)
  qualify measure not in ('win_points', 'neighbour')
    or count(*) filter (measure = 'win_points') over (partition by cell_id) > 1
)
from summed
union all
select * replace ('skill' as measure, '' as "of") from summed
where measure = 'win_points' and "of" = {usual}"""


def _pairs(game: Game[Any, Any], measures: Sequence[Measure]) -> str:
    """Return a query for sums over the deals that a cell has in common with the base game.

    Nothing is a multiple of 0, so a measure that is 0 in the base game has no row.
    """
    rows = [
        f"{{'measure': {sql_quote.text(part.measure.name)}, 'c': common(d.{part.numerator}, "
        f"{_of(part.denominator, 'd')}, b.{part.numerator}, {_of(part.denominator, 'b')})}}"
        for part in fractions(measures)
        if part.measure.multiple
    ]
    every = ",\n  ".join(rows)
    first = sql_quote.name(combination_columns(game.facts)[0])
    return f"""select p.* from (
  select c.cell_id, c.base_id, unnest([
  {every}
  ], recursive := true)
  from (
    select o.cell_id, p.cell_id as base_id, o.players from cells o
    join cells p on p.edition = o.edition and p.players = o.players and p.lineup = o.lineup
    where o.{first} is not null and p.{first} is null
  ) c
  join deals d on d.cell_id = c.cell_id
  join deals b on b.cell_id = c.base_id and b.deal = d.deal
  group by c.cell_id, c.base_id
) p join metric_sums s on s.cell_id = p.base_id and s.measure = p.measure
where s.num > 0"""


def _interactions(measures: Sequence[Measure]) -> str:
    """Return a query for what each pair does beyond its two variants alone, on deals that all four have.

    What reports compare in every pair is apart from the rest, so that `where atlas` leaves the rest out. Cell
    and deal are one key: of two, DuckDB would join all cells on the deal alone first.
    """
    figures: dict[bool, list[str]] = {}
    for part in fractions(measures):
        if part.measure.beyond:
            scale = LOG if part.measure.multiple else POINTS
            four = ", ".join(f"{side}.{part.numerator}" for side in "pabo")
            figures.setdefault(part.measure.beyond.atlas, []).append(
                f"{{'measure': {sql_quote.text(part.measure.name)}, 'of': {sql_quote.text(part.of)}, "
                f"'scale': '{scale}', 'f': four({four}, {_of(part.denominator, 'p', 'q')})}}"
            )
    alone = "{0}.edition = p.edition and {0}.players = p.players and {0}.lineup = p.lineup"
    rows = "\nunion all\n".join(
        f"""  select q.cell_id, q.players, {str(atlas).lower()} as atlas, sum(p.games)::bigint as games,
    unnest([{", ".join(own)}], max_depth := 2)
  from quartet q join deals p on p.cell_id = q.cell_id
  join part a on cell_deal(a.cell_id, a.deal) = cell_deal(q.a_id, p.deal)
  join part b on cell_deal(b.cell_id, b.deal) = cell_deal(q.b_id, p.deal)
  join part o on cell_deal(o.cell_id, o.deal) = cell_deal(q.o_id, p.deal)
  group by q.cell_id, q.players"""
        for atlas, own in figures.items()
    )
    sums = ", ".join(f"f.sums.{name} as {name}" for name in SUMS[1:])
    return f"""with named as (
  select c.cell_id, c.edition, c.players, c.lineup, k.variants, k.size
  from cells c join combinations k using (cell_id)
), quartet as (
  select p.cell_id, p.players, a.cell_id as a_id, b.cell_id as b_id, o.cell_id as o_id
  from named p join named a on {alone.format("a")} and a.variants = p.variants[1:1]
  join named b on {alone.format("b")} and b.variants = p.variants[2:2]
  join named o on {alone.format("o")} and o.size = 0
  where p.size = 2
), part as (  -- few deals: to join them with all others takes less time
  select d.* from deals d join combinations k using (cell_id) where k.size < 2
), counted as (
{rows}
), estimated as (
  select *, case when scale = '{LOG}' then log_beyond_error(f) else sqrt(variance_from(f.sums)) end as error
  from counted
  where f.sums.den > 0 and f.sums.deals > 1 and (measure <> 'seat' or try_cast("of" as int) < players)
    and (scale = '{POINTS}' or least(f.w, f.x, f.y, f.z) > 0)
), told as (
  select *, case when scale = '{LOG}' then {{'value': log_beyond(f), 'low': log_beyond(f) - z() * error,
    'high': log_beyond(f) + z() * error}} else mean_from(f.sums) end as m
  from estimated
)
select c.* exclude (first_index, deals, replicates), measure, "of", scale, atlas, m.value as value,
  m.low as low, m.high as high, error, f.sums.deals as deals, t.games, f.w as with_both, f.x as first_alone,
  f.y as second_alone, f.z as with_none, {sums}
from told t join cells c on c.cell_id = t.cell_id"""


def _of(denominator: str, side: str, cell: str = "c") -> str:
    return " * ".join(
        f"{cell}.{word}" if word == "players" else f"{side}.{word}" for word in denominator.split(" * ")
    )


def _lengths(game: Game[Any, Any], runs: Sequence[Run], counted: CountedDeals) -> str:
    length = sql_quote.name(stored_table(game.facts, "games").column("length").name)
    files = sql_quote.parquet(file for run in runs for file in run.files("games"))
    return (
        f"select cell_id, {length}::int as length, count(*) as games from {files} "
        f"where {counted.where('deal(game_id)')} group by cell_id, {length}"
    )


def _telling_games(game: Game[Any, Any], runs: Sequence[Run]) -> str:
    """Return a query for games worth looking at: the first of middle length, the first that nobody wins."""
    games = stored_table(game.facts, "games")
    length, stalled = (sql_quote.name(games.column(role).name) for role in ("length", "stalled"))
    files = sql_quote.parquet(file for run in runs for file in run.files("games"))
    return f"""with ranked as (
  select cell_id, length, sum(games) over (partition by cell_id order by length) as upto,
    sum(games) over (partition by cell_id) as n
  from lengths
), middle as (  -- the upper one of two
  select cell_id, min(length) filter (upto > n // 2) as length from ranked group by cell_id
)
select cell_id, min(game_id) filter ({length} = m.length) as typical,
  m.length as middle, min(game_id) filter ({stalled}) as stalled
from {files} g join middle m using (cell_id) group by cell_id, m.length"""


def _luck(game: Game[Any, Any], runs: Sequence[Run]) -> str:
    """Return a query for the part of winning that the deal decides, where deals were replayed as they were.

    Of the pairs of games of one deal, `same` have the same winner; a seat has won `w` games of the deal. All
    sums are integers: the influence of a deal is scaled so that nothing is divided before the end. Deals that
    all repeat their winner have no variance: the error is at least `_FEWEST` deals' worth.
    """
    cells = {
        cell.id
        for run in runs
        for cell in run.plan.cells
        if cell.replicates > 1 and parse_lineup(cell.lineup, cell.players, game).rotations == 1
    }
    chosen = ", ".join(map(str, sorted(cells))) or "-1"
    seats = range(game.facts.players[1])
    wins = ", ".join(f"(d.seat_{k} - d.stalls) // c.players as w{k}" for k in seats)
    each = [*(f"w{k}" for k in seats), "stalls"]
    same = " + ".join(f"{w} * ({w} - 1)" for w in each)
    totals = ", ".join(f"sum({w})::hugeint as t_{w}" for w in each)
    squares = " + ".join(f"t_{w} * t_{w}" for w in each)
    along = " + ".join(f"t_{w} * {w}" for w in each)
    return f"""with won as (
  select d.cell_id, d.deal, d.games, d.stalls::bigint as stalls, {wins}
  from deals d join cells c on c.cell_id = d.cell_id where d.cell_id in ({chosen})
), deal as (
  select *, {same} as same from won
), total as (
  select cell_id, count(*) as deals, sum(games)::hugeint as n, max(games) as r, sum(same)::hugeint as s,
    {totals} from deal group by cell_id
), sized as (
  select *, {squares} as q from total
), moved as (
  select cell_id, sum(j) as j, sum(j * j) as j2 from (
    select cell_id, (n * n - q) * same + 2 * (s - n * (r - 1)) * ({along}) as j
    from deal join sized using (cell_id)
  ) group by cell_id
)
select cell_id, deals, n::bigint as games, (s * n / (r - 1) - q) / (n * n - q) as value,
  greatest({_FEWEST} / deals * n * n / (n * n - q),
    sqrt(greatest(0::double, (j2 - j::double * j / deals) / (deals - 1) / deals))
      * n / (r * (r - 1)) * n / (n * n - q) / (n * n - q)) as error
from sized join moved using (cell_id)
where deals > 1 and n * n > q"""


def _metrics(measures: Sequence[Measure]) -> str:
    own, base = ("{" + ", ".join(f"'{n}': {side}.{n}" for n in SUMS) + "}" for side in ("s", "b"))
    common = "{" + ", ".join(f"'{n}': p.{n}" for n in COMMON) + "}"
    plain = "{" + ", ".join(f"'{n}': {n}" for n in SUMS) + "}"
    multiples = ", ".join(
        f"({sql_quote.text(one.name)}, {sql_quote.text(one.multiple.name)})"
        for one in measures
        if one.multiple
    )
    levels = ", ".join(f"('{name}', {level}::double)" for name, level in QUANTILES.items())
    return f"""with figures as (
  select cell_id, measure as metric, "of", deals, games,
    case when most is null then mean_from({plain}) else share_from({plain}, most) end as f
  from metric_sums
), ranked as (
  select cell_id, length, sum(games) over (partition by cell_id order by length)::bigint as upto,
    sum(games) over (partition by cell_id)::bigint as n
  from lengths
), quantiles as (
  select r.cell_id, q.metric, '' as "of", any_value(d.deals) as deals, any_value(d.games) as games, {{
    'value': case when q.level = 0.5 then (min(length) filter (upto >= greatest(1, ceil(n * q.level)))
        + min(length) filter (upto >= least(n, floor(n * q.level) + 1))) / 2
      else min(length) filter (upto >= greatest(1, ceil(n * q.level))) end::double,
    'low': min(length) filter (upto >= greatest(1,
      floor(n * q.level - z() * sqrt(n * effect * q.level * (1 - q.level)))))::double,
    'high': min(length) filter (upto >= least(n,
      ceil(n * q.level + z() * sqrt(n * effect * q.level * (1 - q.level))) + 1))::double
  }} as f
  from ranked r join designs d using (cell_id), (values {levels}) q(metric, level)
  group by r.cell_id, q.metric, q.level
), multiples as (
  select s.cell_id, m.metric, '' as "of", s.deals, s.games,
    multiple_from({own}, {base}, {common}) as f
  from metric_pairs p
  join metric_sums s on s.cell_id = p.cell_id and s.measure = p.measure
  join metric_sums b on b.cell_id = p.base_id and b.measure = p.measure
  join (values {multiples}) m(measure, metric) on m.measure = p.measure
), every as (
  from figures
  union all from quantiles
  union all from multiples
  union all select cell_id, 'luck', '', deals, games,
    {{'value': value, 'low': value - z() * error, 'high': least(1, value + z() * error)}} from luck
)
select c.* exclude (first_index, deals, replicates), metric, "of", f.value as value, f.low as low,
  f.high as high, e.deals, e.games
from every e join cells c on c.cell_id = e.cell_id"""
