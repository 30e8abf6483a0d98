"""A small network in the kernel: scores the options of a decision from their features. Knows no game.

The weights are an array of 32-bit floats at an address (`weights.fold`). Every sum is made in one fixed order
from IEEE products and sums that are never fused, and exp is a polynomial: the same scores on every processor.
A recorder, if there is one, writes down what was seen and chosen, to learn from it.
"""

import ctypes
from collections.abc import Callable
from functools import partial
from typing import Any, Final

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from balance.games.compiled.jit import PLAIN, inline, jit
from balance.games.compiled.layers import BOUND, SCORE, offer_layers
from balance.games.compiled.weights import HEAD, HIDDEN, OPTION_HIDDEN, NetworkLayout

_UNIT: Final = 1.0 / 9007199254740992.0  # 2^-53
_S11: Final = np.uint64(11)

# The words of a recorder: how many rows there are and may be, where they are, and what is being recorded.
ROWS: Final = 0
OPTION_ROWS: Final = 1
MOST_ROWS: Final = 2
MOST_OPTION_ROWS: Final = 3
AT_SITUATIONS: Final = 4
AT_OPTIONS: Final = 5
AT_NOTES: Final = 6
AT_CHANCES: Final = 7
GAME: Final = 8
RECORDED: Final = 9
"""Mask of the policies whose decisions are written down."""
RECORDER_WORDS: Final = 10
NOTE_COLUMNS: Final = ("game", "seat", "policy", "first_option", "options", "chosen")

_f32 = ir.FloatType()
_i64 = ir.IntType(64)


def _calls(name: str) -> Callable[..., Any]:
    """Return what calls the function of `layers`, with the network at an address and features in arrays."""

    def call(typing_context: Any, network: Any, situation: Any, options: Any, n: Any, scores: Any) -> Any:  # noqa: ARG001
        return types.void(network, situation, options, n, scores), generate

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        values = list(arguments)
        values[0] = builder.inttoptr(values[0], SCORE.args[0])
        for i in (1, 2, 4):
            values[i] = context.make_array(signature.args[i])(context, builder, values[i]).data
        builder.call(cgutils.get_or_insert_function(builder.module, SCORE, name), values)
        return context.get_dummy_value()

    return call


def _loads(kind: Any) -> Callable[..., Any]:
    """Return what loads the i-th number at an address."""
    value_kind = types.float32 if kind is _f32 else types.int64

    def load(typing_context: Any, address: Any, i: Any) -> Any:  # noqa: ARG001
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            place = context.cast(builder, arguments[1], signature.args[1], types.int64)
            return builder.load(builder.gep(builder.inttoptr(arguments[0], kind.as_pointer()), [place]))

        return value_kind(address, i), generate

    return load


def _stores(kind: Any) -> Callable[..., Any]:
    """Return what stores the i-th number at an address."""
    value_kind = types.float32 if kind is _f32 else types.int64

    def put(typing_context: Any, address: Any, i: Any, value: Any) -> Any:  # noqa: ARG001
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            place = context.cast(builder, arguments[1], signature.args[1], types.int64)
            number = context.cast(builder, arguments[2], signature.args[2], value_kind)
            builder.store(number, builder.gep(builder.inttoptr(arguments[0], kind.as_pointer()), [place]))
            return context.get_dummy_value()

        return types.void(address, i, value), generate

    return put


# The same where nothing is compiled (`jit.PLAIN`).


def _plain_floats(address: int, offset: int, n: int) -> Any:
    return np.ctypeslib.as_array((ctypes.c_float * n).from_address(int(address) + 4 * int(offset)))


def _plain_products(network: int, matrix: int, x: Any, begin: Any) -> Any:
    total = begin.copy()
    for i in np.flatnonzero(x):
        total += x[i] * _plain_floats(network, matrix + int(i) * total.size, total.size)
    return total


def _plain_sum(products: Any) -> Any:
    sums = np.zeros(4, np.float32)
    for row in products.reshape(-1, 4):
        sums += row
    return (sums[0] + sums[1]) + (sums[2] + sums[3])


def _plain_scores(
    layout: NetworkLayout, network: int, situation: Any, options: Any, n: int, scores: Any
) -> None:
    width = layout.option + OPTION_HIDDEN
    situation[:] = np.clip(situation, -BOUND, BOUND)
    options[:n] = np.clip(options[:n], -BOUND, BOUND)
    bias = HEAD + layout.situation * HIDDEN
    hidden = _plain_products(network, HEAD, situation, _plain_floats(network, bias, HIDDEN))
    matrix = bias + HIDDEN
    begin = _plain_floats(network, matrix + HIDDEN * width, width)
    second = _plain_products(network, matrix, np.maximum(hidden, 0), begin)
    matrix += (HIDDEN + 1) * width
    out = _plain_floats(network, matrix + layout.option * OPTION_HIDDEN, OPTION_HIDDEN)
    for i, x in enumerate(options[:n]):
        inner = np.maximum(_plain_products(network, matrix, x, second[layout.option :]), 0)
        scores[i] = _plain_sum(x * second[: layout.option]) + _plain_sum(inner * out)


