"""Sets of seats as masks, gone through from seat 0 upwards.

    while seats:
        seat = first_of(seats)
        seats = without_first(seats)
        ...

A mask costs nothing to keep, and going through it asks nothing of those who are not in it.
"""

from numba.cpython.unsafe.numbers import trailing_zeros

from balance.games.nefarious.kernel.jit import inline
from balance.games.nefarious.kernel.state import SEAT_BITS


@inline
def first_of(seats):
    """Return the lowest seat of a set that is not empty."""
    return trailing_zeros(seats) & SEAT_BITS  # type: ignore[call-arg] # the compiler passes the other one


@inline
def without_first(seats):
    """Return a set without its lowest seat."""
    return seats & (seats - 1)
