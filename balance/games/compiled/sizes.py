"""Sizes that records of a game share with compiled functions; known without the compiler."""

from typing import Final

BUCKETS: Final = 64
"""Buckets of `randomness.order_by_hash`; a record has room for one more."""
MOST_CARDS: Final = 128
"""Cards that `randomness.order_by_hash` can distinguish."""
