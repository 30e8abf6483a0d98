"""The quality of play behind a verdict: where a best reply gains too much, nothing is called fine or bent."""

import json
from dataclasses import asdict

import numpy as np
import pytest

import balance
from balance.dataset.stamp import run_stamp
from balance.errors import DataError
from balance.judge.bench import Bench
from balance.judge.quality import (
    NOTHING_KNOWN,
    Probed,
    Qualities,
    Quality,
    features_of,
    load_qualities,
    quality_sentence,
)
from balance.judge.sentences import open_sentence, quality_overview
from balance.judge.verdict import Verdict, judge
from balance.report.records import verdict_record
from balance.stats.ridge import fit
from tests.judge.synthetic import accept, bernoulli, book, cell

STALLS = accept(stalls=(None, 0.1))
GOOD, POOR = Quality(0.05, 0.01, 0.1, "measured"), Quality(0.25, 0.1, 0.4, "measured")


SUMMED = book(cell(0, {"stalls": bernoulli(20, 1000)}))


def judged(stalls, quality, thresholds=STALLS):
    summed = book(cell(0, {"stalls": bernoulli(round(1000 * stalls), 1000)}))
    known = {} if quality is None else {(4, ("unions",)): quality}
    (found,) = judge(summed, thresholds, bench=Bench(summed, Qualities(known))).judgements
    return found


@pytest.mark.parametrize(
    ("stalls", "quality", "verdict"),
    [(0.02, None, "fine"), (0.02, GOOD, "fine"), (0.02, POOR, "undecided"), (0.4, POOR, "broken"),
     (0.1, POOR, "undecided")],
)  # fmt: skip
def test_poor_play_forbids_fine_and_hides_no_fault(stalls, quality, verdict):
    found = judged(stalls, quality)
    assert (found.verdict, found.quality) == (verdict, quality)
    record = verdict_record(found, lambda _: "")
    assert (record["reply_gain"], record["reply_source"]) == (
        (None, None) if quality is None else (quality.gain, "measured")
    )
    assert record["quality"] == quality_sentence(quality) == quality_overview([found])


def test_the_reason_is_said():
    found = judged(0.02, POOR)
    said = "A best reply may gain up to 0.40 here: the play behind this is not good enough."
    assert open_sentence(found, lambda _: "") == said
    assert (found.open, found.blocked, found.limited_by_play) == ([], True, True)
    assert not judged(0.1, POOR).limited_by_play  # more games would show more
    assert judged(0.02, None).verdict is Verdict.FINE
    assert quality_sentence(None) == "How much a best reply gains here was not measured."


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return balance.simulate(
        tmp_path_factory.mktemp("quality") / "run", players=4, variants=["none", "unions"], games_per_cell=2
    )


def written(path, run, cells, **more):
    file = path / "replies.json"
    document = {"stamp": run_stamp(run.game, run.plan), "cells": cells, **more}
    file.write_text(json.dumps(document))
    return file


CELL = {
    "twists": ["unions"],
    "players": 4,
    "gain": 0.05,
    "low": 0.0,
    "high": 0.1,
    "trained": 1000,
    "start": "learned",
}


def loaded(run, file, probed=None):
    return load_qualities([run], probed, file)


def test_what_ships_is_read_by_players_and_variants(run, tmp_path):
    known = loaded(run, written(tmp_path, run, [CELL]))
    assert known.of((4, ("unions",))) == Quality(0.05, 0.0, 0.1, "measured")
    assert known.of((5, ("unions",))) is None


@pytest.fixture(scope="module")
def prediction(run):
    """Gains that grow with the number of players; a probe finds half of what is above that."""
    rng = np.random.default_rng(1)
    twists = run.game.variants(run.catalog, run.plan.edition)
    cells = [(int(players), (str(twist),)) for twist in twists for players in rng.integers(2, 7, 2)]
    rows, gains = [features_of(run, cell) for cell in cells], []
    for row in rows:
        extra = float(rng.exponential(0.1))
        gains.append(0.02 * row["players"] + extra)
        row["probe"] = extra / 2
    without = [{name: row[name] for name in row if name != "probe"} for row in rows]
    return {"rules": asdict(fit(without, gains)), "probe": asdict(fit(rows, gains))}


