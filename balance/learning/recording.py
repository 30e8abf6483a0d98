"""Games written down to learn from: what each learning seat saw, its options, its choice and its chance."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from balance.games.compiled.recorder import Recorder
from balance.games.compiled.weights import Floats

Ints = npt.NDArray[np.int64]


@dataclass
class Experience:
    """Decisions with what became of them, ready to be learned from."""

    situations: Floats
    options: Floats
    first: Ints
    """Row of each decision's first option."""
    counts: Ints
    chosen: Ints
    chances: Floats
    cell: Ints
    """Index of the cell of each decision, into `rules`."""
    rules: Floats
    rewards: Floats
    """Of the whole game, for the seat that decided."""
    following: Ints
    """Row of the same seat's next decision in the game, -1 if there is none."""
    results: list[Any] = field(default_factory=list)


def gather(recorder: Recorder, cells: Ints, rules: Floats, rewards: Floats) -> Experience:
    """Return what a recorder holds; `cells` and `rewards` have a row per game, a column per seat."""
    n = recorder.rows
    notes = recorder.notes[:n]
    game, seat = notes[:, 0], notes[:, 1]
    if recorder.full and n:
        n = int(np.searchsorted(game, game[-1]))
        notes, game, seat = notes[:n], game[:n], seat[:n]
    whose = game * rewards.shape[1] + seat
    order = np.argsort(whose, kind="stable")
    following = np.full(n, -1, np.int64)
    same = whose[order[1:]] == whose[order[:-1]]
    following[order[:-1][same]] = order[1:][same]
    return Experience(
        situations=recorder.situations[:n],
        options=recorder.options,
        first=notes[:, 3],
        counts=notes[:, 4],
        chosen=notes[:, 5],
        chances=recorder.chances[:n],
        cell=cells[game],
        rules=rules,
        rewards=rewards[game, seat].astype(np.float32),
        following=following,
    )


def advantages(values: Floats, rewards: Floats, following: Ints, decay: float) -> tuple[Floats, Floats]:
    """Return generalised advantages and the returns to fit values to; rewards come with last decisions."""
    last = following < 0
    ahead = np.where(last, rewards, values[following])
    error = (ahead - values).astype(np.float64)
    result = error.copy()
    # from the end of every game backwards, one decision of all games at a time
    before = np.full(values.size, -1, np.int64)
    before[following[~last]] = np.flatnonzero(~last)
    at = np.flatnonzero(last)
    while at.size:
        at = before[at]
        at = at[at >= 0]
        result[at] = error[at] + decay * result[following[at]]
    return result.astype(np.float32), (result + values).astype(np.float32)
