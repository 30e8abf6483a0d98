"""Interaction: what two variants do together beyond what each does alone.

The difference in differences on common seeds: the same deal is looked at with both variants, with each alone
and with none. Length and money are compared as logarithms of means (twice as long and half as long cancel
out), shares and win points as they are. The view `interactions` sums integers per deal; the unit is the deal.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from balance.dataset.measures import declared
from balance.dataset.plan import PlannedCell
from balance.dataset.run import Run
from balance.games.measures import LOG
from balance.judge.strengths import strength_of
from balance.judge.verdict import Judgements, Key, Verdict
from balance.measure.cells import Statistics, connect_to, read_interactions, read_ratios
from balance.stats.corrections import benjamini_yekutieli
from balance.stats.intervals import Interval
from balance.stats.ratio import Normal

if TYPE_CHECKING:
    import duckdb


@dataclass(frozen=True, slots=True)
class Interaction:
    """The effect of a pair beyond that of its two variants, in one measure."""

    cell: PlannedCell
    measure: str
    """The name of its sums: `mean_length`, `stalls`, `win_points:adaptive`."""
    title: str
    scale: str
    """`log`: the logarithm of a factor; `points`: a difference of shares or win points."""
    interval: Interval
    p: float
    """Two-sided, against "nothing beyond"."""
    adjusted: float

    def sentence(self) -> str:
        """Return it in words."""
        name, (value, low, high) = self.title, self.interval
        if self.scale == LOG:
            value, low, high = (math.exp(end) for end in self.interval)
            return f"{name} {value:.2f} times what both alone would give ({low:.2f} to {high:.2f})"
        return f"{name} {value:+.3f} beyond what both alone would give ({low:+.3f} to {high:+.3f})"


def interactions(
    runs: Sequence[Run],
    statistics: Statistics,
    cells: Iterable[int] | None = None,
    *,
    atlas: bool = False,
    con: duckdb.DuckDBPyConnection | None = None,
) -> list[Interaction]:
    """Return what the pairs among some cells (by default all) do beyond their variants alone.

    Pairs of which a variant was not played alone at the same players and lineup are left out. With `atlas`
    only what reports compare in every pair is looked at.
    """
    parts = _parts(statistics, cells)
    if not parts:
        return []
    with nullcontext(con) if con else connect_to(runs, set().union(*parts.values())) as opened:
        found = read_interactions(opened, atlas)
    measures = declared(statistics.facts, statistics.facts.policies)
    titles = {one.name: one.beyond.title for one in measures if one.beyond}
    place = np.array([list(titles).index(name) for name in found["measure"]], np.int64)
    order = np.lexsort((found["of"].astype(str), place, found["cell_id"]))
    rows = {name: column[order] for name, column in found.items()}
    rows = {name: column[np.isin(rows["cell_id"], list(parts))] for name, column in rows.items()}
    logs = rows["scale"] == LOG
    normal = Normal(rows["value"], rows["error"], rows["deals"])
    ratio = read_ratios({**rows, "most": np.full(len(logs), np.inf)})
    value, low, high = (
        np.where(logs, getattr(normal, end), getattr(ratio, end)).tolist() for end in ("value", "low", "high")
    )
    above, below = (
        np.where(logs, *(getattr(one, side)(0.0) for one in (normal, ratio))) for side in ("above", "below")
    )
    p_values = np.minimum(1.0, 2 * np.minimum(above, below)).tolist()
    return [
        Interaction(
            statistics.cells[number],
            f"{measure}:{of}" if of else measure,
            titles[measure].format(of=of),
            scale,
            Interval(*ends),
            p,
            adjusted,
        )
        for number, measure, of, scale, ends, p, adjusted in zip(
            rows["cell_id"].tolist(),
            *(rows[name] for name in ("measure", "of", "scale")),
            zip(value, low, high, strict=True),
            p_values,
            benjamini_yekutieli(p_values),
            strict=True,
        )
    ]


def _parts(statistics: Statistics, cells: Iterable[int] | None) -> dict[int, set[int]]:
    """Return the pairs whose two variants were also played alone, and without any: the cells of each."""
    found = {}
    for number in statistics.cells if cells is None else cells:
        cell = statistics.cells[number]
        wanted = [(), *((name,) for name in cell.variants)] if len(cell.variants) == 2 else []
        parts = [statistics.find(cell.players, names, cell.lineup) for names in wanted]
        if parts and all(parts):
            found[number] = {number, *(part.id for part in parts if part)}
    return found


# --- neither breaks it, together they do


@dataclass(frozen=True, slots=True)
class Together:
    """A pair that is broken although neither of its variants alone is, at one strength of play."""

    players: int
    variants: tuple[str, ...]
    lineup: str
    strength: str
    sure: bool
    """Whether both variants alone were shown not to break the game there, rather than only not found to."""

    @property
    def key(self) -> Key:
        """The players and variants that the verdict is about."""
        return self.players, self.variants

    def sentence(self) -> str:
        """Return it in words."""
        where = f"({self.players} players, {self.strength})"
        if self.sure:
            return f"Neither breaks it alone, together they do {where}"
        return f"Possibly only together: whether one alone breaks it is open {where}"


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
                next((c for c in single.cells if c.cell.lineup == lineup), None) if single else None
                for single in alone
            ]
            if not any(cell and cell.verdict is Verdict.BROKEN for cell in there):
                sure = all(cell is not None and cell.not_broken for cell in there)
                name = strength_of(statistics.facts, lineup).name
                found.append(Together(*judgement.key, lineup, name, sure))
    return sorted(found, key=lambda t: (not t.sure, t.players, t.variants, t.lineup))
