"""Judging and ranking all combinations of runs.

One command looks at everything here, so everything is one family of the correction.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from balance.dataset.run import Run
from balance.errors import DataError
from balance.games.variants import entry_names
from balance.judge.bench import Bench
from balance.judge.findings import Finding
from balance.judge.interaction import Together, together
from balance.judge.quality import load_qualities
from balance.judge.sentences import finding_sentence, in_brief, pool_sentence
from balance.judge.thresholds import Thresholds
from balance.judge.verdict import Judgement, Judgements, Key, Verdict, judge
from balance.measure.cells import Statistics, statistics
from balance.stats.corrections import ONE_LOOK, Look

HEADLINE: Final = 10


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
        return finding_sentence(finding, self.bench.without(finding), self.items)

    @cached_property
    def items(self) -> dict[str, str]:
        """The names of items by id."""
        run = self.runs[0]
        return entry_names(run.game, run.catalog, run.game.facts.item)

    def pools(self) -> list[str]:
        """Return the verdicts on what is judged over everything that was played, in words."""
        return [pool_sentence(pool, self.items) for pool in self.judgements.pools]

    def in_brief(self, judgement: Judgement) -> str:
        """Return in one line what bends a combination."""
        said = in_brief(judgement.bent, self.bench.without)
        return f"{said[:1].upper()}{said[1:]}."

    def only_together(self, judgement: Judgement) -> Together | None:
        """Return at which strength a combination is broken although its variants alone are not, if any."""
        return self._together.get(judgement.key)

    @cached_property
    def _together(self) -> dict[Key, Together]:
        return {one.key: one for one in reversed(self.together)}

    def reason(self, judgement: Judgement) -> Finding | None:
        """Return what breaks or bends a combination most, or what keeps it undecided."""
        return judgement.reasons[0] if judgement.reasons else judgement.holding


def judged_cells(runs: Sequence[Run], players: Sequence[int] = ()) -> list[int]:
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
    ranks = list(Verdict)
    return tuple(
        sorted(
            judgements,
            key=lambda j: (j.key not in surprising, ranks.index(j.verdict), -j.severity, -j.further, j.key),
        )
    )


def rank(
    runs: Sequence[Run],
    thresholds: Thresholds,
    players: Sequence[int] = (),
    *,
    look: Look = ONE_LOOK,
    settled: dict[Key, Judgement] | None = None,
    summed: Statistics | None = None,
) -> Ranking:
    """Judge every combination of variants in runs, at some or all numbers of players.

    `summed` is what the games of the runs add up to, if that is at hand already.
    """
    run = runs[0]
    cells = judged_cells(runs, players)
    if not cells:
        raise DataError(f"the runs hold no games under {run.game.facts.variants} to be judged")
    summed = summed or statistics(runs, cells)
    bench = Bench(summed, load_qualities(runs))
    found = judge(summed, thresholds, cells=cells, bench=bench, look=look, settled=settled)
    both = tuple(together(found, summed))
    return Ranking(tuple(runs), summed, bench, found, ranked(found.judgements, both), both)
