"""The engine hash moves with everything that a sweep executes, and with nothing that only describes.

Which modules a sweep executes is traced, not taken from the walk that makes the hash.
"""

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from balance import games
from balance.games import sources

ENTRIES = ("balance.games.nefarious.engine", "balance.sweep.playing")
KERNEL = "balance.games.nefarious.kernel"
ROOT = Path(games.__file__).parents[2]

SWEEP = """
import hashlib, json, sys, tempfile
from pathlib import Path
from types import ModuleType
from balance import games
from balance.sweep.planning import make_plan
from balance.sweep.playing import Player, play_shard
from balance.dataset.shards import cut

game = games.get("nefarious")
with tempfile.TemporaryDirectory() as folder:
    short = Path(folder) / "short.toml"
    short.write_text('[[edition]]\\nid = "ascora-2011"\\nset = { goal = 1 }\\n')
    catalog = game.load_catalog([short])
plan = make_plan(
    game, catalog, edition="ascora-2011", combinations=[("unions",), ("mad-broker", "unions")],
    lineups=["mirror:random", "field", "mirror:search:1"], deals={2: 1}, seed=3,
)

def rows():
    digest = hashlib.sha256()
    for shard in cut(plan.cells):
        player = Player(game, catalog, plan)
        for name, frame in play_shard(game, player, plan, shard, lambda cell, games: True):
            digest.update(name.encode() + frame.write_csv().encode())
    return digest.hexdigest()

first = rows()  # imports everything
seen = {}

def watch(frame, event, argument):
    code = frame.f_code
    if event == "call" and "/balance/" in code.co_filename and code.co_name[0] != "<":
        seen.setdefault(code.co_filename, (code.co_name, code.co_firstlineno))
        for name in code.co_names:
            module = frame.f_globals.get(name)
            if isinstance(module, ModuleType) and module.__name__.startswith("balance."):
                seen.setdefault(module.__file__, None)

if sys.argv[1] == "trace":
    sys.setprofile(watch)
    rows()
    sys.setprofile(None)
print(json.dumps({"rows": first, "seen": seen}))
"""


def swept(how, **variables):
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", SWEEP, how],
        capture_output=True, text=True, env=os.environ | variables, timeout=300, cwd=ROOT,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def traced():
    """A small sweep, executed as plain Python."""
    return swept("trace", NUMBA_DISABLE_JIT="1")


def mutated(text, function):
    """Return a source with one line more: in a function, or at its end."""
    tree = ast.parse(text)
    body = tree.body
    if function:
        name, line = function
        starts = {
            min([node.lineno, *(d.lineno for d in node.decorator_list)]): node.body
            for node in ast.walk(tree)
            if isinstance(node, ast.FunctionDef) and node.name == name
        }
        body = starts[line]
    body.append(ast.parse("mutated = 1").body[0])
    return ast.unparse(tree)


def with_another_docstring(text):
    tree = ast.parse(text)
    assert ast.get_docstring(tree)
    tree.body[0] = ast.parse("'''Another docstring.'''").body[0]
    return ast.unparse(tree)


def hash_with(path, text, *entries):
    """Return the hash of entries where one file has another text."""
    return sources.digest_of(
        sources.outlines(*entries, read=lambda p: text if p == path else p.read_text("utf-8"))
    )


def test_every_module_that_a_sweep_executes_moves_the_hash(traced):
    now = games.get("nefarious").engine_hash()
    seen = {Path(path): function for path, function in traced["seen"].items()}
    names = {path.relative_to(ROOT).as_posix() for path in seen}
    assert len(names) > 30
    expected = (
        "rules.py",
        "catalog/model.py",
        "policies/weights.py",
        "kernel/search.py",
        "kernel/weighing.py",
    )
    assert names.issuperset(f"balance/games/nefarious/{name}" for name in expected)
    assert names.issuperset(
        f"balance/{name}.py" for name in ("sweep/playing", "games/lineup", "games/randomness")
    )
    for path, function in seen.items():
        text = path.read_text("utf-8")
        assert hash_with(path, mutated(text, function), *ENTRIES) != now, path
        assert hash_with(path, with_another_docstring(text), *ENTRIES) == now, path


def test_what_only_describes_prints_tunes_or_measures_is_out_of_the_hash(traced):
    found = set(sources.outlines(*ENTRIES))
    for name in (
        "balance.nearest",
        "balance.games.contract",
        "balance.games.forms",
        "balance.games.measures",
        "balance.games.tomlfile",
        "balance.games.nefarious.game",
        "balance.games.nefarious.measures",
        "balance.games.nefarious.session",
        "balance.games.nefarious.training",
        "balance.games.nefarious.catalog.english",
        "balance.games.nefarious.catalog.reading",
        "balance.games.nefarious.policies.reading",
        "balance.games.nefarious.replay.transcript",
    ):
        assert sources.outlines(name), name
        assert name not in found
    assert not [name for name in found if ".cli" in name or ".report" in name or ".learning" in name]


@pytest.mark.parametrize(
    ("file", "old"),
    [
        ("games/nefarious/game.py", "casual play"),
        ("games/nefarious/game.py", "among skilled players"),
        ("games/nefarious/tables.py", "cards in hand at the end"),
        ("games/nefarious/tables.py", "one row per seat of a game"),
        ("games/nefarious/tables.py", "minions on {} after the round"),
        ("dataset/schema.py", "seed of the run"),
    ],
)
def test_words_that_describe_do_not_move_the_hash(file, old):
    path = ROOT / "balance" / file
    text = path.read_text("utf-8")
    assert text.count(old) == 1
    assert (
        hash_with(path, text.replace(old, f"really {old}"), *ENTRIES) == games.get("nefarious").engine_hash()
    )


def test_the_hash_of_what_is_compiled_is_narrower():
    from balance.games.compiled.jit import compiled_hash

    compiled = set(sources.outlines(*sources.modules_of(KERNEL)))
    assert compiled < set(sources.outlines(*ENTRIES))
    assert "balance.games.nefarious.rules" not in compiled
    assert {f"{KERNEL}.weighing", "balance.games.compiled.randomness"} <= compiled
    rules = ROOT / "balance/games/nefarious/rules.py"
    edited = mutated(rules.read_text("utf-8"), None)
    assert hash_with(rules, edited, *sources.modules_of(KERNEL)) == compiled_hash(KERNEL)
    assert hash_with(rules, edited, *ENTRIES) != games.get("nefarious").engine_hash()


def test_plain_python_plays_the_same_games_as_compiled_code(traced):
    assert swept("play")["rows"] == traced["rows"]
