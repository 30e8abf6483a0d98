"""The smallest change of one number that mends a broken combination of variants and keeps its idea.

Every number of every variant of the combination is moved, the smallest relative changes first. A few games
screen what cannot help; what is left is judged like any check on the seeds of the check, and what is fine
there, or bent, must be so on fresh seeds too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from balance.errors import CatalogError, UsageError
from balance.experiments.check import STRENGTHS, Check, judged, parts_of
from balance.experiments.dealing import adjustable
from balance.experiments.side_by_side import Trials, finding_key, findings_of, fresh_seed
from balance.games.contract import Catalog, Number
from balance.games.lineup import parse_lineup
from balance.judge.findings import worst_first
from balance.judge.verdict import Verdict
from balance.sweep.planning import deals_for, parse_precision

SCREENED: Final = 400
JUDGED_PRECISION: Final = STRENGTHS["normal"].precision
"""The precision at which candidates are judged at least, whatever the check has played: few games cannot
show that anything is fine."""
MENDED: Final = (Verdict.BENT, Verdict.FINE)
"""What a change must make of a broken combination: a game that works, if another one than in the box."""
MOST_JUDGED: Final = 8
MOST_SCREENED: Final = 100
FREE_STEPS: Final = 2
"""A number moves by at most its own size, or by this if that is more."""
MOST_RETURNED: Final = 2 / 3
"""How much of the way back to its normal value a number may go; beyond that the idea is given up."""
_PROBED: Final = 200


@dataclass(frozen=True, slots=True)
class NumberChange:
    """One number of one variant, moved."""

    variant: str
    path: str
    old: int
    new: int

    @property
    def size(self) -> float:
        """How large the change is, relative to the number."""
        return abs(self.new - self.old) / max(abs(self.old), 1)

    def __str__(self) -> str:
        return f"{self.path} of {self.variant} from {self.old} to {self.new}"


@dataclass(frozen=True, slots=True)
class Tried:
    """A candidate and the verdict on it."""

    change: NumberChange
    screened: Verdict
    judged: Verdict | None = None
    """On the seeds of the check; None: the screen has refused it, or the variant does nothing any more."""
    fresh: Verdict | None = None
    """On fresh seeds; None: it was not mended before."""
    reason: str = ""


@dataclass(frozen=True)
class Remedy:
    """The changes that were tried, and the one that helps."""

    tried: tuple[Tried, ...]
    possible: int
    refused: int
    change: NumberChange | None
    """The smallest after which the combination is bent or fine, twice."""
    overlay: str
    games: int
    deals: tuple[tuple[int, int], ...]
    """By number of players: the deals of each cell on which candidates were judged."""

    def sentences(self) -> list[str]:
        """Say what helps, for whom, and what was tried."""
        deals = ", ".join(f"{deals:,} deals with {players} players" for players, deals in self.deals)
        screened, judged_ = len(self.tried), sum(one.judged is not None for one in self.tried)
        tried = (
            f"Of {self.possible} changes of one number {screened} were screened and {judged_} judged, the "
            f"smallest first (in each cell {deals}; {self.games:,} games in all)."
        )
        if self.refused:
            tried += f" {self.refused} of them the rest of the catalog does not allow."
        if self.change is None:
            found = [f"No change of one number that was tried mends it. {tried}"]
            if self.nearest is not None:
                near = self.nearest
                found.append(f"Nearest: with {near.change} it is undecided. {near.reason}")
            return found
        verdict, again = self.tried[-1].judged, self.tried[-1].fresh
        return [f"Change {self.change}: {verdict} on the seeds of this check, {again} on fresh ones. {tried}"]

    @property
    def nearest(self) -> Tried | None:
        """The smallest change that is at least not broken on the seeds of the check, if none mends it."""
        return next((one for one in self.tried if one.judged is Verdict.UNDECIDED), None)


def check_strength(strength: str) -> None:
    """Refuse a strength at which changes are not tried, before anything is played."""
    if strength in STRENGTHS and STRENGTHS[strength].search_games:
        raise UsageError(
            f"strength {strength}: changes are tried with players who do not search", parameter="strength"
        )


def suggest(
    found: Check, jobs: int | None = None, advance: Callable[[str], object] = lambda _: None
) -> Remedy:
    """Search for the smallest change of one number that mends a broken combination.

    `advance` is called with every change before it is tried.
    """
    game = adjustable(found.game)
    if found.verdict is not Verdict.BROKEN:
        raise UsageError(f"{' + '.join(found.variants)} is {found.verdict}, not broken: nothing to mend")
    every = candidates(found)
    tried: list[Tried] = []
    refused, mended, overlay = 0, None, ""
    with TemporaryDirectory(prefix="balance-") as place:
        trial = _Trial(found, _trials(found, Path(place), jobs))
        for change in every[:MOST_SCREENED]:
            advance(str(change))
            try:
                catalog = game.with_number(
                    found.catalog, found.game.facts.variant, change.variant, change.path, change.new
                )
            except CatalogError:
                refused += 1
                continue
            tried.append(trial.tried(change, catalog))
            if tried[-1].fresh in MENDED:
                mended, overlay = change, game.overlay_text(found.catalog, catalog)
            if mended or sum(one.judged is not None for one in tried) >= MOST_JUDGED:
                break
    return Remedy(tuple(tried), len(every), refused, mended, overlay, trial.trials.games, trial.deals)


def candidates(found: Check) -> list[NumberChange]:
    """Return every change of one number to be tried, the smallest first."""
    game, kind = adjustable(found.game), found.game.facts.variant
    changes = [
        NumberChange(variant, number.path, number.value, new)
        for variant in found.variants
        for number in game.numbers(found.catalog, kind, variant)
        for new in _moved(number)
    ]
    order = {variant: place for place, variant in enumerate(found.variants)}
    return sorted(changes, key=lambda c: (c.size, abs(c.new - c.old), order[c.variant], c.path, c.new))


def _moved(number: Number) -> Iterator[int]:
    """Yield what a number may become: by steps of a twentieth, as far as it is from 0.

    It does not return to its normal value, nor most of the way.

    >>> list(_moved(Number("set.goal", 2, 1, 999)))
    [1, 3, 4]
    >>> min(_moved(Number("set.opening_cards", 10, 0, 20, normal=3)))
    6
    """
    size = abs(number.value)
    step, reach = max(1, size // 20), max(FREE_STEPS, size)
    way = 0 if number.normal is None else number.value - number.normal
    for away in range(step, reach + 1, step):
        for new in (number.value - away, number.value + away):
            returned = (number.value - new) / way if way else 0.0
            if number.low <= new <= number.high and returned <= MOST_RETURNED:
                yield new


@dataclass
class _Trial:
    found: Check
    trials: Trials

    @property
    def deals(self) -> tuple[tuple[int, int], ...]:
        """The deals on which candidates are judged: those of the check, or more."""
        assert JUDGED_PRECISION is not None
        width = parse_precision(JUDGED_PRECISION)
        cells = self.found.runs[0].plan.cells
        played = {cell.players: max(c.deals for c in cells if c.players == cell.players) for cell in cells}
        counts = sorted({judgement.players for judgement in self.found.own})
        return tuple((count, max(played[count], deals_for(width, count))) for count in counts)

    def tried(self, change: NumberChange, catalog: Catalog) -> Tried:
        """Screen a candidate, judge it, and judge it again on fresh seeds."""
        seed = self.found.runs[0].plan.seed
        few = {count: min(SCREENED, deals) for count, deals in self.deals}
        screen = self.check(catalog, seed, few, [(), self.found.variants])
        verdict = screen.verdict
        broke = {finding_key(finding) for judgement in self.found.own for finding in judgement.broken}
        seeming = {key for key, finding in findings_of(screen.own).items() if finding.seems_outside}
        if verdict is Verdict.BROKEN or broke & seeming:
            return Tried(change, Verdict.BROKEN, reason=_reason(screen))
        if _does_nothing(self.found, catalog, change.variant):
            return Tried(change, verdict, reason=f"{change.variant} does nothing any more")
        parts = parts_of(self.found.variants)
        whole = self.check(catalog, seed, dict(self.deals), parts)
        if whole.verdict not in MENDED:
            return Tried(change, verdict, whole.verdict, reason=_reason(whole))
        again = self.check(catalog, fresh_seed(seed), dict(self.deals), parts)
        return Tried(change, verdict, whole.verdict, again.verdict, _reason(again))

    def check(
        self, catalog: Catalog, seed: int, deals: dict[int, int], parts: Sequence[tuple[str, ...]]
    ) -> Check:
        """Play a catalog and judge the combination."""
        found, run = self.found, self.trials.play(catalog, parts, deals, seed)
        return judged(found.game, found.catalog, found.variants, [run], sorted(deals), found.thresholds)


def _trials(found: Check, place: Path, jobs: int | None) -> Trials:
    plan = found.runs[0].plan
    lineups = {cell.lineup for cell in plan.cells}
    default = lineups == set(found.game.facts.default_sweep_lineups)
    return Trials(found.game, plan.edition, () if default else sorted(lineups), place, jobs)


def _reason(found: Check) -> str:
    """Say what breaks a candidate most, or what keeps it open."""
    broken = sorted((f for j in found.own for f in j.broken), key=worst_first)
    held = [j.holding for j in found.own if j.verdict is not Verdict.FINE and j.holding is not None]
    outside = [finding for finding in findings_of(found.own).values() if finding.seems_outside]
    for finding in (*broken, *held, *outside):
        return f"{finding.cell.players} players: {found.sentence(finding)}"
    return ""


def _does_nothing(found: Check, catalog: Catalog, variant: str) -> bool:
    import numpy as np

    game, plan = found.game, found.runs[0].plan
    cell = plan.cells[0]
    rest = tuple(other for other in found.variants if other != variant)
    lineup = parse_lineup(cell.lineup, cell.players, game)
    indices = np.arange(_PROBED, dtype=np.int64)

    def games(variants: tuple[str, ...]) -> Any:
        compiled = game.compile(catalog, plan.edition, cell.players, variants)
        return game.play(compiled, plan.seed, indices, lineup.seated(plan.seed, indices))

    one, two = games(found.variants), games(rest)
    return all(
        np.array_equal(column, two[table][name])
        for table, columns in one.items()
        for name, column in columns.items()
    )
