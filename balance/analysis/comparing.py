"""Comparing a candidate with a base on common seeds: play what is missing, and say what changed beyond doubt.

Each side is a run, an overlay of the catalog or an edition. Both play the same deals, so that the luck of the
deal cancels out of the difference. The games lie in runs like any others: the same comparison finds them
again. Counting is done in `balance.analysis.paired`, words are found in `balance.analysis.comparison`.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
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
    Change,
    Comparison,
    Family,
    Power,
    Side,
    Uncompared,
    VerdictChange,
    caused_by,
    change_of,
    corrected,
    over_players,
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
from balance.analysis.sentences import finding_sentence
from balance.analysis.thresholds import Thresholds, load_thresholds
from balance.analysis.verdict import Bench, Judgements, Verdict, judge, unfitted_variants
from balance.dataset import state as states
from balance.dataset.plan import PlannedCell
from balance.dataset.run import Run, open_run
from balance.errors import DataError, UsageError
from balance.games.contract import Catalog, Difference, Game
from balance.games.lineup import parse_lineup
from balance.games.variants import combinations_of
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
"""The change of win points of the seat that was dealt a changed item that is to be seen in one combination."""
MOST_FOCUSED: Final = 1_500
"""Deals of a cell at most in which a changed item is dealt on purpose."""
MOST_ITEMS: Final = 3
"""Changed items at most for which such deals are looked for: with more, nearly every deal has one."""
_PROBED: Final = 200
"""Deals by which it is told whether two combinations deal alike."""
_ROUNDED: Final = 50

Play = Callable[[Any], Run]
"""Carries a prepared run out."""
Key = tuple[int, tuple[str, ...], str]


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
    cells, uncompared = ([], []) if same else _cells(sides, asked)
    if not same and not cells:
        same = "nothing that both have can differ"
    if same:
        return _nothing(sides, asked, same, uncompared)
    table = _Table(sides, cells, asked, play or _plain_play)
    table.play()
    focused = table.focus(detect) if detect > 0 else []
    return table.compared(accepted, uncompared, focused)


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

    def refuse_with_runs(self) -> None:
        """Refuse what runs have decided already."""
        for name, value in (("--seed", self.seed), ("--precision", self.precision)):
            if value is not None:
                raise UsageError(f"{name} does not go with a run: its games are there")


@dataclass(frozen=True)
class _Named:
    """A side as a user named it, before both are known."""

    label: str
    kind: str
    run: Run | None = None
    overlays: tuple[str, ...] = ()
    edition: str | None = None


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


def _named(text: str, game: Game[Any, Any] | None) -> _Named:
    """Tell what a word or a path stands for; an edition is looked for in the official catalog."""
    path = Path(text)
    if (path / states.RUN).exists() or (path / states.STATE).exists():
        return _Named(text, "run", open_run(path))
    found = game or games.get()
    if text.strip().lower() == OFFICIAL:
        return _Named(text.strip().lower(), OFFICIAL)
    editions = [entry.id for entry in _entries(found, text) if entry.kind == "edition"]
    if editions:
        return _Named(editions[0], "edition", edition=editions[0])
    if path.exists():
        return _Named(text, "overlay", overlays=(text,))
    if len(path.parts) > 1 or path.suffix:
        raise DataError(f"there is no run or overlay at {text}")
    raise UsageError(
        f"{unknown('run, overlay or edition', text, [OFFICIAL, *found.facts.editions])} "
        f"(a run is a folder of balance simulate, an overlay a TOML file)"
    )


def _entries(game: Game[Any, Any], text: str) -> Sequence[Any]:
    try:
        return game.find(game.load_catalog(), text)
    except UsageError:
        return ()


def _sides(base: str, candidate: str, game: str | None, edition: str | None) -> Sides:
    """Find out what both sides are; UsageError or DataError for what cannot be compared."""
    given = None if game is None else games.get(game)
    run_game = next((n.run.game for n in map(_run_only, (base, candidate)) if n is not None and n.run), None)
    if given is not None and run_game is not None and given.name != run_game.name:
        raise UsageError(f"--of {given.name}: the run is one of {run_game.facts.title}")
    named = [_named(text, given or run_game) for text in (base, candidate)]
    _refuse_unlike([n.run for n in named if n.run is not None])
    found = given or run_game or games.get()
    editions = [n.run.plan.edition if n.run else n.edition for n in named]
    if edition is not None and any(editions):
        raise UsageError("--edition does not go with a run or an edition: they say it themselves")
    fallback = next((e for e in editions if e), edition or found.facts.default_edition)
    sides = [_side(found, n, e or fallback) for n, e in zip(named, editions, strict=True)]
    differences = tuple(found.diff(sides[0].catalog, sides[1].catalog))
    return Sides(found, *sides, differences, _policies(found, sides[0]) == _policies(found, sides[1]))


def _run_only(text: str) -> _Named | None:
    path = Path(text)
    if (path / states.RUN).exists() or (path / states.STATE).exists():
        return _Named(text, "run", open_run(path))
    return None


def _side(game: Game[Any, Any], named: _Named, edition: str) -> Side:
    if named.run is not None:
        if named.run.plan.chosen:
            raise UsageError(f"{named.label} cannot be compared: its deals were chosen")
        return Side(named.label, named.kind, edition, named.run.catalog, (named.run,))
    catalog = game.load_catalog(named.overlays)
    game.variants(catalog, edition)  # refuses an edition that it has not
    return Side(named.label, named.kind, edition, catalog)


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
        raise UsageError(
            f"{both}: in one of them each order of {one.game.facts.variants} is a cell of its own"
        )
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
    uncompared: list[Uncompared] = []
    wanted = _wanted(sides, asked)
    if sides.runs:
        asked.refuse_with_runs()
        cells, missing = _cells_of_runs(sides, asked, wanted)
        uncompared += missing
    else:
        cells = _fresh_cells(sides, asked, wanted)
        uncompared += _one_sided(sides, asked)
    moving = _moving(sides)
    if moving is not None:
        still = [cell for cell in cells if cell.variants and not moving & set(cell.variants)]
        if still:
            word = sides.game.facts.variant
            count = len({cell.variants for cell in still})
            uncompared.append(Uncompared(f"have no changed {word} and cannot differ", count, ()))
        cells = [cell for cell in cells if not cell.variants or moving & set(cell.variants)]
        if not any(cell.variants for cell in cells):
            cells = []
    return cells, uncompared


def _moving(sides: Sides) -> set[str] | None:
    """Return the variants that differ, if nothing else does; combinations without them cannot differ."""
    facts = sides.game.facts
    others = {found.kind for found in sides.differences} - {facts.variant, "catalog"}
    if others or not sides.same_policies or sides.base.edition != sides.candidate.edition:
        return None
    return set(sides.entries(facts.variant))


def _wanted(sides: Sides, asked: Asked) -> set[tuple[str, ...]] | None:
    """Return the combinations that a user asks for; None: all. Those of one side alone drop out later."""
    if asked.variants is None:
        return None
    given = [asked.variants] if isinstance(asked.variants, str) else list(asked.variants)
    found: set[tuple[str, ...]] = set()
    for value in given:
        problems = []
        for side in sides.both:
            try:
                found |= set(combinations_of(sides.game, side.catalog, side.edition, [value]))
            except UsageError as error:
                problems.append(error)
        if len(problems) == 2:
            raise problems[0]
    return found | {()}  # metrics that are multiples need the games without variants


def _fresh_cells(sides: Sides, asked: Asked, wanted: set[tuple[str, ...]] | None) -> list[PlannedCell]:
    from balance.sweep.planning import make_plan, parse_players, parse_precision, deals_for

    game, facts = sides.game, sides.game.facts
    common = set.intersection(*(_possible(sides.game, side) for side in sides.both))
    combinations = sorted(common if wanted is None else common & wanted)
    counts = parse_players(_texts(asked.players) or ["{}-{}".format(*facts.players)], facts)
    if asked.games_per_cell is not None and asked.precision is not None:
        raise UsageError("--games and --precision contradict each other; give one of them")
    if asked.games_per_cell is not None and asked.games_per_cell < 1:
        raise UsageError(f"--games {asked.games_per_cell}: a cell has at least one game")
    width = None if asked.precision is None else parse_precision(asked.precision)
    deals = {n: (asked.games_per_cell or DEALS) if width is None else deals_for(width, n) for n in counts}
    plan = make_plan(
        game,
        sides.base.catalog,
        edition=sides.base.edition,
        players=counts,
        combinations=combinations,
        lineups=_texts(asked.lineups) or [facts.default_lineup],
        deals=deals,
        seed=_seed(sides, asked),
    )
    return list(plan.cells)


def _possible(game: Game[Any, Any], side: Side) -> set[tuple[str, ...]]:
    return set(combinations_of(game, side.catalog, side.edition, ["all"]))


def _one_sided(sides: Sides, asked: Asked) -> list[Uncompared]:
    """Return what only one of the sides has: the combinations of its own variants."""
    found = []
    wanted = _wanted(sides, asked)
    possible = [_possible(sides.game, side) for side in sides.both]
    for name, own, other in (("base", *possible), ("candidate", *possible[::-1])):
        alone = {c for c in own - other if wanted is None or c in wanted}
        if alone:
            known = {variant for combination in other for variant in combination}
            named = sorted({v for combination in alone for v in combination} - known)
            found.append(Uncompared(f"are in the {name} only", len(alone), tuple(named)))
    return found


def _cells_of_runs(
    sides: Sides, asked: Asked, wanted: set[tuple[str, ...]] | None
) -> tuple[list[PlannedCell], list[Uncompared]]:
    """Return the cells of the runs at hand, as far as the other side has them or can play them."""
    from balance.sweep.planning import parse_players

    facts = sides.game.facts
    counts = set(parse_players(_texts(asked.players), facts))
    lineups = set(_texts(asked.lineups))
    first = sides.runs[0]
    cells = {
        cell.key: cell
        for cell in first.plan.cells
        if cell.games
        and (not counts or cell.players in counts)
        and (wanted is None or tuple(sorted(cell.variants)) in wanted)
        and (not lineups or cell.lineup in lineups)
    }
    if len(sides.runs) == 2:
        others = {cell.key: cell for cell in sides.runs[1].plan.cells if cell.games}
        lost = [key for key, cell in cells.items() if key not in others or not _meet(cell, others[key])]
        extra = [key for key in others if key not in {c.key for c in first.plan.cells if c.games}]
        extra = [k for k in extra if (not counts or k[0] in counts) and (wanted is None or k[1] in wanted)]
    else:
        other = sides.candidate if sides.base.runs else sides.base
        possible = _possible(sides.game, other)
        lost = [key for key in cells if tuple(sorted(key[1])) not in possible]
        extra = []
    missing = [Uncompared(_missing("base", lost), len(lost), ())] if lost else []
    missing += [Uncompared(_missing("candidate", extra), len(extra), ())] if extra else []
    if sides.base is not None and not sides.base.runs and lost:
        missing = [Uncompared(_missing("candidate", lost), len(lost), ())]
    kept = [cell for key, cell in cells.items() if key not in set(lost)]
    if not kept:
        raise DataError("the two sides have no cell in common at these players, variants and lineups")
    if asked.games_per_cell is not None:
        kept = [replace(cell, deals=min(cell.deals, asked.games_per_cell)) for cell in kept]
    return kept, missing


def _missing(side: str, keys: Sequence[Key]) -> str:
    some = [
        f"{players} players, {' + '.join(variants) or 'plain'}, {lineup}"
        for players, variants, lineup in keys
    ]
    more = f" and {len(some) - 3:,} more" if len(some) > 3 else ""
    return f"(cells) are in the {side} only: {'; '.join(some[:3])}{more}"


def _meet(one: PlannedCell, two: PlannedCell) -> bool:
    last = min(one.first + one.deals, two.first + two.deals)
    return max(one.first, two.first) < last and one.replicates == two.replicates


def _texts(given: str | int | Iterable[Any] | None) -> list[str]:
    if given is None:
        return []
    return [str(given)] if isinstance(given, str | int) else [str(value) for value in given]


# --- playing


class _Table:
    """Both sides at one table: what they play, and what that says."""

    def __init__(self, sides: Sides, cells: Sequence[PlannedCell], asked: Asked, play: Play) -> None:
        self.sides, self.cells, self._play = sides, list(cells), play
        self.game = sides.game
        self.seed = _seed(sides, asked)
        self.ordered = sides.runs[0].plan.ordered if sides.runs else False
        self.phases: list[Phase] = []

    def play(self) -> None:
        """Play what is missing of the deals that everything is compared on."""
        from balance.sweep.simulation import require_same_engine

        for run in self.sides.runs if len(self.sides.runs) == 1 else ():
            require_same_engine(run.path, run.plan, run.game)
        base, candidate = (self._run(side, self.cells) for side in self.sides.both)
        self.phases = [pair_cells(base, candidate, [cell.key for cell in self.cells])]
        if not self.phases[0].pairings:
            raise DataError("the two sides have no deal in common")
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

    def focus(self, detect: float) -> list[Dealt]:
        """Play more deals in which a changed item is dealt, as many as it takes to see such a change in a cell.

        How many depends on how much the differences vary so far, not on what they are.
        """
        from balance.sweep.simulation import require_same_engine

        items = self.items()
        if not 0 < len(items) <= MOST_ITEMS or len(self.sides.runs) == 2:
            return []
        more = {item.id: self._more(item, detect) for item in items}
        if not any(more.values()):
            return []
        for run in self.sides.runs:
            require_same_engine(run.path, run.plan, run.game)
        name = "dealt-" + "-".join(str(item.id) for item in items)
        for cells in self._alike():
            chosen = self._chosen(cells, items, more)
            own = [replace(cell, first=0, deals=len(chosen[cell.players])) for cell in cells]
            base, candidate = (self._run(side, own, chosen, name) for side in self.sides.both)
            phase = pair_cells(base, candidate, [cell.key for cell in own])
            pairings = tuple(
                replace(p, number=self.numbers[p.players, p.variants, p.lineup]) for p in phase.pairings
            )
            self.phases.append(replace(phase, pairings=pairings))
        return items

    def _more(self, item: Dealt, detect: float) -> int:
        """Return how many more deals with an item a cell needs."""
        found = count_dealt(self.phases, {g: own for g, own in self.groups.items() if g.whole}, item)
        cells = [(m, m.difference((0, 1), (2, 3))) for m in found.values()]
        spreads = [figure.variance * m.blocks for m, figure in cells if figure is not None and m.blocks > 1]
        if not spreads:
            return 0
        needed = math.ceil(sum(spreads) / len(spreads) * ((Z + POWER) / detect) ** 2)
        held = median(m.blocks for m, _ in cells)
        missing = max(0, math.ceil((needed - held) / _ROUNDED) * _ROUNDED)
        return min(missing, MOST_FOCUSED)

    def _alike(self) -> Iterator[list[PlannedCell]]:
        """Yield the cells, those together that deal the same opening hands."""
        groups: dict[bytes, list[PlannedCell]] = {}
        known: dict[tuple[int, tuple[str, ...]], bytes] = {}
        for cell in self.cells:
            if cell.key not in self.numbers:
                continue
            key = (cell.players, cell.variants)
            if key not in known:
                known[key] = b"".join(self._openings(cell, range(_PROBED), k).tobytes() for k in (0, 1))
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
        lineup = parse_lineup(cell.lineup, cell.players, self.game)
        compiled = self.game.compile(own.catalog, own.edition, cell.players, cell.variants)
        wanted = np.asarray(indices, np.int64)
        seats = self.game.play(compiled, self.seed, wanted, lineup.seated(self.seed, wanted))["seats"]
        words = [np.asarray(seats[name], np.uint64) for name in facts.mask("opening")]
        return np.stack(words, axis=1).reshape(wanted.size, cell.players, len(words))

    def _chosen(
        self, cells: Sequence[PlannedCell], items: Sequence[Dealt], more: Mapping[int, int]
    ) -> dict[int, list[int]]:
        """Return the next deals in which the items are dealt, behind those that were played, by players."""
        import numpy as np

        behind = max(cell.first + cell.deals for cell in self.cells)
        found: dict[int, list[int]] = {}
        for players in sorted({cell.players for cell in cells}):
            cell = next(cell for cell in cells if cell.players == players)
            held: dict[int, list[int]] = {item.id: [] for item in items}
            at = behind
            while any(len(held[item.id]) < more[item.id] for item in items):
                indices = range(at, at + 2000)
                at += 2000
                for item in items:
                    side, place = (0, item.base) if item.base is not None else (1, item.candidate)
                    assert place is not None
                    masks = self._openings(cell, indices, side)
                    has = (masks[:, :, place // 64] >> np.uint64(place % 64)) & np.uint64(1)
                    held[item.id] += (np.flatnonzero(has.any(axis=1)) + indices.start).tolist()
            found[players] = sorted({k for item in items for k in held[item.id][: more[item.id]]})
        return found

    # --- what it says

    def compared(
        self, thresholds: Thresholds, uncompared: Sequence[Uncompared], focused: Sequence[Dealt]
    ) -> Comparison:
        """Hold both sides against each other."""
        dealt = {item.id: count_dealt(self.phases, self.groups, item) for item in self.items()}
        found = [*self._measures(), *self._items(set(dealt)), *self._dealt(dealt)]
        changes, family = corrected(found)
        judged = [self._judge(thresholds, k) for k in (0, 1)]
        runs = {run.path: run for phase in self.phases for run in (phase.base, phase.candidate)}
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
            tuple(uncompared),
            tuple(self._power(dealt)),
            len({p.variants for p in self.phases[0].pairings}),
            sum(2 * p.deals * p.replicates for phase in self.phases for p in phase.pairings),
            _names(self.sides),
        )

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
                    own = Figure(figure.value * scale, figure.variance * scale**2, figure.freedom)
                    wholes.setdefault((group.lineup, part), []).append((group, change, own))
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
                    change = change_of(ITEM, group, part, moments, item=item)
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
        for item, by_group in dealt.items():
            for group, moments in by_group.items():
                whole = moments.difference((0, 1), (2, 3))
                if group.variants is not None or whole is None:
                    continue
                own = [
                    (m.blocks, figure)
                    for g, m in by_group.items()
                    if g.whole
                    and (g.players, g.lineup) == (group.players, group.lineup)
                    and (figure := m.difference((0, 1), (2, 3))) is not None
                ]
                reach = [(Z + POWER) * math.sqrt(figure.variance) for _, figure in own]
                yield Power(
                    item,
                    names.get(str(item), str(item)),
                    group.players,
                    int(median(blocks for blocks, _ in own)) if own else 0,
                    (Z + POWER) * math.sqrt(whole.variance),
                    median(reach) if reach else None,
                    max(reach) if reach else None,
                )

    def _judge(self, thresholds: Thresholds, side: int) -> tuple[Judgements, Bench]:
        phase = self.phases[0]
        run = (phase.base, phase.candidate)[side]
        ids = [(p.base, p.candidate)[side] for p in phase.pairings]
        summed = statistics([run], ids)
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
            caused = was.verdict is Verdict.FINE or caused_by(now, sure)
            yield VerdictChange(now.players, now.variants, was.verdict, now.verdict, reasons, caused)


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
