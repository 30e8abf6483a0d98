"""Tuning: the same numbers from the same seed, whatever the threads; what it may play; what it writes."""

import math
import subprocess
import sys
import tomllib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from balance import games
from balance.analysis.samples import PUBLISHED_SEED, TUNING_SEEDS, held_out, tuning_combinations
from balance.errors import UsageError
from balance.games.nefarious import tuning
from balance.games.nefarious.catalog import load_catalog
from balance.games.nefarious.players import Policies
from balance.games.nefarious.policies import FIELD, PARAMETER_NAMES, PARAMETERS, POLICIES
from balance.games.nefarious.tuning import Budget, Shares

GAME = games.get("nefarious")
ASCORA = "ascora-2011"
# Working is all that is worth doing, which nobody knows beforehand.
MINT = """
    [[twist]]
    id = "the-mint"
    name = "The Mint"
    name_source = "own"
    editions = ["ascora-2011"]
    confidence = "own"
    set = { work_money = 0 }
"""
LITTLE = Shares(Budget(1, tuning.STARTS, 3, 5), Budget(2, 6, 3, 10), Budget(1, 2, 4, 10))


@pytest.fixture
def pairs(official):
    return tuning_combinations(GAME, official, ASCORA)


def fit(catalog, pairs, jobs, seed=TUNING_SEEDS.start, twist="unions"):
    played = []
    found = tuning.fit_offset(catalog, ASCORA, catalog.twist(twist), pairs, LITTLE, seed, jobs, played.append)
    return found, sum(played)


def test_the_same_seed_gives_the_same_numbers_whatever_the_number_of_threads(official, pairs):
    one, played = fit(official, pairs, jobs=1)
    two, _ = fit(official, pairs, jobs=2)
    other, _ = fit(official, pairs, jobs=2, seed=TUNING_SEEDS.start + 1)
    assert one == two
    assert (one.gain, one.spread) != (other.gain, other.spread)
    assert played == LITTLE.total


def test_a_best_response_is_found_again(official):
    cell = GAME.compile(official, ASCORA, 2, ())
    found = [tuning.best_response(cell, Budget(2, 6, 1, 20), 7, jobs) for jobs in (1, 2)]
    assert np.array_equal(*found)
    assert all(p.lowest <= v <= p.highest for p, v in zip(PARAMETERS, found[0], strict=True))
    assert not np.array_equal(found[0], cell.rules["weights"][0, POLICIES["adaptive"]])


def test_an_offset_that_gains_nothing_is_empty(official, pairs):
    """With so few games nothing can be told from 0."""
    found, _ = fit(official, pairs, jobs=2)
    assert found.gain <= found.spread
    assert (found.offset.twist, dict(found.offset.parameters)) == ("unions", {})


def test_every_candidate_of_a_generation_plays_the_same_games(official):
    rng = np.random.default_rng(1)
    league = [(POLICIES[name], None) for name in FIELD]
    [task] = tuning.draw_tasks(official, rng, [(3, ("unions",))], ASCORA, 40, league)
    base = np.array(task.cell.rules["weights"][0, POLICIES["adaptive"]])
    scores = [tuning.judge(tuning.Player(), [task], lambda _: base) for _ in range(2)]
    assert scores[0] == scores[1]
    seats = (task.policies == tuning.CANDIDATE).sum(axis=1)
    assert seats.tolist() == np.where(task.guests, 2, 1).tolist()
    odd = task.policies[np.arange(40), task.seats] == tuning.CANDIDATE
    assert odd.tolist() == (~task.guests).tolist()
    assert 5 < task.guests.sum() < 30
    alike = [len(set(row) - {tuning.CANDIDATE}) == 1 for row in task.policies[~task.guests].tolist()]
    assert 5 < sum(alike) < len(alike)


def test_what_guests_win_counts_against_a_candidate(official):
    """Among candidates who play like `random`, a `greedy` guest wins nearly everything; alone they lose."""
    rng = np.random.default_rng(4)
    [task] = tuning.draw_tasks(official, rng, [(4, ())], ASCORA, 200, [(POLICIES["greedy"], None)])
    soft = np.array(task.cell.rules["weights"][0, POLICIES["greedy"]])
    same = tuning.judge(tuning.Player(), [task], lambda _: soft)
    assert abs(same) < 0.4  # everybody is alike
    soft[PARAMETER_NAMES.index("softness")] = 1000.0
    assert tuning.judge(tuning.Player(), [task], lambda _: soft) < -0.9


