"""Who sits where: lineups as users write them, turned into one policy per seat.

`mirror:P` seats the same policy everywhere; a list (`random,random`) names one policy per seat.
"""

from collections.abc import Sequence

from balance.errors import UsageError
from balance.suggest import unknown

__all__ = ["check_policies", "seat_policies"]


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


def check_policies(policies: Sequence[str], players: int, known: Sequence[str]) -> None:
    """Refuse a list of policies that does not seat everybody, or names one that does not exist.

    >>> check_policies(["random"], 2, ["random"])
    Traceback (most recent call last):
    balance.errors.UsageError: 1 policies given, but 2 play
    """
    if len(policies) != players:
        raise UsageError(f"{len(policies)} policies given, but {players} play")
    for name in policies:
        if name not in known:
            raise UsageError(f"{unknown('policy', name, known)} (policies: {', '.join(known)})")
