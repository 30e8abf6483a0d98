"""What is measured on: always the same, spread over everything, and out of a tuner's reach."""

import pytest

from balance import games
from balance.errors import UsageError
from balance.experiments.samples import (
    PUBLISHED_SEED,
    SAMPLED,
    TUNING_SEEDS,
    check_tuning_seed,
    sample,
)
from balance.games.nefarious.game import Nefarious
from tests.games.tiny import Tiny

GAME = games.get("nefarious")
CATALOG = GAME.load_catalog()
EDITION = "ascora-2011"


def test_the_sample_is_fixed_for_ever():
    """Whoever changes this has to tune and measure everything again."""
    assert sample(GAME, CATALOG, EDITION)[:4] == [
        ("embezzling-minions", "private-funding"),
        ("mad-broker", "mob-influence"),
        ("focused-research", "recycling"),
        ("lingering-evil", "cyber-spies"),
    ]


def test_the_search_sample_is_the_beginning_of_the_sample():
    pairs = sample(GAME, CATALOG, EDITION)
    assert len(pairs) == len({frozenset(pair) for pair in pairs}) == SAMPLED
    assert sample(GAME, CATALOG, EDITION, 20) == pairs[:20]
    assert len({name for pair in pairs for name in pair}) >= 34  # of 36
    assert 20 <= sum(first < second for first, second in pairs) <= 40


def test_a_twist_that_is_taken_out_leaves_the_order_of_the_others():
    class Fewer(Nefarious):
        def variants(self, catalog, edition):
            return tuple(name for name in super().variants(catalog, edition) if name != "unions")

    left = [pair for pair in sample(GAME, CATALOG, EDITION, 630) if "unions" not in pair]
    assert sample(Fewer(), CATALOG, EDITION, 630) == left


def test_seeds_for_tuning_and_for_publishing_are_apart():
    assert PUBLISHED_SEED not in TUNING_SEEDS
    check_tuning_seed(TUNING_SEEDS.start)
    with pytest.raises(UsageError, match="not for tuning"):
        check_tuning_seed(TUNING_SEEDS.stop)


def test_a_game_with_one_variant_at_once_is_sampled_by_single_ones():
    tiny = Tiny()
    assert sorted(sample(tiny, tiny.load_catalog(), "classic")) == [
        (mood,) for mood in sorted(tiny.variants(tiny.load_catalog(), "classic"))
    ]
