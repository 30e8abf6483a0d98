"""Playing a prepared run with a progress line: for commands that need games of their own to answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from balance.cli import diagnostics, gameoptions

if TYPE_CHECKING:
    from balance.dataset.run import Run

__all__ = ["player"]


def player(jobs: int | None) -> Callable[[Any], Run]:
    """Return what plays a prepared run, with a progress line; warnings come once for each catalog."""
    warned: set[str] = set()

    def play(prepared: Any) -> Run:
        from balance.sweep import simulation
        from balance.sweep.folder import remaining
        from balance.sweep.workers import Played

        if prepared.plan.catalog_hash not in warned:
            warned.add(prepared.plan.catalog_hash)
            gameoptions.warn_of_unfitted(
                prepared.game, prepared.catalog, [cell.variants for cell in prepared.plan.cells]
            )
        left = sum(shard.games for shard in remaining(prepared.folder, prepared.plan, prepared.again))
        if left:
            gameoptions.announce_warm_up(prepared.game, replay=False)
        with diagnostics.progress("simulating", left) as line:

            def watch(message: object) -> None:
                if isinstance(message, Played):
                    line.advance(message.games, str(message.cell))

            return simulation.run_prepared(prepared, jobs, watch).run

    return play
