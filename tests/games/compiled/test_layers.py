"""The layers of a network: compiled for any processor they give the same bits as plain Python."""

import ctypes
import platform

import llvmlite.binding as llvm
import numpy as np
import pytest

from balance.games.compiled import layers, network
from balance.games.compiled.weights import NetworkLayout, fold

OPTIONS = 3
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
    """Return weights, and features of situations and of their options, of which about half are 0."""
    rng = np.random.default_rng(seed)

    def half(*shape):
        return (rng.standard_normal(shape) * (rng.random(shape) < 0.5)).astype(np.float32)

    weights = {n: rng.standard_normal(s).astype(np.float32) * 0.3 for n, s in layout.shapes().items()}
    situations = half(100, layout.situation) * 5  # some are out of bounds
    options = np.zeros((100, OPTIONS, layout.option), np.float32)
    options[:, :, :used] = half(100, OPTIONS, used)
    situations[0] = options[:, 1] = 0
    return fold(weights, np.ones(layout.rules, np.float32)), situations, options


def plain(layout, used):
    folded, situations, options = drawn(layout, used)
    scores = np.zeros(OPTIONS, np.float32)
    for x, rows in zip(situations, options, strict=True):
        network._plain_scores(layout, folded.ctypes.data, x, rows, OPTIONS, scores)
        yield scores.tolist()


def compiled(layout, used, cpu, features):
    folded, situations, options = drawn(layout, used)
    address = layers.compile_layers(layout, used, cpu, features).get_function_address(
        layers.name_of(layout, used)
    )
    score = ctypes.CFUNCTYPE(None, POINTER, POINTER, POINTER, ctypes.c_int64, POINTER)(address)
    scores = np.zeros(OPTIONS, np.float32)
    for x, rows in zip(situations, options, strict=True):
        score(pointer(folded), pointer(x), pointer(rows), OPTIONS, pointer(scores))
        yield scores.tolist()


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
