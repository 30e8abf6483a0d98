"""Cells made of drawn numbers instead of games: the truth is known, and a thousand of them take a second."""

from dataclasses import dataclass, field

import numpy as np

from balance import games
from balance.dataset.measures import declared
from balance.dataset.metric_views import QUANTILES
from balance.dataset.plan import PlannedCell
from balance.judge.thresholds import Threshold, Thresholds
from balance.measure.cells import Statistics
from balance.measure.metrics import Block, Figures
from balance.stats.ratio import Common, Multiple, Normal, Ratio
from tests.sums import common_of, quantiles_of

FACTS = games.get("nefarious").facts


@dataclass(frozen=True)
class Drawn:
    """A cell, and what its games add up to."""

    cell: PlannedCell
    sums: dict[str, Ratio] = field(default_factory=dict)
    lengths: dict[int, int] = field(default_factory=dict)
    common: dict[str, Common] = field(default_factory=dict)
    luck: Normal | None = None
    design: float = 1.0


def bernoulli(successes, n):
    """The share of n games of which so many were so."""
    return Ratio(n, successes, n, successes, n, successes, 1.0)


def cell(
    number=0, sums=None, *, lengths=None, n=1000, variants=("unions",), lineup="field", replicates=1, **more
):
    """A cell of four players."""
    counts = {10: n} if lengths is None else lengths
    deals = sum(counts.values()) // replicates
    players = more.pop("players", 4)
    planned = PlannedCell(number, players, variants, lineup, 0, deals, replicates)
    return Drawn(planned, sums or {}, counts, **more)


def book(*cells, facts=FACTS, pools=None):
    """Cells read together; `pools` are sums over everything, by players and whether the deck runs dry."""
    known = {one.cell.id: one.cell for one in cells}
    pooled = None
    if pools:
        keys = {2 * players + dry: own for (players, dry), own in pools.items()}
        planned = {k: PlannedCell(k, k // 2, (), facts.default_lineup, 0, 0, 1) for k in keys}
        sums = [(k, name, ratio) for k, own in keys.items() for name, ratio in own.items()]
        pooled = Statistics(facts, planned, Figures(facts, [block(sums)]))
    return Statistics(facts, known, Figures(facts, list(blocks(facts, cells))), pooled)


def block(rows):
    """Estimates of one kind: cell, name and estimate of each."""
    numbers, names, made = zip(*rows, strict=True)
    return Block(np.array(numbers), list(names), type(made[0]).stack(made))


def blocks(facts, cells):
    """The estimates of each kind."""
    multiples = {one.name: one.multiple.name for one in declared(facts) if one.multiple}
    base = {(one.cell.players, one.cell.lineup): one.sums for one in cells if not one.cell.variants}
    longest = max((length for c in cells for length in c.lengths), default=0)
    found = [
        [
            (c.cell.id, name, quantiles_of(c.lengths, level, c.design, longest))
            for c in cells
            if c.lengths
            for name, level in QUANTILES.items()
        ]
    ]
    found.append([(c.cell.id, name, ratio) for c in cells for name, ratio in c.sums.items()])
    found.append(
        [
            (
                c.cell.id,
                multiples[name],
                Multiple(c.sums[name], base[c.cell.players, c.cell.lineup][name], own),
            )
            for c in cells
            for name, own in c.common.items()
        ]
    )
    found.append([(c.cell.id, "luck", c.luck) for c in cells if c.luck])
    return (block(rows) for rows in found if rows)


def accept(**ranges):
    """Thresholds from ranges, `stalls=(None, 0.01)`; two underlines stand for a colon."""
    return Thresholds(
        tuple(Threshold(name.replace("__", ":"), *ends, "test") for name, ends in ranges.items())
    )


def paired_lengths(own, base):
    """The multiple of two arrays of lengths on common seeds."""
    return Multiple(Ratio.of(own, 1), Ratio.of(base, 1), common_of(own, 1, base, 1))
