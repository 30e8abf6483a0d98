"""What is measured on, fixed before anything was tuned: seeds and combinations of variants.

A player looks strong on the games it was tuned on. So tuners take their seeds from `TUNING_SEEDS` and their
combinations from `tuning_combinations`, and every figure that is published is measured on other seeds; where
a sample stands for all combinations, on one that no tuner has seen. Changing anything here makes published
figures worthless until everything is tuned again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from itertools import combinations
from typing import Any, Final

from balance.errors import UsageError
from balance.games.contract import Catalog, Game
from balance.games.variants import editions_of

__all__ = [
    "PUBLISHED_SEED",
    "SAMPLED",
    "SEARCHED",
    "TUNING_SEEDS",
    "check_tuning_seed",
    "held_out",
    "sample",
    "tuning_combinations",
]

PUBLISHED_SEED: Final = 20261116
"""The seed of published figures, and of the draw of the sample."""
TUNING_SEEDS: Final = range(10**9, 2 * 10**9)
"""The seeds of tuners; no published figure is measured on one of them."""
SAMPLED: Final = 60
"""Combinations of variants that stand for all."""
SEARCHED: Final = 20
"""The first so many of them, for players that are too slow for all."""

Combination = tuple[str, ...]


def sample(game: Game[Any, Any], catalog: Catalog, edition: str, count: int = SAMPLED) -> list[Combination]:
    """Return the combinations of two variants (of one, if a game has no more at once) that stand for all.

    Each combination is ordered by a hash of its names, so a variant that is added or removed leaves the
    others where they are. Which variant of a pair comes first is drawn too.
    """
    together = min(game.facts.variants_at_once, 2)
    if not together:
        raise UsageError(f"{game.facts.title} has no {game.facts.variants} to take a sample of")
    every = combinations(sorted(game.variants(catalog, edition)), together)
    chosen = sorted(every, key=_digest)[:count]
    return [pair if _digest(pair)[-1] % 2 else pair[::-1] for pair in chosen]


def _digest(combination: Sequence[str]) -> bytes:
    return hashlib.sha256(f"{PUBLISHED_SEED}:{','.join(combination)}".encode()).digest()


def held_out(game: Game[Any, Any], catalog: Catalog) -> frozenset[Combination]:
    """Return the combinations (names sorted) that no tuner may play: the samples of all editions."""
    return frozenset(
        tuple(sorted(combination))
        for edition in editions_of(game, catalog)
        for combination in sample(game, catalog, edition)
    )


def tuning_combinations(game: Game[Any, Any], catalog: Catalog, edition: str) -> list[Combination]:
    """Return the combinations of two variants of an edition that a tuner may play, names sorted."""
    every = combinations(sorted(game.variants(catalog, edition)), min(game.facts.variants_at_once, 2))
    held = held_out(game, catalog)
    return [combination for combination in every if combination not in held]


def check_tuning_seed(seed: int) -> None:
    """Refuse a seed on which figures may be published.

    >>> check_tuning_seed(PUBLISHED_SEED)
    Traceback (most recent call last):
    balance.errors.UsageError: seed 20261116 is not for tuning: those are 1000000000..1999999999
    """
    if seed not in TUNING_SEEDS:
        raise UsageError(
            f"seed {seed} is not for tuning: those are {TUNING_SEEDS.start}..{TUNING_SEEDS.stop - 1}"
        )
