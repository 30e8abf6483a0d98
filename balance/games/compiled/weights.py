"""The weights of a learned player: how they are laid out, folded for the rules of a cell, checked, stored.

A network scores the options of a decision. The features of the rules in force enter through biases and gates
that are computed once per cell (`fold`), so they cost nothing in a decision. A second network of the same
form, the critic, scores a situation alone: what it is worth to the player. Needs NumPy alone. Knows no game.
"""

import io
import json
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from balance.errors import UsageError
from balance.games.compiled.notes import NOTE, weights_note

LAYOUT_VERSION: Final = 2
HIDDEN: Final = 64
OPTION_HIDDEN: Final = 32
RULES_HIDDEN: Final = 64
HEAD: Final = 16
"""Numbers in front of the folded weights: the first is the inverse temperature."""
_CACHE_LINE: Final = 64
"""Bytes; a vector of weights that is on two lines takes twice as long to load."""
MOST_BYTES: Final = 8_000_000

GATES: Final = ("situation", "hidden", "second")
"""What the rules make stronger or weaker: inputs of the situation, hidden units, weights of options."""

CRITIC: Final = "critic_"
"""What the names of the critic's arrays begin with."""

Floats = npt.NDArray[np.float32]


class NetworkLayout(NamedTuple):
    """How many features a game gives; `option` is a multiple of 32."""

    situation: int
    option: int
    rules: int

    def stored(self) -> dict[str, tuple[int, ...]]:
        """Return the arrays of a player and its critic, and their shapes."""
        shapes = self.shapes()
        return shapes | {CRITIC + name: shape for name, shape in shapes.items()}

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Return the arrays of a network and their shapes."""
        second = self.option + OPTION_HIDDEN
        return {
            "situation": (self.situation, HIDDEN),
            "situation_bias": (HIDDEN,),
            "second": (HIDDEN, second),
            "second_bias": (second,),
            "option": (self.option, OPTION_HIDDEN),
            "out": (OPTION_HIDDEN,),
            "rules": (self.rules, HIDDEN),
            "rules_in": (self.rules, RULES_HIDDEN),
            "rules_in_bias": (RULES_HIDDEN,),
            "rules_first": (RULES_HIDDEN, HIDDEN),
            "rules_second": (RULES_HIDDEN, second),
            "gate_situation": (RULES_HIDDEN, self.situation),
            "gate_hidden": (RULES_HIDDEN, HIDDEN),
            "gate_second": (RULES_HIDDEN, second),
        }


def _times(features: Floats, matrix: Floats) -> Floats:
    """Multiply a vector with a matrix in one fixed order: a library's product may round by the processor."""
    total = np.zeros(matrix.shape[1], np.float32)
    for i in np.flatnonzero(features):
        total = total + features[i] * matrix[i]
    return total


def critic_of(weights: Mapping[str, Floats]) -> dict[str, Floats]:
    """Return the critic's arrays by the names of a network."""
    return {name.removeprefix(CRITIC): array for name, array in weights.items() if name.startswith(CRITIC)}


def fold(weights: Mapping[str, Floats], rules: Floats, temperature: float = 1.0) -> Floats:
    """Return the weights for one set of rules as one array, in the order that the kernel reads.

    It begins on a cache line, and so does each row of a matrix in it.
    """
    hidden = np.maximum(_times(rules, weights["rules_in"]) + weights["rules_in_bias"], np.float32(0))
    first = weights["situation_bias"] + _times(rules, weights["rules"])
    first = first + _times(hidden, weights["rules_first"])
    gates = {name: np.float32(1) + _times(hidden, weights[f"gate_{name}"]) for name in GATES}
    situation = weights["situation"] * gates["situation"][:, None]
    second = weights["second"] * gates["hidden"][:, None] * gates["second"]
    bias = (weights["second_bias"] + _times(hidden, weights["rules_second"])) * gates["second"]
    head = np.zeros(HEAD, np.float32)
    head[0] = 1.0 / temperature
    parts = (head, situation, first, second, bias, weights["option"], weights["out"])
    numbers = np.concatenate([np.ravel(part) for part in parts]).astype(np.float32)
    room = np.empty(numbers.size + _CACHE_LINE // numbers.itemsize, np.float32)
    skipped = -room.ctypes.data % _CACHE_LINE // numbers.itemsize
    folded = room[skipped : skipped + numbers.size]
    folded[:] = numbers
    return folded


def score_options(folded: Floats, layout: NetworkLayout, situation: Floats, options: Floats) -> Floats:
    """Return the scores of options as the kernel has them, but for rounding; for games in plain Python."""
    width = layout.option + OPTION_HIDDEN
    sizes = (HEAD, layout.situation * HIDDEN, HIDDEN, HIDDEN * width, width, layout.option * OPTION_HIDDEN)
    _, first, bias, second, second_bias, inner, out = np.split(folded, np.cumsum(sizes))
    hidden = np.maximum(situation @ first.reshape(-1, HIDDEN) + bias, 0)
    wide = hidden @ second.reshape(HIDDEN, width) + second_bias
    inside = np.maximum(options @ inner.reshape(-1, OPTION_HIDDEN) + wide[layout.option :], 0)
    return np.asarray(options @ wide[: layout.option] + inside @ out, np.float32)


@dataclass(frozen=True)
class Stamp:
    """What weights were made for."""

    layout: NetworkLayout
    features: str
    """Digest of the features of fixed situations of the game."""


LARGEST: Final = 10_000
"""The largest weight that is played: those of players who have learned are below 10."""


def weights_file(weights: Mapping[str, Floats], stamp: Stamp, log: Mapping[str, Any]) -> bytes:
    """Return the bytes of a file of weights: the arrays of NumPy's npz, and a note beside them."""
    note = {
        "version": LAYOUT_VERSION,
        "layout": list(stamp.layout),
        "features": stamp.features,
        "training": dict(log),
    }
    buffer = io.BytesIO()
    arrays: dict[str, Any] = {name: weights[name] for name in stamp.layout.stored()}
    np.savez_compressed(buffer, **arrays)
    with zipfile.ZipFile(buffer, "a") as file:
        file.writestr(zipfile.ZipInfo(NOTE), json.dumps(note, sort_keys=True))
    return buffer.getvalue()


def parse_weights(data: bytes, path: str, stamp: Stamp) -> dict[str, Floats]:
    """Return the weights in the bytes of a file; UsageError if damaged, or made for other features."""
    if len(data) > MOST_BYTES:
        raise UsageError(f"{path}: too large for the weights of a player")
    try:
        note = weights_note(data)
        with np.load(io.BytesIO(data), allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files if name != NOTE}
    except (OSError, ValueError, KeyError, EOFError, AttributeError, zipfile.BadZipFile, zlib.error) as error:
        raise UsageError(f"{path}: not the weights of a player, or damaged ({error})") from error
    if note.get("version") != LAYOUT_VERSION or note.get("layout") != list(stamp.layout):
        raise UsageError(f"{path}: weights of another layout; train anew with `balance train`")
    if note.get("features") != stamp.features:
        raise UsageError(
            f"{path}: weights for other features of the game than this version computes; "
            "train anew with `balance train`"
        )
    found = {}
    for name, shape in stamp.layout.stored().items():
        found[name] = arrays.get(name, np.zeros(0))
        if found[name].shape != shape or found[name].dtype != np.float32:
            raise UsageError(f"{path}: '{name}' is missing or has the wrong shape")
        if not (np.abs(found[name]) <= LARGEST).all():
            raise UsageError(f"{path}: '{name}' has values that are not finite, or above {LARGEST:,}")
    return found
