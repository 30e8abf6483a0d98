"""What is measured on, fixed before anything was tuned: seeds and combinations of variants.

A player looks strong on the games it was tuned on. So players learn on seeds from `TUNING_SEEDS`, and every
figure that is published is measured on other seeds. Changing anything here makes published figures worthless
until everything is measured again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from itertools import combinations
from typing import Any, Final

from balance.errors import UsageError
from balance.games.contract import Catalog, Game
from balance.games.variants import Combination

PUBLISHED_SEED: Final = 20261116
"""The seed of published figures, and of the draw of the sample."""
TUNING_SEEDS: Final = range(10**9, 2 * 10**9)
"""The seeds of tuners; no published figure is measured on one of them."""
SAMPLED: Final = 60


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
