"""The tables of a run as stored: the game's own columns, and what the toolkit adds to find a game again.

Everything is derived from the facts of a game; the words are the game's own. Knows nothing of files.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from balance.errors import UsageError
from balance.games.facts import Facts, Table

SCHEMA: Final = 1
"""The version of everything in a run's folder; a reader refuses those that it does not know."""

MOST_SHARDS: Final = 100_000

STRING: Final = "string"
_WORDS: Final = ("single", "pair", "triple")


@dataclass(frozen=True, slots=True)
class StoredColumn:
    """One column of a stored table."""

    name: str
    type: str
    """A NumPy type of whole numbers, `bool`, or `string`."""
    role: str
    """A role of the contract, or one that the toolkit adds: cell, edition, players, combination ..."""
    meaning: str
    optional: bool = False


@dataclass(frozen=True, slots=True)
class StoredTable:
    """One table of a run, in as many files as the run has shards."""

    name: str
    meaning: str
    columns: tuple[StoredColumn, ...]

    def column(self, role: str) -> StoredColumn:
        """Return the first column with a role; KeyError if there is none."""
        for column in self.columns:
            if column.role == role:
                return column
        raise KeyError(f"the table {self.name} has no column with the role {role}")


# --- which game


_REPLICATES: Final = 1_000
_DEALS: Final = 10_000_000_000
MOST_REPLICATES: Final = _REPLICATES
"""Games of one deal: replicates times rotations of the lineup."""
MOST_CELLS: Final = 900_000


@dataclass(frozen=True, slots=True)
class GameKey:
    """Which game of a run: cell, index of the deal, replicate of the deal."""

    cell: int
    index: int
    replicate: int


def game_id(cell: int, index: Any, replicate: Any) -> Any:
    """Return the id of a game, or of an array of games.

    Its digits can be read: cell, ten digits of index, three of replicate.

    >>> game_id(12, 345, 6)
    120000000345006
    """
    return cell * _DEALS * _REPLICATES + index * _REPLICATES + replicate


def split_game_id(number: int) -> GameKey:
    """Return what an id says; UsageError if it cannot be one.

    >>> split_game_id(120000000345006)
    GameKey(cell=12, index=345, replicate=6)
    """
    if not 0 <= number < MOST_CELLS * _DEALS * _REPLICATES:
        raise UsageError(f"{number} is not the id of a game")
    deal, replicate = divmod(number, _REPLICATES)
    return GameKey(*divmod(deal, _DEALS), replicate)


# --- the columns


def variant_columns(facts: Facts) -> tuple[str, ...]:
    """Return the columns with the variants in the order in which they were in force: `twist_1`, `twist_2`."""
    return tuple(f"{facts.variant}_{k + 1}" for k in range(facts.variants_at_once))


def combination_columns(facts: Facts) -> tuple[str, ...]:
    """Return the columns with the same variants sorted, for grouping: `pair_a`, `pair_b`."""
    count = facts.variants_at_once
    word = _WORDS[count - 1] if 1 <= count <= len(_WORDS) else "combination"
    return tuple(f"{word}_{chr(ord('a') + k)}" for k in range(count))


def stored_tables(facts: Facts) -> tuple[StoredTable, ...]:
    """Return the big tables of a run of a game."""
    return tuple(_stored(facts, table) for table in facts.tables)


def stored_table(facts: Facts, name: str) -> StoredTable:
    """Return one of the big tables; KeyError if there is none of this name."""
    return _stored(facts, facts.table(name))


def _stored(facts: Facts, table: Table) -> StoredTable:
    own = [
        StoredColumn(column.name, STRING, "policy", meaning="policy that played the seat")
        if column.role == "policy"
        else StoredColumn(column.name, column.type, column.role, column.meaning, column.null is not None)
        for column in table.columns
        if column.role != "game"
    ]
    if table.name == "games":
        keys = ("index", "replicate")
        own = [c for c in own if c.role in keys] + [_SEED] + [c for c in own if c.role not in keys]
        return StoredTable(table.name, meaning=table.meaning, columns=(*_ids(), *_cell_columns(facts), *own))
    return StoredTable(table.name, meaning=table.meaning, columns=(*_ids(), *own))


_SEED: Final = StoredColumn("seed", "int64", "seed", meaning="seed of the run")


def _ids() -> tuple[StoredColumn, ...]:
    return (
        StoredColumn(
            "game_id", "int64", "game", meaning="the game: cell, ten digits of index, three of replicate"
        ),
        StoredColumn("cell_id", "int32", "cell", meaning="the cell, a row of the table `cells`"),
    )


def _cell_columns(facts: Facts) -> tuple[StoredColumn, ...]:
    word = facts.variant
    return (
        StoredColumn("edition", STRING, "edition", meaning="edition of the game"),
        StoredColumn("players", "int8", "players", meaning="how many play"),
        *(
            StoredColumn(
                name,
                STRING,
                "combination",
                meaning=f"{word} {k + 1} in force, in alphabetical order",
                optional=True,
            )
            for k, name in enumerate(combination_columns(facts))
        ),
        *(
            StoredColumn(
                name,
                STRING,
                "variant",
                meaning=f"{word} {k + 1} in force, in the order played",
                optional=True,
            )
            for k, name in enumerate(variant_columns(facts))
        ),
        StoredColumn(
            "lineup", STRING, "lineup", meaning="which policy plays which seat, as `--lineup` takes it"
        ),
    )
