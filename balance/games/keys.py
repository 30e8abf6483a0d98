"""The numbers that name one game among all games of a cell, and their ranges."""

from typing import Final

from balance.errors import UsageError

HIGHEST_SEED: Final = 2**63 - 1
HIGHEST_GAME: Final = 2**32 - 1
HIGHEST_REPLICATE: Final = 2**32 - 1


def check_keys(seed: int, game_index: int, replicate: int = 0) -> None:
    """Refuse numbers out of range; UsageError says what is possible.

    >>> check_keys(7, 2**32)
    Traceback (most recent call last):
    balance.errors.UsageError: game index 4294967296 is out of range: 0..4294967295 (2^32-1)
    """
    for what, number, highest, power in (
        ("seed", seed, HIGHEST_SEED, "2^63-1"),
        ("game index", game_index, HIGHEST_GAME, "2^32-1"),
        ("replicate", replicate, HIGHEST_REPLICATE, "2^32-1"),
    ):
        if not 0 <= number <= highest:
            raise UsageError(f"{what} {number} is out of range: 0..{highest} ({power})")
