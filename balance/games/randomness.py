"""Randomness as a hash of what it is for, for whole arrays of games at once, whatever game is played.

The same arithmetic as inside the kernel (docs/games/nefarious.md, "Randomness"), in NumPy: what is drawn
around a game, such as who sits where, does not depend on batches, threads or order either. Draws that a
game's own rules make stay in the game.
"""

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Keys = npt.NDArray[np.uint64]

FOR_LINEUP: Final = 3
"""What a hash of a game is for: 1 and 2 are the deck and the policies, in the kernels."""
FOR_VARIANTS: Final = 5
"""The order in which the variants of a game are in force, where a cell leaves it open."""

_GOLDEN: Final = 0x9E3779B97F4A7C15
_FIRST: Final = 0xBF58476D1CE4E5B9
_SECOND: Final = 0x94D049BB133111EB


def hashed(*values: "int | npt.NDArray[np.int64]") -> "Keys":
    """Return H(values ...), element by element; numbers and arrays of numbers are stretched to one shape.

    >>> hex(hashed(0).item())
    '0xe220a8397b1dcdaf'
    """
    import numpy as np

    key = np.zeros((), np.uint64)
    with np.errstate(over="ignore"):
        for value in values:
            key = _mix(key ^ np.asarray(value).astype(np.uint64))
    return key


def _mix(x: "Keys") -> "Keys":
    """Scramble 64 bits (the finaliser of SplitMix64)."""
    import numpy as np

    x = x + np.uint64(_GOLDEN)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(_FIRST)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(_SECOND)
    return np.asarray(x ^ (x >> np.uint64(31)))


def pick(keys: "Keys", options: int) -> "npt.NDArray[np.int64]":
    """Return one of 0 .. options-1 for each key, uniformly, by its high 32 bits.

    >>> pick(hashed(7), 10).item() in range(10)
    True
    """
    import numpy as np

    high = np.uint64(32)
    return (((keys >> high) * np.uint64(options)) >> high).astype(np.int64)
