"""What pairs of variants do beyond each alone, read from the view `interactions`.

Estimates only: `balance.judge.interaction` says what they mean.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING

from balance.dataset.run import Run
from balance.games.measures import LOG
from balance.measure.cells import Statistics, connect_to, read_ratio
from balance.stats.ratio import Normal, Ratio

if TYPE_CHECKING:
    import duckdb

Beyond = tuple[int, str, str, str, Ratio | Normal]
"""The cell of a pair, the measure, what it is of, the scale, and the estimate."""


def pair_parts(statistics: Statistics, cells: Iterable[int] | None) -> dict[int, set[int]]:
    """Return the pairs whose two variants were also played alone, and without any: the cells of each."""
    found = {}
    for number in statistics.cells if cells is None else cells:
        cell = statistics.cells[number]
        wanted = [(), *((name,) for name in cell.variants)] if len(cell.variants) == 2 else []
        parts = [statistics.find(cell.players, names, cell.lineup) for names in wanted]
        if parts and all(parts):
            found[number] = {number, *(part.id for part in parts if part)}
    return found


def beyond_rows(
    runs: Sequence[Run],
    parts: dict[int, set[int]],
    *,
    atlas: bool = False,
    con: duckdb.DuckDBPyConnection | None = None,
) -> Iterator[Beyond]:
    """Yield what pairs do beyond their parts, in every measure or in those of the atlas."""
    if not parts:
        return
    with ExitStack() as closing:
        if con is None:
            con = closing.enter_context(connect_to(runs, set().union(*parts.values())))
        rows = con.execute(
            'select cell_id, measure, "of", scale, value, error, deals, num, den, num2, den2, numden '
            f"from interactions where {'atlas' if atlas else 'true'} order by all"
        ).fetchall()
    for number, measure, of, scale, value, error, deals, *sums in rows:
        if number in parts:
            estimate = Normal(value, error, deals) if scale == LOG else read_ratio(deals, *sums)
            yield number, measure, of, scale, estimate
