"""The learned player: what it sees, that it knows rules and no names, that it plays the same everywhere."""

import hashlib
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from balance import games
from balance.games.compiled.recorder import Recorder
from balance.games.compiled.weights import fold, score_options
from balance.games.nefarious.catalog.loading import load_catalog
from balance.games.nefarious.kernel.batch import search_answer
from balance.games.nefarious.player import Player, let_think
from balance.games.nefarious.policies import features as f
from balance.games.nefarious.policies.learned import DIGEST, learned_weights
from balance.games.nefarious.policies.names import CRITIC, LEARNED, POLICIES, policy_number
from balance.games.nefarious.rules import compile_cell
from balance.games.nefarious.session import Session

GAME = games.get("nefarious")
CATALOG = load_catalog()
LEARNER = POLICIES["learned"]
# Between them every kind of decision, every moment and most words come up, in all editions and at all sizes.
CELLS = [
    ("ascora-2011", 4, ()),
    ("ascora-2011", 2, ("long-term-plans", "overpopulation")),
    ("ascora-2011", 3, ("unions", "age-of-boredom")),
    ("ascora-2011", 5, ("perpetual-motion", "parallel-universe")),
    ("ascora-2011", 6, ("geeks", "mob-influence")),
    ("magellan-2014", 4, ("academics", "focus-groups")),
    ("magellan-2014", 3, ("forgotten-epiphanies", "embezzling-minions")),
    ("mosigra-2020", 2, ("rigged-investments", "cheap-fusion-power")),
    ("mosigra-2020", 5, ("security-measures", "subliminal-advertising")),
    ("ascora-2011", 4, ("mad-broker", "hyperinflation")),
]
# The digest of the games of `test_mirror_games_are_the_same_everywhere`, whatever the machine and Python.
MIRROR_GAMES = "9c16fdd17526eaed"


def zeros():
    """Weights that find all options equal: the features do not depend on them."""
    return {name: np.zeros(shape, np.float32) for name, shape in f.LAYOUT.shapes().items()}


def recorded(cell, weights, games_=3, seed=11):
    cell.networks[LEARNER] = fold(weights, cell.features)
    recorder = Recorder(f.LAYOUT, 20_000, 100_000)
    recorder.begin((LEARNER,))
    seats = np.full((games_, cell.players), LEARNER)
    Player().outcomes(cell, seed, np.arange(games_), seats, recorder)
    assert not recorder.full
    return recorder


def test_the_layout_of_the_features():
    assert f.LAYOUT == (len(f.SITUATION), 64, f.RULES_FEATURES) == (100, 64, 591)
    assert len(set(f.SITUATION)) == len(f.SITUATION)
    assert len(f.OPTION) == len(set(f.OPTION)) == 50
    assert f.SITUATION[:7] == (
        *("asked to choose", "asked to place", "asked to build", "asked to discard"),
        *("asked to remove", "asked to commit", "a placement is paid"),
    )
    assert f.OPTION[:12:4] == ("plays speculate", "on speculate", "neighbours expected there")


def test_the_features_are_those_that_the_weights_were_made_for():
    digest = hashlib.sha256()
    for edition, players, twists in CELLS:
        cell = compile_cell(CATALOG, edition, players, twists)
        recorder = recorded(cell, zeros())
        first = recorder.notes[:100]
        assert len(first) == 100
        digest.update(cell.features.tobytes())
        digest.update(recorder.situations[:100].tobytes())
        digest.update(recorder.options[: first[-1, 3] + first[-1, 4]].tobytes())
    assert digest.hexdigest()[:16] == DIGEST


def test_every_feature_says_something_somewhere():
    seen, chosen = np.zeros(f.LAYOUT.situation, bool), np.zeros(f.LAYOUT.option, bool)
    for edition, players, twists in CELLS:
        recorder = recorded(compile_cell(CATALOG, edition, players, twists), zeros(), games_=20)
        n = recorder.rows
        seen |= (recorder.situations[:n] != 0).any(axis=0)
        chosen |= (recorder.options[: recorder.notes[n - 1, 3]] != 0).any(axis=0)
    assert [name for name, found in zip(f.SITUATION, seen, strict=True) if not found] == []
    assert [name for name, found in zip(f.OPTION, chosen, strict=False) if not found] == []
    assert not chosen[len(f.OPTION) :].any()


def test_the_kernel_scores_options_as_numpy_does():
    rng = np.random.default_rng(3)
    weights = {n: rng.standard_normal(s).astype(np.float32) * 0.1 for n, s in f.LAYOUT.shapes().items()}
    cell = compile_cell(CATALOG, "ascora-2011", 4, ("unions", "geeks"))
    recorder = recorded(cell, weights)
    for row in range(0, recorder.rows, 7):
        _, _, _, first, count, chosen = recorder.notes[row]
        options = recorder.options[first : first + count]
        scores = score_options(cell.networks[LEARNER], f.LAYOUT, recorder.situations[row], options)
        chances = np.exp(scores.astype(np.float64) - scores.max())
        assert recorder.chances[row] == pytest.approx(chances[chosen] / chances.sum(), abs=1e-4)