def _plain_load(kind: Any, address: int, i: int) -> Any:
    return kind.from_address(int(address) + ctypes.sizeof(kind) * int(i)).value


def _plain_store(kind: Any, address: int, i: int, value: Any) -> None:
    kind.from_address(int(address) + ctypes.sizeof(kind) * int(i)).value = kind(value).value


def _either(plain: Callable[..., Any], compiled: Callable[..., Any]) -> Callable[..., Any]:
    made: Callable[..., Any] = plain if PLAIN else intrinsic(compiled)
    return made


float_at: Final = _either(partial(_plain_load, ctypes.c_float), _loads(_f32))
put_float: Final = _either(partial(_plain_store, ctypes.c_float), _stores(_f32))
word_at: Final = _either(partial(_plain_load, ctypes.c_int64), _loads(_i64))
put_word: Final = _either(partial(_plain_store, ctypes.c_int64), _stores(_i64))


def scorer_of(layout: NetworkLayout, used: int) -> Callable[..., Any]:
    """Return what a kernel calls to score options: `f(network, situation, options, n, scores)`.

    The network is at an address; `options` has a row of features for each option, of which the first `used`
    may differ from 0. Features that are out of bounds are put within them.
    """
    return partial(_plain_scores, layout) if PLAIN else intrinsic(_calls(offer_layers(layout, used)))


@inline
def exp_below(x):
    """Return exp(x) for x <= 0: a polynomial at x / 64, squared six times; below -32 it is that of -32."""
    y = max(x, -32.0) * 0.015625
    e = 1.0 + y * (
        1.0 + y * (0.5 + y * (1.0 / 6.0 + y * (1.0 / 24.0 + y * (1.0 / 120.0 + y * (1.0 / 720.0)))))
    )
    for _ in range(6):
        e = e * e
    return e


@jit
def pick_by_score(network, scores, n, key, chances, heat):
    """Return an option by chance, by the softmax of the scores; `chances` gets its probability.

    The temperature is that of the network times `heat`.
    """
    highest = scores[0]
    for i in range(1, n):
        highest = max(highest, scores[i])
    sharpness = np.float64(float_at(network, 0)) / heat
    total = 0.0
    for i in range(n):
        chances[i] = exp_below((np.float64(scores[i]) - np.float64(highest)) * sharpness)
        total += chances[i]
    drawn = np.float64(key >> _S11) * _UNIT * total
    chosen = 0
    passed = 0.0
    for i in range(n - 1):
        passed += chances[i]
        chosen += drawn >= passed
    chances[chosen] /= total
    return chosen


@inline
def records(recorder, policy):
    """Return whether the decisions of a policy are written down, and there is room."""
    if recorder == 0:
        return False
    room = word_at(recorder, ROWS) < word_at(recorder, MOST_ROWS)
    return room and word_at(recorder, RECORDED) >> policy & 1 == 1


@jit
def record_option(recorder, number, x, n_option):
    """Write the features of an option down, behind those of the decisions before."""
    row = word_at(recorder, OPTION_ROWS) + number
    if row >= word_at(recorder, MOST_OPTION_ROWS):
        put_word(recorder, MOST_ROWS, word_at(recorder, ROWS))  # full
        return
    at = word_at(recorder, AT_OPTIONS)
    for i in range(n_option):
        put_float(at, row * n_option + i, x[i])


@jit
def record_decision(recorder, seat, policy, x, n_situation, n_options, chosen, chance):
    """Write a decision down whose options were recorded."""
    row = word_at(recorder, ROWS)
    if row >= word_at(recorder, MOST_ROWS):
        return
    at = word_at(recorder, AT_SITUATIONS)
    for i in range(n_situation):
        put_float(at, row * n_situation + i, x[i])
    at = word_at(recorder, AT_NOTES)
    first = word_at(recorder, OPTION_ROWS)
    put_word(at, row * 6, word_at(recorder, GAME))
    put_word(at, row * 6 + 1, seat)
    put_word(at, row * 6 + 2, policy)
    put_word(at, row * 6 + 3, first)
    put_word(at, row * 6 + 4, n_options)
    put_word(at, row * 6 + 5, chosen)
    put_float(word_at(recorder, AT_CHANCES), row, chance)
    put_word(recorder, ROWS, row + 1)
    put_word(recorder, OPTION_ROWS, first + n_options)
