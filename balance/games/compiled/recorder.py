"""Room for decisions that are written down while a game is played, for players that learn."""

import numpy as np

from balance.games.compiled import network as k
from balance.games.compiled.weights import Floats, NetworkLayout


class Recorder:
    """Room for decisions, and the words by which the kernel finds it (`compiled.network`)."""

    def __init__(self, layout: NetworkLayout, rows: int, option_rows: int) -> None:
        self.situations = np.empty((rows, layout.situation), np.float32)
        self.options = np.empty((option_rows, layout.option), np.float32)
        self.notes = np.empty((rows, len(k.NOTE_COLUMNS)), np.int64)
        self.chances = np.empty(rows, np.float32)
        self.words = np.zeros(k.RECORDER_WORDS, np.int64)
        self.words[k.MOST_ROWS] = rows
        self.words[k.MOST_OPTION_ROWS] = option_rows
        self.words[k.AT_SITUATIONS] = self.situations.ctypes.data
        self.words[k.AT_OPTIONS] = self.options.ctypes.data
        self.words[k.AT_NOTES] = self.notes.ctypes.data
        self.words[k.AT_CHANCES] = self.chances.ctypes.data

    def begin(self, policies: tuple[int, ...]) -> None:
        """Forget everything; from now on the decisions of these policies are written down."""
        self.words[k.ROWS] = self.words[k.OPTION_ROWS] = 0
        self.words[k.MOST_ROWS] = self.chances.size
        self.words[k.GAME] = -1
        self.words[k.RECORDED] = sum(1 << policy for policy in policies)

    def next_game(self) -> None:
        """Say that another game begins, in plain Python."""
        self.words[k.GAME] += 1

    def note(
        self, seat: int, policy: int, situation: Floats, options: Floats, chosen: int, chance: float
    ) -> None:
        """Write a decision down, for a game in plain Python; the kernel does the same by itself."""
        row, first, count = self.rows, int(self.words[k.OPTION_ROWS]), len(options)
        if row >= self.words[k.MOST_ROWS] or not self.words[k.RECORDED] >> policy & 1:
            return
        if first + count > self.words[k.MOST_OPTION_ROWS]:
            self.words[k.MOST_ROWS] = row
            return
        self.situations[row] = situation
        self.options[first : first + count] = options
        self.notes[row] = (self.words[k.GAME], seat, policy, first, count, chosen)
        self.chances[row] = chance
        self.words[k.ROWS] += 1
        self.words[k.OPTION_ROWS] += count

    @property
    def rows(self) -> int:
        """How many decisions there are."""
        return int(self.words[k.ROWS])

    @property
    def full(self) -> bool:
        """Whether something was left out: the last game is not whole then."""
        return self.rows >= int(self.words[k.MOST_ROWS])
