"""The networks of the learned players, from the bytes that come with a catalog."""

from functools import lru_cache
from typing import Final

from balance.errors import UsageError
from balance.games.compiled.weights import Floats, Stamp, parse_weights
from balance.games.nefarious.policies.features import LAYOUT
from balance.games.nefarious.policies.weights import NETWORK_FILE

DIGEST: Final = "ae3f677e30f262e8"
"""A digest of the features of 1,000 fixed situations; weights are valid while it holds (a test)."""
STAMP: Final = Stamp(LAYOUT, DIGEST)
"""What weights must be made for."""


@lru_cache(maxsize=8)
def learned_weights(data: bytes) -> dict[str, Floats]:
    """Return the arrays of a network; UsageError if it is missing, damaged or made for other features."""
    if not data:
        raise UsageError(f"there are no weights of learned players ({NETWORK_FILE} is missing)")
    return parse_weights(data, NETWORK_FILE, STAMP)
