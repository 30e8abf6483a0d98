"""The form that the event logs of all games share, and nothing that only one game knows.

The first event is `setup`; every round begins with `{"event": "round", "round": K}`; the last event is `end`.
"""

from collections.abc import Sequence

from balance.errors import UsageError
from balance.games.contract import Event


def rounds(events: Sequence[Event]) -> int:
    """Return the number of rounds of a log.

    >>> rounds([{"event": "setup"}, {"event": "round", "round": 1}, {"event": "end"}])
    1
    """
    return max((event["round"] for event in events if event["event"] == "round"), default=0)


def from_round(events: Sequence[Event], first: int) -> list[Event]:
    """Return the log from a round on, the set-up kept; UsageError if the game has no such round."""
    if first == 1:
        return list(events)
    check_round(first, 1, rounds(events))
    begins = [number for number, event in enumerate(events) if event["event"] == "round"]
    at = next(number for number in begins if events[number]["round"] == first)
    return [*(event for event in events[:1] if event["event"] == "setup"), *events[at:]]


def check_round(number: int, lowest: int, last: int) -> None:
    """Refuse a round that a game does not have."""
    if not lowest <= number <= last:
        raise UsageError(f"there is no round {number}: this game has the rounds {lowest}..{last}")
