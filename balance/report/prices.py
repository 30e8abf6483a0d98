"""The result of `balance price --json`, read back so that a report can quote it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from balance.errors import UsageError
from balance.experiments.published import read_json


@dataclass(frozen=True)
class QuotedPrice:
    """One item in one context, as `balance price` found it."""

    id: int
    name: str
    cost: int
    under: str
    price: float | None
    low: float | None
    high: float | None
    beyond: str | None
    proposed: int | None

    def told(self) -> str:
        """Return the price with its interval, in words."""
        low, high = (None if end is None else f"{end:.1f}" for end in (self.low, self.high))
        if self.price is None:
            return "below 0" if self.beyond == "below" else "above every cost that was played"
        return f"{self.price:.1f} ({low or 'below 0'} to {high or 'above every cost'})"


@dataclass(frozen=True)
class QuotedPrices:
    """All prices of one result, and how they were found."""

    edition: str
    players: int
    lineup: str
    seed: int
    deals: int
    games: int
    sentences: tuple[str, ...]
    prices: tuple[QuotedPrice, ...]

    @property
    def command(self) -> str:
        """The command that finds them again."""
        return (
            f"balance price --players {self.players} --games {self.deals} --seed {self.seed} "
            f"--edition {self.edition} --lineup {self.lineup}"
        )


def read_prices(path: Path, edition: str) -> QuotedPrices:
    """Read a result of `balance price --json`; UsageError if it is of another edition."""
    found = read_json(path, QuotedPrices, "the output of `balance price --json`")
    if found.edition != edition:
        raise UsageError(f"{path}: prices of the edition {found.edition}, but the runs are of {edition}")
    return found