def test_a_search_asks_the_critic_what_a_situation_is_worth():
    cell = compile_cell(CATALOG, "ascora-2011", 4, ("free-radio",))
    session = Session(cell, 5, 0)
    session.advance()
    let_think(cell, session.deciders, np.array([policy_number("search:2")] * 4))
    room = session._room_to_search()
    search_answer(cell.rules, *room, 2)
    mind = room[1][1]["mind"]
    said_nothing = np.eye(1, f.LAYOUT.option, dtype=np.float32)
    worth = score_options(cell.networks[CRITIC], f.LAYOUT, mind["situation"], said_nothing)
    assert mind["judged"] == 1
    assert mind["worth"] == pytest.approx(worth[0], abs=1e-4)
    assert mind["situation"][f.SITUATION.index("asked to choose")] == 1.0


@pytest.mark.parametrize("twist", ["unions", "hyperinflation", "perpetual-motion", "science-marathon"])
def test_equal_rules_give_equal_play_under_any_name(twist):
    original = CATALOG.twist(twist)
    copied = replace(original, id="a-copy", name="A Copy")
    catalog = replace(CATALOG, twists=(*CATALOG.twists, copied))
    indices = np.arange(300)
    seats = np.full((300, 4), LEARNER)
    found = []
    for name in (twist, "a-copy"):
        cell = compile_cell(catalog, "ascora-2011", 4, [name, "recycling"])
        outcomes = Player().outcomes(cell, 5, indices, seats)
        found.append((outcomes.winners.tolist(), outcomes.rounds.tolist(), cell.features.tolist()))
    assert found[0] == found[1]


def test_rungs_are_the_same_network_at_other_temperatures():
    cell = compile_cell(CATALOG, "ascora-2011", 4, ())
    seats = np.array([[POLICIES[name] for name in ("learned", "skilled", "casual", "random")]])
    Player().outcomes(cell, 1, np.arange(1), seats)
    heads = {name: 1.0 / float(cell.networks[POLICIES[name]][0]) for name in LEARNED}
    assert heads == pytest.approx(LEARNED)
    first, second = (cell.networks[POLICIES[name]][1:] for name in ("learned", "casual"))
    assert (first == second).all()


def mirror(players, twists, games):
    cell = compile_cell(CATALOG, "ascora-2011", players, twists)
    return Player().play(cell, 5, np.arange(games), np.full((games, players), LEARNER))


def test_players_who_get_nowhere_vary_their_play():
    """At one temperature 26% of these games never end: both players repeat a plan that loses its money."""
    games = mirror(2, ("embezzling-minions", "security-measures"), 300).games
    assert (games["rounds"] > 30).mean() > 0.3
    assert not games["stalled"].any()


def test_games_that_stall_without_cards_cannot_end():
    played = mirror(6, ("forgotten-epiphanies", "parallel-universe"), 100)
    stalled = played.games["stalled"]
    hands = played.seats["hand"].reshape(100, 6)
    assert stalled.sum() > 50
    assert played.games["deck_exhausted"][stalled].all()
    assert (hands[stalled] == 0).all()


def test_mirror_games_are_the_same_everywhere():
    digest = hashlib.sha256()
    for edition, players, twists in CELLS:
        cell = compile_cell(CATALOG, edition, players, twists)
        outcomes = Player().outcomes(cell, 2, np.arange(300), np.full((300, players), LEARNER))
        digest.update(outcomes.winners.astype("<i8").tobytes() + outcomes.rounds.astype("<i8").tobytes())
    assert digest.hexdigest()[:16] == MIRROR_GAMES


@pytest.mark.soak
@pytest.mark.skipif(
    " fma " not in (Path("/proc/cpuinfo").read_text() if Path("/proc/cpuinfo").exists() else ""),
    reason="the processor has no fused products and sums",
)
def test_a_processor_that_can_fuse_products_and_sums_plays_the_same_games(checkout):
    """Compiled for wide vectors and fused arithmetic: nothing is fused. `test_layers` has the network."""
    script = """
import numba
from balance.games.compiled import jit  # sets the processor for which usual play is compiled
numba.config.CPU_NAME, numba.config.CPU_FEATURES = "haswell", "+avx,+avx2,+fma"
from tests.games.nefarious.policies import test_learned
test_learned.test_mirror_games_are_the_same_everywhere()
multiply = numba.njit("float64(float64, float64)")(lambda a, b: a * b)
assert "vmulsd" in "".join(multiply.inspect_asm().values())
"""
    subprocess.run([sys.executable, "-c", script], cwd=checkout, check=True)


def test_weights_of_a_run_are_its_own(tmp_path):
    from balance.games.nefarious.policies.reading import read_policies
    from balance.resources import data_dir

    official = data_dir("nefarious")
    (tmp_path / "policies.toml").write_bytes((official / "policies.toml").read_bytes())
    without = read_policies(tmp_path / "policies.toml")
    assert without.network == b""
    assert without.hash != CATALOG.policies.hash
    (tmp_path / "learned.npz").write_bytes((official / "learned.npz").read_bytes())
    assert read_policies(tmp_path / "policies.toml").hash == CATALOG.policies.hash
    assert GAME.network(CATALOG) == (official / "learned.npz").read_bytes()
    assert learned_weights(GAME.network(CATALOG)).keys() == f.LAYOUT.stored().keys()
