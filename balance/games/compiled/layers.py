"""The layers of a network, compiled for the vectors of the processor at hand, with the same bits on each.

Numba's code is made for one old processor, so that it can be cached. This function gains most from wide
vectors: it is compiled in every process, and cached code calls it by name. The width of vectors changes no
result: each sum adds its products in one fixed order, and products and sums are never fused. Knows no game.
"""

from functools import lru_cache
from typing import Any, Final

import llvmlite.binding as llvm
from llvmlite import ir

from balance.games.compiled.weights import HEAD, HIDDEN, OPTION_HIDDEN, NetworkLayout

_f32 = ir.FloatType()
_i64 = ir.IntType(64)
_floats = _f32.as_pointer()
_CHUNK: Final = 32
"""How many sums are one vector here; the compiler splits it into what the processor has."""
_LANES: Final = 4

BOUND: Final = 8.0
"""Features are kept between this and its negative, which only odd rules reach."""
SCORE: Final = ir.FunctionType(ir.VoidType(), [_floats, _floats, _floats, _i64, _floats])
"""The type of the function: network, features of the situation, features of n options, n, their scores."""


def name_of(layout: NetworkLayout, used: int) -> str:
    """Return the name by which compiled code calls the function of a layout."""
    return f"balance_score_options_{layout.situation}_{layout.option}_{used}"


@lru_cache
def compile_layers(layout: NetworkLayout, used: int, cpu: str = "", features: str = "") -> Any:
    """Compile the function of a layout and return the engine that has it; by default for this processor.

    Of the features of an option only the first `used` may differ from 0.
    """
    module = ir.Module()
    _score_options(ir.Function(module, SCORE, name_of(layout, used)), layout, used)
    if not cpu:
        cpu, features = _this_processor()
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    machine = llvm.Target.from_default_triple().create_target_machine(cpu, features, opt=3)
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(str(module)), machine)
    engine.finalize_object()
    return engine


def _this_processor() -> tuple[str, str]:
    try:
        return llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()
    except RuntimeError:  # LLVM does not know it
        return "", ""


def offer_layers(layout: NetworkLayout, used: int) -> str:
    """Compile the function of a layout for this processor; compiled code finds it by the name returned."""
    name = name_of(layout, used)
    llvm.add_symbol(name, compile_layers(layout, used).get_function_address(name))
    return name


def _score_options(function: ir.Function, layout: NetworkLayout, used: int) -> None:
    """Generate the function: the layers of the situation, then those of one option after the other."""
    builder = ir.IRBuilder(function.append_basic_block())
    network, situation, options, n, scores = function.args
    second = _read_situation(builder, network, situation, layout)
    before, loop, after = builder.block, builder.append_basic_block(), builder.append_basic_block()
    builder.branch(loop)
    builder.position_at_end(loop)
    i = builder.phi(_i64)
    x = builder.gep(options, [builder.mul(i, _i64(layout.option))])
    score = _score_option(builder, network, second, x, layout, used)
    builder.store(score, builder.gep(scores, [i]))
    following = builder.add(i, _i64(1))
    i.add_incoming(_i64(0), before)
    i.add_incoming(following, builder.block)
    builder.cbranch(builder.icmp_signed("<", following, n), loop, after)
    builder.position_at_end(after)
    builder.ret_void()


def _read_situation(builder: ir.IRBuilder, network: Any, x: Any, layout: NetworkLayout) -> Any:
    """Return where the weights of an option's features are, and behind them how its hidden layer begins."""
    width = layout.option + OPTION_HIDDEN
    hidden, second = _scratch(builder, HIDDEN), _scratch(builder, width)
    bias = HEAD + layout.situation * HIDDEN
    sums = _load_all(builder, network, bias, HIDDEN)
    sums = _add_products(builder, network, HEAD, x, _bounded(builder, x, layout.situation), sums)
    _store_all(builder, sums, hidden)
    matrix = bias + HIDDEN
    bits = _bits(builder, [builder.fcmp_ordered(">", part, _zeros(part.type)) for part in sums])
    sums = _load_all(builder, network, matrix + HIDDEN * width, width)
    sums = _add_rows(builder, _at(builder, network, matrix), hidden, bits, sums)
    _store_all(builder, sums, second)
    return second


