"""Comparing a candidate with a base on common seeds: play what is missing, and say what changed beyond doubt.

Each side is a run, an overlay of the catalog or an edition. Both play the same deals, so that the luck of the
deal cancels out of the difference. The games lie in runs like any others: the same comparison finds them
again. Counting is done in `balance.analysis.paired`, words are found in `balance.analysis.comparison`.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any, Final

from balance import games
from balance.analysis.blocks import Figure, Moments
from balance.analysis.cells import statistics
from balance.analysis.comparison import (
    ALL,
    COMBINATION,
    ITEM,
    POWER,
    VARIANT,
    Again,
    Change,
    Comparison,
    Family,
    Power,
    Side,
    Uncompared,
    VerdictChange,
    causes_of,
    change_of,
    corrected,
    nine_of_ten,
    over_players,
    scaled,
)
from balance.analysis.intervals import Z
from balance.analysis.itemcounts import ItemCounts, count_items, items_of
from balance.analysis.paired import (
    Dealt,
    Group,
    Phase,
    count_dealt,
    count_measures,
    groups_of,
    pair_cells,
)
from balance.analysis.ranking import HEADLINE, fresh_seed
from balance.analysis.sentences import finding_sentence
from balance.analysis.thresholds import Thresholds, load_thresholds
from balance.analysis.verdict import ALPHA, Bench, Finding, Judgements, Verdict, judge, unfitted_variants
from balance.dataset import state as states
from balance.dataset.plan import PlannedCell
from balance.dataset.run import Run, open_run
from balance.dataset.verify import require_intact
from balance.errors import DataError, UsageError
from balance.games.contract import Difference, Game
from balance.games.lineup import parse_lineup
from balance.games.variants import combinations_of, texts_of
from balance.suggest import unknown

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = ["DEALS", "DETECT", "OFFICIAL", "compare"]

OFFICIAL: Final = "official"
"""The word for the unchanged catalog."""
DEALS: Final = 400
"""Deals of each cell, unless a user says otherwise."""
DETECT: Final = 0.15
"""The change of win points, of the seat dealt a changed item, to be seen in nine of ten combinations."""
MOST_FOCUSED: Final = 1_500
"""Deals of a cell at most in which a changed item is dealt on purpose."""
MOST_ITEMS: Final = 3
"""Changed items at most for which such deals are looked for: with more, nearly every deal has one."""
CONFIRMED: Final = 5
"""So many single combinations are named first, and measured again on fresh deals before."""
_PROBED: Final = range(3)
"""Deals by which it is told whether two combinations deal alike: other opening hands show in each."""
_ROUNDED: Final = 50
_SEARCHED: Final = 2_000
"""Deals that are looked through at a time for those with a changed item; if none has it, none is expected."""
_MOST_SEARCHED: Final = 100_000
"""Deals at most that are looked through."""
_NAMED: Final = 3

Play = Callable[[Any], Run]
"""Carries a prepared run out."""
Combination = tuple[str, ...]
Key = tuple[int, Combination, str]


def compare(
    base: str | Path,
    candidate: str | Path,
    *,
    game: str | None = None,
    players: str | int | Sequence[int] | None = None,
    variants: str | Iterable[str] | None = None,
    lineups: str | Iterable[str] | None = None,
    games_per_cell: int | None = None,
    precision: str | None = None,
    seed: int | None = None,
    edition: str | None = None,
    thresholds: Iterable[str | Path] = (),
    detect: float = DETECT,
    play: Play | None = None,
) -> Comparison:
    """Compare a candidate with a base: each the folder of a run, an overlay, an edition, or `official`.

    >>> compare("official", "official").same
    'the candidate equals the base'
    """
    asked = Asked(players, variants, lineups, games_per_cell, precision, seed)
    sides = _sides(str(base), str(candidate), game, edition)
    accepted = load_thresholds(sides.game, thresholds)
    same = _sameness(sides)
    if same and all(side.runs for side in (sides.base, sides.candidate)):
        _cells(sides, asked)  # equal rules are no equal games: refuses runs that have nothing in common
    cells, uncompared = ([], []) if same else _cells(sides, asked)
    if not same and not cells:
        same = "nothing that both have can differ"
    if same:
        return _nothing(sides, asked, same, uncompared)
    ordered = any(run.plan.ordered for run in sides.runs)
    table = _Table(sides, cells, _seed(sides, asked), ordered, play or _plain_play)
    table.play()
    if detect > 0:
        table.focus(detect)
    found = table.compared(accepted, uncompared)
    return table.again(found, accepted, detect)


def _plain_play(prepared: Any) -> Run:
    from balance.sweep import simulation

    return simulation.run_prepared(prepared).run


# --- what is compared


@dataclass(frozen=True)
class Asked:
    """What a user wants to be played."""

    players: str | int | Sequence[int] | None
    variants: str | Iterable[str] | None
    lineups: str | Iterable[str] | None
    games_per_cell: int | None
    precision: str | None
    seed: int | None

    def refuse_with(self, runs: Sequence[Run]) -> None:
        """Refuse what runs have decided already."""
        given = {"--seed": self.seed, "--precision": self.precision}
        if len(runs) == 2:
            given["--games"] = self.games_per_cell
        for name, value in given.items():
            if value is not None:
                raise UsageError(f"{name} does not go with a run: its games are there")


@dataclass(frozen=True)
class Sides:
    """Both sides, and what their catalogs say otherwise."""

    game: Game[Any, Any]
    base: Side
    candidate: Side
    differences: tuple[Difference, ...]
    same_policies: bool

    @property
    def both(self) -> tuple[Side, Side]:
        """The base and the candidate."""
        return self.base, self.candidate

    @property
    def runs(self) -> list[Run]:
        """Those of the sides that are runs."""
        return [run for side in self.both for run in side.runs]

    def entries(self, kind: str) -> list[str]:
        """Return the ids of the entries of a kind that differ."""
        return list(dict.fromkeys(found.id for found in self.differences if found.kind == kind))


def _sides(base: str, candidate: str, name: str | None, edition: str | None) -> Sides:
    """Find out what both sides are; UsageError or DataError for what cannot be compared."""
    texts = (base, candidate)
    runs = [_opened(text) for text in texts]
    opened = [run for run in runs if run is not None]
    _refuse_unlike(opened)
    game = opened[0].game if opened else games.get(name or games.DEFAULT)
    if name is not None and name != game.name:
        raise UsageError(f"--of {name}: {opened[0].path} is a run of {game.facts.title}")
    printed = [_edition(game, text, run) for text, run in zip(texts, runs, strict=True)]
    if edition is not None and any(printed):
        raise UsageError("--edition does not go with a run or an edition: they say it themselves")
    fallback = next((own for own in printed if own), edition or game.facts.default_edition)
    one, two = (
        _side(game, text, run, own, fallback) for text, run, own in zip(texts, runs, printed, strict=True)
    )
    differences = tuple(game.diff(one.catalog, two.catalog))
    return Sides(game, one, two, differences, _policies(game, one) == _policies(game, two))


def _opened(text: str) -> Run | None:
    """Return the run in a folder; None if it is no run. DataError if it is unfinished or damaged."""
    path = Path(text)
    return open_run(path) if any((path / name).exists() for name in (states.RUN, states.STATE)) else None


def _edition(game: Game[Any, Any], text: str, run: Run | None) -> str | None:
    """Return the edition that a side says, if it does: that of a run, or the one whose id or name it is."""
    if run is not None:
        return run.plan.edition
    try:
        found = game.find(game.load_catalog(), text)
    except UsageError:
        return None
    return next((entry.id for entry in found if entry.kind == "edition"), None)


def _side(game: Game[Any, Any], text: str, run: Run | None, printed: str | None, fallback: str) -> Side:
    """Return a side with its catalog; CatalogError with every problem of an overlay."""
    if run is not None:
        if run.plan.chosen:
            raise UsageError(f"{text} cannot be compared: its deals were chosen")
        require_intact([run.path])
        return Side(text, "run", run.plan.edition, run.catalog, (run,))
    if printed is not None:
        return Side(printed, "edition", printed, game.load_catalog())
    kind = OFFICIAL if text.strip().lower() == OFFICIAL else "overlay"
    path = Path(text)
    if kind == "overlay" and not path.exists():
        if len(path.parts) > 1 or path.suffix:
            raise DataError(f"there is no run or overlay at {text}")
        known = unknown("run, overlay or edition", text, [OFFICIAL, *game.facts.editions])
        raise UsageError(f"{known} (a run is a folder of balance simulate, an overlay a TOML file)")
    catalog = game.load_catalog([text] if kind == "overlay" else [])
    game.variants(catalog, fallback)  # refuses an edition that it has not
    return Side(text, kind, fallback, catalog)


def _policies(game: Game[Any, Any], side: Side) -> str:
    from balance.sweep.planning import policies_hash

    return policies_hash(game, side.catalog)


def _refuse_unlike(runs: Sequence[Run]) -> None:
    """Refuse two runs whose games do not meet."""
    if len(runs) < 2:
        return
    one, two = runs
    both = f"{one.path} and {two.path} cannot be compared"
    if one.plan.game != two.plan.game:
        raise UsageError(f"{both}: they are runs of different games, {one.plan.game} and {two.plan.game}")
    if one.plan.seed != two.plan.seed:
        raise UsageError(
            f"{both}: their seeds are {one.plan.seed} and {two.plan.seed}, so no deal is in both and nothing "
            "can be paired; play one of them again with the seed of the other"
        )
    if one.plan.ordered != two.plan.ordered:
        word = one.game.facts.variants
        raise UsageError(f"{both}: in one of them each order of {word} is a cell of its own")
    if one.plan.engine_hash != two.plan.engine_hash:
        raise DataError(
            f"{both}: they were played by different engines ({one.plan.engine_hash[:12]} and "
            f"{two.plan.engine_hash[:12]}), so not only what you changed differs; play them again"
        )


def _sameness(sides: Sides) -> str:
    """Return why the two sides are the same, or nothing."""
    one, two = sides.both
    equal = one.catalog.hash == two.catalog.hash and one.edition == two.edition and sides.same_policies
    return "the candidate equals the base" if equal else ""


def _nothing(sides: Sides, asked: Asked, same: str, uncompared: Sequence[Uncompared]) -> Comparison:
    return Comparison(
        sides.game, sides.base, sides.candidate, _seed(sides, asked), sides.differences, (), (), {},
        Family(0, ()), tuple(uncompared), names=_names(sides), same=same,
    )  # fmt: skip


def _seed(sides: Sides, asked: Asked) -> int:
    return sides.runs[0].plan.seed if sides.runs else asked.seed or 0


def _names(sides: Sides) -> dict[str, str]:
    """Return the names of variants by id, and of items by number."""
    game = sides.game
    wanted = (game.facts.variant, game.facts.item)
    return {
        str(row["id"]): str(row["name"])
        for side in sides.both
        for kind in game.kinds
        if kind.name in wanted
        for row in game.rows(side.catalog, kind, {})
    }


# --- which cells


def _cells(sides: Sides, asked: Asked) -> tuple[list[PlannedCell], list[Uncompared]]:
    """Return the cells that both sides have, or can play, and may differ; and what is left out."""
    wanted = _wanted(sides, asked)
    uncompared = _one_sided(sides, wanted)
    if sides.runs:
        asked.refuse_with(sides.runs)
        cells, missing = _cells_of_runs(sides, asked, wanted)
        uncompared += missing
    else:
        cells = _fresh_cells(sides, asked, wanted)
    moving = _moving(sides)
    if moving is None:
        return cells, uncompared
    differing = [cell for cell in cells if moving & set(cell.variants)]
    still = {cell.variants for cell in cells} - {cell.variants for cell in differing}
    if still:
        why = f"without a changed {sides.game.facts.variant} cannot differ"
        uncompared.append(Uncompared(why, len(still)))
    plain = [cell for cell in cells if not cell.variants]  # what multiples are multiples of
    return (plain + differing if differing else []), uncompared


def _moving(sides: Sides) -> set[str] | None:
    """Return the variants that differ, if nothing else does; combinations without them cannot differ."""
    facts = sides.game.facts
    others = {found.kind for found in sides.differences} - {facts.variant, "catalog"}
    if others or not sides.same_policies or sides.base.edition != sides.candidate.edition:
        return None
    return set(sides.entries(facts.variant))


def _wanted(sides: Sides, asked: Asked) -> set[Combination] | None:
    """Return the combinations that a user asks for; None: all. Those of one side alone drop out later."""
    if asked.variants is None:
        return None
    found: set[Combination] = {()}  # metrics that are multiples need the games without variants
    for value in texts_of(asked.variants):
        problems: list[UsageError] = []
        for side in sides.both:
            try:
                found |= set(combinations_of(sides.game, side.catalog, side.edition, [value]))
            except UsageError as error:
                problems.append(error)
        if len(problems) == 2:
            raise problems[0]
    return found


def _possible(game: Game[Any, Any], side: Side) -> set[Combination]:
    return set(combinations_of(game, side.catalog, side.edition, ["all"]))


def _one_sided(sides: Sides, wanted: set[Combination] | None) -> list[Uncompared]:
    """Return what only one of the sides can have: the combinations of its own variants."""
    found = []
    possible = [_possible(sides.game, side) for side in sides.both]
    for k, name in enumerate(("base", "candidate")):
        own, other = possible[k], possible[1 - k]
        alone = {combination for combination in own - other if wanted is None or combination in wanted}
        if alone:
            known = {variant for combination in other for variant in combination}
            named = sorted({variant for combination in alone for variant in combination} - known)
            found.append(Uncompared(f"that only the {name} has", len(alone), tuple(named)))
    return found


def _fresh_cells(sides: Sides, asked: Asked, wanted: set[Combination] | None) -> list[PlannedCell]:
    """Return the cells that both sides can play."""
    from balance.sweep.planning import make_plan, parse_players
    from balance.sweep.simulation import deals_of

    facts = sides.game.facts
    common = _possible(sides.game, sides.base) & _possible(sides.game, sides.candidate)
    plan = make_plan(
        sides.game,
        sides.base.catalog,
        edition=sides.base.edition,
        players=parse_players(texts_of(asked.players) or ["{}-{}".format(*facts.players)], facts),
        combinations=sorted(common if wanted is None else common & wanted),
        lineups=texts_of(asked.lineups) or [facts.default_lineup],
        deals=deals_of(facts, asked.games_per_cell, asked.precision, DEALS),
        seed=_seed(sides, asked),
    )
    return list(plan.cells)


def _cells_of_runs(
    sides: Sides, asked: Asked, wanted: set[Combination] | None
) -> tuple[list[PlannedCell], list[Uncompared]]:
    """Return the cells of the runs at hand, as far as the other side has them or can play them."""
    from balance.sweep.planning import parse_players

    counts = set(parse_players(texts_of(asked.players), sides.game.facts))
    lineups = set(texts_of(asked.lineups))

    def chosen(side: Side) -> dict[Key, PlannedCell]:
        return {
            cell.key: cell
            for cell in side.runs[0].plan.cells
            if cell.games
            and (not counts or cell.players in counts)
            and (wanted is None or tuple(sorted(cell.variants)) in wanted)
            and (not lineups or cell.lineup in lineups)
        }

    missing: list[Uncompared] = []
    if len(sides.runs) == 2:
        one, two = chosen(sides.base), chosen(sides.candidate)
        for name, own, other in (("base", one, two), ("candidate", two, one)):
            alone = [cell for key, cell in own.items() if key not in other]
            if alone:
                missing.append(
                    Uncompared(f"that only the run of the {name} has", len(alone), _some(alone), "cells")
                )
        apart = [cell for key, cell in one.items() if key in two and not _meet(cell, two[key])]
        if apart:
            missing.append(Uncompared("of which no deal is in both runs", len(apart), _some(apart), "cells"))
        cells = [cell for key, cell in one.items() if key in two and cell not in apart]
    else:
        with_run, other_side = sides.both if sides.base.runs else sides.both[::-1]
        possible = _possible(sides.game, other_side)
        cells = [cell for cell in chosen(with_run).values() if tuple(sorted(cell.variants)) in possible]
        if asked.games_per_cell is not None:
            cells = [replace(cell, deals=min(cell.deals, asked.games_per_cell)) for cell in cells]
    if not cells:
        raise DataError("the two sides have no cell in common with these players, variants and lineups")
    return cells, missing


def _some(cells: Sequence[PlannedCell]) -> tuple[str, ...]:
    """Return a few of many cells in words."""
    named = [str(cell) for cell in cells[:_NAMED]]
    return (*named, "...") if len(cells) > _NAMED else tuple(named)


def _meet(one: PlannedCell, two: PlannedCell) -> bool:
    last = min(one.first + one.deals, two.first + two.deals)
    return max(one.first, two.first) < last and one.replicates == two.replicates


# --- playing


class _Table:
    """Both sides at one table: what they play, and what that says."""

    def __init__(
        self, sides: Sides, cells: Sequence[PlannedCell], seed: int, ordered: bool, play: Play
    ) -> None:
        self.sides, self.cells, self._play = sides, list(cells), play
        self.game, self.seed, self.ordered = sides.game, seed, ordered
        self.phases: list[Phase] = []
        self.rarely: dict[int, list[PlannedCell]] = {}
        """By item: the cells of which fewer deals with it were found than wanted."""

    def play(self) -> None:
        """Play what is missing of the deals that everything is compared on."""
        from balance.sweep.simulation import require_same_engine

        for run in self.sides.runs if len(self.sides.runs) == 1 else ():
            require_same_engine(run.path, run.plan, run.game)
        base, candidate = (self._run(side, self.cells) for side in self.sides.both)
        self.phases = [pair_cells(base, candidate, [cell.key for cell in self.cells])]
        if not self.phases[0].pairings:
            raise DataError("the two sides have no deal in common")
        self.judged = self.phases[0]
        if _moving(self.sides) is not None:  # the games without variants were played for multiples only
            differing = tuple(p for p in self.judged.pairings if p.variants)
            self.phases = [replace(self.judged, pairings=differing)]
        self.groups = groups_of(self.phases[0].pairings)
        self.numbers = {(p.players, p.variants, p.lineup): p.number for p in self.phases[0].pairings}

    def _run(
        self,
        side: Side,
        cells: Sequence[PlannedCell],
        chosen: Mapping[int, Sequence[int]] | None = None,
        name: str = "",
    ) -> Run:
        from balance.sweep.simulation import prepare_cells

        if side.runs and chosen is None:
            return side.runs[0]
        return self._play(
            prepare_cells(
                self.game,
                side.catalog,
                cells,
                edition=side.edition,
                seed=self.seed,
                ordered=self.ordered,
                chosen=chosen,
                name=name,
            )
        )

    # --- items that were changed

    def items(self) -> list[Dealt]:
        """Return the changed items that somebody can be dealt."""
        facts = self.game.facts
        if not facts.mask("opening"):
            return []
        places = [
            {item.id: k for k, item in enumerate(items_of(run))}
            for run in (self.phases[0].base, self.phases[0].candidate)
        ]
        changed = sorted(int(name) for name in self.sides.entries(facts.item))
        return [Dealt(item, places[0].get(item), places[1].get(item)) for item in changed]

    def focus(self, detect: float, keys: Collection[Key] | None = None) -> None:
        """Play more deals in which a changed item is dealt, as many as such a change takes to show in a cell.

        How many depends on how much the differences vary so far, not on what they are. In all cells, or some.
        """
        from balance.sweep.simulation import require_same_engine

        items = self.items()
        if not 0 < len(items) <= MOST_ITEMS or len(self.sides.runs) == 2:
            return
        more = {item.id: self._more(item, detect) for item in items}
        if not any(more.values()):
            return
        for run in self.sides.runs:
            require_same_engine(run.path, run.plan, run.game)
        name = "dealt-" + "-".join(str(item.id) for item in items)
        for alike in self._alike():
            cells = [cell for cell in alike if keys is None or cell.key in keys]
            chosen, until = self._chosen(cells, items, more)
            own = [
                replace(cell, first=0, deals=len(chosen[cell.players]))
                for cell in cells
                if cell.players in chosen
            ]
            if not own:
                continue
            base, candidate = (self._run(side, own, chosen, name) for side in self.sides.both)
            phase = pair_cells(base, candidate, [cell.key for cell in own])
            numbered = [
                replace(p, number=self.numbers[p.players, p.variants, p.lineup]) for p in phase.pairings
            ]
            self.phases.append(replace(phase, pairings=tuple(numbered), until=until))

    def _more(self, item: Dealt, detect: float) -> int:
        """Return how many more deals with an item a cell needs, to show in nine of ten cells."""
        cells = {group: own for group, own in self.groups.items() if group.whole}
        found = count_dealt(self.phases, cells, item)
        missing = []
        for group in cells:
            own = found.get(group)
            needed = _spread(own, group.players) * ((Z + POWER) / detect) ** 2
            missing.append(needed - (own.blocks if own else 0))
        rounded = math.ceil(nine_of_ten(missing) / _ROUNDED) * _ROUNDED
        return min(max(0, rounded), MOST_FOCUSED)

    def _alike(self) -> Iterator[list[PlannedCell]]:
        """Yield the cells, those together that deal the same opening hands."""
        groups: dict[bytes, list[PlannedCell]] = {}
        known: dict[tuple[int, tuple[str, ...]], bytes] = {}
        for cell in self.cells:
            if cell.key not in self.numbers:
                continue
            key = (cell.players, cell.variants)
            if key not in known:
                known[key] = b"".join(self._openings(cell, _PROBED, k).tobytes() for k in (0, 1))
            # player counts deal differently, and have their own lists of deals in one run
            groups.setdefault(self._signature(cell, known), []).append(cell)
        yield from groups.values()

    def _signature(self, cell: PlannedCell, known: Mapping[tuple[int, tuple[str, ...]], bytes]) -> bytes:
        plain = known.get((cell.players, ()))
        own = known[cell.players, cell.variants]
        return b"" if own == plain else own

    def _openings(self, cell: PlannedCell, indices: Sequence[int], side: int) -> npt.NDArray[np.uint64]:
        """Return the masks of opening hands of some deals: by game, seat and word."""
        import numpy as np

        own = self.sides.both[side]
        facts = self.game.facts
        lineup = parse_lineup(f"mirror:{facts.policies[0]}", cell.players, self.game)  # all are dealt alike
        compiled = self.game.compile(own.catalog, own.edition, cell.players, cell.variants)
        wanted = np.asarray(indices, np.int64)
        seats = self.game.play(compiled, self.seed, wanted, lineup.seated(self.seed, wanted))["seats"]
        words = [np.asarray(seats[name], np.uint64) for name in facts.mask("opening")]
        return np.stack(words, axis=1).reshape(wanted.size, cell.players, len(words))

    def _chosen(
        self, cells: Sequence[PlannedCell], items: Sequence[Dealt], more: Mapping[int, int]
    ) -> tuple[dict[int, list[int]], dict[tuple[int, int], int]]:
        """Return the next deals in which the items are dealt, behind those that were played, by players.

        And by item and players the index below which all deals with the item are among them.
        """
        found: dict[int, list[int]] = {}
        until: dict[tuple[int, int], int] = {}
        for players in sorted({cell.players for cell in cells}):
            here = [cell for cell in cells if cell.players == players]
            chosen: set[int] = set()
            for item in items:
                own = self._deals_with(here[0], item, more[item.id])
                if len(own) < more[item.id]:
                    self.rarely.setdefault(item.id, []).extend(here)
                until[item.id, players] = own[-1] + 1 if own else 0
                chosen |= set(own)
            if chosen:
                found[players] = sorted(chosen)
        return found, until

    def _deals_with(self, cell: PlannedCell, item: Dealt, wanted: int) -> list[int]:
        """Return the first deals behind those that were played in which an item is dealt, or fewer."""
        import numpy as np

        behind = max(cell.first + cell.deals for cell in self.cells)
        side, place = (0, item.base) if item.base is not None else (1, item.candidate)
        assert place is not None
        found: list[int] = []
        for at in range(behind, behind + _MOST_SEARCHED, _SEARCHED):
            if len(found) >= wanted or (at > behind and not found):
                break
            masks = self._openings(cell, range(at, at + _SEARCHED), side)
            has = (masks[:, :, place // 64] >> np.uint64(place % 64)) & np.uint64(1)
            found += (np.flatnonzero(has.any(axis=1)) + at).tolist()
        return found[:wanted]

    # --- what it says

    def compared(self, thresholds: Thresholds, uncompared: Sequence[Uncompared]) -> Comparison:
        """Hold both sides against each other."""
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
            _names(self.sides),
            verdict_families=tuple(found.family for found, _ in judged),
        )

    def _rarely(self) -> Iterator[Uncompared]:
        """Yield where not enough deals have a changed item for it to be looked at closely."""
        names = _names(self.sides)
        for item, cells in self.rarely.items():
            why = f"in which too few deals have {names.get(str(item), item)} in an opening hand to play more"
            yield Uncompared(why, len(cells), _some(cells), "cells")

    def _count_dealt(self) -> dict[int, dict[Group, Moments]]:
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
        fresh = _Table(
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

        That is, whether one of the causes lies outside again: for the candidate at 5% one-sided, shared among
        the causes, and not for the base.
        """
        before, after = (_p_values(self._judge(thresholds, side)[0]) for side in (0, 1))
        found = {}
        for one in suspects:
            level = ALPHA / len(one.causes)
            held = any(
                after.get(_looked(cause), 1.0) <= level and before.get(_looked(cause), 1.0) > ALPHA
                for cause in one.causes
            )
            found[_key(one)] = Again.HELD if held else Again.REFUTED
        return found

    def _level(self, group: Group) -> str:
        return ALL if group.variants is None else COMBINATION if group.whole else VARIANT

    def _measures(self) -> Iterator[Change]:
        measured = count_measures(self.phases[0], self.groups)
        wholes: dict[tuple[str, str], list[tuple[Group, Change, Figure]]] = {}
        for group, parts in measured.items():
            for part, moments in parts.items():
                scale = 1 / group.players if part in ("money", "hand") else 1.0
                change = change_of(self._level(group), group, part, moments, scale=scale)
                if change is None:
                    continue
                yield change
                if change.level == ALL:
                    figure = moments.difference((0, 1), (2, 3))
                    assert figure is not None
                    wholes.setdefault((group.lineup, part), []).append((group, change, scaled(figure, scale)))
        for each in wholes.values():
            counts = {group.players for group, _, _ in each}
            if len(counts) > 1 and len(counts) == len({g.players for g in self.groups}):
                yield over_players(ALL, each)

    def _items(self, measured: set[int]) -> Iterator[Change]:
        """Yield what happened to every item that both sides have, over all combinations."""
        phase = self.phases[0]
        items = [items_of(run) for run in (phase.base, phase.candidate)]
        places = [{item.id: k for k, item in enumerate(own)} for own in items]
        for group in (g for g in self.groups if g.variants is None):
            counted = [self._counted(k, group) for k in (0, 1)]
            for item in sorted(places[0].keys() & places[1].keys()):
                at = [own[item] for own in places]
                for part, moments in _item_moments(counted, at):
                    if part == "dealt" and item in measured:
                        continue
                    change = change_of(ITEM, group, part, moments, item=item, deals=counted[0].deals)
                    if change is not None:
                        yield change

    def _counted(self, side: int, group: Group) -> ItemCounts:
        """Count the items of one side in the deals that both have played."""
        phase = self.phases[0]
        run = (phase.base, phase.candidate)[side]
        pairings = [p for p in phase.pairings if (p.players, p.lineup) == (group.players, group.lineup)]
        ids = {(p.base, p.candidate)[side] for p in pairings}
        cells = [cell for cell in run.plan.cells if cell.id in ids]
        return count_items([run], cells, self._range(pairings))[0]

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

    def _dealt(self, dealt: Mapping[int, Mapping[Group, Moments]]) -> Iterator[Change]:
        for item, by_group in dealt.items():
            for group, moments in by_group.items():
                level = ITEM if group.variants is None else self._level(group)
                change = change_of(level, group, "dealt", moments, item=item)
                if change is not None:
                    yield change

    def _power(self, dealt: Mapping[int, Mapping[Group, Moments]]) -> Iterator[Power]:
        names = _names(self.sides)
        tables = dict.fromkeys((group.players, group.lineup) for group in self.groups)
        for (item, by_group), (players, lineup) in product(dealt.items(), tables):
            whole = by_group.get(Group(players, lineup))
            own = [m for g, m in by_group.items() if g.whole and (g.players, g.lineup) == (players, lineup)]
            if own:
                reach = [math.sqrt(_spread(m, players) / m.blocks) * (Z + POWER) for m in own]
                every = math.sqrt(_spread(whole, players) / whole.blocks) * (Z + POWER) if whole else None
                yield Power(
                    item,
                    names.get(str(item), str(item)),
                    players,
                    lineup,
                    int(median(m.blocks for m in own)),
                    every,
                    nine_of_ten(reach),
                    max(reach),
                )

    def _judge(self, thresholds: Thresholds, side: int, **counting: Any) -> tuple[Judgements, Bench]:
        """Judge one side by the deals that both have, so that no verdict differs for having more games."""
        phase = self.judged
        run = (phase.base, phase.candidate)[side]
        ids = [(p.base, p.candidate)[side] for p in phase.pairings]
        common = {own: self._range([p]) for own, p in zip(ids, phase.pairings, strict=True)}
        planned = {cell.id: (cell.first, cell.first + cell.deals) for cell in run.plan.cells}
        within = {own: deals for own, deals in common.items() if deals != planned[own]}
        summed = statistics([run], ids, within=within, **counting)
        own = self.sides.both[side]
        bench = Bench(summed, unfitted_variants(self.game, own.catalog))
        return judge(summed, thresholds, cells=ids, bench=bench), bench

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
            fine = was.verdict is Verdict.FINE
            causes = now.broken if fine else causes_of(now, sure, self.game.facts)
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


