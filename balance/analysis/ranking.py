"""Judging and ranking all combinations of runs: the worst on fresh seeds too, more games where it is open.

One command looks at everything here, so everything is one family of the correction.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from balance.analysis.cells import CellStatistics, Statistics, statistics
from balance.analysis.corrections import Look
from balance.analysis.interaction import Together, together
from balance.analysis.metrics import Measurement, measure
from balance.analysis.sentences import finding_sentence, measured_sentence
from balance.analysis.thresholds import Thresholds
from balance.analysis.verdict import (
    Bench,
    Finding,
    Judgement,
    Judgements,
    Key,
    Moved,
    Verdict,
    judge,
    sensitivity,
    unfitted_variants,
)
from balance.dataset.run import Run
from balance.errors import DataError
from balance.games.keys import HIGHEST_SEED

__all__ = [
    "FRESH_SEED",
    "HEADLINE",
    "Confirmed",
    "Ranking",
    "confirm",
    "fresh_seed",
    "play_until_decided",
    "rank",
    "ranked",
]

HEADLINE: Final = 10
"""So many of the worst are named, and confirmed before."""
FRESH_SEED: Final = 1 << 40
"""Added to the seed of a run for games that nobody has looked at."""


def fresh_seed(seed: int) -> int:
    """Return a seed whose games nobody has looked at who has looked at those of `seed`.

    >>> fresh_seed(7) - 7 == FRESH_SEED
    True
    """
    return (seed + FRESH_SEED) % (HIGHEST_SEED + 1)


Play = Callable[[Any], Run]
Say = Callable[[str], None]


@dataclass(frozen=True)
class Confirmed:
    """A finding, measured again on fresh seeds."""

    finding: Finding
    fresh: Measurement | None
    games: int

    @property
    def holds(self) -> bool:
        """Whether the fresh games alone say the same: outside the range, at 5% one-sided."""
        if self.fresh is None:
            return False
        estimate, bound = self.fresh.estimate, self.finding.bound
        return (estimate.p_above(bound) if self.finding.upper else estimate.p_below(bound)) <= 0.05

    def sentence(self) -> str:
        """Return the fresh figure in words."""
        if self.fresh is None:
            return "could not be measured again"
        return f"{measured_sentence(self.fresh)} on {self.games:,} fresh games"


@dataclass(frozen=True)
class Ranking:
    """All combinations: those that only together are broken first, then the worst."""

    runs: tuple[Run, ...]
    statistics: Statistics
    bench: Bench
    judgements: Judgements
    ranked: tuple[Judgement, ...]
    together: tuple[Together, ...]

    def sentence(self, finding: Finding) -> str:
        """Return a finding in words, beside the same without variants."""
        return finding_sentence(finding, self.bench.without(finding))

    def only_together(self, judgement: Judgement) -> Together | None:
        """Return at which strength a combination is broken although its variants alone are not, if any."""
        return next((one for one in self.together if one.key == judgement.key), None)

    def reason(self, judgement: Judgement) -> Finding | None:
        """Return what breaks a combination most, or what keeps it undecided."""
        return judgement.broken[0] if judgement.broken else judgement.holding

    def sensitivity(self, thresholds: Thresholds) -> list[Moved]:
        """Return how the number of broken combinations moves when each threshold moves by 20%."""
        judged = [number for number, cell in self.statistics.cells.items() if cell.variants and cell.games]
        return sensitivity(self.statistics, thresholds, bench=self.bench, cells=judged)


def _judged_cells(runs: Sequence[Run], players: Sequence[int] = ()) -> list[int]:
    """Return the cells with variants, at some numbers of players: what there is to judge."""
    return sorted(
        {
            cell.id
            for run in runs
            for cell in run.plan.cells
            if cell.variants and cell.games and (not players or cell.players in players)
        }
    )


def ranked(judgements: Sequence[Judgement], both: Sequence[Together] = ()) -> tuple[Judgement, ...]:
    """Return verdicts in the order in which a designer wants to read them: surprises, then the worst."""
    surprising = {one.key for one in both if one.sure}
    return tuple(sorted(judgements, key=lambda j: (j.key not in surprising, *_order(j))))


def _order(judgement: Judgement) -> tuple[object, ...]:
    """Return what to sort by: broken first, those furthest outside before; then open ones; then fine."""
    rank = (Verdict.BROKEN, Verdict.UNDECIDED, Verdict.FINE).index(judgement.verdict)
    return rank, -judgement.severity, -judgement.further, judgement.players, judgement.variants


def rank(
    runs: Sequence[Run],
    thresholds: Thresholds,
    players: Sequence[int] = (),
    *,
    look: Look | None = None,
    settled: dict[Key, Judgement] | None = None,
    summed: Statistics | None = None,
) -> Ranking:
    """Judge every combination of variants in runs, at some or all numbers of players.

    `summed` is what the games of the runs add up to, if that is at hand already.
    """
    run = runs[0]
    cells = _judged_cells(runs, players)
    if not cells:
        raise DataError(f"the runs hold no games under {run.game.facts.variants} to be judged")
    summed = summed or statistics(runs, cells)
    bench = Bench(summed, unfitted_variants(run.game, run.catalog))
    found = judge(summed, thresholds, cells=cells, bench=bench, look=look, settled=settled)
    both = tuple(together(found, summed))
    return Ranking(tuple(runs), summed, bench, found, ranked(found.judgements, both), both)


# --- fresh seeds


def confirm(ranking: Ranking, named: Sequence[Judgement], play: Play, games: int = 2000) -> list[Confirmed]:
    """Measure what breaks each of some combinations again, on seeds that nobody has looked at."""
    from balance.sweep import simulation

    reasons = [(j, ranking.reason(j)) for j in named]
    run = ranking.runs[0]
    found: list[Confirmed] = []
    for players in sorted({j.players for j, _ in reasons}):
        here = [(j, f) for j, f in reasons if j.players == players and f is not None]
        if not here:
            continue
        prepared = simulation.prepare_fresh(
            run,
            seed=fresh_seed(run.plan.seed),
            players=players,
            combinations=sorted({(), *(j.variants for j, _ in here)}),
            lineups=sorted({f.cell.lineup for _, f in here}),
            games_per_cell=games,
        )
        fresh = statistics([play(prepared)])
        for judgement, finding in here:
            cell = fresh.find(players, judgement.variants, finding.cell.lineup)
            found.append(Confirmed(finding, _again(fresh, cell, finding), cell.games if cell else 0))
    order = {id(finding): k for k, (_, finding) in enumerate(reasons)}
    return sorted(found, key=lambda confirmed: order[id(confirmed.finding)])


def _again(fresh: Statistics, cell: CellStatistics | None, finding: Finding) -> Measurement | None:
    if cell is None:
        return None
    return next((m for m in measure(fresh, cell) if m.name == finding.measured.name), None)


# --- until it is decided


def play_until_decided(
    runs: Sequence[Run],
    thresholds: Thresholds,
    players: Sequence[int],
    budget: int,
    folder: Path,
    play: Play,
    say: Say,
) -> Ranking:
    """Put more games where verdicts are open, twice as many each time, until all is decided or paid.

    How many looks there are follows from the budget and the games at hand. What one look has decided stays;
    each spends its part of the rate of false claims. What a look could not pay for gets no more games: how
    many games are behind a verdict never depends on how they came out. The games go into extensions of the
    run, `look-2-4-...` at 4 players.
    """
    from balance.sweep import simulation

    held = list(runs)
    last = dict.fromkeys((cell.players for run in runs for cell in run.plan.cells), runs[-1].path)
    settled: dict[Key, Judgement] = {}
    judged = set(_judged_cells(runs, players))
    at_hand = sum(cell.games for run in runs for cell in run.plan.cells if cell.id in judged)
    look = Look.first(at_hand, budget)
    left = budget
    given_up: set[Key] = set()
    while True:
        ranking = rank(held, thresholds, players, look=look, settled=settled)
        settled = {j.key: j for j in ranking.judgements.judgements if j.verdict is not Verdict.UNDECIDED}
        open_ = [j for j in ranking.judgements.judgements if j.verdict is Verdict.UNDECIDED]
        say(
            f"look {look.number} of {look.of}: {len(settled)} decided, {len(open_)} open, {left:,} games left"
        )
        chosen = _affordable([j for j in open_ if j.key not in given_up], left)
        if not chosen or look.number == look.of:
            return ranking
        given_up |= {j.key for j in open_} - {j.key for j in chosen}
        look = look._replace(number=look.number + 1)
        for count, deals in sorted({(j.players, _deals(j)) for j in chosen}):
            here = [j for j in chosen if (j.players, _deals(j)) == (count, deals)]
            prepared = simulation.prepare_extension(
                last[count],
                folder / f"look-{look.number}-{count}-{deals}",
                players=count,
                variants=["none", *(",".join(j.variants) for j in here)],
                games_per_cell=deals,
            )
            run = play(prepared)
            last[count] = run.path
            held.append(run)
            left -= run.plan.games


def _deals(judgement: Judgement) -> int:
    """Return how many deals a cell of a combination has so far."""
    return max(cell.cell.deals for cell in judgement.cells)


def _affordable(open_: Sequence[Judgement], left: int) -> list[Judgement]:
    """Return the combinations that can be paid for, those that seem to need least first.

    What looks too close to call after a few games may be far off after more, so it is not left out.
    """
    chosen: list[Judgement] = []
    counts: set[int] = set()
    for judgement in sorted(open_, key=lambda j: (j.further, j.key)):
        if judgement.blocked:
            continue
        cost = sum(cell.cell.games for cell in judgement.cells)
        if judgement.players not in counts:  # the baseline is played on too
            cost *= 2
        if cost > left:
            break
        left -= cost
        counts.add(judgement.players)
        chosen.append(judgement)
    return chosen
