"""Sets of seats as masks, gone through from seat 0 upwards.

    while seats:
        seat = first_of(seats)
        seats = without_first(seats)
        ...

A mask costs nothing to keep, and going through it asks nothing of the seats that are not in it.
"""

from typing import Any, Final

from numba.cpython.unsafe import numbers

from balance.games.compiled.jit import PLAIN, inline

# `seat & SEAT_BITS` is the seat, and shows the compiler that an index is not negative: Numba would otherwise
# provide for counting from the end at every access.
SEAT_BITS: Final = 7


def _trailing_zeros(mask: Any) -> Any:
    """Do what Numba's own function does, where nothing is compiled."""
    return (int(mask) & -int(mask)).bit_length() - 1


trailing_zeros: Any = _trailing_zeros if PLAIN else numbers.trailing_zeros


@inline
def first_of(seats):
    """Return the lowest seat of a set that is not empty."""
    return trailing_zeros(seats) & SEAT_BITS


@inline
def without_first(seats):
    """Return a set without its lowest seat."""
    return seats & (seats - 1)
