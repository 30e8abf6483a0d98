"""Both sides on the same deals, and what they say: changes, verdicts, and both again on fresh deals."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from balance.dataset.item_sums import has_items
from balance.dataset.measures import metrics_of
from balance.dataset.plan import PlannedCell
from balance.dataset.run import Run
from balance.errors import DataError
from balance.experiments.compare.changes import (
    ALL,
    BUILT,
    COMBINATION,
    DEALT,
    ITEM,
    VARIANT,
    Change,
    ChangeFamily,
    Looked,
    Looking,
    carried,
    changes_of,
    corrected,
)
from balance.experiments.compare.comparison import Again, Comparison, Side, Uncompared, VerdictChange
from balance.experiments.compare.sides import Sides, moving_variants, names_of
from balance.experiments.side_by_side import finding_key, findings_of, fresh_seed, judge_runs
from balance.games.contract import Facts
from balance.games.variants import Combination
from balance.judge.bench import Bench
from balance.judge.findings import Finding
from balance.judge.ranking import HEADLINE
from balance.judge.sentences import finding_sentence
from balance.judge.thresholds import Thresholds
from balance.judge.verdict import ALPHA, Judgement, Judgements, Verdict
from balance.measure.items import items_of
from balance.measure.paired import (
    Group,
    groups_of,
    pair_cells,
    paired_dealt,
    paired_items,
    paired_measures,
)
from balance.stats.ratio import Difference

if TYPE_CHECKING:
    from balance.experiments.side_by_side import Play

CONFIRMED: Final = 5
_LENGTHS: Final = ("length", "length_short", "length_long", "length_ratio")

Figures = dict[str, dict[Group, Difference]]
"""By name of the measure, or by item as text: the difference in each group."""


class Measured:
    """The measurements of both sides on the same deals, which are played if they are missing."""

    def __init__(self, sides: Sides, cells: Sequence[PlannedCell], seed: int, play: Play) -> None:
        from balance.sweep.simulation import require_same_engine

        self.sides, self.cells, self._play = sides, list(cells), play
        self.game, self.seed = sides.game, seed
        for run in sides.runs if len(sides.runs) == 1 else ():
            require_same_engine(run.path, run.plan, run.game)
        base, candidate = (self._run(side) for side in sides.both)
        self.judged = self.phase = pair_cells(base, candidate, [cell.key for cell in self.cells])
        if not self.phase.pairings:
            raise DataError("the two sides have no deal in common")
        if moving_variants(sides) is not None:  # games without variants serve multiples alone
            differing = tuple(own for own in self.phase.pairings if own.variants)
            self.phase = replace(self.phase, pairings=differing)
        self.groups = groups_of(self.phase.pairings)
        self.numbers = {(p.players, p.variants, p.lineup): p.number for p in self.phase.pairings}

    def _run(self, side: Side) -> Run:
        from balance.sweep.planning import plan_of_cells
        from balance.sweep.simulation import prepare_plan

        if side.run is not None:
            return side.run
        plan = plan_of_cells(self.game, side.catalog, self.cells, edition=side.edition, seed=self.seed)
        return self._play(prepare_plan(self.game, side.catalog, plan))

    def compared(self, thresholds: Thresholds, uncompared: Sequence[Uncompared]) -> Comparison:
        """Compare both sides."""
        measures, dealt = self._figures(self.groups)
        rows = [*self._measure_rows(measures), *self._item_rows(set(dealt)), *self._dealt_rows(dealt)]
        changes, family = corrected(changes_of(rows))
        changes = self._with_rest(changes, family, measures | dealt)
        judged = [self._judge(thresholds, k) for k in (0, 1)]
        return Comparison(
            self.game,
            replace(self.sides.base, run=self.phase.base),
            replace(self.sides.candidate, run=self.phase.candidate),
            self.seed,
            self.sides.differences,
            tuple(changes),
            tuple(self._verdicts(judged, [change for change in changes if change.sure])),
            _counts([found for found, _ in judged]),
            family,
            tuple(uncompared),
            len({p.variants for p in self.phase.pairings}),
            sum(2 * p.deals * p.replicates for p in self.judged.pairings),
            names_of(self.sides),
            verdict_families=tuple(found.family for found, _ in judged),
            unseen=tuple(judged[1][0].not_looked_at),
        )

    def again(self, found: Comparison, thresholds: Thresholds) -> Comparison:
        """Measure what is named first again, on fresh deals, and return the comparison with these figures.

        These are the largest changes of single combinations, and the worst of what seems to be broken now.
        Where both sides are runs nothing is played, so that nothing is measured again.
        """
        named = [change for change in found.changed if change.level == COMBINATION][:CONFIRMED]
        suspects = [one for one in found.verdicts if one.suspect]
        if len(self.sides.runs) == 2:
            return _with_again(found, {one.key: Again.NOT_PLAYED for one in suspects})
        if not named and not suspects:
            return found
        worst = sorted(suspects, key=lambda one: (-one.severity, one.key))[:HEADLINE]
        keys = {(change.players or 0, change.variants, change.lineup) for change in named}
        judged = {one.key for one in worst} | {(one.players, ()) for one in worst}  # multiples need these
        base, candidate = (replace(side, run=None) for side in self.sides.both)
        cells = [
            replace(cell, first=0)
            for cell in self.cells
            if cell.key in keys or (cell.players, cell.variants) in judged
        ]
        sides = replace(self.sides, base=base, candidate=candidate)
        fresh = Measured(sides, cells, fresh_seed(self.seed), self._play)
        measures, dealt = fresh._figures(fresh.groups)
        every = changes_of([*fresh._measure_rows(measures), *fresh._dealt_rows(dealt)])
        wanted = {change.looked for change in named}
        told = dict.fromkeys((one.key for one in suspects), Again.LEFT_OUT)
        told |= fresh._confirmed(worst, thresholds) if worst else {}
        return _with_again(replace(found, fresh={c.looked: c for c in every if c.looked in wanted}), told)

    # --- figures

    def _figures(self, groups: Mapping[Group, Sequence[int]]) -> tuple[Figures, Figures]:
        measures: Figures = {}
        for group, parts in paired_measures(self.phase, groups).items():
            for name, found in parts.items():
                measures.setdefault(name, {})[group] = found
        dealt = paired_dealt(self.phase, groups, self._changed_items())
        return measures, {str(item): by_group for item, by_group in dealt.items()}

    def _changed_items(self) -> dict[int, bool]:
        facts = self.game.facts
        if not facts.mask("opening"):
            return {}
        known = {item.id for item in items_of(self.game, self.phase.base.catalog)}
        changed = sorted(int(name) for name in self.sides.entries(facts.item))
        return {item: item in known for item in changed}

    def _measure_rows(self, figures: Figures) -> Iterator[Looking]:
        metrics = metrics_of(self.game.facts)
        counts = {group.players for group in self.groups}
        for name, by_group in figures.items():
            metric, _, of = name.partition(":")
            tables: dict[str, list[tuple[Group, Difference]]] = {}
            for group, found in by_group.items():
                yield Looking(_level(group), group, metrics[metric], of, found)
                if group.variants is None and found.own.den and found.base.den:
                    tables.setdefault(group.lineup, []).append((group, found))
            for each in tables.values():
                if len(counts) > 1 and counts == {group.players for group, _ in each}:
                    every = _together(found for _, found in each)
                    yield Looking(ALL, each[0][0], metrics[metric], of, every, players=None)

    def _item_rows(self, changed: set[str]) -> Iterator[Looking]:
        tables = [group for group in self.groups if group.variants is None]
        found = paired_items(self.phase) if tables and has_items(self.phase.base.game) else {}
        for group in tables:
            for (metric, item), figure in found.get((group.players, group.lineup), {}).items():
                if metric == "built" or str(item) not in changed:
                    yield Looking(ITEM, group, BUILT if metric == "built" else DEALT, "", figure, item)

    def _dealt_rows(self, figures: Figures) -> Iterator[Looking]:
        for item, by_group in figures.items():
            for group, found in by_group.items():
                level = ITEM if group.variants is None else _level(group)
                yield Looking(level, group, DEALT, "", found, int(item))

    def _with_rest(self, changes: Sequence[Change], family: ChangeFamily, figures: Figures) -> list[Change]:
        """Return the changes, those over all combinations with what is left without the one that carries it.

        The combination to leave out is the one without which the figure is nearest to no change; whether it
        carries the change is counted from the deals of all others.
        """
        wholes = {
            change.looked: (change, self._outlier(change, figures))
            for change in changes
            if change.sure and (change.level == ALL or (change.level == ITEM and _name(change) in figures))
        }
        left: dict[Group, list[int]] = {}
        for change, variants in wholes.values():
            for group in self._wholes(change):
                own = self.numbers.get((group.players, variants, group.lineup))
                rest = replace(group, variants=variants, without=True)
                left[rest] = [number for number in self.groups[group] if number != own]
        if not left:
            return list(changes)
        measures, dealt = self._figures(left)
        claims = sum(change.sure for change in changes)
        rests: dict[Looked, Change] = {}
        for looked, (change, variants) in wholes.items():
            by_group = (measures | dealt)[_name(change)]
            keys = [replace(group, variants=variants, without=True) for group in self._wholes(change)]
            found = [by_group[key] for key in keys if key in by_group]
            if not found:  # nobody else is dealt the item
                continue
            group = replace(keys[0], players=change.players or 0)
            row = Looking(change.level, group, change.measured, change.of, _together(found), change.item)
            for rest_ in changes_of([row]):
                if carried(change, rest_, family.critical(change.level, claims)):
                    rests[looked] = rest_
        return [replace(change, rest=rests.get(change.looked)) for change in changes]

    def _wholes(self, change: Change) -> list[Group]:
        return [
            group
            for group in self.groups
            if group.variants is None
            and group.lineup == change.lineup
            and change.players in (None, group.players)
        ]

    def _outlier(self, change: Change, figures: Figures) -> Combination:
        """Return the combination without which a figure over all would be nearest to no change."""
        own = figures[_name(change)]
        tables = {(group.players, group.lineup) for group in self._wholes(change)}
        single: dict[Combination, Difference] = {}
        for group, found in own.items():
            if group.whole and (group.players, group.lineup) in tables:
                variants = group.variants or ()
                single[variants] = single[variants] + found if variants in single else found
        whole = _together(own[group] for group in self._wholes(change))

        def left(variants: Combination) -> float:
            one = single[variants]
            dens = [whole.own.den - one.own.den, whole.base.den - one.base.den]
            if not all(dens):
                return -math.inf
            value = (whole.own.num - one.own.num) / dens[0] - (whole.base.num - one.base.num) / dens[1]
            return float(value) * math.copysign(1, change.difference)

        return min(sorted(single), key=left)

    # --- verdicts

    def _judge(self, thresholds: Thresholds, side: int) -> tuple[Judgements, Bench]:
        phase = self.judged
        run = (phase.base, phase.candidate)[side]
        common = {(p.base, p.candidate)[side]: phase.common([p]) for p in phase.pairings}
        planned = {cell.id: (cell.first, cell.first + cell.deals) for cell in run.plan.cells}
        within = {own: deals for own, deals in common.items() if deals != planned[own]}
        return judge_runs([run], thresholds, list(common), within=within)

    def _verdicts(
        self, judged: Sequence[tuple[Judgements, Bench]], sure: Sequence[Change]
    ) -> Iterator[VerdictChange]:
        (before, was_bench), (after, now_bench) = judged
        earlier = {found.key: found for found in before.judgements}
        for now in after.judgements:
            was = earlier.get(now.key)
            if was is None or was.verdict is now.verdict:
                continue
            both = ((now, now_bench), (was, was_bench))
            told, bench = max(both, key=lambda one: (one[0].verdict is Verdict.BROKEN, bool(one[0].reasons)))
            reasons = tuple(finding_sentence(f, bench.without(f)) for f in told.reasons[:3])
            causes = now.broken if was.not_broken else causes_of(now, sure, self.game.facts)
            whom = ", ".join(now.broken_for)
            yield VerdictChange(
                *now.key, was.verdict, now.verdict, reasons, tuple(causes), whom, now.severity
            )

    def _confirmed(
        self, suspects: Sequence[VerdictChange], thresholds: Thresholds
    ) -> dict[tuple[int, Combination], Again]:
        """Return for combinations whether the games of this table say too that they are broken now.

        That is, whether one of the causes is outside again: for the candidate at 5% one-sided, shared among
        the causes, and not for the base.
        """
        before, after = (findings_of(self._judge(thresholds, side)[0].judgements) for side in (0, 1))

        def holds(cause: Finding, level: float) -> bool:
            was, now = before.get(finding_key(cause)), after.get(finding_key(cause))
            return now is not None and now.p_broken <= level and (was is None or was.p_broken > ALPHA)

        return {
            one.key: Again.HELD
            if any(holds(cause, ALPHA / len(one.causes)) for cause in one.causes)
            else Again.REFUTED
            for one in suspects
        }


def causes_of(judgement: Judgement, sure: Sequence[Change], facts: Facts) -> Iterator[Finding]:
    """Yield the findings that break a combination and have clearly moved outwards, the worst first."""
    usual = facts.default_lineup.rpartition("mirror:")[2]
    here = {
        (change.lineup, change.name if change.item is None else f"{change.name}:{change.item}"): change
        for change in sure
        if change.level == COMBINATION
        and (change.players, change.variants) == (judgement.players, judgement.variants)
    }
    for finding in judgement.broken:
        name = finding.measured.name
        if name == "skill":
            name = f"win_points:{usual}"
        if finding.measured.metric.name == "item":
            name = f"dealt:{finding.measured.of}"
        name = "mean_length" if name in _LENGTHS else name.removesuffix("_ratio")
        change = here.get((finding.cell.lineup, name))
        if change is not None and (change.difference > 0 if finding.upper else change.difference < 0):
            yield finding


def _level(group: Group) -> str:
    return ALL if group.variants is None else COMBINATION if group.whole else VARIANT


def _name(change: Change) -> str:
    """Return under which name the figures have it: that of the measure, or the item that was dealt."""
    return str(change.item) if change.metric == DEALT.name else change.name


def _together(found: Iterable[Difference]) -> Difference:
    """Return a difference over the deals of several numbers of players, which have none in common."""
    first, *more = found
    return sum(more, first)


def _with_again(found: Comparison, said: Mapping[tuple[int, Combination], Again]) -> Comparison:
    return replace(found, verdicts=tuple(replace(one, again=said.get(one.key)) for one in found.verdicts))


def _counts(judged: Sequence[Judgements]) -> dict[int, tuple[Counter[Verdict], Counter[Verdict]]]:
    players = sorted({found.players for own in judged for found in own.judgements})
    before, after = (
        {n: Counter(f.verdict for f in own.judgements if f.players == n) for n in players} for own in judged
    )
    return {n: (before[n], after[n]) for n in players}
