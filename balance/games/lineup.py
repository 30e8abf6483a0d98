"""Who sits where: lineups as users write them, turned into one policy per seat.

`mirror:P` seats the same policy everywhere; a list (`random,random`) names one policy per seat.
"""

from collections.abc import Sequence

from balance.errors import UsageError
from balance.suggest import unknown

__all__ = ["seat_policies"]


def seat_policies(lineup: str, players: int, known: Sequence[str]) -> tuple[str, ...]:
    """Return the policy of each seat.

    >>> seat_policies("mirror:random", 3, ["random"])
    ('random', 'random', 'random')
    """
    head, _, rest = lineup.partition(":")
    mirror = head == "mirror"
    names = [rest.strip()] * players if mirror else [name.strip() for name in lineup.split(",")]
    for name in names:
        if name not in known:
            forms = "a lineup is mirror:POLICY or one policy per seat, separated by commas"
            raise UsageError(f"{unknown('policy', name, known)} ({forms}; policies: {', '.join(known)})")
    if len(names) != players:
        raise UsageError(f"the lineup '{lineup}' seats {len(names)}, but {players} play")
    return tuple(names)
