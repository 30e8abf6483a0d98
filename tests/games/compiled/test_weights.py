"""Weights of learned players: what is refused, and what folding the rules in means."""

import io
import zipfile

import numpy as np
import pytest

from balance.errors import UsageError
from balance.games.compiled.notes import weights_note
from balance.games.compiled.weights import (
    GATES,
    NetworkLayout,
    Stamp,
    critic_of,
    fold,
    parse_weights,
    score_options,
    weights_file,
)

LAYOUT = NetworkLayout(situation=5, option=32, rules=4)
STAMP = Stamp(LAYOUT, "digest")


def made(seed=0):
    rng = np.random.default_rng(seed)
    return {name: rng.standard_normal(shape).astype(np.float32) for name, shape in LAYOUT.stored().items()}


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "weights.npz"
    path.write_bytes(weights_file(made(), STAMP, {"games": 12}))
    return path


def test_weights_are_read_as_they_were_written(file):
    found = parse_weights(file.read_bytes(), "file", STAMP)
    assert {name: array.tolist() for name, array in found.items()} == {
        n: a.tolist() for n, a in made().items()
    }
    assert weights_note(file.read_bytes())["training"] == {"games": 12}


@pytest.mark.parametrize(
    ("stamp", "says"),
    [
        (Stamp(LAYOUT, "another"), "other features"),
        (Stamp(LAYOUT._replace(rules=5), "digest"), "another layout"),
    ],
)
def test_a_wrong_stamp_is_refused(file, stamp, says):
    with pytest.raises(UsageError, match=says):
        parse_weights(file.read_bytes(), "file", stamp)


def test_a_truncated_file_is_refused(file):
    data = file.read_bytes()
    for size in (0, 10, len(data) // 2, len(data) - 1):
        with pytest.raises(UsageError, match="damaged"):
            parse_weights(data[:size], "file", STAMP)


@pytest.mark.parametrize("value", [np.nan, np.inf, -3e38])
def test_values_that_are_not_finite_are_refused(tmp_path, value):
    weights = made()
    weights["out"][3] = value
    (tmp_path / "bad.npz").write_bytes(weights_file(weights, STAMP, {}))
    with pytest.raises(UsageError, match="'out' has values that are not finite, or above 10,000"):
        parse_weights((tmp_path / "bad.npz").read_bytes(), "file", STAMP)


def changed(file, **arrays):
    """The bytes of a file of weights in which some arrays are others, or missing."""
    with zipfile.ZipFile(file) as old:
        members = {name: old.read(name) for name in old.namelist()}
    for name, array in arrays.items():
        del members[f"{name}.npy"]
        if array is not None:
            buffer = io.BytesIO()
            np.save(buffer, array)
            members[f"{name}.npy"] = buffer.getvalue()
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as new:
        for name, content in members.items():
            new.writestr(name, content)
    return buffer.getvalue()


def test_nothing_is_unpickled(file):
    data = changed(file, out=np.array([{"an": "object"}], object))
    with pytest.raises(UsageError, match="damaged"):
        parse_weights(data, "file", STAMP)


@pytest.mark.parametrize(("name", "array"), [("out", None), ("second", np.zeros((3, 3), np.float32))])
def test_a_missing_or_misshapen_array_is_refused(file, name, array):
    with pytest.raises(UsageError, match=f"'{name}' is missing or has the wrong shape"):
        parse_weights(changed(file, **{name: array}), "file", STAMP)


def test_folding_computes_the_network_with_the_rules_as_input():
    weights = made()
    rng = np.random.default_rng(1)
    rules, situation = rng.standard_normal(4).astype(np.float32), rng.standard_normal(5).astype(np.float32)
    options = rng.standard_normal((3, 32)).astype(np.float32)
    w = weights
    inner = np.maximum(rules @ w["rules_in"] + w["rules_in_bias"], 0)
    gates = {name: 1 + inner @ w[f"gate_{name}"] for name in GATES}
    hidden = (situation * gates["situation"]) @ w["situation"]
    hidden = hidden + w["situation_bias"] + rules @ w["rules"] + inner @ w["rules_first"]
    wide = (np.maximum(hidden, 0) * gates["hidden"]) @ w["second"]
    wide = (wide + w["second_bias"] + inner @ w["rules_second"]) * gates["second"]
    scores = [
        option @ wide[:32] + np.maximum(option @ w["option"] + wide[32:], 0) @ w["out"] for option in options
    ]
    found = score_options(fold(weights, rules), LAYOUT, situation, options)
    np.testing.assert_allclose(found, scores, rtol=1e-4, atol=1e-2)


def test_a_critic_is_a_network_of_its_own():
    weights = made()
    critic = critic_of(weights)
    assert critic.keys() == LAYOUT.shapes().keys()
    assert (critic["out"] == weights["critic_out"]).all()
    assert (critic["out"] != weights["out"]).any()
