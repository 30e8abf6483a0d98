"""Best replies: what a player can gain who learns to beat a table that does not learn.

The reply is a network like any other, trained against the frozen table alone. What it gains is a lower bound:
a better optimiser might find more.
"""

from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import dataclass
from math import sqrt
from typing import Any, Final

import numpy as np

from balance.games.compiled.weights import Floats, fold
from balance.learning.settings import Settings, Stage
from balance.learning.training import Frozen, Trainable, Training
from balance.stats.intervals import Z

_GAMES: Final = 36
_CELLS: Final = 64


@dataclass(frozen=True)
class Reply:
    """What one among a frozen table wins, in win points above a fair share, with its 95% interval."""

    gain: float
    low: float
    high: float
    trained: int
    """Games that the reply learned from."""
    fresh: int
    """Games that it was measured on."""
    start: str
    """`learned`: began as the frozen network; `nothing`: began at random play."""


def best_reply(
    game: Trainable,
    make: Callable[[], Any],
    frozen: Frozen,
    start: Mapping[str, Floats] | None,
    games: int,
    fresh: int,
    seed: int,
    threads: int,
    advance: Callable[[int], object] = lambda _: None,
) -> tuple[Reply, Mapping[str, Floats]]:
    """Train a reply to a frozen table in one cell, and measure it on fresh deals; its weights come second."""
    warm = start is not None
    if warm:
        stage = Stage(games, (5e-4, 1e-4), (0.004, 0.001), self_play=0.0, past_play=0.0)
    else:
        stage = Stage(games, (2e-3, 1e-4), (0.02, 0.001), (0.2, 0.0), self_play=0.0, past_play=0.0)
    settings = Settings(
        (stage,), seed, threads, _CELLS, _GAMES, frozen_play=1.0, alone=1.0, evaluate_every=0, probe_every=0
    )
    one = copy(game)
    vars(one).update(combinations=((),), counts={0: 1.0}, cell=lambda *_: make())
    training = Training(one, None, settings, start, frozen)
    training.run(games, advance)
    weights = training.fitter.policy.weights()
    points, spread = measure_alone(game, make(), weights, frozen, fresh, seed + 1)
    half = Z * spread / sqrt(fresh)
    gain = points - 1.0
    start_name = "learned" if warm else "nothing"
    return Reply(gain, gain - half, gain + half, training.games, fresh, start_name), weights


def feed_reply(training: Training) -> Reply:
    """Train a reply to the learner as it is, in a cell drawn like others, and let the learner meet it there.

    What gains nothing is not met.
    """
    settings, game = training.settings, training.game
    key = [settings.seed, training.iteration, 1]
    (place,) = training.draw(1, np.random.default_rng(key))
    weights = training.weights()
    reply, found = best_reply(
        game,
        lambda: training.cell(place, np.random.default_rng(key)),
        Frozen(game.past[0], weights),
        weights,
        settings.reply_games,
        settings.reply_games // 5,
        settings.seed + training.iteration,
        settings.threads,
    )
    if reply.low > 0:
        training.meet(place, found, reply.gain)
    return reply


def measure_alone(
    game: Trainable, cell: Any, weights: Mapping[str, Floats], frozen: Frozen, games: int, seed: int
) -> tuple[float, float]:
    """Return the mean and spread of the win points of a network alone among a frozen table.

    Where it wins no game, the spread is that of one game won: an interval without width would say too much.
    """
    cell.networks[game.learner] = fold(weights, cell.features)
    if frozen.weights is not None:
        cell.networks[frozen.policy] = fold(frozen.weights, cell.features)
    indices = np.arange(games, dtype=np.int64)
    seats = np.full((games, cell.players), frozen.policy, np.int64)
    seats[indices, indices % cell.players] = game.learner
    winners, _, _ = game.player().outcomes(cell, seed, indices, seats)
    points = np.where(winners == indices % cell.players, cell.players, 0.0)
    points = np.where(winners < 0, 1.0, points)
    least = cell.players * sqrt((games - 1.0) / games**2)
    return float(points.mean()), max(float(points.std()), least)
