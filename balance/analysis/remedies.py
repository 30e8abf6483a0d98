"""The smallest change of one number that mends a broken combination of variants.

Every number of every variant of the combination is moved, the smallest relative changes first. A few games
screen what cannot help; what is left is judged like any check on the seeds of the check, and what is fine
there must be fine on fresh seeds too.

The players have learned the printed variants. Under a changed one they play on with what they know, and the
remedy says so: `carried`. Nobody can be tuned for every candidate.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from balance.analysis.checking import STRENGTHS, Check, judged
from balance.analysis.dealing import adjustable
from balance.analysis.ranking import fresh_seed
from balance.analysis.thresholds import Thresholds
from balance.analysis.verdict import Finding, Judgement, Verdict, combined, strength_of, worst_first
from balance.dataset.run import Run
from balance.errors import CatalogError, UsageError
from balance.games.contract import Catalog, Game, Number, Tunable
from balance.games.lineup import parse_lineup
from balance.sweep.planning import deals_for, parse_precision

__all__ = ["MOST_JUDGED", "Change", "Remedy", "Tried", "candidates", "suggest"]

SCREENED: Final = 400
"""Deals of each cell that screen a candidate."""
JUDGED_PRECISION: Final = STRENGTHS["normal"].precision
"""What is called fine was judged on so many games at least, whatever the check has played: few games call
nothing fine."""
MOST_JUDGED: Final = 8
"""Candidates that are judged; the rest is given up."""
MOST_SCREENED: Final = 100
FREE_STEPS: Final = 2
"""A number moves by as much as it is, and at least so far."""
_PROBED: Final = 200
"""Deals that tell whether a changed variant still does anything."""


@dataclass(frozen=True, slots=True)
class Change:
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
    """What became of a candidate."""

    change: Change
    screened: Verdict
    judged: Verdict | None = None
    """On the seeds of the check; None: the screen has refused it."""
    fresh: Verdict | None = None
    """On fresh seeds; None: it was not fine before."""
    reason: str = ""
    """What still breaks it or keeps it open."""


@dataclass(frozen=True)
class Remedy:
    """What was tried, and what helps."""

    tried: tuple[Tried, ...]
    possible: int
    """How many candidates there were."""
    refused: int
    """How many of those that were reached do not go with the rest of the catalog."""
    change: Change | None
    """The smallest that makes the combination fine, twice."""
    overlay: str
    """The catalog overlay to try it."""
    does_nothing: bool
    """Whether the changed variant does nothing any more."""
    carried: bool
    """Whether the verdicts are those of players who have learned the variants in their old wording only."""
    searched: int
    """Games of each cell of players who search; too few to call anything fine, but they may break it."""
    games: int
    """Games played in the search."""
    deals: tuple[tuple[int, int], ...]
    """By number of players: the deals of each cell on which candidates were judged."""

    def sentences(self, game: Game[Any, Any]) -> list[str]:
        """Say what helps, for whom, and what was tried."""
        facts = game.facts
        deals = ", ".join(f"{deals:,} deals with {players} players" for players, deals in self.deals)
        screened, judged_ = len(self.tried), sum(one.judged is not None for one in self.tried)
        tried = (
            f"Of {self.possible} changes of one number {screened} were screened and {judged_} judged, the "
            f"smallest first (in each cell {deals}; {self.games:,} games in all)."
        )
        if self.refused:
            tried += f" {self.refused} of them the rest of the catalog does not allow."
        if self.change is None:
            found = [f"No change of one number that was tried makes it fine. {tried}"]
            if self.nearest is not None:
                near = self.nearest
                found.append(f"Nearest: with {near.change} it is undecided. {near.reason}")
            return found
        found = [
            f"Change {self.change}: fine on the seeds of this check, and again on fresh ones. {tried}",
        ]
        if self.does_nothing:
            found.append(f"With that {self.change.variant} does nothing any more.")
        if self.searched:
            found.append(
                f"Players who search do not break it; their {self.searched} games of each cell are too few "
                "to call it fine."
            )
        if self.carried:
            found.append(
                f"Fine as those play who have learned the {facts.variants} as printed: nobody has learned "
                "the changed one. balance tune lets them, and balance check then says whether it stays fine."
            )
        return found

    @property
    def nearest(self) -> Tried | None:
        """The smallest change that is at least not broken on the seeds of the check, if none is fine."""
        return next((one for one in self.tried if one.judged is Verdict.UNDECIDED), None)


def suggest(
    found: Check,
    thresholds: Thresholds,
    strength: str = "quick",
    jobs: int | None = None,
    advance: Callable[[str], object] = lambda _: None,
) -> Remedy:
    """Search for the smallest change of one number that makes a broken combination fine.

    `advance` is told of every change before it is tried.
    """
    game = adjustable(found.game)
    if found.verdict is not Verdict.BROKEN:
        raise UsageError(f"{' + '.join(found.variants)} is {found.verdict}, not broken: nothing to mend")
    every = candidates(found)
    tried: list[Tried] = []
    refused = 0
    with TemporaryDirectory(prefix="balance-") as place:
        trial = _Trial(found, thresholds, strength, Path(place), jobs)
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
            if tried[-1].fresh is Verdict.FINE:
                return Remedy(
                    tuple(tried),
                    len(every),
                    refused,
                    change,
                    game.overlay_text(found.catalog, catalog),
                    _does_nothing(found, catalog, change.variant),
                    trial.carried,
                    trial.searched,
                    trial.games,
                    trial.deals,
                )
            if sum(one.judged is not None for one in tried) >= MOST_JUDGED:
                break
        rest = trial.carried, trial.searched, trial.games, trial.deals
        return Remedy(tuple(tried), len(every), refused, None, "", False, *rest)


def candidates(found: Check) -> list[Change]:
    """Return every change of one number to be tried, the smallest first."""
    game, kind = adjustable(found.game), found.game.facts.variant
    changes = [
        Change(variant, number.path, number.value, new)
        for variant in found.variants
        for number in game.numbers(found.catalog, kind, variant)
        for new in _moved(number)
    ]
    order = {variant: place for place, variant in enumerate(found.variants)}
    return sorted(changes, key=lambda c: (c.size, abs(c.new - c.old), order[c.variant], c.path, c.new))


def _moved(number: Number) -> Iterator[int]:
    """Yield what a number may become: by steps of a twentieth, as far as it is from 0.

    >>> list(_moved(Number("set.goal", 2, 1, 999)))
    [1, 3, 4]
    """
    size = abs(number.value)
    step, reach = max(1, size // 20), max(FREE_STEPS, size)
    for away in range(step, reach + 1, step):
        for new in (number.value - away, number.value + away):
            if number.low <= new <= number.high:
                yield new


@dataclass
class _Trial:
    """Plays and judges candidates as the check has judged what it found broken."""

    found: Check
    thresholds: Thresholds
    strength: str
    place: Path
    jobs: int | None
    games: int = 0
    runs: int = 0

    @property
    def carried(self) -> bool:
        """Whether the players learn variants, and so have not learned a changed one."""
        return isinstance(self.found.game, Tunable)

    @property
    def searched(self) -> int:
        """Games of each cell of players who search."""
        return STRENGTHS[self.strength].search_games if self.found.game.facts.expert_lineup else 0

    @property
    def deals(self) -> tuple[tuple[int, int], ...]:
        """The deals on which candidates are judged: those of the check, or more."""
        assert JUDGED_PRECISION is not None
        width = parse_precision(JUDGED_PRECISION)
        played = {cell.players: cell.deals for cell in self.found.runs[0].plan.cells}
        counts = sorted({judgement.players for judgement in self.found.own})
        return tuple((count, max(played[count], deals_for(width, count))) for count in counts)

    def tried(self, change: Change, catalog: Catalog) -> Tried:
        """Screen a candidate, judge it, and judge it again on fresh seeds."""
        seed = self.found.runs[0].plan.seed
        few = {count: min(SCREENED, deals) for count, deals in self.deals}
        screen = self.check(catalog, seed, few, [(), self.found.variants], expert=False)
        verdict = _verdict(screen)
        if verdict is Verdict.BROKEN or self.still_outside(screen):
            return Tried(change, Verdict.BROKEN, reason=_reason(screen))
        parts = [
            part
            for size in range(len(self.found.variants) + 1)
            for part in combinations(self.found.variants, size)
        ]
        whole = self.check(catalog, seed, dict(self.deals), parts, expert=bool(self.searched))
        if _verdict(whole) is not Verdict.FINE:
            return Tried(change, verdict, _verdict(whole), reason=_reason(whole))
        again = self.check(catalog, fresh_seed(seed), dict(self.deals), parts, expert=bool(self.searched))
        return Tried(change, verdict, Verdict.FINE, _verdict(again), _reason(again))

    def check(
        self,
        catalog: Catalog,
        seed: int,
        deals: dict[int, int],
        parts: Sequence[tuple[str, ...]],
        *,
        expert: bool,
    ) -> Check:
        """Play a catalog and judge the combination, by what the players of the old one have learned."""
        from balance.sweep import simulation

        found, plan = self.found, self.found.runs[0].plan
        self.runs += 1
        prepared = simulation.prepare_catalog(
            found.game,
            catalog,
            edition=plan.edition,
            deals=deals,
            combinations=parts,
            lineups=sorted({cell.lineup for cell in plan.cells}),
            seed=seed,
            out=self.place / str(self.runs),
        )
        runs = [simulation.run_prepared(prepared, self.jobs).run]
        if expert:
            runs.append(self.expert(runs[0], parts))
        self.games += sum(run.plan.games for run in runs)
        return judged(found.game, found.catalog, found.variants, runs, sorted(deals), self.thresholds)

    def expert(self, run: Run, parts: Sequence[tuple[str, ...]]) -> Run:
        """Let players play on who think everything out, as the check did."""
        from balance.sweep import simulation

        further = self.found.runs[1].plan
        prepared = simulation.prepare_extension(
            run.path,
            run.path.with_name(f"{run.path.name}-expert"),
            players=sorted({cell.players for cell in further.cells if cell.games}),
            variants=[",".join(part) or "none" for part in parts],
            games_per_cell=self.searched,
            lineups=self.found.game.facts.expert_lineup,
        )
        return simulation.run_prepared(prepared, self.jobs).run

    def still_outside(self, screen: Check) -> bool:
        """Return whether something that broke the combination still lies outside, sure or not."""
        broke = {_key(finding) for judgement in self.found.own for finding in judgement.broken}
        return any(_key(finding) in broke and finding.outside for finding in _findings(screen.own))


def _findings(judgements: Sequence[Judgement]) -> Iterator[Finding]:
    return (finding for j in judgements for cell in j.cells for finding in cell.findings)


def _key(finding: Finding) -> tuple[int, str, str, bool]:
    return finding.cell.players, finding.cell.lineup, finding.measured.name, finding.upper


def _verdict(found: Check) -> Verdict:
    """Return the verdict of those who played, whatever they have learned: see `carried`.

    Few games of players who search cannot say more than broken; then they say nothing.
    """
    facts = found.game.facts
    return combined(
        cell.verdict
        for judgement in found.own
        for cell in judgement.cells
        if cell.verdict is Verdict.BROKEN or strength_of(facts, cell.cell.lineup).learned
    )


def _reason(found: Check) -> str:
    """Say what breaks a candidate most, or what keeps it open."""
    broken = sorted((f for j in found.own for f in j.broken), key=worst_first)
    held = [j.holding for j in found.own if j.verdict is not Verdict.FINE and j.holding is not None]
    outside = [finding for finding in _findings(found.own) if finding.outside]
    for finding in (*broken, *held, *outside):
        return f"{finding.cell.players} players: {found.sentence(finding)}"
    return ""


def _does_nothing(found: Check, catalog: Catalog, variant: str) -> bool:
    """Return whether games with a changed variant are those without it."""
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
