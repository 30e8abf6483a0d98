"""The quality of play behind a verdict: where a best reply gains too much, nothing is called fine or bent."""

import json

import pytest

import balance
from balance.dataset.stamp import run_stamp
from balance.errors import DataError
from balance.judge.bench import Bench
from balance.judge.quality import NOTHING_KNOWN, Qualities, Quality, load_qualities, quality_sentence
from balance.judge.sentences import open_sentence, quality_overview
from balance.judge.verdict import Verdict, judge
from balance.report.records import verdict_record
from tests.judge.synthetic import accept, bernoulli, book, cell

STALLS = accept(stalls=(None, 0.1))
GOOD, POOR = Quality(0.05, 0.01, 0.1, "measured"), Quality(0.25, 0.1, 0.4, "measured")


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
    assert (found.open, found.blocked) == ([], True)
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


def test_what_ships_is_read_by_players_and_variants(run, tmp_path):
    better = {**CELL, "gain": 0.2, "high": 0.25, "start": "nothing"}
    known = load_qualities([run], written(tmp_path, run, [better, CELL]))
    assert known.of((4, ("unions",))) == Quality(0.2, 0.0, 0.25, "measured")
    assert known.of((5, ("unions",))) is None
    predicted = written(tmp_path, run, [CELL], prediction={"gain": 0.1, "low": 0.0, "high": 0.35})
    assert load_qualities([run], predicted).of((5, ("unions",))) == Quality(0.1, 0.0, 0.35, "predicted")


def test_no_file_and_a_stale_one_leave_it_unknown(run, tmp_path):
    assert load_qualities([run], tmp_path / "nowhere.json") is NOTHING_KNOWN
    stale = written(tmp_path, run, [CELL])
    stale.write_text(stale.read_text().replace(run_stamp(run.game, run.plan)["play"], "another"))
    assert load_qualities([run], stale) is NOTHING_KNOWN


@pytest.mark.parametrize("cells", [[{**CELL, "gain": "much"}], [{"players": 4}], 3])
def test_a_file_that_does_not_fit_is_named(run, tmp_path, cells):
    with pytest.raises(DataError, match=r"replies\.json: not gains of best replies"):
        load_qualities([run], written(tmp_path, run, cells))
