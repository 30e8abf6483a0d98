"""Fine-tuning: the learned player learns one variant better; kept only if that gains on fresh deals."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import sqrt
from typing import Any, Final

import numpy as np

from balance.games.compiled.weights import Floats
from balance.learning.replies import measure_alone
from balance.learning.settings import Settings, Stage
from balance.learning.training import Frozen, Trainable, Training
from balance.stats.intervals import Z

FRESH_CELLS: Final = 120
FRESH_GAMES: Final = 120
"""In each of these cells."""


@dataclass(frozen=True)
class Tuning:
    """What fine-tuning has found for a variant."""

    weights: Mapping[str, Floats]
    log: Mapping[str, Any]
    gain: float
    """Win points above 1 of one tuned player among untuned ones, with the ends of its 95% interval."""
    low: float
    high: float
    games: int
    """Games that were played in all."""
    fresh: int
    """Those of them on which the gain was measured."""

    @property
    def gains(self) -> bool:
        """Whether the gain is distinguishable from 0; if it is not, the untuned weights are kept."""
        return self.low > 0


def fine_tune(
    game: Trainable,
    variant: str,
    budget: int,
    seed: int,
    threads: int,
    advance: Callable[[int], object] = lambda _: None,
) -> Tuning:
    """Train the learned player on the combinations of one variant, against itself as it was and is."""
    start = game.weights()
    alone = game.only(variant)
    frozen = Frozen(game.past[0], start)
    stage = Stage(budget, (8e-4, 1e-4), (0.004, 0.003), self_play=0.3, past_play=0.0)
    settings = Settings((stage,), seed, threads, frozen_play=0.6, evaluate_every=0, probe_every=0)
    training = Training(alone, None, settings, start, frozen)
    training.run(budget, advance)
    tuned = training.weights()
    points = _fresh_points(alone, tuned, frozen, seed)
    gain, half = float(points.mean()) - 1.0, Z * float(points.std(ddof=1)) / sqrt(points.size)
    fresh = FRESH_CELLS * FRESH_GAMES
    kept = tuned if gain - half > 0 else start
    log = {"tuned": variant, **training.log(), "variants": sorted({*game.known(), *alone.known()})}
    return Tuning(kept, log, gain, gain - half, gain + half, training.games + fresh, fresh)


def _fresh_points(game: Trainable, weights: Mapping[str, Floats], frozen: Frozen, seed: int) -> Any:
    """Return the win points of one tuned player among untuned ones in cells drawn anew."""
    rng = np.random.default_rng([seed, 1])
    points = []
    for _ in range(FRESH_CELLS):
        combination = game.combinations[int(rng.integers(len(game.combinations)))]
        players = int(rng.choice(list(game.counts), p=list(game.counts.values())))
        cell = game.cell(combination, players, rng)
        points.append(measure_alone(game, cell, weights, frozen, FRESH_GAMES, int(rng.integers(1 << 40)))[0])
    return np.array(points)
