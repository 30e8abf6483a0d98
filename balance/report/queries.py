"""The queries of a report: SQL that a reader runs with `balance sql`, in the words of the game at hand.

Columns are found by their roles. What a query returns under the name of a column of a table or figure is the
number that is printed there; a test runs all of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from balance.dataset import sqltext
from balance.dataset.schema import combination_columns, stored_table
from balance.games.contract import Facts

__all__ = ["Ask"]


class Ask:
    """The names of a game's columns, and pieces of queries made of them."""

    def __init__(self, facts: Facts, players: Sequence[int]) -> None:
        self.facts = facts
        self.scope = f"players in ({', '.join(map(str, players))})"
        table = stored_table(facts, "games")
        self.length, self.stalled, self.index, self.outcome = (
            sqltext.name(table.column(role).name) for role in ("length", "stalled", "index", "outcome")
        )
        seats = stored_table(facts, "seats")
        self.seat, self.policy, self.won = (
            sqltext.name(seats.column(role).name) for role in ("seat", "policy", "won")
        )
        self.variants = [sqltext.name(name) for name in combination_columns(facts)]

    @property
    def plain(self) -> str:
        """A condition: no variant is in force."""
        return f"{self.variants[0]} is null"

    @property
    def varied(self) -> str:
        """A condition: some variant is in force."""
        return f"{self.variants[0]} is not null"

    def alone(self, variant: str) -> str:
        """Return a condition: this variant and no other is in force."""
        rest = "".join(f" and {name} is null" for name in self.variants[1:])
        return f"{self.variants[0]} = {sqltext.text(variant)}{rest}"

    def exactly(self, variants: Sequence[str]) -> str:
        """Return a condition: these variants, sorted, and no others are in force."""
        asked = [*map(sqltext.text, variants), *["null"] * (len(self.variants) - len(variants))]
        return " and ".join(
            f"{name} is null" if value == "null" else f"{name} = {value}"
            for name, value in zip(self.variants, asked, strict=True)
        )

    def lineup(self, lineup: str) -> str:
        """Return a condition: these sit at the table."""
        return f"lineup = {sqltext.text(lineup)}"

    def cells(self, numbers: Iterable[int]) -> str:
        """Return a condition: games of these cells."""
        return f"cell_id in ({', '.join(map(str, numbers)) or '-1'})"

    def wide(self, value: str, counts: Sequence[int], prefix: str = "p") -> str:
        """Return one column for each number of players: `p2`, `p3` ...; `{}` in `value` is the condition."""
        return ",\n  ".join(f"{value.format(f'players = {n}')} as {prefix}{n}" for n in counts)