def test_what_was_not_measured_is_predicted_from_players_rules_and_a_probe(run, tmp_path, prediction):
    file = written(tmp_path, run, [CELL], prediction=prediction)
    own, other = (4, ("unions",)), (4, ("geeks",))
    known = loaded(run, file)
    assert known.of(own).source == "measured"
    blind = known.of(other)
    assert blind.source == "predicted"
    assert blind.low <= 0.08 <= blind.high
    assert blind.low >= 0  # a best reply can always play as the others do
    assert known.of((6, ("geeks",))).gain > blind.gain
    seen = loaded(run, file, {other: Probed(0.0, -0.1)}).of(other)
    assert seen.gain == pytest.approx(0.08, abs=0.03)
    assert seen.high - seen.low < (blind.high - blind.low) / 2
    better = loaded(run, file, {other: Probed(0.2, 0.1)}).of(other)
    assert better.gain == pytest.approx(0.48, abs=0.05)
    assert better.poor
    # what others have surely gained is gained, whatever was predicted
    assert loaded(run, file, {other: Probed(0.0, 0.5)}).of(other) == Quality(0.5, 0.5, 0.5, "predicted")


def test_a_prediction_holds_for_other_catalogs_and_editions_but_no_measurement(run, tmp_path, prediction):
    file = written(tmp_path, run, [CELL], prediction=prediction)
    file.write_text(file.read_text().replace(run_stamp(run.game, run.plan)["catalog"], "another"))
    assert loaded(run, file).of((4, ("unions",))).source == "predicted"
    other = balance.simulate(
        tmp_path / "run", edition="mosigra-2020", players=4, games_per_cell=2, variants="none"
    )
    assert loaded(other, written(tmp_path, other, [CELL])).of((4, ("unions",))) is None


def test_no_file_and_a_stale_one_leave_it_unknown(run, tmp_path):
    assert loaded(run, tmp_path / "nowhere.json") == NOTHING_KNOWN
    stale = written(tmp_path, run, [CELL])
    stale.write_text(stale.read_text().replace(run_stamp(run.game, run.plan)["play"], "another"))
    assert loaded(run, stale) == NOTHING_KNOWN


@pytest.mark.parametrize(
    ("low", "verdict", "said"),
    [
        (0.31, "undecided", "gains at least 0.31 win points here: the play behind this is not good enough."),
        (0.29, "fine", "gains at least 0.29 win points here; how much more is not known."),
        (-0.1, "fine", "A probe found no better play here"),
    ],
)
def test_a_probe_alone_shows_that_play_is_not_good_enough(run, tmp_path, low, verdict, said):
    key = (4, ("unions",))
    known = loaded(run, tmp_path / "nowhere.json", {key: Probed(0.5, low)})
    (found,) = judge(SUMMED, STALLS, bench=Bench(SUMMED, known)).judgements
    assert found.verdict == verdict
    assert said in quality_overview([found])
    assert verdict_record(found, lambda _: "")["reply_high"] is None  # nothing shows how much at most


def test_a_probe_that_gains_more_than_a_trained_reply_counts(run, tmp_path):
    key = (4, ("unions",))
    known = loaded(run, written(tmp_path, run, [CELL]), {key: Probed(0.5, 0.2)})
    assert (known.of(key).source, known.of(key).low) == ("probed", 0.2)
    assert loaded(run, written(tmp_path, run, [CELL]), {key: Probed(0.1, 0.05)}).of(key).source == "measured"


@pytest.mark.parametrize("name", ["play", "policies"])
def test_predictions_are_about_the_players_that_were_measured(run, tmp_path, prediction, name):
    stale = written(tmp_path, run, [], prediction=prediction)
    stale.write_text(stale.read_text().replace(run_stamp(run.game, run.plan)[name], "another"))
    assert loaded(run, stale) == NOTHING_KNOWN


@pytest.mark.parametrize("cells", [[{**CELL, "gain": "much"}], [{"players": 4}], 3])
def test_a_file_that_does_not_fit_is_named(run, tmp_path, cells):
    with pytest.raises(DataError, match=r"replies\.json: not gains of best replies"):
        loaded(run, written(tmp_path, run, cells))


def test_a_prediction_that_does_not_fit_is_named(run, tmp_path):
    with pytest.raises(DataError, match=r"replies\.json: not gains of best replies"):
        loaded(run, written(tmp_path, run, [], prediction={"gain": 0.1}))
