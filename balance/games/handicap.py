"""Handicaps as users write them: the money and cards that a seat starts with beyond the rules."""

import re
from collections.abc import Iterable
from typing import Final

from balance.errors import UsageError
from balance.games.contract import Handicap

MOST: Final = 1000
"""The largest number that a handicap may name."""

_FORM: Final = re.compile(r"(\d{1,4}):([+-]\d{1,9})(money|cards?)", re.ASCII)


def read_handicaps(texts: Iterable[str]) -> dict[int, Handicap]:
    """Return the handicap of each seat named; several for one seat add up.

    >>> read_handicaps(["0:+3money", "2:-1card", "0:+1card"])
    {0: Handicap(money=3, cards=1), 2: Handicap(money=0, cards=-1)}
    """
    found: dict[int, Handicap] = {}
    for text in texts:
        match = _FORM.fullmatch(text.strip())
        if match is None or abs(int(match[2])) > MOST:
            raise UsageError(
                f"the handicap '{text}' is not of the form SEAT:+3money or SEAT:-1card "
                f"(seats from 0, numbers up to {MOST})"
            )
        seat, amount = int(match[1]), int(match[2])
        money, cards = found.get(seat, Handicap())
        if match[3] == "money":
            found[seat] = Handicap(money + amount, cards)
        else:
            found[seat] = Handicap(money, cards + amount)
    return found
