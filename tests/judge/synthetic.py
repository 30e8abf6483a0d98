"""Cells made of drawn numbers instead of games: the truth is known, and a thousand of them take a second."""

from balance import games
from balance.judge.thresholds import Threshold, Thresholds
from balance.measure.cells import CellStatistics, Statistics
from balance.stats.ratio import Common, Multiple, Ratio

FACTS = games.get("nefarious").facts


def bernoulli(successes, n):
    """The share of n games of which so many were so."""
    return Ratio(n, successes, n, successes, n, successes, 1.0)


def cell(number=0, sums=None, *, lengths=None, n=1000, variants=("unions",), lineup="field", **more):
    """A cell of four players."""
    counts = {10: n} if lengths is None else lengths
    deals = sum(counts.values())
    return CellStatistics(number, 4, variants, lineup, 1, deals, counts, sums or {}, **more)


def book(*cells):
    """Cells read together."""
    return Statistics(FACTS, {c.id: c for c in cells})


def accept(**ranges):
    """Thresholds from ranges, `stalls=(None, 0.01)`; two underlines stand for a colon."""
    return Thresholds(
        tuple(Threshold(name.replace("__", ":"), *ends, "test") for name, ends in ranges.items())
    )


def paired_lengths(own, base):
    """The multiple of two arrays of lengths on common seeds."""
    return Multiple(Ratio.of(own, 1), Ratio.of(base, 1), Common.of(own, 1, base, 1))
