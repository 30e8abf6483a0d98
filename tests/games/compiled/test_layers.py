"""The layers of a network: compiled for any processor they give the same bits, which are those of plain Python."""

import ctypes
import platform

import llvmlite.binding as llvm
import numpy as np
import pytest

from balance.games.compiled import layers, network
from balance.games.compiled.weights import OPTION_HIDDEN, NetworkLayout, fold

POINTER = ctypes.POINTER(ctypes.c_float)
LAYOUTS = [(NetworkLayout(100, 64, 3), 50), (NetworkLayout(5, 32, 3), 32), (NetworkLayout(64, 96, 3), 70)]
PROCESSORS = {
    "this": ("", "", "sse"),
    "old": ("nehalem", "", "sse"),
    "wide": ("haswell", "+avx2", "avx2"),
    "fusing": ("haswell", "+avx2,+fma", "fma"),
    "widest": ("skylake-avx512", "+avx512f,+fma", "avx512f"),
}


def pointer(array):
    return array.ctypes.data_as(POINTER)


def drawn(layout, used, seed=5):
    """Return weights, and features of which about half are 0."""
    rng = np.random.default_rng(seed)
    weights = {n: rng.standard_normal(s).astype(np.float32) * 0.3 for n, s in layout.shapes().items()}
    situations = rng.standard_normal((200, layout.situation)) * (rng.random((200, layout.situation)) < 0.5)
    options = np.zeros((200, layout.option), np.float32)
    options[:, :used] = rng.standard_normal((200, used)) * (rng.random((200, used)) < 0.5)
    situations[0] = options[1] = 0
    return fold(weights, np.ones(layout.rules, np.float32)), situations.astype(np.float32), options


def plain(layout, used):
    folded, situations, options = drawn(layout, used)
    hidden, second = np.zeros(64, np.float32), np.zeros(layout.option + OPTION_HIDDEN, np.float32)
    for x, option in zip(situations, options, strict=True):
        network._plain_read(layout, folded.ctypes.data, x, hidden, second)
        yield second.tobytes(), network._plain_score(layout, folded.ctypes.data, option, second)


def compiled(layout, used, cpu, features):
    folded, situations, options = drawn(layout, used)
    engine = layers.compile_layers(layout, used, cpu, features)
    places = [engine.get_function_address(name) for name in layers.names(layout, used)]
    read = ctypes.CFUNCTYPE(None, *[POINTER] * 4)(places[0])
    score = ctypes.CFUNCTYPE(ctypes.c_float, *[POINTER] * 3)(places[1])
    hidden, second = np.zeros(64, np.float32), np.zeros(layout.option + OPTION_HIDDEN, np.float32)
    for x, option in zip(situations, options, strict=True):
        read(pointer(folded), pointer(x), pointer(hidden), pointer(second))
        yield second.tobytes(), score(pointer(folded), pointer(option), pointer(second))


@pytest.mark.parametrize("processor", PROCESSORS)
@pytest.mark.parametrize(("layout", "used"), LAYOUTS)
def test_every_processor_computes_the_same_bits(layout, used, processor):
    cpu, features, needed = PROCESSORS[processor]
    if cpu and (
        platform.machine() not in ("x86_64", "AMD64") or not llvm.get_host_cpu_features().get(needed)
    ):
        pytest.skip(f"this processor has no {needed}")
    assert list(compiled(layout, used, cpu, features)) == list(plain(layout, used))


def test_weights_begin_on_a_cache_line():
    for layout, used in LAYOUTS:
        assert drawn(layout, used)[0].ctypes.data % 64 == 0
