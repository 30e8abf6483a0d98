"""Runs judged for an experiment, and catalogs side by side: the same deals under both, judged alike.

`compare`, `contested` and `suggest` play a changed catalog on the seeds of the unchanged one, judge it by the
same thresholds, and play again on fresh seeds whatever they name. What they share is here, and `judge_runs`,
by which `check` judges too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from balance.dataset.plan import Plan
from balance.dataset.run import Run
from balance.games.contract import Catalog, Game
from balance.games.keys import HIGHEST_SEED
from balance.games.variants import Combination
from balance.judge.bench import Bench
from balance.judge.findings import Finding
from balance.judge.quality import Probed, load_qualities
from balance.judge.thresholds import Thresholds
from balance.judge.verdict import Judgement, Judgements, Key, judge
from balance.measure.cells import statistics
from balance.stats.corrections import ONE_LOOK, Look
from balance.sweep import simulation
from balance.sweep.planning import make_plan

Play = Callable[[simulation.Prepared], Run]
"""Plays a prepared run."""

FRESH_SEED: Final = 1 << 40


def fresh_seed(seed: int) -> int:
    """Return the confirmation seed of a seed: its games are disjoint from those of `seed`.

    >>> fresh_seed(7) - 7 == FRESH_SEED
    True
    """
    return (seed + FRESH_SEED) % (HIGHEST_SEED + 1)


def play_prepared(prepared: simulation.Prepared, jobs: int | None = None) -> Run:
    """Play a prepared run without a progress line."""
    return simulation.run_prepared(prepared, jobs).run


def judge_runs(
    runs: Sequence[Run],
    thresholds: Thresholds,
    cells: Iterable[int] | None = None,
    look: Look = ONE_LOOK,
    settled: Mapping[Key, Judgement] | None = None,
    probed: Mapping[Key, Probed] | None = None,
    **counting: Any,
) -> tuple[Judgements, Bench]:
    """Judge cells of runs (by default those with variants).

    `probed` holds what other players have gained in some cells; `counting` goes to
    `balance.measure.cells.statistics`.
    """
    chosen = None if cells is None else list(cells)
    summed = statistics(runs, chosen, **counting)
    bench = Bench(summed, load_qualities(runs, probed))
    with_variants = [number for number, cell in sorted(summed.cells.items()) if cell.variants]
    return judge(
        summed, thresholds, cells=chosen or with_variants, bench=bench, look=look, settled=settled
    ), bench


FindingKey = tuple[int, Combination, str, str, str, bool]


def finding_key(finding: Finding) -> FindingKey:
    """Return what a finding is about; the same finding in other games has the same key."""
    cell, measured = finding.cell, finding.measured
    return cell.players, cell.variants, cell.lineup, measured.name, finding.threshold.id, finding.upper


def findings_of(judgements: Iterable[Judgement]) -> dict[FindingKey, Finding]:
    """Return all findings of judgements by key."""
    return {finding_key(f): f for j in judgements for cell in j.cells for f in cell.findings}


@dataclass
class Trials:
    """Plays catalogs on common seeds into temporary runs, and counts the games."""

    game: Game[Any, Any]
    edition: str
    lineups: Sequence[str]
    """None: the default sweep."""
    place: Path
    jobs: int | None = None
    games: int = field(default=0, init=False)
    _runs: int = field(default=0, init=False)

    def play(
        self, catalog: Catalog, combinations: Iterable[Combination], deals: Mapping[int, int], seed: int
    ) -> Run:
        """Play combinations with a catalog; `deals` is how many of each cell, by number of players."""
        plan = make_plan(
            self.game,
            catalog,
            edition=self.edition,
            deals=deals,
            combinations=list(combinations),
            lineups=self.lineups,
            seed=seed,
        )
        return self.play_plan(catalog, plan)

    def play_plan(self, catalog: Catalog, plan: Plan) -> Run:
        """Play the cells of a plan with a catalog."""
        self._runs += 1
        prepared = simulation.prepare_plan(self.game, catalog, plan, self.place / str(self._runs))
        self.games += plan.games
        return play_prepared(prepared, self.jobs)