def _score_option(
    builder: ir.IRBuilder, network: Any, second: Any, x: Any, layout: NetworkLayout, used: int
) -> Any:
    """Return the score of an option."""
    used = -(-used // _LANES) * _LANES
    matrix = HEAD + (layout.situation + 1) * HIDDEN + (HIDDEN + 1) * (layout.option + OPTION_HIDDEN)
    parts = _bounded(builder, x, used)
    products = []
    for number, part in enumerate(parts):
        product = builder.fmul(part, _load(builder, second, number * _CHUNK, part.type.count))
        products += [_lanes_of(builder, product, i) for i in range(0, part.type.count, _LANES)]
    linear = _sum_lanes(builder, products)
    inner = _load_all(builder, second, layout.option, OPTION_HIDDEN)
    products = []
    for number, part in enumerate(_add_products(builder, network, matrix, x, parts, inner)):
        positive = builder.select(builder.fcmp_ordered(">", part, _zeros(part.type)), part, _zeros(part.type))
        weights = _load(builder, network, matrix + layout.option * OPTION_HIDDEN + number * _CHUNK, _CHUNK)
        product = builder.fmul(positive, weights)
        products += [_lanes_of(builder, product, i) for i in range(0, _CHUNK, _LANES)]
    return builder.fadd(linear, _sum_lanes(builder, products))


def _scratch(builder: ir.IRBuilder, n: int) -> Any:
    room = builder.alloca(_f32, n)
    room.align = 64  # a cache line
    return room


def _at(builder: ir.IRBuilder, pointer: Any, offset: int) -> Any:
    return builder.gep(pointer, [_i64(offset)])


def _zeros(kind: Any) -> ir.Constant:
    return ir.Constant(kind, [_f32(0.0)] * kind.count)


def _load(builder: ir.IRBuilder, pointer: Any, offset: int, n: int) -> Any:
    kind = ir.VectorType(_f32, n)
    return builder.load(builder.bitcast(_at(builder, pointer, offset), kind.as_pointer()), align=4)


def _load_all(builder: ir.IRBuilder, pointer: Any, offset: int, n: int) -> list[Any]:
    """Load n numbers as vectors, the last of which may be shorter."""
    return [_load(builder, pointer, offset + i, min(_CHUNK, n - i)) for i in range(0, n, _CHUNK)]


def _store_all(builder: ir.IRBuilder, parts: list[Any], pointer: Any) -> None:
    for number, part in enumerate(parts):
        place = _at(builder, pointer, number * _CHUNK)
        builder.store(part, builder.bitcast(place, part.type.as_pointer()), align=4)


def _bits(builder: ir.IRBuilder, flags: list[Any]) -> Any:
    """Return the flags of vectors as the bits of a word, the first lowest."""
    word = _i64(0)
    for number, flag in enumerate(flags):
        part = builder.bitcast(flag, ir.IntType(flag.type.count))
        word = builder.or_(word, builder.shl(builder.zext(part, _i64), _i64(number * _CHUNK)))
    return word


def _bounded(builder: ir.IRBuilder, x: Any, n: int) -> list[Any]:
    """Put the bounds for features that are beyond them, and return the features as vectors."""
    parts = []
    for part in _load_all(builder, x, 0, n):
        least, most = (ir.Constant(part.type, [_f32(end)] * part.type.count) for end in (-BOUND, BOUND))
        part = builder.select(builder.fcmp_ordered("<", part, most), part, most)  # noqa: PLW2901
        parts.append(builder.select(builder.fcmp_ordered(">", part, least), part, least))
    _store_all(builder, parts, x)
    return parts


def _add_products(
    builder: ir.IRBuilder, network: Any, matrix: int, x: Any, parts: list[Any], sums: list[Any]
) -> list[Any]:
    """Add x[i] times row i of a matrix to sums, for the numbers x[i] that are not 0, in their order."""
    width = sum(part.type.count for part in sums)
    for number in range(0, len(parts), 2):
        word = parts[number : number + 2]
        bits = _bits(builder, [builder.fcmp_unordered("!=", part, _zeros(part.type)) for part in word])
        first = number * _CHUNK
        rows = _at(builder, network, matrix + first * width)
        sums = _add_rows(builder, rows, _at(builder, x, first), bits, sums)
    return sums


def _add_rows(builder: ir.IRBuilder, rows: Any, x: Any, bits: Any, sums: list[Any]) -> list[Any]:
    """Add x[i] times row i to sums, for the bits i that are set; the sums stay in registers."""
    width = sum(part.type.count for part in sums)
    before = builder.block
    loop, after = builder.append_basic_block(), builder.append_basic_block()
    builder.cbranch(builder.icmp_signed("!=", bits, _i64(0)), loop, after)
    builder.position_at_end(loop)
    left = builder.phi(_i64)
    running = [builder.phi(part.type) for part in sums]
    i = builder.cttz(left, ir.IntType(1)(1))
    value = builder.load(builder.gep(x, [i]))
    row = builder.gep(rows, [builder.mul(i, _i64(width))])
    ended = []
    for number, total in enumerate(running):
        weights = _load(builder, row, number * _CHUNK, total.type.count)
        ended.append(builder.fadd(total, builder.fmul(_spread(builder, value, total.type), weights)))
    rest = builder.and_(left, builder.sub(left, _i64(1)))
    builder.cbranch(builder.icmp_signed("!=", rest, _i64(0)), loop, after)
    results = []
    builder.position_at_end(after)
    for phi, begun, total in zip((left, *running), (bits, *sums), (rest, *ended), strict=True):
        phi.add_incoming(begun, before)
        phi.add_incoming(total, loop)
        results.append(builder.phi(total.type))
        results[-1].add_incoming(begun, before)
        results[-1].add_incoming(total, loop)
    return results[1:]


def _spread(builder: ir.IRBuilder, value: Any, kind: Any) -> Any:
    """Return a vector that has a number everywhere."""
    alone = builder.insert_element(ir.Constant(kind, ir.Undefined), value, ir.IntType(32)(0))
    everywhere = ir.Constant(ir.VectorType(ir.IntType(32), kind.count), [0] * kind.count)
    return builder.shuffle_vector(alone, ir.Constant(kind, ir.Undefined), everywhere)


def _lanes_of(builder: ir.IRBuilder, vector: Any, first: int) -> Any:
    which = ir.Constant(ir.VectorType(ir.IntType(32), _LANES), list(range(first, first + _LANES)))
    return builder.shuffle_vector(vector, ir.Constant(vector.type, ir.Undefined), which)


def _sum_lanes(builder: ir.IRBuilder, products: list[Any]) -> Any:
    """Sum numbers in four sums, by their places modulo 4, and then (0 + 1) + (2 + 3)."""
    total = _zeros(products[0].type)
    for product in products:
        total = builder.fadd(total, product)
    lanes = [builder.extract_element(total, ir.IntType(32)(lane)) for lane in range(_LANES)]
    return builder.fadd(builder.fadd(lanes[0], lanes[1]), builder.fadd(lanes[2], lanes[3]))