def test_nothing_that_is_published_is_played(official, pairs):
    held = held_out(GAME, official)
    rng = np.random.default_rng(2)
    drawn = list(tuning.draw_cells(rng, 300, pairs))
    assert {len(twists) for _, twists in drawn} == {0, 2}
    assert not any(tuple(sorted(twists)) in held for _, twists in drawn)
    tasks = tuning.draw_tasks(official, rng, [(2, ())] * 20, ASCORA, 1, [(0, None)])
    assert {task.seed in TUNING_SEEDS for task in tasks} == {True}
    assert PUBLISHED_SEED not in TUNING_SEEDS


def test_a_twist_is_met_alone_and_in_its_pairs(official, pairs):
    own = [pair for pair in pairs if "unions" in pair]
    drawn = list(tuning.draw_cells(np.random.default_rng(3), 60, own, "unions"))
    assert all("unions" in twists for _, twists in drawn)
    assert sum(twists == ("unions",) for _, twists in drawn) == 20


@pytest.mark.parametrize("games_", [10_000, 123_456, 1_000_000, 3_000_000, 1_000_000_000])
def test_a_budget_is_used_up_but_never_exceeded(games_):
    shares = tuning.share_out(games_)
    assert 0.9 * games_ < shares.total <= games_
    assert math.isclose(shares.fresh.total, games_ / 5, rel_tol=0.1)
    assert all(budget.games >= 1 for budget in shares)


@pytest.mark.parametrize("games_", [0, 9_999, 1_000_000_001, -5])
def test_a_budget_out_of_range_is_refused(games_):
    with pytest.raises(UsageError, match=r"must be 10000\.\.1000000000"):
        tuning.share_out(games_)


@pytest.mark.slow
def test_players_learn_a_twist_that_turns_the_game_over(overlay):
    """Where Work pays nothing an offset must gain, and what is written can be laid over the catalog."""
    catalog = load_catalog([overlay(MINT)])
    assert GAME.unfitted(catalog, ["the-mint"]) == ("the-mint",)
    plain = replace(catalog, policies=Policies(catalog.policies.entries, ()))
    found = GAME.tune(plain, ASCORA, "the-mint", [], 60_000, TUNING_SEEDS.start, 2, lambda _: None)
    assert found.gains
    [offset] = tomllib.loads(found.text)["offset"]
    assert offset["twist"] == "the-mint"
    assert offset["parameters"]
    learned = load_catalog([overlay(MINT), overlay(found.text, "offsets.toml")])
    assert GAME.unfitted(learned, ["the-mint"]) == ()


def test_the_exploiting_script_measures_on_published_seeds(checkout, tmp_path):
    """A tiny run of `scripts/exploit.py`: the same bytes for any number of threads, JSON beside Markdown."""
    command = [sys.executable, str(checkout / "scripts" / "exploit.py"), "--cells", "2:unions", "2"]
    command += ["--budget", "1000", "--deals", "300"]
    outs = []
    for jobs in ("1", "2"):
        file = tmp_path / f"{jobs}.json"
        done = subprocess.run(
            [*command, "--jobs", jobs, "--json", str(file)],
            cwd=tmp_path, capture_output=True, text=True, timeout=600,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        outs.append((done.stdout, file.read_bytes()))
    assert outs[0] == outs[1]
    assert outs[0][0].splitlines()[2].startswith("| 2 | unions | ")
    assert f'"seed": {PUBLISHED_SEED}' in outs[0][1].decode()
    assert sorted(path.name for path in Path(tmp_path).iterdir()) == ["1.json", "2.json"]


def test_the_exploiting_script_refuses_a_cell_that_is_none(checkout):
    script = str(checkout / "scripts" / "exploit.py")
    done = subprocess.run(
        [sys.executable, script, "--cells", "9"], capture_output=True, text=True, timeout=600
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "error: Nefarious is for 2 to 6 players, not 9\n"
