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
from balance.games.compiled.weights import HEAD, HIDDEN, OPTION_HIDDEN

_LANES: Final = 4
_BLOCK: Final = 32
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
_vector = ir.VectorType(_f32, _LANES)


def _data(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    """Return the pointer to the first number of an array."""
    return context.make_array(kind)(context, builder, value).data


def _load_vector(builder: Any, pointer: Any) -> Any:
    return builder.load(builder.bitcast(pointer, _vector.as_pointer()), align=4)


def _store_vector(builder: Any, value: Any, pointer: Any) -> None:
    builder.store(value, builder.bitcast(pointer, _vector.as_pointer()), align=4)


def _address_of(typing_context: Any, array: Any) -> Any:  # noqa: ARG001
    """Return where the first number of an array is."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ptrtoint(_data(context, builder, signature.args[0], arguments[0]), _i64)

    return types.int64(array), generate


def _floats(context: Any, builder: Any, kinds: Any, address: Any, offset: Any) -> Any:
    """Return a pointer to the number at an offset from an address."""
    start = context.cast(builder, offset, kinds, types.int64)
    return builder.gep(builder.inttoptr(address, _f32.as_pointer()), [start])


def _add_products(
    typing_context: Any,  # noqa: ARG001
    address: Any,
    matrix: Any,
    begin: Any,
    begin_at: Any,
    x: Any,
    places: Any,
    n: Any,
    total: Any,
    width: Any,
) -> Any:
    """Sum x[i] * row i of a matrix at an address, for the places i in their order, into `total`.

    It begins with the numbers at another address; width is a multiple of 32.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kinds = signature.args
        rows = _floats(context, builder, kinds[1], arguments[0], arguments[1])
        source = _floats(context, builder, kinds[3], arguments[2], arguments[3])
        xs, where, sums = (_data(context, builder, kinds[i], arguments[i]) for i in (4, 5, 7))
        count = arguments[6]
        wide = context.cast(builder, arguments[8], kinds[8], types.int64)
        with cgutils.for_range(builder, builder.sdiv(wide, _i64(_BLOCK))) as block:
            first = builder.mul(block.index, _i64(_BLOCK))
            column, start, target = (builder.gep(pointer, [first]) for pointer in (rows, source, sums))
            begun = [
                _load_vector(builder, builder.gep(start, [_i64(lane)])) for lane in range(0, _BLOCK, _LANES)
            ]
            results = _sum_rows(builder, column, wide, xs, where, count, begun)
            for number, result in enumerate(results):
                _store_vector(builder, result, builder.gep(target, [_i64(number * _LANES)]))
        return context.get_dummy_value()

    return types.void(address, matrix, begin, begin_at, x, places, n, total, width), generate


def _sum_rows(builder: Any, column: Any, wide: Any, xs: Any, where: Any, count: Any, begun: Any) -> list[Any]:
    """Generate the loop of a block of columns, whose sums stay in registers."""
    before = builder.block
    loop = builder.append_basic_block("products")
    after = builder.append_basic_block("products_done")
    builder.cbranch(builder.icmp_signed(">", count, _i64(0)), loop, after)
    builder.position_at_end(loop)
    k = builder.phi(_i64)
    k.add_incoming(_i64(0), before)
    running = [builder.phi(_vector) for _ in begun]
    for phi, value in zip(running, begun, strict=True):
        phi.add_incoming(value, before)
    i = builder.load(builder.gep(where, [k]))
    value = builder.load(builder.gep(xs, [i]))
    spread = ir.Constant(_vector, ir.Undefined)
    for lane in range(_LANES):
        spread = builder.insert_element(spread, value, ir.IntType(32)(lane))
    row = builder.gep(column, [builder.mul(i, wide)])
    ended = []
    for number, phi in enumerate(running):
        weights = _load_vector(builder, builder.gep(row, [_i64(number * _LANES)]))
        ended.append(builder.fadd(phi, builder.fmul(spread, weights)))
    following = builder.add(k, _i64(1))
    k.add_incoming(following, loop)
    for phi, value in zip(running, ended, strict=True):
        phi.add_incoming(value, loop)
    builder.cbranch(builder.icmp_signed("<", following, count), loop, after)
    builder.position_at_end(after)
    results = [builder.phi(_vector) for _ in begun]
    for phi, unchanged, changed in zip(results, begun, ended, strict=True):
        phi.add_incoming(unchanged, before)
        phi.add_incoming(changed, loop)
    return results


def _dots(rectified: bool) -> Callable[..., Any]:
    """Return what sums x[i] * y[i], y at an address: four sums by i modulo 4, then (0 + 1) + (2 + 3).

    Rectified, 0 stands for what is negative in x.
    """
    zeros = ir.Constant(_vector, [_f32(0.0)] * _LANES)

    def dot(typing_context: Any, x: Any, address: Any, offset: Any, n: Any) -> Any:  # noqa: ARG001
        return types.float32(x, address, offset, n), generate

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kinds = signature.args
        xs = _data(context, builder, kinds[0], arguments[0])
        ys = _floats(context, builder, kinds[2], arguments[1], arguments[2])
        count = context.cast(builder, arguments[3], kinds[3], types.int64)
        total = cgutils.alloca_once_value(builder, zeros)
        builder.store(zeros, total)
        with cgutils.for_range(builder, builder.sdiv(count, _i64(_LANES))) as block:
            at = builder.mul(block.index, _i64(_LANES))
            x4, y4 = (_load_vector(builder, builder.gep(pointer, [at])) for pointer in (xs, ys))
            if rectified:
                x4 = builder.select(builder.fcmp_ordered(">", x4, zeros), x4, zeros)
            builder.store(builder.fadd(builder.load(total), builder.fmul(x4, y4)), total)
        sums = builder.load(total)
        lanes = [builder.extract_element(sums, ir.IntType(32)(lane)) for lane in range(_LANES)]
        return builder.fadd(builder.fadd(lanes[0], lanes[1]), builder.fadd(lanes[2], lanes[3]))

    return dot


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


def _plain_address_of(array: Any) -> int:
    return int(array.ctypes.data)


def _plain_add_products(
    address: int,
    matrix: int,
    begin: int,
    begin_at: int,
    x: Any,
    places: Any,
    n: int,
    total: Any,
    width: int,
) -> None:
    total[:width] = _plain_floats(begin, begin_at, width)
    for i in places[:n]:
        total[:width] += x[i] * _plain_floats(address, matrix + int(i) * width, width)


def _plain_dot(rectified: bool, x: Any, address: int, offset: int, n: int) -> Any:
    products = (np.maximum(x[:n], 0) if rectified else x[:n]) * _plain_floats(address, offset, n)
    sums = np.zeros(_LANES, np.float32)
    for row in products.reshape(-1, _LANES):
        sums += row
    return (sums[0] + sums[1]) + (sums[2] + sums[3])


def _plain_load(kind: Any, address: int, i: int) -> Any:
    return kind.from_address(int(address) + ctypes.sizeof(kind) * int(i)).value


def _plain_store(kind: Any, address: int, i: int, value: Any) -> None:
    kind.from_address(int(address) + ctypes.sizeof(kind) * int(i)).value = kind(value).value


def _either(plain: Callable[..., Any], compiled: Callable[..., Any]) -> Callable[..., Any]:
    made: Callable[..., Any] = plain if PLAIN else intrinsic(compiled)
    return made


address_of: Final = _either(_plain_address_of, _address_of)
add_products: Final = _either(_plain_add_products, _add_products)
dot: Final = _either(partial(_plain_dot, False), _dots(False))
dot_rectified: Final = _either(partial(_plain_dot, True), _dots(True))
float_at: Final = _either(partial(_plain_load, ctypes.c_float), _loads(_f32))
put_float: Final = _either(partial(_plain_store, ctypes.c_float), _stores(_f32))
word_at: Final = _either(partial(_plain_load, ctypes.c_int64), _loads(_i64))
put_word: Final = _either(partial(_plain_store, ctypes.c_int64), _stores(_i64))


@inline
def find_nonzero(x, n, places):
    """List the places of the numbers that are not 0, without a branch; return how many there are."""
    found = 0
    for i in range(n):
        places[found] = i
        found += x[i] != np.float32(0.0)
    return found


@inline
def find_positive(x, n, places):
    """Put 0 for what is negative, and list the places of the rest, without a branch; return how many."""
    found = 0
    for i in range(n):
        x[i] = max(x[i], np.float32(0.0))
        places[found] = i
        found += x[i] > np.float32(0.0)
    return found


@jit
def read_situation(network, x, n_situation, n_option, places, hidden, second):
    """Turn the features of a situation into the weights of an option's features, and more, in `second`."""
    first_bias = HEAD + n_situation * HIDDEN
    found = find_nonzero(x, n_situation, places)
    add_products(network, HEAD, network, first_bias, x, places, found, hidden, HIDDEN)
    width = n_option + OPTION_HIDDEN
    matrix = first_bias + HIDDEN
    found = find_positive(hidden, HIDDEN, places)
    add_products(network, matrix, network, matrix + HIDDEN * width, hidden, places, found, second, width)


@jit
def score_option(network, x, used, n_situation, n_option, places, second, inner):
    """Return the score of an option from its features, of which the first `used` may differ from 0.

    `second` is an address, `inner` is scratch.
    """
    matrix = HEAD + (n_situation + 1) * HIDDEN + (HIDDEN + 1) * (n_option + OPTION_HIDDEN)
    found = find_nonzero(x, used, places)
    add_products(network, matrix, second, n_option, x, places, found, inner, OPTION_HIDDEN)
    out = matrix + n_option * OPTION_HIDDEN
    linear = dot(x, second, 0, (used + _LANES - 1) // _LANES * _LANES)
    return linear + dot_rectified(inner, network, out, OPTION_HIDDEN)


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
def pick_by_score(network, scores, n, key, chances):
    """Return an option by chance, by the softmax of the scores; `chances` gets the probabilities."""
    highest = scores[0]
    for i in range(1, n):
        highest = max(highest, scores[i])
    sharpness = np.float64(float_at(network, 0))
    total = 0.0
    for i in range(n):
        chances[i] = exp_below((np.float64(scores[i]) - np.float64(highest)) * sharpness)
        total += chances[i]
    drawn = np.float64(key >> _S11) * _UNIT * total
    chosen = n - 1
    passed = 0.0
    for i in range(n):
        passed += chances[i]
        if drawn < passed:
            chosen = i
            break
    for i in range(n):
        chances[i] /= total
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
