"""Why a combination is broken or bent: stalled games are opened, each rule of its variants is switched off.

A rule is a cause of a finding if the same deals clearly differ without it (a test deal by deal,
corrected over everything that was tried) and at least half of what is outside the accepted range is gone.
Words come from the game; what a finding is, and whether it holds, is decided elsewhere.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from balance.dataset.run import Run
from balance.errors import DataError
from balance.experiments.check import Check
from balance.experiments.side_by_side import Trials
from balance.games.contract import Explaining, Part
from balance.games.variants import entry_names
from balance.judge.bench import Bench
from balance.judge.findings import Finding
from balance.judge.sentences import brief
from balance.judge.verdict import ALPHA, CellVerdict, Verdict
from balance.measure.cells import statistics
from balance.measure.metrics import Measurement
from balance.measure.paired import Group, pair_cells, paired_measures
from balance.stats.corrections import benjamini_yekutieli
from balance.sweep.planning import plan_of_cells
from balance.sweep.replaying import find_game
from balance.sweep.simulation import require_same_engine

MOST_OPENED: Final = 100
MOST_DEALS: Final = 1000


@dataclass(frozen=True, slots=True)
class Attribution:
    """A finding that depends on a rule: without the rule it is gone, or less than half of it is left."""

    variant: str
    rule: str
    finding: Finding
    without: Measurement
    gone: bool
    adjusted: float
    """Two-sided, deal by deal, against "the same", corrected over everything that was tried."""

    @property
    def words(self) -> str:
        """The change of the metric in words: "nobody wins 0% of the games instead of 72%"."""
        return brief(self.without, self.finding.measured)


@dataclass(frozen=True)
class Causes:
    """Explanations of the findings of the cell that shows a verdict best."""

    cell: CellVerdict
    names: Mapping[str, str]
    """Of the variants."""
    stalls: tuple[tuple[str, int], ...] = ()
    attributions: tuple[Attribution, ...] = ()
    rules: int = 0
    deals: int = 0
    games: int = 0

    @property
    def opened(self) -> int:
        """How many stalled games were opened."""
        return sum(count for _, count in self.stalls)

    def sentences(self) -> Iterator[str]:
        """Yield the causes in words."""
        of = self.opened
        for words, count in self.stalls:
            yield f"{count / of:.0%} of the games that nobody wins ({count} of {of}): {words}."
        for (variant, rule), own in self._by_rule().items():
            said = ", ".join(one.words for one in own)
            left = "" if all(one.gone for one in own) else ": better by half, but not mended"
            yield f'Without "{rule.rstrip(".")}" ({self.names[variant]}) {said}{left}.'
        if self.rules and not self.attributions:
            yield f"No rule alone is the cause: it stays as it is without any one of the {self.rules}."

    def mended(self) -> str:
        """Return a rule without which one finding is gone, the one with the fewest words, in a sentence."""
        gone = sorted((one for one in self.attributions if one.gone), key=lambda one: len(one.rule))
        if not gone:
            return f"Leaving out one of its {self.rules} rules was not seen to mend it." if self.rules else ""
        first, others = gone[0], len(gone) - 1
        said = f'Without "{first.rule.rstrip(".")}" ({self.names[first.variant]}) {first.words}'
        return f"{said}; leaving out another rule mends it too." if others else f"{said}."

    def _by_rule(self) -> dict[tuple[str, str], list[Attribution]]:
        """Return what depends on each rule: of findings about the same figure, such as lengths, the first."""
        found: dict[tuple[str, str], dict[str, Attribution]] = {}
        for one in self.attributions:
            measured = one.finding.measured
            figure = measured.metric.measure + measured.of
            found.setdefault((one.variant, one.rule), {}).setdefault(figure, one)
        return {rule: list(own.values()) for rule, own in found.items()}


def causes(
    found: Check, jobs: int | None = None, advance: Callable[[str], object] = lambda _: None
) -> Causes | None:
    """Return what explains a broken or bent combination; None if it is neither, or its game has no words.

    DataError if the games are those of another engine: neither replays nor new games would be the same.
    `advance` is called before each rule is switched off, with the variant that it belongs to.
    """
    if found.verdict not in (Verdict.BROKEN, Verdict.BENT):
        return None
    cell, _ = found.worst()
    findings = cell.broken if found.verdict is Verdict.BROKEN else cell.bent
    why = explain(found.runs, cell, findings, jobs=jobs, advance=advance)
    stalled = any(finding.measured.metric.name == "stalls" for finding in findings)
    if why is None or not stalled or not isinstance(found.game, Explaining):
        return why
    return replace(why, stalls=_stalls(found.runs, cell.cell.id, found.game))


def explain(
    runs: Sequence[Run],
    cell: CellVerdict,
    findings: Sequence[Finding],
    *,
    deals: int = MOST_DEALS,
    jobs: int | None = None,
    advance: Callable[[str], object] = lambda _: None,
) -> Causes | None:
    """Return which rules cause findings about a cell; each is switched off on at most `deals` deals."""
    game, catalog = runs[0].game, runs[0].catalog
    if not isinstance(game, Explaining):
        return None
    for run in runs:
        require_same_engine(run.path, run.plan, game)
    names = entry_names(game, catalog, game.facts.variant)
    parts = rules_of(runs, cell.cell.variants)
    if len(parts) < 2:  # the game without variants was played
        return Causes(cell, names)
    with TemporaryDirectory(prefix="balance-") as place:
        trials = _Trials(runs, cell, findings, deals, Path(place), jobs)
        for variant, part in parts:
            advance(variant)
            trials.switch_off(variant, part)
        found, tried = trials.attributions(), len(parts) if trials.compared else 0
        return Causes(cell, names, (), found, tried, trials.deals, trials.played.games)


def rules_of(runs: Sequence[Run], variants: Sequence[str]) -> list[tuple[str, Part]]:
    """Return the rules of variants as some runs were played, each with its variant."""
    game, catalog = runs[0].game, runs[0].catalog
    if not isinstance(game, Explaining):
        return []
    edition = runs[0].plan.edition
    return [(variant, part) for variant in variants for part in game.parts(catalog, edition, variant)]


def _stalls(runs: Sequence[Run], cell: int, game: Explaining) -> tuple[tuple[str, int], ...]:
    import polars as pl

    counted: Counter[str] = Counter()
    for run in runs:
        stored = next(table for table in run.tables if table.name == "games")
        stalled = next(column.name for column in stored.columns if column.role == "stalled")
        rows = run.games.filter((pl.col("cell_id") == cell) & pl.col(stalled)).select("game_id").collect()
        for number in rows["game_id"].sort()[: MOST_OPENED - counted.total()]:
            replayed = find_game(run, int(number))
            counted[game.stall_cause(replayed.cell, replayed.play())] += 1
    return tuple(counted.most_common())


class _Trials:
    """Plays a cell with one rule switched off at a time, on the deals of the check."""

    def __init__(
        self,
        runs: Sequence[Run],
        cell: CellVerdict,
        findings: Sequence[Finding],
        deals: int,
        place: Path,
        jobs: int | None,
    ) -> None:
        self.key = (cell.cell.players, cell.cell.variants, cell.cell.lineup)
        self.run = next(run for run in runs if run.plan.cell(cell.cell.id))
        planned = self.run.plan.cell(cell.cell.id)
        assert planned is not None
        self.deals = min(planned.deals, deals)
        own = replace(planned, deals=self.deals)
        self.cells = [own, replace(own, variants=())]
        self.played = Trials(self.run.game, self.run.plan.edition, [], place, jobs)
        self.findings = [one for one in findings if one.measured.metric.measure]
        self._tried: list[tuple[str, str, Finding, Measurement, float]] = []

    def switch_off(self, variant: str, part: Part) -> None:
        """Play without a rule, and compare everything that was found."""
        players, variants, _ = self.key
        edition, seed = self.run.plan.edition, self.run.plan.seed
        plan = plan_of_cells(self.run.game, part.catalog, self.cells, edition=edition, seed=seed)
        run = self.played.play_plan(part.catalog, plan)
        phase = pair_cells(self.run, run, [self.key])
        if not phase.pairings:
            raise DataError(f"{self.run.path} has no deals in common with new games")
        group = Group(players, self.key[2], variants, whole=True)
        differences = paired_measures(phase, {group: [phase.pairings[0].number]})[group]
        now = phase.pairings[0].candidate
        bench = Bench(statistics([run], [now]))
        measured = {one.name: one for one in bench.of(bench.statistics.cells[now])}
        for finding in self.findings:
            without = measured.get(finding.measured.name)
            difference = differences.get(self._figure(finding))
            if without is not None and difference is not None:
                self._tried.append((variant, part.words, finding, without, float(difference.p)))

    @property
    def compared(self) -> bool:
        """Whether any finding could be: those on what an item wins cannot."""
        return bool(self._tried)

    def _figure(self, finding: Finding) -> str:
        metric, of = finding.measured.metric, finding.measured.of
        if metric.name == "skill":
            of = self.run.game.facts.usual
        return f"{metric.measure}:{of}" if of else metric.measure

    def attributions(self) -> tuple[Attribution, ...]:
        """Return what clearly depends on a rule, rule by rule."""
        corrected = benjamini_yekutieli([p for *_, p in self._tried])
        return tuple(
            Attribution(variant, rule, finding, without, _left(finding, without) <= 0, adjusted)
            for (variant, rule, finding, without, _), adjusted in zip(self._tried, corrected, strict=True)
            if adjusted <= ALPHA and _left(finding, without) < 0.5
        )


def _left(finding: Finding, without: Measurement) -> float:
    """Return how much of what is outside the accepted range is left; 0 or less: nothing."""
    away = finding.measured.interval.value - finding.bound
    return (without.interval.value - finding.bound) / away if away else 1.0
