"""Compare a candidate with a base on common seeds: play what is missing, report what clearly changed.

Each side is a run, an overlay of the catalog or an edition. Both play the same deals, so that the luck of the
deal cancels out of the difference. The games are kept in runs like any others: the same comparison finds them
again. `sides` reads what the user named, `cells` chooses what is compared, `changes` has the statistics of a
difference, `measured` plays and puts everything together, `comparison` is the result.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from balance.experiments.compare.cells import cells_of
from balance.experiments.compare.comparison import Comparison
from balance.experiments.compare.measured import Measured
from balance.experiments.compare.sides import AskedCells, names_of, seed_of, sides_of
from balance.experiments.side_by_side import Play, play_prepared
from balance.judge.thresholds import load_thresholds


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
    play: Play = play_prepared,
) -> Comparison:
    """Compare a candidate with a base: each the folder of a run, an overlay, an edition, or `official`."""
    asked = AskedCells(players, variants, lineups, games_per_cell, precision, seed)
    sides = sides_of(str(base), str(candidate), game, edition)
    accepted = load_thresholds(sides.game, thresholds)
    one, two = sides.both
    equal = one.catalog.hash == two.catalog.hash and one.edition == two.edition and sides.same_policies
    same = "the candidate equals the base" if equal else ""
    if same and len(sides.runs) == 2:
        cells_of(sides, asked)  # equal rules do not mean equal games: refuses runs with nothing in common
    cells, uncompared = ([], []) if same else cells_of(sides, asked)
    if not same and not cells:
        same = "nothing that both have can differ"
    if same:
        seed, names = seed_of(sides, asked), names_of(sides)
        return Comparison(
            *(sides.game, sides.base, sides.candidate, seed, sides.differences),
            uncompared=tuple(uncompared), names=names, same=same,
        )  # fmt: skip
    table = Measured(sides, cells, seed_of(sides, asked), play)
    return table.again(table.compared(accepted, uncompared), accepted)
