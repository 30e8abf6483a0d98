"""What the games of a comparison say: changes, verdicts, and both again on fresh deals."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from statistics import median
from typing import Any, Final

from balance.dataset.measures import metrics_of
from balance.experiments.compare.answer import Again, Comparison, Power, Uncompared, VerdictChange, causes_of
from balance.experiments.compare.cells import some_cells
from balance.experiments.compare.changes import (
    ALL,
    BUILT,
    COMBINATION,
    DEALT,
    ITEM,
    POWER,
    VARIANT,
    Change,
    change_of,
    corrected,
    nine_of_ten,
)
from balance.experiments.compare.paired import (
    Group,
    count_dealt,
    count_items,
    count_measures,
)
from balance.experiments.compare.playing import BothSides, spread_between
from balance.experiments.compare.sides import names_of
from balance.experiments.side_by_side import (
    FindingKey,
    finding_key,
    findings_of,
    fresh_seed,
    judge_runs,
)
from balance.games.variants import Combination
from balance.judge.bench import Bench
from balance.judge.findings import Finding
from balance.judge.ranking import HEADLINE
from balance.judge.sentences import finding_sentence
from balance.judge.thresholds import Thresholds
from balance.judge.verdict import ALPHA, Judgements, Verdict
from balance.measure.items import has_items, items_of
from balance.stats.intervals import Z
from balance.stats.ratio import Difference

CONFIRMED: Final = 5
"""Single combinations that are named first, after they were measured again on fresh deals."""


class Measured(BothSides):
    """What the games of both sides say."""

    def compared(self, thresholds: Thresholds, uncompared: Sequence[Uncompared]) -> Comparison:
        """Compare both sides."""
        dealt = self._count_dealt()
        found = [*self._measures(), *self._items(set(dealt)), *self._dealt(dealt)]
        changes, family = corrected(found)
        judged = [self._judge(thresholds, k) for k in (0, 1)]
        return Comparison(
            self.game,
            replace(self.sides.base, runs=tuple(phase.base for phase in self.phases)),
            replace(self.sides.candidate, runs=tuple(phase.candidate for phase in self.phases)),
            self.seed,
            self.sides.differences,
            tuple(changes),
            tuple(self._verdicts(judged, [change for change in changes if change.sure])),
            _counts([found for found, _ in judged]),
            family,
            (*uncompared, *self._rarely()),
            tuple(self._power(dealt)),
            len({p.variants for p in self.phases[0].pairings}),
            sum(
                2 * p.deals * p.replicates
                for phase in (self.judged, *self.phases[1:])
                for p in phase.pairings
            ),
            names_of(self.sides),
            verdict_families=tuple(found.family for found, _ in judged),
        )

    def _rarely(self) -> Iterator[Uncompared]:
        """Yield where not enough deals have a changed item for it to be looked at closely."""
        names = names_of(self.sides)
        for item, cells in self.rarely.items():
            why = f"in which too few deals have {names.get(str(item), item)} in an opening hand to play more"
            yield Uncompared(why, len(cells), some_cells(cells), "cells")

    def _count_dealt(self) -> dict[int, dict[Group, Difference]]:
        return {item.id: count_dealt(self.phases, self.groups, item) for item in self.items()}

    def again(self, found: Comparison, thresholds: Thresholds, detect: float) -> Comparison:
        """Look again at what is named first, on deals that nobody has looked at, and return what they say.

        These are the largest changes of single combinations, and the worst of what seems to be broken now.
        Where both sides are runs nothing is played, so that nothing is measured again.
        """
        named = [change for change in found.changed if change.level == COMBINATION][:CONFIRMED]
        suspects = [one for one in found.verdicts if one.suspect]
        if len(self.sides.runs) == 2:
            return _said_again(found, dict.fromkeys(map(_key, suspects), Again.NOT_PLAYED))
        if not named and not suspects:
            return found
        worst = sorted(suspects, key=lambda one: (-one.severity, _key(one)))[:HEADLINE]
        keys = {(change.players or 0, change.variants, change.lineup) for change in named}
        judged = {_key(one) for one in worst} | {(one.players, ()) for one in worst}  # multiples need these
        sides = replace(
            self.sides,
            base=replace(self.sides.base, runs=()),
            candidate=replace(self.sides.candidate, runs=()),
        )
        fresh = Measured(
            sides,
            [
                replace(cell, first=0)
                for cell in self.cells
                if cell.key in keys or (cell.players, cell.variants) in judged
            ],
            fresh_seed(self.seed),
            self.ordered,
            self._play,
        )
        fresh.play()
        if detect > 0 and any(change.item is not None for change in named):
            fresh.focus(detect, keys)
        every = {
            change.looked: change for change in (*fresh._measures(), *fresh._dealt(fresh._count_dealt()))
        }
        said = dict.fromkeys(map(_key, suspects), Again.LEFT_OUT)
        if worst:
            said |= fresh._confirmed(worst, thresholds)
        again = {change.looked: every[change.looked] for change in named if change.looked in every}
        return _said_again(replace(found, fresh=again), said)

    def _confirmed(
        self, suspects: Sequence[VerdictChange], thresholds: Thresholds
    ) -> dict[tuple[int, Combination], Again]:
        """Return for combinations whether the games of this table say too that they are broken now.

        That is, whether one of the causes is outside again: for the candidate at 5% one-sided, shared among
        the causes, and not for the base.
        """
        before, after = (findings_of(self._judge(thresholds, side)[0].judgements) for side in (0, 1))

        def p_broken(found: Mapping[FindingKey, Finding], cause: Finding) -> float:
            same = found.get(finding_key(cause))
            return 1.0 if same is None else same.p_broken

        found = {}
        for one in suspects:
            level = ALPHA / len(one.causes)
            held = any(
                p_broken(after, cause) <= level and p_broken(before, cause) > ALPHA for cause in one.causes
            )
            found[_key(one)] = Again.HELD if held else Again.REFUTED
        return found

    def _level(self, group: Group) -> str:
        return ALL if group.variants is None else COMBINATION if group.whole else VARIANT

    def _measures(self) -> Iterator[Change]:
        measured = count_measures(self.phases[0], self.groups)
        metrics = metrics_of(self.phases[0].base.game.facts)
        wholes: dict[tuple[str, str], dict[Group, Difference]] = {}
        for group, parts in measured.items():
            for part, found in parts.items():
                name, _, of = part.partition(":")
                change = change_of(self._level(group), group, metrics[name], of, found)
                if change is None:
                    continue
                yield change
                if change.level == ALL:
                    wholes.setdefault((group.lineup, part), {})[group] = found
        counts = {group.players for group in self.groups}
        for (_, part), each in wholes.items():
            if len(counts) > 1 and counts == {group.players for group in each}:
                name, _, of = part.partition(":")
                first, *more = each.values()
                every = change_of(ALL, next(iter(each)), metrics[name], of, sum(more, first), players=None)
                yield from [every] if every else []

    def _items(self, measured: set[int]) -> Iterator[Change]:
        """Yield what happened to every item that both sides have, over all combinations."""
        phase = self.phases[0]
        if not has_items(phase.base):
            return
        base, candidate = ({item.id for item in items_of(run)} for run in (phase.base, phase.candidate))
        items = sorted(base & candidate)
        for group in (g for g in self.groups if g.variants is None):
            pairings = [p for p in phase.pairings if (p.players, p.lineup) == (group.players, group.lineup)]
            dealt, built = count_items(phase, pairings, range(*self._range(pairings)), items)
            for k, item in enumerate(items):
                for metric, every in ((DEALT, dealt), (BUILT, built)):
                    if metric is DEALT and item in measured:
                        continue
                    change = change_of(ITEM, group, metric, "", every[k], item=item)
                    if change is not None:
                        yield change

    def _range(self, pairings: Sequence[Any]) -> tuple[int, int]:
        """Return the deals that all of some cells have on both sides."""
        phase = self.phases[0]
        cells = [
            cell
            for p in pairings
            for cell in (phase.base.plan.cell(p.base), phase.candidate.plan.cell(p.candidate))
            if cell is not None
        ]
        return max(cell.first for cell in cells), min(cell.first + cell.deals for cell in cells)

    def _dealt(self, dealt: Mapping[int, Mapping[Group, Difference]]) -> Iterator[Change]:
        for item, by_group in dealt.items():
            for group, found in by_group.items():
                level = ITEM if group.variants is None else self._level(group)
                change = change_of(level, group, DEALT, "", found, item=item)
                if change is not None:
                    yield change

    def _power(self, dealt: Mapping[int, Mapping[Group, Difference]]) -> Iterator[Power]:
        names = names_of(self.sides)
        tables = dict.fromkeys((group.players, group.lineup) for group in self.groups)
        for (item, by_group), (players, lineup) in product(dealt.items(), tables):
            whole = by_group.get(Group(players, lineup))
            own = [m for g, m in by_group.items() if g.whole and (g.players, g.lineup) == (players, lineup)]
            if own:
                reach = [math.sqrt(spread_between(m, players) / int(m.deals)) * (Z + POWER) for m in own]
                every = (
                    math.sqrt(spread_between(whole, players) / int(whole.deals)) * (Z + POWER)
                    if whole
                    else None
                )
                yield Power(
                    item,
                    names.get(str(item), str(item)),
                    players,
                    lineup,
                    int(median(int(m.deals) for m in own)),
                    every,
                    nine_of_ten(reach),
                    max(reach),
                )

    def _judge(self, thresholds: Thresholds, side: int) -> tuple[Judgements, Bench]:
        """Judge one side by the deals that both have, so that no verdict differs for having more games."""
        phase = self.judged
        run = (phase.base, phase.candidate)[side]
        ids = [(p.base, p.candidate)[side] for p in phase.pairings]
        common = {own: self._range([p]) for own, p in zip(ids, phase.pairings, strict=True)}
        planned = {cell.id: (cell.first, cell.first + cell.deals) for cell in run.plan.cells}
        within = {own: deals for own, deals in common.items() if deals != planned[own]}
        return judge_runs([run], thresholds, ids, within=within)

    def _verdicts(
        self, judged: Sequence[tuple[Judgements, Bench]], sure: Sequence[Change]
    ) -> Iterator[VerdictChange]:
        (before, _), (after, _) = judged
        earlier = {found.key: found for found in before.judgements}
        for now in after.judgements:
            was = earlier.get(now.key)
            if was is None or was.verdict is now.verdict:
                continue
            which = 1 if now.verdict is Verdict.BROKEN else 0
            told = (now, was)[1 - which]
            bench = judged[which][1]
            reasons = tuple(finding_sentence(f, bench.without(f)) for f in told.broken[:3])
            causes = now.broken if was.not_broken else causes_of(now, sure, self.game.facts)
            whom = ", ".join(now.broken_for)
            yield VerdictChange(
                now.players,
                now.variants,
                was.verdict,
                now.verdict,
                reasons,
                tuple(causes),
                whom,
                now.severity,
            )


def _key(verdict: VerdictChange) -> tuple[int, Combination]:
    return verdict.players, verdict.variants


def _said_again(found: Comparison, said: Mapping[tuple[int, Combination], Again]) -> Comparison:
    """Return a comparison with what fresh deals say of its verdicts."""
    return replace(found, verdicts=tuple(replace(one, again=said.get(_key(one))) for one in found.verdicts))


def _counts(judged: Sequence[Judgements]) -> dict[int, tuple[Counter[Verdict], Counter[Verdict]]]:
    players = sorted({found.players for own in judged for found in own.judgements})
    counted = [
        {n: Counter(f.verdict for f in own.judgements if f.players == n) for n in players} for own in judged
    ]
    return {n: (counted[0][n], counted[1][n]) for n in players}
