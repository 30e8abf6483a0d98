"""How the rows of a compiled game are stored in memory: it follows from the declared columns.

A kernel writes rows as records. A field of a record is one column, or `Several` columns that the kernel
writes by number. Needs NumPy but no compiler.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from balance.games.facts import Column, Table

Columns = dict[str, npt.NDArray[np.generic]]


@dataclass(frozen=True)
class Several:
    """A field that holds several columns of one type: `row.minions[2]` is the third of them."""

    name: str
    columns: tuple[Column, ...]

    def __post_init__(self) -> None:
        if len({column.type for column in self.columns}) != 1:
            raise TypeError(f"the columns of the field {self.name} have different types")


@dataclass(frozen=True)
class Layout:
    """One table of a game, and the records in which its kernel writes it.

    >>> dice = tuple(Column(name, "int8", "measure", "a die") for name in ("red", "blue"))
    >>> fields = (Column("round", "int16", "round", "the round"), Several("dice", dice))
    >>> layout = Layout("throws", "one row per throw", fields)
    >>> layout.dtype
    dtype([('round', '<i2'), ('dice', 'i1', (2,))])
    >>> columns = layout.columns(np.array([(1, (2, 3))], layout.dtype))
    >>> {name: values.tolist() for name, values in columns.items()}
    {'round': [1], 'red': [2], 'blue': [3]}
    """

    name: str
    meaning: str
    fields: tuple[Column | Several, ...]

    @cached_property
    def table(self) -> Table:
        """The table as declared."""
        columns = [field.columns if isinstance(field, Several) else (field,) for field in self.fields]
        return Table(self.name, self.meaning, tuple(column for some in columns for column in some))

    @cached_property
    def dtype(self) -> np.dtype[Any]:
        """The records."""
        return np.dtype(
            [
                (field.name, field.columns[0].type, (len(field.columns),))
                if isinstance(field, Several)
                else (field.name, field.type)
                for field in self.fields
            ]
        )

    def columns(self, rows: npt.NDArray[np.void]) -> Columns:
        """Split rows into the columns of the table."""
        found: Columns = {}
        for field in self.fields:
            values = rows[field.name]
            if isinstance(field, Several):
                found |= {c.name: np.ascontiguousarray(values[:, k]) for k, c in enumerate(field.columns)}
            else:
                found[field.name] = np.ascontiguousarray(values)
        return found
