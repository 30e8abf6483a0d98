"""`balance train`, `tune` and `exploit`: what they write and print, and what they refuse."""

import json
import sys
import textwrap

import pytest

from balance.cli.app import run
from balance.games.nefarious.catalog.loading import load_catalog
from balance.games.nefarious.policies.fitted import unfitted

MINE = """
    [[twist]]
    id = "my-twist"
    name = "My Twist"
    name_source = "own"
    editions = ["magellan-2014"]
    confidence = "own"
    lines = [{ when = "end", do = "+1 money" }]
"""


def untrained(catalog, twist):
    return unfitted(catalog.policies, [catalog.twist(twist)])


@pytest.fixture
def mine(tmp_path):
    file = tmp_path / "mine.toml"
    file.write_text(textwrap.dedent(MINE))
    return file


@pytest.fixture
def call(capfd, monkeypatch, tmp_path):
    """Run `balance ARGS` in this process; return exit code, stdout and stderr."""
    monkeypatch.chdir(tmp_path)

    def ask(*args):
        code = run([*map(str, args)])
        return code, *capfd.readouterr()

    return ask


@pytest.mark.parametrize(
    "args", [("train", "here"), ("exploit",), ("tune", "--twist", "unions", "--out", "mine.npz")]
)
def test_without_pytorch_it_is_said_what_to_install(call, monkeypatch, args):
    monkeypatch.setitem(sys.modules, "torch", None)
    code, out, err = call(*args)
    assert (code, out) == (2, "")
    assert "learning needs PyTorch: pip install 'game-balance[train]'" in err


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["tune", "--twist", "unoins", "--out", "x.npz"], "unknown twist 'unoins'; did you mean 'unions'?"),
        (["tune", "--twist", "unions"], "Missing option '--out'"),
        (["tune", "--twist", "unions", "--out", "x.toml"], "ends in .npz, not 'x.toml'"),
        (
            ["tune", "--twist", "unions", "--out", "there.npz"],
            "there.npz: exists already; --force replaces it",
        ),
        (["tune", "--twist", "unions", "--out", "x.npz", "--seed", "20261116"], "is not for tuning"),
        (["train", "here", "--seed", "20261116"], "is not for tuning"),
        (["train", "here", "--minutes", "nan"], "--minutes nan: expected more than 0"),
        (["train", "there.npz"], "there.npz: is not a folder"),
        (["train", "here", "--from", "missing.npz"], "missing.npz: No such file"),
        (["train", "here", "--from", "there.npz"], "there.npz: not the weights of a player, or damaged"),
        (["exploit", "--twists", "unoins"], "unknown twist 'unoins'"),
        (["exploit", "--players", "9"], "Nefarious is for 2 to 6 players"),
        (["exploit", "--start", "everything"], "--start is one of learned, nothing, both"),
        (["exploit", "--against", "nobody"], "unknown policy 'nobody'"),
    ],
)
def test_what_cannot_be_learned_is_refused(call, tmp_path, args, message):
    pytest.importorskip("torch")
    (tmp_path / "there.npz").write_bytes(b"PK")
    code, out, err = call(*args)
    assert (code, out) == (2, "")
    assert message in err


@pytest.mark.slow
def test_an_own_twist_is_learned_into_weights(call, mine, tmp_path):
    pytest.importorskip("torch")
    args = ["tune", "--catalog", mine, "--twist", "My Twist", "--budget", "2000", "--jobs", "1"]
    code, out, err = call(*args, "--out", "mine.npz")
    assert (code, out) == (0, "")
    assert "my-twist: " in err
    assert "on 14,400 fresh games of " in err
    assert untrained(load_catalog([mine]), "my-twist")
    assert not untrained(load_catalog([mine, tmp_path / "mine.npz"]), "my-twist")


@pytest.mark.slow
def test_a_reply_is_trained_and_measured(call):
    pytest.importorskip("torch")
    code, out, _ = call(
        "exploit", "--players", "2", "--games", "2304", "--fresh", "400", "--json", "--jobs", "1"
    )
    assert code == 0
    rows = json.loads(out)
    assert {row["start"] for row in rows} == {"learned", "nothing"}
    assert rows[0]["gain"] >= rows[1]["gain"]
    assert all(row["low"] < row["gain"] < row["high"] and row["fresh"] == 400 for row in rows)


@pytest.mark.slow
def test_training_leaves_weights_that_play(call, tmp_path):
    pytest.importorskip("torch")
    code, out, err = call("train", "here", "--minutes", "0.01", "--jobs", "1")
    assert code == 0
    assert out == "here/weights.npz\n"
    assert "games: the time is over" in err
    catalog = load_catalog([tmp_path / "here" / "weights.npz"])
    assert not untrained(catalog, "unions")
