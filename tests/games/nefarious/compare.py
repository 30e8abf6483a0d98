"""The kernel's log of a game beside the reference's, for tests and for `scripts/soak.py`.

Two comparisons. `check` drives the reference by the decisions and shuffles that the kernel logged, and holds
every event and every state against it. `compare_random` gives the reference nothing but the seed: it
shuffles and decides by itself, as the specification of randomness says, and must write the same log.
"""

from collections.abc import Sequence
from typing import Any

from balance.games.nefarious.catalog.model import Catalog
from balance.games.nefarious.replay.events import replay
from balance.games.nefarious.rules import Cell
from tests.reference.cell import Rules
from tests.reference.check import LogMismatchError, _compare, check_log
from tests.reference.decisions import RandomPlay
from tests.reference.engine import Result, play_cell

Event = dict[str, Any]


class KernelLog:
    """The kernel as a writer of logs, one game after the other."""

    def events(self, cell: Cell, seed: int, game_index: int) -> list[Event]:
        """The log of one game of random play."""
        return replay(cell, seed, game_index, ["random"] * cell.players)


def reference_log(rules: Rules, players: int, seed: int, game_index: int) -> list[Event]:
    """The same game as the reference plays it from the seed alone."""
    events: list[Event] = []
    play_cell(rules, players, RandomPlay(seed, players, game_index), log=events, keep_states=False)
    return events


def check(catalog: Catalog, events: Sequence[Event]) -> Result:
    """Drive the reference by the log; LogMismatchError or LogError where it plays another game."""
    return check_log(catalog, events)


def compare_random(events: Sequence[Event], rules: Rules, players: int) -> None:
    """Let the reference play from the seed of the log's set-up; LogMismatchError where the logs part."""
    seed, game_index = events[0]["seed"], events[0]["game_index"]
    ours = reference_log(rules, players, seed, game_index)
    if list(events) != ours:
        # the exact comparison is quick; this one says what differs, and forgives the order inside a discard
        _compare(events, ours, in_order=True, whole=True)


__all__ = ["KernelLog", "LogMismatchError", "check", "compare_random", "reference_log"]
