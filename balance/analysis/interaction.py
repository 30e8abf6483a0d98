"""Interaction: what two variants do together beyond what each does alone.

The difference in differences on common seeds: the same deal is looked at with both variants, with each alone
and with none. Length and money are compared as logarithms of means (twice as long and half as long cancel
out), shares and win points as they are. Integers are summed per deal; the unit is the deal.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from balance.analysis.cells import (
    PAIRED,
    CellStatistics,
    Layout,
    Statistics,
    Sums,
    batches,
    by_deal,
    connect,
    layout_of,
    planned_cells,
)
from balance.analysis.corrections import benjamini_yekutieli
from balance.analysis.estimates import Mean
from balance.analysis.intervals import Interval, Z, normal_tail
from balance.analysis.verdict import Judgements, Key, Verdict, strength_of
from balance.dataset import sqltext
from balance.dataset.run import Run

if TYPE_CHECKING:
    import duckdb

__all__ = ["LOG", "POINTS", "Interaction", "Together", "interactions", "together"]

LOG: Final = "log"
POINTS: Final = "points"
_SIGNS: Final = (1, -1, -1, 1)
"""Both variants, the first, the second, none."""
_ALIASES: Final = ("d", "a", "b", "o")


@dataclass(frozen=True, slots=True)
class Interaction:
    """What a pair does beyond its two variants in one measure."""

    cell: CellStatistics
    measure: str
    """As the sums are named: `length`, `stalled`, `policy:adaptive`."""
    scale: str
    """`log`: the logarithm of a factor; `points`: a difference of shares or win points."""
    interval: Interval
    p: float
    """Two-sided, against "nothing beyond"."""
    adjusted: float
    """Corrected over all interactions that were looked at."""

    def sentence(self) -> str:
        """Return it in words."""
        value, low, high = self.interval
        if self.scale == LOG:
            factor, least, most = (math.exp(end) for end in (value, low, high))
            return (
                f"{self.measure}: {factor:.2f} times what both alone would give ({least:.2f} to {most:.2f})"
            )
        return f"{self.measure}: {value:+.3f} beyond what both alone would give ({low:+.3f} to {high:+.3f})"


@dataclass(frozen=True, slots=True)
class _Quartet:
    """A pair with its cells alone and without variants, by id."""

    pair: CellStatistics
    first: int
    second: int
    none: int


def _quartets(statistics: Statistics, cells: Iterable[int] | None) -> Iterator[_Quartet]:
    """Yield the pairs whose two variants were also played alone, and without any."""
    for number in statistics.cells if cells is None else cells:
        cell = statistics.cells[number]
        if len(cell.variants) != 2:
            continue
        alone = [statistics.find(cell.players, (name,), cell.lineup) for name in cell.variants]
        none = statistics.baseline(cell)
        if alone[0] and alone[1] and none:
            yield _Quartet(cell, alone[0].id, alone[1].id, none.id)


def interactions(
    runs: Sequence[Run],
    statistics: Statistics,
    cells: Iterable[int] | None = None,
    con: duckdb.DuckDBPyConnection | None = None,
) -> list[Interaction]:
    """Return what the pairs among some cells (by default all) do beyond their variants alone.

    Pairs of which a variant was not played alone at the same players and lineup are left out.
    """
    quartets = list(_quartets(statistics, cells))
    if not quartets:
        return []
    con = con or connect()
    planned = planned_cells(runs, {q.pair.id for q in quartets})
    layout = layout_of(runs[0], planned)
    rows = [f"({q.pair.id}, {q.first}, {q.second}, {q.none})" for q in quartets]
    con.execute("create or replace temp table quartets (cell_id int, first int, second int, none int)")
    con.execute(f"insert into quartets values {', '.join(rows)}")
    alone = sorted({number for q in quartets for number in (q.first, q.second, q.none)})
    by_deal(con, layout, runs, "alone", alone)
    totals = _totals(con, layout, runs, [q.pair.id for q in quartets])
    found = [
        made
        for quartet in quartets
        if quartet.pair.id in totals
        for made in _of_cell(quartet.pair, layout, totals[quartet.pair.id])
    ]
    corrected = benjamini_yekutieli([p for *_, p in found])
    return [
        Interaction(cell, name, scale, interval, p, adjusted)
        for (cell, name, scale, interval, p), adjusted in zip(found, corrected, strict=True)
    ]


def _measures(layout: Layout) -> Iterator[tuple[str, str, str]]:
    """Yield name, scale and denominator of what can be compared deal by deal."""
    for part in layout.parts:
        kind = part.name.partition(":")[0]
        if part.name in PAIRED:
            yield part.name, LOG, ""
        elif part.den == "1":
            yield part.name, POINTS, ""
        elif kind == "policy":  # who sits where is drawn from seeds, so the same in all four cells
            yield part.name, POINTS, part.den


def _totals(
    con: duckdb.DuckDBPyConnection, layout: Layout, runs: Sequence[Run], pairs: Sequence[int]
) -> dict[int, dict[str, int]]:
    """Return the sums over the deals that all four cells have played, by pair."""
    made = _aggregates(layout)
    where = f"cell_id in ({', '.join(map(str, pairs))})"
    found: dict[int, dict[str, int]] = {}
    for games, seats in batches(runs):
        rows = con.execute(f"""
            select d.cell_id, count(*), {", ".join(made.values())}
            from ({layout.per_deal(sqltext.parquet(games), sqltext.parquet(seats), where)}) d
            join quartets q using (cell_id)
            join alone a on a.cell_id = q.first and a.deal = d.deal
            join alone b on b.cell_id = q.second and b.deal = d.deal
            join alone o on o.cell_id = q.none and o.deal = d.deal
            group by d.cell_id""").fetchall()
        for number, deals, *values in rows:
            own = found.setdefault(number, {})
            own["deals"] = own.get("deals", 0) + int(deals)
            for name, value in zip(made, values, strict=True):
                own[name] = own.get(name, 0) + int(value or 0)
    return found


def _aggregates(layout: Layout) -> dict[str, str]:
    """Return the sums that are needed, as SQL by name."""
    made: dict[str, str] = {}
    for name, scale, den in _measures(layout):
        column = sqltext.name(f"n:{name}")
        if scale == LOG:
            for k, one in enumerate(_ALIASES):
                made[f"{name}:{k}"] = f"sum({one}.{column})"
                for m, two in enumerate(_ALIASES[k:], k):
                    made[f"{name}:{k}{m}"] = f"sum({one}.{column} * {two}.{column})"
            continue
        beyond = f"(d.{column} - a.{column} - b.{column} + o.{column})"
        made[f"{name}:n"], made[f"{name}:n2"] = f"sum({beyond})", f"sum({beyond} * {beyond})"
        if den:
            held = f"d.{sqltext.name(f'd:{den}')}"
            made[f"{name}:d"], made[f"{name}:d2"] = f"sum({held})", f"sum({held} * {held})"
            made[f"{name}:x"] = f"sum({beyond} * {held})"
    return made


Found = tuple[CellStatistics, str, str, Interval, float]


def _of_cell(cell: CellStatistics, layout: Layout, total: dict[str, int]) -> Iterator[Found]:
    deals = total["deals"]
    if deals < 2:
        return
    mixed = sum(name.startswith("policy:") for name in cell.sums) > 1
    for name, scale, den in _measures(layout):
        kind, _, of = name.partition(":")
        if (kind == "seat" and int(of) >= cell.players) or (kind == "policy" and not mixed):
            continue
        if scale == LOG:
            found = _log_difference(total, name, deals)
        else:
            each = cell.replicates
            sums = Sums(
                deals,
                total[f"{name}:n"],
                total[f"{name}:d"] if den else deals * each,
                total[f"{name}:n2"],
                total[f"{name}:d2"] if den else deals * each * each,
                total[f"{name}:x"] if den else total[f"{name}:n"] * each,
            )
            found = _difference(sums)
        if found is not None:
            yield cell, name, scale, *found


def _difference(sums: Sums) -> tuple[Interval, float] | None:
    """Return the difference in differences of a share, and its p-value."""
    if not sums.den:
        return None
    mean = Mean(sums)
    return mean.interval, min(1.0, 2 * min(mean.p_above(0.0), mean.p_below(0.0)))


def _log_difference(total: dict[str, int], name: str, deals: int) -> tuple[Interval, float] | None:
    """Return the difference in differences of log means, with the variance of its linearisation."""
    sums = [total[f"{name}:{k}"] for k in range(4)]
    if min(sums) <= 0:
        return None
    value = sum(sign * math.log(part) for sign, part in zip(_SIGNS, sums, strict=True))
    variance = 0.0
    for k in range(4):
        for m in range(4):
            low, high = min(k, m), max(k, m)
            covariance = (total[f"{name}:{low}{high}"] * deals - sums[k] * sums[m]) / (deals - 1)
            variance += _SIGNS[k] * _SIGNS[m] * covariance / (sums[k] * sums[m])
    error = math.sqrt(max(variance, 0.0))
    z = abs(value) / error if error else (math.inf if value else 0.0)
    return Interval(value, value - Z * error, value + Z * error), min(1.0, 2 * normal_tail(z))


# --- neither breaks it, together they do


@dataclass(frozen=True, slots=True)
class Together:
    """A pair that is broken although neither of its variants alone is, at one strength of play."""

    players: int
    variants: tuple[str, ...]
    lineup: str
    strength: str
    sure: bool
    """Both variants alone were found fine there; otherwise they were only not found broken: possibly."""

    @property
    def key(self) -> Key:
        """What the verdict is about."""
        return self.players, self.variants

    def sentence(self) -> str:
        """Return it in words."""
        both = " and ".join(self.variants)
        if self.sure:
            return f"neither breaks it, together they do: {both}, {self.players} players, {self.strength}"
        return f"possibly only together: {both}, {self.players} players, {self.strength}"


def together(judgements: Judgements, statistics: Statistics) -> list[Together]:
    """Return the pairs that only together are broken, the sure ones first."""
    found: list[Together] = []
    for judgement in judgements.judgements:
        if len(judgement.variants) != 2 or judgement.verdict is not Verdict.BROKEN:
            continue
        alone = [judgements.find(judgement.players, (name,)) for name in judgement.variants]
        for broken in (cell for cell in judgement.cells if cell.verdict is Verdict.BROKEN):
            lineup = broken.cell.lineup
            there = [
                next((c.verdict for c in single.cells if c.cell.lineup == lineup), Verdict.UNDECIDED)
                if single
                else Verdict.UNDECIDED
                for single in alone
            ]
            if Verdict.BROKEN not in there:
                sure = all(verdict is Verdict.FINE for verdict in there)
                name = strength_of(statistics.facts, lineup).name
                found.append(Together(*judgement.key, lineup, name, sure))
    return sorted(found, key=lambda t: (not t.sure, t.players, t.variants, t.lineup))