def _looked(finding: Finding) -> tuple[object, ...]:
    """Return what a finding is about, the same in other games."""
    cell = finding.cell
    return (
        cell.players,
        cell.variants,
        cell.lineup,
        finding.measured.name,
        finding.threshold.id,
        finding.upper,
    )


def _p_values(judged: Judgements) -> dict[tuple[object, ...], float]:
    """Return the p-values of everything against "within its range", each alone."""
    return {
        _looked(finding): finding.p_broken
        for judgement in judged.judgements
        for cell in judgement.cells
        for finding in cell.findings
    }


def _said_again(found: Comparison, said: Mapping[tuple[int, Combination], Again]) -> Comparison:
    """Return a comparison with what fresh deals say of its verdicts."""
    return replace(found, verdicts=tuple(replace(one, again=said.get(_key(one))) for one in found.verdicts))


def _spread(dealt: Moments | None, players: int) -> float:
    """Return how much the difference of a deal varies: at least as if the next seat were the first to differ.

    Where no deal has differed so far, that is not yet known to be so in all.
    """
    if dealt is None or not dealt.blocks:
        return float(players**2)
    figure, seats = dealt.difference((0, 1), (2, 3)), dealt.totals[1]
    known = figure.variance * dealt.blocks if figure is not None else 0.0
    return max(known, players**2 / (seats * (seats + 1)) * dealt.blocks)


def _counts(judged: Sequence[Judgements]) -> dict[int, tuple[Counter[Verdict], Counter[Verdict]]]:
    players = sorted({found.players for own in judged for found in own.judgements})
    counted = [
        {n: Counter(f.verdict for f in own.judgements if f.players == n) for n in players} for own in judged
    ]
    return {n: (counted[0][n], counted[1][n]) for n in players}


def _item_moments(counted: Sequence[ItemCounts], at: Sequence[int]) -> Iterator[tuple[str, Moments]]:
    """Yield what is compared of an item: who was dealt it, and how often it is acquired."""

    def columns(above: str, below: Callable[[ItemCounts, int], Any]) -> Moments:
        base, candidate = counted
        k, m = at
        return Moments.of(
            [getattr(candidate, above)[:, m], below(candidate, m), getattr(base, above)[:, k], below(base, k)]
        )

    yield "dealt", columns("opening_score", lambda own, k: own.opening[:, k])
    yield "built", columns("built", lambda own, k: own.opening[:, k] + own.drawn[:, k])
