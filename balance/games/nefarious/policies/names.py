"""The players that Nefarious offers, by name and number.

Must not import the compiler: names are checked without it.
"""

from typing import Final

from balance.errors import UsageError
from balance.nearest import unknown

POLICIES: Final[dict[str, int]] = {
    "random": 0,
    "greedy": 1,
    "rusher": 2,
    "saver": 3,
    "investor": 4,
    "spoiler": 5,
    "researcher": 6,
    "adaptive": 7,
    "adaptive-plain": 8,
    "learned": 9,
    "skilled": 10,
    "casual": 11,
}
"""Each policy's number: in the kernel, and in the column `policy` of the tables."""
PLAIN: Final = {"adaptive-plain": "adaptive"}
"""Policies that are another one without its offsets for twists: the baseline of the offsets."""
LEARNED: Final[dict[str, float]] = {"learned": 1.0, "skilled": 7.0, "casual": 11.2}
"""Policies that are a network, with the temperature at which they choose: the hotter, the weaker."""
FIELD: Final = ("greedy", "rusher", "saver", "investor", "spoiler", "researcher", "adaptive")
"""The policies that seats draw from in the lineup `field`."""
SEARCH: Final = "search"
"""`search:N` has the number FIRST_SEARCH + N."""
FIRST_SEARCH: Final = 1000
MOST_ITERATIONS: Final = 1_000_000
CRITIC: Final = 14
"""A search seats it in imagined games: it judges the situation in which it would choose its actions."""
# Rows of the kernel's tables of parameters and networks: those of POLICIES, and spare ones for learning.
MOST_WEIGHED: Final = 16

_NAMES: Final = {number: name for name, number in POLICIES.items()}
_OFFERED: Final = f"policies: {', '.join(POLICIES)}, {SEARCH}:N"


def policy_number(name: str) -> int:
    """Return the number of a policy; UsageError with the nearest names if there is none.

    >>> policy_number("random"), policy_number("search:200")
    (0, 1200)
    """
    head, colon, iterations = name.partition(":")
    if head == SEARCH and colon:
        if iterations.isascii() and iterations.isdigit() and 1 <= int(iterations) <= MOST_ITERATIONS:
            return FIRST_SEARCH + int(iterations)
        raise UsageError(f"'{name}': {SEARCH}:N takes a number of iterations, 1..{MOST_ITERATIONS}")
    if name == SEARCH:
        raise UsageError(f"'{name}' needs a number of iterations: {SEARCH}:200, for example")
    if name not in POLICIES:
        raise UsageError(f"{unknown('policy', name, POLICIES)} ({_OFFERED})")
    return POLICIES[name]


def policy_name(number: int) -> str:
    """Return the name of a policy; UsageError if no policy has this number.

    >>> policy_name(0), policy_name(1200)
    ('random', 'search:200')
    """
    if FIRST_SEARCH < number <= FIRST_SEARCH + MOST_ITERATIONS:
        return f"{SEARCH}:{number - FIRST_SEARCH}"
    if number not in _NAMES:
        raise UsageError(f"there is no policy number {number} ({_OFFERED})")
    return _NAMES[number]
