"""Cells made of drawn numbers instead of games: the truth is known, and a thousand of them take a second."""

from balance import games
from balance.analysis.cells import CellStatistics, Paired, Statistics, Sums
from balance.analysis.thresholds import Threshold, Thresholds

FACTS = games.get("nefarious").facts


def bernoulli(successes, n):
    """Sums of n games of which so many were so."""
    return Sums(n, successes, n, successes, n, successes)


def cell(number=0, sums=None, *, lengths=None, n=1000, variants=("unions",), lineup="field", **more):
    """A cell of four players."""
    counts = {10: n} if lengths is None else lengths
    deals = sum(counts.values())
    return CellStatistics(number, 4, variants, lineup, 1, deals, counts, {}, sums or {}, **more)


def book(*cells):
    """Cells read together."""
    return Statistics(FACTS, {c.id: c for c in cells})


def accept(**ranges):
    """Thresholds from ranges, `stalls=(None, 0.01)`; two underlines stand for a colon."""
    return Thresholds(
        tuple(Threshold(name.replace("__", ":"), *ends, "test") for name, ends in ranges.items())
    )


def paired_lengths(own, base):
    """Two arrays of lengths on common seeds, as sums: own, baseline, and their product."""
    sums = [Sums(len(x), int(x.sum()), len(x), int((x * x).sum()), len(x), int(x.sum())) for x in (own, base)]
    return *sums, Paired(len(own), int(own.sum()), int(base.sum()), int((own * base).sum()))
