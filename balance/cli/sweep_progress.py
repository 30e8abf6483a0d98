"""Playing a prepared run with warnings and a progress line."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from balance.cli import diagnostics, gameoptions

if TYPE_CHECKING:
    from balance.experiments.side_by_side import Play
    from balance.sweep.folder import SweepSummary
    from balance.sweep.simulation import Prepared
    from balance.sweep.workers import Played


def player(jobs: int | None) -> Play:
    """Return a function that plays a prepared run."""
    return lambda prepared: play_with_progress(prepared, jobs).run


def play_with_progress(prepared: Prepared, jobs: int | None, *, resuming: bool = False) -> SweepSummary:
    """Play a prepared run; `resuming` reports how much of it is left."""
    from balance.sweep import simulation
    from balance.sweep.folder import remaining
    from balance.sweep.workers import Finished

    plan = prepared.plan
    left = sum(shard.games for shard in remaining(prepared.folder, plan, prepared.again))
    waiting = left > 0 and gameoptions.announce_warm_up(prepared.game, replay=False)
    if resuming and 0 < left < plan.games:
        diagnostics.say(f"{prepared.folder}: {left:,} of {plan.games:,} games are still to be played")
    begun = time.monotonic()
    games = done = 0

    def watch(message: Played | Finished) -> None:
        """Show how fast games are played, and how many shards are finished."""
        nonlocal games, done
        if isinstance(message, Finished):
            done += 1
            return
        games += message.games
        speed = games / max(time.monotonic() - begun, 0.001)
        parts = f", {done} of {plan.shards} shards" if plan.shards > 1 else ""
        advance(message.games, f"{speed:,.0f} games/s{parts}")

    with diagnostics.progress("playing", left, "compiling first" if waiting else "") as advance:
        return simulation.run_prepared(prepared, jobs, watch)
