"""How to train: what changes with the games played, and what does not."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Stage:
    """What holds until a number of games has been played; pairs are the values at its begin and its end."""

    until: int
    rate: tuple[float, float]
    entropy: tuple[float, float]
    margin: tuple[float, float] = (0.0, 0.0)
    """Reward for a clear victory, beside that for a victory."""
    self_play: float = 0.5
    past_play: float = 0.15


RECIPE: Final = (
    Stage(500_000, (1.5e-3, 6e-4), (0.03, 0.02), (0.3, 0.1)),
    Stage(1_400_000, (6e-4, 4e-4), (0.02, 0.004), (0.1, 0.0), 0.45, 0.12),
    Stage(3_400_000, (1.3e-3, 8e-5), (0.004, 0.0015), (0.0, 0.0), 0.3, 0.1),
)
"""How `balance train` trains from nothing; after the last stage its last values stay."""


@dataclass
class Settings:
    """How to train."""

    stages: tuple[Stage, ...] = RECIPE
    seed: int = 1
    threads: int = 2
    cells: int = 56
    games: int = 36
    frozen_play: float = 0.0
    """Share of games against a frozen opponent; those that no share names are against bots."""
    alone: float = 0.4
    """Share of the games with strangers in which the learner sits alone."""
    stall: float = 0.3
    minibatch: int = 4096
    snapshot_every: int = 15
    most_snapshots: int = 40
    evaluate_every: int = 10
    probe_every: int = 10
    """Iterations after which some combinations are played by one who searches; 0: never."""
    probed: int = 24
    reply_every: int = 200
    """Iterations after which `replies.feed_reply` looks for a best reply in one cell."""
    reply_games: int = 100_000
    met: float = 0.4
    """Share of the games in which a learner meets the best reply, in cells that have one."""

    def stage(self, games: int) -> tuple[Stage, float]:
        """Return the stage after some games, and which part of it is done."""
        begun = 0
        for stage in self.stages:
            if games < stage.until:
                return stage, (games - begun) / (stage.until - begun)
            begun = stage.until
        return self.stages[-1], 1.0
