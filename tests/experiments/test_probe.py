"""What others gain in the place of one default player: a bound that holds for all that were tried."""

import json
from dataclasses import asdict, replace

import pytest

from balance import games
from balance.dataset.stamp import stamp
from balance.experiments import check as checking
from balance.experiments.check import Scale, check
from balance.experiments.probe import Gain, probe
from balance.judge import quality
from balance.report.check_answer import check_answer
from balance.stats.ridge import fit


def asked(**options):
    game = games.get("tiny")
    given = {"players": 3, "edition": "classic", "seed": 5, "games": 600} | options
    return probe(game, game.load_catalog(), ("windy",), **given)


def test_a_better_player_gains_and_the_bound_is_below_the_estimate():
    found = asked()
    assert (found.usual, found.policy, found.tried, found.games) == ("random", "thrifty", 1, 600)
    assert 0 < found.low < found.value
    assert found == asked(jobs=1)


def test_the_bound_of_a_player_against_itself_is_below_zero(monkeypatch):
    """All rotations are played, so that a seat of the same play wins its fair share exactly."""
    game = games.get("tiny")
    alone = replace(game.facts, policies=("random", "thrifty"), default_lineup="mirror:thrifty")
    monkeypatch.setattr(type(game), "facts", alone)
    found = asked()
    assert (found.usual, found.policy) == ("thrifty", "random")
    assert found.low < found.value < 0
    assert found.words == "no better play found"


@pytest.mark.parametrize(
    ("low", "words"),
    [(-0.1, "no better play found"), (0.1, "better play gains a little"), (0.4, "better play gains much")],
)
def test_gains_in_words(low, words):
    gain = Gain(4, "learned", "search:10", 10, 0.5, low, 8000)
    assert gain.words == words
    assert str(gain) == (
        f"4 players, {words}: of 10 others in the place of one learned, search:10 does best, "
        f"+0.50 win points (at least {low:+.2f})"
    )


def test_a_check_carries_the_quality_of_its_play(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(checking, "STRENGTHS", {"normal": Scale(40, probed=50), "quick": Scale(40)})
    found = check(["windy"], game="tiny", strength="normal")
    assert [gain.players for gain in found.gains] == [2, 3]
    answer = check_answer(found)
    assert f"{found.gains[0]}." in json.dumps(answer.json()["sections"])
    assert [one["policy"] for one in answer.json()["gains"]] == ["thrifty", "thrifty"]
    assert check(["windy"], game="tiny").gains == ()


def test_every_policy_of_nefarious_is_tried_and_search():
    game = games.get("nefarious")
    assert set(game.facts.probes) == {"search:10"}
    found = probe(game, game.load_catalog(), (), players=2, edition="ascora-2011", seed=0, games=4)
    assert found.tried == len(game.facts.policies)  # all but the default player, and search


def test_a_probe_narrows_what_is_predicted_of_a_best_reply(monkeypatch, tmp_path):
    """The verdict rests on the prediction with the gain of the probe, not on that from the rules alone."""
    game = games.get("nefarious")
    rules = game.rule_features(game.load_catalog(), "ascora-2011", ["unions"])
    rows = [{"players": 2.0 + k % 5, **rules, "probe": k / 10} for k in range(12)]
    gains = [row["probe"] + 0.01 * (k % 3) for k, row in enumerate(rows)]
    blind = [{name: row[name] for name in row if name != "probe"} for row in rows]
    prediction = {"rules": asdict(fit(blind, gains)), "probe": asdict(fit(rows, gains))}
    document = {"stamp": stamp(game, game.load_catalog()), "cells": [], "prediction": prediction}
    (tmp_path / "replies.json").write_text(json.dumps(document))
    monkeypatch.setattr(quality, "shipped", lambda _game, file: tmp_path / file)
    monkeypatch.setattr(checking, "STRENGTHS", {"normal": Scale(40, probed=4), "quick": Scale(40)})
    monkeypatch.chdir(tmp_path)
    (quick,), (normal,) = (check(["unions"], players=2, strength=name).own for name in ("quick", "normal"))
    assert quick.quality.source == normal.quality.source == "predicted"
    assert normal.quality.high - normal.quality.low < (quick.quality.high - quick.quality.low) / 2
