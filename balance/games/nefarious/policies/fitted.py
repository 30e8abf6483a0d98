"""Whether the learned players were trained on a twist as it is worded now."""

import hashlib
import json
from collections.abc import Sequence
from functools import lru_cache

from balance.games.compiled.notes import weights_note
from balance.games.nefarious.catalog.model import Twist, canonical
from balance.games.nefarious.policies.weights import Policies


def unfitted(policies: Policies, twists: Sequence[Twist]) -> tuple[Twist, ...]:
    """Return the twists whose rules were not met in training."""
    known = _learned(policies.network)
    return tuple(twist for twist in twists if twist_digest(twist) not in known)


@lru_cache(maxsize=8)
def _learned(network: bytes) -> frozenset[str]:
    """Return the digests of the twists that weights were trained on; none if they cannot be read."""
    try:
        variants = weights_note(network).get("training", {}).get("variants", ())
    except (ValueError, AttributeError):
        return frozenset()
    return frozenset(map(str, variants))


def twist_digest(twist: Twist) -> str:
    """Return a short digest of what a twist does; its id, names, notes and confidence do not matter.

    >>> from balance.games.nefarious.catalog.loading import load_catalog
    >>> len(twist_digest(load_catalog().twist("unions")))
    12
    """
    rules = {key: canonical(twist)[key] for key in ("changes", "lines", "switches")}
    return hashlib.sha256(json.dumps(rules, sort_keys=True).encode()).hexdigest()[:12]
