"""Records for compiled functions that run as plain Python: their fields are attributes.

NumPy's own records will not do: a field called `round` would be hidden by their method of that name.
"""

from typing import Any

import numpy as np


def wrapped(value: Any) -> Any:
    """Return a value with records wrapped, alone or in an array; other values as they are."""
    if isinstance(value, np.void):
        return Record(value)
    if isinstance(value, np.ndarray) and value.dtype.names is not None:
        return Records(value)
    return value


class Record:
    """One record; changing a field changes the array behind it."""

    __slots__ = ("void",)

    def __init__(self, void: Any) -> None:
        object.__setattr__(self, "void", void)

    def __getattr__(self, name: str) -> Any:
        return wrapped(self.void[name])

    def __setattr__(self, name: str, value: Any) -> None:
        self.void[name] = _bare(value)


class Records:
    """An array of records."""

    __slots__ = ("array",)

    def __init__(self, array: Any) -> None:
        self.array = array

    @property
    def size(self) -> int:
        """The number of records."""
        return int(self.array.size)

    def __getitem__(self, place: Any) -> Any:
        return wrapped(self.array[place])

    def __setitem__(self, place: Any, value: Any) -> None:
        self.array[place] = _bare(value)


def _bare(value: Any) -> Any:
    return value.void if isinstance(value, Record) else value
