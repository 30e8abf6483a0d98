"""Training by self-play, on a race that is learned in seconds."""

import json
from dataclasses import replace

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from balance.errors import DataError  # noqa: E402
from balance.games.compiled.notes import weights_note  # noqa: E402
from balance.games.compiled.recorder import Recorder  # noqa: E402
from balance.games.compiled.weights import fold, parse_weights  # noqa: E402
from balance.learning.model import PolicyNetwork  # noqa: E402
from balance.learning.ppo import chosen_chances  # noqa: E402
from balance.learning.progress import has_plateaued  # noqa: E402
from balance.learning.recording import advantages, gather  # noqa: E402
from balance.learning.replies import feed_reply  # noqa: E402
from balance.learning.settings import RECIPE, Settings, Stage  # noqa: E402
from balance.learning.training import Training  # noqa: E402
from tests.learning.race import LAYOUT, LEARNER, Race  # noqa: E402

STAGES = (Stage(6_000, (5e-3, 1e-4), (0.03, 0.006), (0.3, 0.0)),)
SMALL = Settings(STAGES, seed=3, threads=1, cells=6, games=40, minibatch=512)


@pytest.mark.slow
def test_a_learned_player_beats_random_play(tmp_path):
    training = Training(Race(), tmp_path, SMALL)
    assert Race().evaluate(training.fitter.policy.weights(), 9)["won"] < 0.65
    for _ in range(20):
        training.step()
    assert Race().evaluate(training.fitter.policy.weights(), 9)["won"] > 0.8


def test_training_twice_from_one_seed_is_the_same(tmp_path):
    logs = []
    for name in ("a", "b"):
        training = Training(Race(), tmp_path / name, SMALL)
        logs.append([training.step() for _ in range(3)])
        for entry in logs[-1]:
            del entry["seconds"], entry["play_seconds"]
    assert logs[0] == logs[1]


def test_training_goes_on_where_it_stopped(tmp_path):
    whole = Training(Race(), tmp_path / "whole", SMALL)
    for _ in range(4):
        whole.step()
    begun = Training(Race(), tmp_path / "parts", SMALL)
    for _ in range(2):
        begun.step()
    begun.save()
    resumed = Training(Race(), tmp_path / "parts", SMALL)
    assert resumed.iteration == 2
    for _ in range(2):
        resumed.step()
    for name, array in whole.fitter.policy.weights().items():
        np.testing.assert_allclose(resumed.fitter.policy.weights()[name], array, atol=1e-6)
    assert [json.loads(line)["iteration"] for line in (tmp_path / "parts/log.jsonl").open()] == [1, 2, 3, 4]
    assert parse_weights((tmp_path / "parts/weights.npz").read_bytes(), "file", Race().stamp())


@pytest.mark.slow
def test_the_learner_meets_the_best_replies_that_were_found(tmp_path):
    settings = replace(SMALL, reply_games=3_000)
    training = Training(Race(), tmp_path, settings)
    training.step()  # hardly better than random play
    reply = feed_reply(training)
    assert reply.low > 0
    ((place, weights),) = training.replies.items()
    assert training.gains.ravel()[place] == reply.gain
    drawn = training.draw(4_000, np.random.default_rng(1)).count(place)
    training.gains[:] = 0.0
    assert drawn > 1.2 * training.draw(4_000, np.random.default_rng(1)).count(place)
    played = []
    at_table = Race.player(training.game)

    class Watching:
        def outcomes(self, cell, seed, indices, policies, recorder=None):
            played.append((policies, cell.networks))
            return at_table.outcomes(cell, seed, indices, policies, recorder)

    training._players = [Watching()]
    training.draw = lambda count, rng: [place] * count
    training.step()
    other = training.game.past[0]
    strangers = np.concatenate([policies for policies, _ in played]) == other
    assert 0.3 < (strangers.sum(axis=1) == 1).mean() < 0.7
    folded = fold(weights, training.cell(place, np.random.default_rng(1)).features)
    assert all((networks[other] == folded).all() for _, networks in played)
    training.save()
    resumed = Training(Race(), tmp_path, settings)
    assert list(resumed.replies) == [place]
    np.testing.assert_array_equal(resumed.gains, training.gains)
    assert "reply_gain" in (tmp_path / "log.jsonl").read_text()


