"""What both sides of a comparison play: the same deals, and more deals in which a changed item is dealt."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from balance.dataset.plan import PlannedCell
from balance.dataset.run import Run
from balance.errors import DataError
from balance.experiments.compare.changes import POWER, nine_of_ten
from balance.experiments.compare.comparison import Side
from balance.experiments.compare.sides import Sides, moving_variants
from balance.games.lineup import parse_lineup
from balance.games.variants import Combination
from balance.measure.items import items_of
from balance.measure.paired import Dealt, Phase, groups_of, pair_cells, paired_dealt
from balance.stats.intervals import Z
from balance.stats.ratio import Difference

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from balance.experiments.side_by_side import Play

MOST_FOCUSED: Final = 1_500
"""Deals of a cell at most in which a changed item is dealt on purpose."""
MOST_ITEMS: Final = 3
"""Changed items at most for which such deals are looked for: with more, nearly every deal has one."""
_PROBED: Final = range(3)
"""Deals that show whether two combinations deal alike: other opening hands show in each."""
_ROUNDED: Final = 50
_SEARCHED: Final = 2_000
"""Deals that are looked through at a time for those with a changed item; if none has it, none is expected."""
_MOST_SEARCHED: Final = 100_000
"""Deals at most that are looked through."""

Key = tuple[int, Combination, str]


class BothSides:
    """Both sides on the same deals."""

    def __init__(self, sides: Sides, cells: Sequence[PlannedCell], seed: int, play: Play) -> None:
        self.sides, self.cells, self._play = sides, list(cells), play
        self.game, self.seed = sides.game, seed
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
        if moving_variants(self.sides) is not None:  # games without variants serve multiples alone
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
        prepared = prepare_cells(
            self.game, side.catalog, cells, edition=side.edition, seed=self.seed, chosen=chosen, name=name
        )  # fmt: skip
        return self._play(prepared)

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
        more = self._more(items, detect)
        if not any(more.values()):
            return
        for run in self.sides.runs:
            require_same_engine(run.path, run.plan, run.game)
        name = "dealt-" + "-".join(str(item.id) for item in items)
        for alike in self._alike():
            cells = [cell for cell in alike if keys is None or cell.key in keys]
            chosen, until = self._chosen(cells, items, more)
            cells = [cell for cell in cells if cell.players in chosen]
            own = [replace(cell, first=0, deals=len(chosen[cell.players])) for cell in cells]
            if not own:
                continue
            base, candidate = (self._run(side, own, chosen, name) for side in self.sides.both)
            phase = pair_cells(base, candidate, [cell.key for cell in own])
            numbered = [
                replace(p, number=self.numbers[p.players, p.variants, p.lineup]) for p in phase.pairings
            ]
            self.phases.append(replace(phase, pairings=tuple(numbered), until=until))

    def _more(self, items: Sequence[Dealt], detect: float) -> dict[int, int]:
        """Return how many more deals with each item a cell needs, to show in nine of ten cells."""
        cells = {group: own for group, own in self.groups.items() if group.whole}
        more = {}
        for item, found in paired_dealt(self.phases, cells, items).items():
            missing = []
            for group in cells:
                own = found.get(group)
                needed = spread_between(own, group.players) * ((Z + POWER) / detect) ** 2
                missing.append(needed - (int(own.deals) if own else 0))
            rounded = math.ceil(nine_of_ten(missing) / _ROUNDED) * _ROUNDED
            more[item] = min(max(0, rounded), MOST_FOCUSED)
        return more

    def _alike(self) -> list[list[PlannedCell]]:
        """Return the cells, those together that deal the same opening hands as their players' others."""
        groups: dict[bytes, list[PlannedCell]] = {}
        known: dict[tuple[int, tuple[str, ...]], bytes] = {}
        for cell in (cell for cell in self.cells if cell.key in self.numbers):
            key = (cell.players, cell.variants)
            if key not in known:
                known[key] = b"".join(self._openings(cell, _PROBED, k).tobytes() for k in (0, 1))
            # player counts deal differently, and have their own lists of deals in one run
            usual = known[key] == known.get((cell.players, ()))
            groups.setdefault(b"" if usual else known[key], []).append(cell)
        return list(groups.values())

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


def spread_between(dealt: Difference | None, players: int) -> float:
    """Return how much the difference of a deal varies: at least as if the next seat were the first to differ.

    Where no deal has differed so far, that is not yet known to be so in all.
    """
    if dealt is None or not dealt.deals:
        return float(players**2)
    deals, seats = int(dealt.deals), int(dealt.own.den)
    known = float(dealt.variance) * deals if deals > 1 else 0.0
    return max(known, players**2 / (seats * (seats + 1)) * deals)
