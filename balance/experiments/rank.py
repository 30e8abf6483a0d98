"""Ranking with games: the worst confirmed on fresh seeds, and more games where verdicts are open."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from balance.dataset.run import Run, open_runs
from balance.errors import DataError
from balance.experiments.side_by_side import Play, fresh_seed, play_prepared
from balance.games.variants import texts_of
from balance.judge.findings import Finding
from balance.judge.ranking import HEADLINE, Ranking, judged_cells, rank
from balance.judge.thresholds import Thresholds, load_thresholds
from balance.judge.verdict import TOO_MANY, Judgement, Key, Verdict
from balance.measure.cells import Statistics, statistics
from balance.measure.metrics import Measurement
from balance.stats.corrections import Look
from balance.sweep import simulation
from balance.sweep.planning import make_plan, parse_players

Say = Callable[[str], None]
FRESH_GAMES: Final = 600
"""Games of each cell that are played to see whether the worst are as bad as they look."""


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
        again = self.fresh.estimate
        test = again.above if self.finding.upper else again.below
        return bool(test(self.finding.bound) <= 0.05)


@dataclass(frozen=True)
class Ranked:
    """Every combination of some runs, ranked, and the worst confirmed on fresh seeds."""

    ranking: Ranking
    thresholds: Thresholds
    fresh: tuple[Confirmed, ...]
    unconfirmed: str = ""


def check_all(
    paths: Sequence[str | Path],
    *,
    players: str | int | Sequence[int] | None = None,
    thresholds: Iterable[str | Path] = (),
    accept: Iterable[str] = (),
    budget: int = 0,
    play: Play = play_prepared,
    say: Say = lambda _: None,
) -> Ranked:
    """Judge and rank every combination of runs, and measure the worst again on fresh seeds.

    With a `budget` of games it plays on where verdicts are open, into a folder beside the last run.

    >>> check_all(["nowhere"])
    Traceback (most recent call last):
    balance.errors.DataError: there is no run in nowhere: run.json is missing
    """
    runs = open_runs(paths)
    game = runs[0].game
    counts = parse_players(texts_of(players), game.facts)
    accepted = load_thresholds(game, thresholds, accept)
    if budget:
        found = play_until_decided(runs, accepted, counts, budget, Path(f"{paths[-1]}-more"), play, say)
    else:
        found = rank(runs, accepted, counts)
    worst = [j for j in found.ranked[:HEADLINE] if j.verdict is Verdict.BROKEN]
    try:
        return Ranked(found, accepted, tuple(confirm(found, worst, play) if worst else ()))
    except DataError as error:  # a run of another engine can be read, and not played on
        return Ranked(found, accepted, (), str(error))


def confirm(ranking: Ranking, named: Sequence[Judgement], play: Play) -> list[Confirmed]:
    """Measure what breaks each of some combinations again, on fresh seeds."""
    reasons = [(j, reason) for j in named if (reason := ranking.reason(j))]
    run = ranking.runs[0]
    simulation.require_same_engine(run.path, run.plan, run.game)
    fresh: dict[tuple[int, str], Statistics] = {}
    # one by one: no combination is played where it is not needed
    for players, lineup in sorted({(j.players, finding.cell.lineup) for j, finding in reasons}):
        here = [(j, f) for j, f in reasons if (j.players, f.cell.lineup) == (players, lineup)]
        plan = make_plan(
            run.game,
            run.catalog,
            edition=run.plan.edition,
            deals={players: FRESH_GAMES},
            combinations=sorted({(), *(j.variants for j, _ in here)}),
            lineups=[lineup],
            seed=fresh_seed(run.plan.seed),
        )
        prepared = simulation.prepare_plan(run.game, run.catalog, plan, kept=False)
        fresh[players, lineup] = statistics([play(prepared)])
    found = []
    for judgement, finding in reasons:
        own = fresh[judgement.players, finding.cell.lineup]
        cell = own.find(judgement.players, judgement.variants, finding.cell.lineup)
        again = own.figures.find(cell.id, finding.measured.name) if cell else None
        found.append(Confirmed(finding, again, cell.games if cell else 0))
    return found


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
    held = list(runs)
    last = dict.fromkeys((cell.players for run in runs for cell in run.plan.cells), runs[-1].path)
    settled: dict[Key, Judgement] = {}
    judged = set(judged_cells(runs, players))
    at_hand = sum(cell.games for run in runs for cell in run.plan.cells if cell.id in judged)
    look = Look.first(at_hand, budget)
    left = budget
    given_up: set[Key] = set()
    while True:
        ranking = rank(held, thresholds, players, look=look, settled=settled)
        settled = {j.key: j for j in ranking.judgements.judgements if j.verdict is not Verdict.UNDECIDED}
        open_ = [j for j in ranking.judgements.judgements if j.verdict is Verdict.UNDECIDED]
        if look.number == 1:
            near = [j.further for j in open_ if j.further <= TOO_MANY]
            close = f"; {len(open_) - len(near):,} are too close to call" if len(near) < len(open_) else ""
            say(
                f"about {math.ceil(sum(near)):,} games would decide {len(near):,} of {len(open_):,} open "
                f"verdicts{close}; the budget is {budget:,}"
            )
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
    return max(cell.cell.deals for cell in judgement.cells)


def _affordable(open_: Sequence[Judgement], left: int) -> list[Judgement]:
    """Return the combinations that can be paid for, those that seem to need least first.

    What looks too close to call after a few games may be far off after more, so it is not left out.
    """
    chosen: list[Judgement] = []
    counts: set[int] = set()
    for judgement in sorted(open_, key=lambda j: (j.further, j.key)):
        if not judgement.open:
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