def test_a_damaged_checkpoint(tmp_path):
    training = Training(Race(), tmp_path, SMALL)
    training.step()
    training.save()
    whole = (tmp_path / "checkpoint.npz").read_bytes()
    for damaged in (b"", b"PK\3\4 and nothing else", whole[:1000], whole[: len(whole) // 2] + whole[-3000:]):
        (tmp_path / "checkpoint.npz").write_bytes(damaged)
        with pytest.raises(DataError, match=r"checkpoint\.npz is damaged"):
            Training(Race(), tmp_path, SMALL)


def test_recorded_chances_are_those_of_the_model():
    torch.manual_seed(1)
    model = PolicyNetwork(LAYOUT)
    race, recorder = Race(), Recorder(LAYOUT, 1000, 3000)
    recorder.begin((LEARNER,))
    cell = race.cell(("odd",), 2, None)
    cell.networks[LEARNER] = fold(model.weights(), cell.features)
    seats = np.full((20, 2), LEARNER)
    winners, _, _ = race.outcomes(cell, 5, np.arange(20), seats, recorder)
    rewards = np.where(winners[:, None] == np.arange(2), 1.0, -1.0)
    part = gather(recorder, np.zeros(20, np.int64), cell.features[None], rewards)
    rows = np.arange(part.cell.size)
    with torch.no_grad():
        seen = (torch.from_numpy(array) for array in (part.rules, part.cell, part.situations))
        found, _ = chosen_chances(model, part, rows, *seen)
    np.testing.assert_allclose(found.numpy(), np.log(part.chances), atol=1e-5)


def test_advantages_of_a_game_of_three_decisions():
    values = np.array([0.5, 0.0, 0.25, 9.0], np.float32)
    rewards = np.array([1, 1, 1, 10], np.float32)
    following = np.array([1, 2, -1, -1])
    gains, returns = advantages(values, rewards, following, 0.5)
    # errors: 0 - 0.5, 0.25 - 0, 1 - 0.25; each adds half of what follows
    np.testing.assert_allclose(gains, [-0.5 + 0.5 * 0.625, 0.25 + 0.5 * 0.75, 0.75, 1.0])
    np.testing.assert_allclose(returns, gains + values)


def test_the_stages_follow_each_other_by_games_played():
    settings = Settings()
    assert settings.stage(0) == (RECIPE[0], 0.0)
    assert settings.stage(RECIPE[0].until) == (RECIPE[1], 0.0)
    assert settings.stage(RECIPE[-1].until - 1)[0] == RECIPE[-1]
    assert settings.stage(10 * RECIPE[-1].until) == (RECIPE[-1], 1.0)


def test_weights_remember_the_stages_and_are_a_mean(tmp_path):
    training = Training(Race(), tmp_path, replace(SMALL, snapshot_every=1))
    for _ in range(2):
        training.step()
    training.save()
    note = weights_note((tmp_path / "weights.npz").read_bytes())["training"]
    assert note["settings"]["stages"][0]["until"] == 6_000
    assert note["averaged"] == 2
    first, last = (snapshot["out"] for snapshot in training.snapshots)
    np.testing.assert_allclose(
        parse_weights((tmp_path / "weights.npz").read_bytes(), "file", Race().stamp())["out"],
        (first + 2 * last) / 3,
        atol=1e-6,
    )


def test_training_does_not_stop_while_it_gains():
    """Evaluations go up by a tenth of their noise; now and then a stretch of them looks level."""
    noise = np.random.default_rng(1).standard_normal((50, 60))
    stopped = 0
    for row in 1.9 + 0.004 * np.arange(60) + 0.04 * noise:
        entries = [{"games": n, "pairs": value} for n, value in enumerate(row)]
        stopped += any(has_plateaued(entries[:n], "pairs") for n in range(len(entries) + 1))
    assert stopped <= 5
    level = [{"games": n, "pairs": value} for n, value in enumerate(1.9 + 0.04 * noise[:, 0])]
    assert has_plateaued(level, "pairs")
    assert not has_plateaued(level, "pairs", since=40)


def test_what_is_held_out_is_never_met(tmp_path):
    training = Training(Race().without([("odd",)]), tmp_path, SMALL)
    assert training.game.combinations == (("none",), ("even",))
    assert training.step()["games"] == SMALL.cells * SMALL.games


def test_places_that_go_badly_or_stall_are_kept_in_mind():
    training = Training(Race(), None, SMALL)
    results = [(0, 0.2, 9.0, 0.0), (1, 1.8, 9.0, 0.0), (2, -1.0, 9.0, 0.5)]  # -1: nobody but learners there
    training._keep_standing(results)
    standing, stalling = training.standing.ravel(), training.stalling.ravel()
    assert standing[0] < 1.0 < standing[1]
    assert standing[2] == 1.0
    assert stalling.tolist() == [0.0, 0.0, 0.15 * 0.5]
