"""The players that Nefarious offers, by name. How they decide is in `kernel.policies`.

Must not import the compiler: names are checked, and tables read, without it.
"""

from typing import Final

from balance.errors import UsageError
from balance.suggest import unknown

POLICIES: Final[dict[str, int]] = {"random": 0}
"""Each policy's number: in the kernel, and in the column `policy` of the tables."""
FIELD: Final[tuple[str, ...]] = ()
"""The policies that seats draw from in the lineup `field`."""

_NAMES: Final = {number: name for name, number in POLICIES.items()}


def policy_number(name: str) -> int:
    """Return the number of a policy; UsageError with the nearest names if there is none.

    >>> policy_number("random")
    0
    """
    if name not in POLICIES:
        raise UsageError(f"{unknown('policy', name, POLICIES)} (policies: {', '.join(POLICIES)})")
    return POLICIES[name]


def policy_name(number: int) -> str:
    """Return the name of a policy; UsageError if no policy has this number.

    >>> policy_name(0)
    'random'
    """
    if number not in _NAMES:
        raise UsageError(f"there is no policy number {number} (policies: {', '.join(POLICIES)})")
    return _NAMES[number]
