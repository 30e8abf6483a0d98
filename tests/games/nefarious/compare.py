"""The kernel's log of a game beside the reference's, for tests and for `scripts/soak.py`.

Two comparisons. `check` drives the reference by the decisions and shuffles that the kernel logged, and holds
every event and every state against it. `compare_random` gives the reference nothing but the seed: it
shuffles and decides by itself, as the specification of randomness says, and must write the same log.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from balance.games.nefarious.catalog import Catalog
from balance.games.nefarious.events import read_events, setup_event
from balance.games.nefarious.kernel.log import MOST_WORDS
from balance.games.nefarious.play import Player, Session
from balance.games.nefarious.rules import Cell
from tests.reference.cell import Rules
from tests.reference.check import LogMismatchError, _compare, check_log
from tests.reference.decisions import RandomPlay
from tests.reference.engine import Result, play_cell

Event = dict[str, Any]


class KernelLog:
    """Plays one game after the other with the log on; a whole game is one call into the kernel."""

    def __init__(self) -> None:
        self._player = Player()
        self._player._log["on"] = True

    def events(self, cell: Cell, seed: int, game_index: int) -> list[Event]:
        """The log of one game of random play, as `replay` returns it."""
        log = self._player._log
        log["at"] = 0
        policies = np.zeros((1, cell.players), np.int64)
        self._player.play(cell, seed, np.array([game_index], np.int64), policies)
        length = int(log[0]["at"])
        if length > MOST_WORDS:
            raise OverflowError(f"the game's log needs {length} words, more than {MOST_WORDS}")
        setup = setup_event(Session(cell, seed, game_index), seed, game_index, 0, ["random"] * cell.players)
        # a list is read several times as fast as an array, word by word
        return [setup, *read_events(cell, log[0]["words"][:length].tolist())]


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
