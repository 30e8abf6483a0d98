"""The studies in `scripts/`: what they draw, compare and print; nothing here plays a study."""

import importlib.util
import json
from argparse import Namespace
from types import SimpleNamespace

import pytest

from balance import games
from balance.experiments.published import measured_agreement
from balance.judge.findings import Finding
from balance.judge.thresholds import Class, Threshold
from balance.judge.verdict import Verdict
from balance.stats.intervals import Interval


@pytest.fixture
def script(checkout):
    def load(name):
        spec = importlib.util.spec_from_file_location(name, checkout / f"scripts/{name}.py")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    return load


# --- harmless changes


def test_every_parameter_and_every_moment_is_changed_and_the_catalog_takes_it(script, tmp_path):
    harmless = script("study_harmless")
    wanted = harmless.changes()
    assert {"work_money-up", "work_money-down", "start", "score"} <= wanted.keys()
    assert "cost_divisor-down" not in wanted  # it is as low as it can be
    assert len(wanted) == 2 * 16 - 4 + 9
    file = tmp_path / "changes.toml"
    file.write_text(harmless.overlay(wanted, "ascora-2011"), encoding="utf-8")
    game = harmless.games.get("nefarious")
    known = set(game.variants(game.load_catalog([file]), "ascora-2011"))
    assert {harmless._id(name) for name in wanted} <= known


@pytest.mark.parametrize(
    ("value", "base", "bound", "expected"),
    [(0.2, 0.1, 0.3, 0.5), (0.0, 0.1, 0.3, 0.0), (3, 14, 5, 11 / 9), (1.0, 1.0, 1.0, 0.0)],
)
def test_a_metric_moves_by_margins_towards_the_end_of_its_range(script, value, base, bound, expected):
    assert script("study_harmless").margins(value, base, bound) == pytest.approx(expected)


def harmless_study(**more):
    rows = [
        {"change": "a", "planted": False, "verdict": "fine", "check_games": 1200, "held_by": None,
         "metric": "stalls", "margins": 0.1, "harmless": True},
        {"change": "b", "planted": False, "verdict": "undecided", "check_games": 1200, "held_by": "length",
         "metric": "length", "margins": 0.4, "harmless": True},
        {"change": "c", "planted": True, "verdict": "broken", "check_games": 400, "held_by": None},
    ]  # fmt: skip
    printed = [{"edition": "first", "players": players, "verdict": "fine"} for players in (2, 3)]
    return {"players": 4, "games": 50_000, "changes": rows, "printed": printed} | more


def test_the_page_says_how_many_are_fine_and_found(script):
    lines = list(script("study_harmless").page(harmless_study()))
    assert "1 of 2 harmless changes are fine; 1 of 1 planted faults are broken.\n" in lines
    assert "| b | undecided | 1,200 | length | length | 0.40 | yes |" in lines
    assert "| c | broken | 400 |  |  |  | planted |" in lines
    assert lines[-3:] == ["| edition | 2 players | 3 players |", "|---|---|---|", "| first | fine | fine |"]


def test_promises_are_kept_if_nine_of_ten_are_fine_and_no_fault_is_missed(script):
    kept = script("study_harmless").kept_promises
    fine, open_, planted = harmless_study()["changes"]
    bent = [{"edition": "first", "players": 2, "verdict": "bent"}]
    assert kept(harmless_study(changes=[*[fine] * 9, open_, planted]))
    assert not kept(harmless_study(changes=[*[fine] * 8, open_, planted]))
    assert not kept(harmless_study(changes=[*[fine] * 9, {**planted, "verdict": "undecided"}]))
    assert not kept(harmless_study(changes=[fine], printed=bent))


def test_a_study_that_was_stopped_resumes_and_another_player_begins_anew(script, tmp_path, monkeypatch):
    harmless = script("study_harmless")
    asked = Namespace(players=4, games=100, kept=tmp_path, jobs=1)
    study = harmless.Study(asked, ["start", "end"])
    (study.verdicts / "start.json").write_text('{"verdict": "kept"}')
    again = harmless.Study(asked, ["start", "end"])
    assert again.verdict("start") == {"verdict": "kept"}
    assert "study-end" in again.catalog.read_text()
    monkeypatch.setattr(harmless, "load_thresholds", lambda _: "others")
    other = harmless.Study(asked, ["start", "end"])
    assert other.place == study.place  # the games still hold
    assert other.verdicts != study.verdicts
    monkeypatch.setattr(harmless, "stamp", lambda *_: {"policies": "another"})
    assert harmless.Study(asked, ["start", "end"]).place != study.place


# --- agreement with search


def judgement(verdict, number):
    return SimpleNamespace(verdict=verdict, key=(4, (f"v{number:02}",)))


def test_as_many_of_each_verdict_are_drawn_and_of_a_rare_one_all(script):
    drawn = script("study_search").drawn
    sizes = {Verdict.BROKEN: 2, Verdict.UNDECIDED: 9, Verdict.BENT: 30, Verdict.FINE: 40}
    every = [judgement(verdict, k) for verdict, n in sizes.items() for k in range(n)]
    found = drawn(every, 12)
    count = {verdict: sum(j.verdict is verdict for j in found) for verdict in sizes}
    assert count == {Verdict.BROKEN: 2, Verdict.UNDECIDED: 0, Verdict.BENT: 5, Verdict.FINE: 5}
    assert drawn(every, 12) == found
    assert drawn(every, 12, seed=1) != found


def finding(interval, *, upper=True, kind=Class.BREAKS, bound=0.1, **more):
    measured = SimpleNamespace(name="stalls", interval=Interval(*interval))
    low, high = (None, bound) if upper else (bound, None)
    threshold = Threshold("stalls", low, high, "test", class_low=kind, class_high=kind)
    return Finding(None, measured, threshold, upper, **more)


@pytest.mark.parametrize(
    ("interval", "upper", "expected"),
    [
        ((0.2, 0.15, 0.3), True, "outside"),
        ((0.05, 0.01, 0.09), True, "inside"),
        ((0.1, 0.05, 0.2), True, "open"),
        ((0.05, 0.01, 0.09), False, "outside"),
        ((0.2, 0.15, 0.3), False, "inside"),
    ],
)
def test_an_interval_is_outside_inside_or_open(script, interval, upper, expected):
    assert script("study_search").side(finding(interval, upper=upper)) == expected


def test_only_a_breaking_metric_on_the_other_side_disagrees(script):
    study = script("study_search")
    broken, fine, open_ = (0.2, 0.15, 0.3), (0.05, 0.01, 0.09), (0.1, 0.05, 0.2)

    def disagrees(own, other, **more):
        return [row["disagrees"] for row in study.held([finding(own, **more)], [finding(other)])]

    assert disagrees(broken, fine, outside=True) == [True]
    assert disagrees(fine, broken) == [True]
    assert disagrees(broken, open_, outside=True) == [False]
    assert disagrees(open_, broken) == [False]
    assert disagrees(fine, broken, kind=Class.BENDS) == []
    assert disagrees(fine, broken, pooled=True) == []  # it holds up no verdict
    assert disagrees(broken, fine, pooled=True, outside=True) == [True]


def test_a_cell_that_search_leaves_open_is_not_counted(script):
    agrees = script("study_search").agrees

    def rows(*sides):
        return [{"sides": list(pair), "disagrees": set(pair) == {"inside", "outside"}} for pair in sides]

    clear, open_ = ("inside", "inside"), ("inside", "open")
    assert agrees(Verdict.FINE, rows(clear, ("open", "inside"))) is True
    assert agrees(Verdict.BENT, rows(clear, open_)) is None
    assert agrees(Verdict.FINE, rows(open_, ("inside", "outside"))) is False
    assert agrees(Verdict.BROKEN, rows(clear, ("outside", "outside"))) is True
    assert agrees(Verdict.BROKEN, rows(clear, ("outside", "open"))) is None
    assert agrees(Verdict.FINE, []) is None


def test_the_page_and_the_report_give_agreement_by_class_and_every_disagreement(script, tmp_path):
    study = script("study_search")
    row = study.held([finding((0.05, 0.01, 0.09))], [finding((0.2, 0.15, 0.3))])[0]
    cell = {
        "players": 4,
        "variants": ["geeks", "unions"],
        "verdict": "fine",
        "agrees": False,
        "disagreements": [row],
    }
    classes = {
        "broken": {"drawn": 2, "decided": 0, "agree": 0},
        "fine": {"drawn": 5, "decided": 4, "agree": 3},
    }
    made = {"search": "search:30", "games": 2000, "classes": classes, "cells": [cell]}
    lines = study.page(made).splitlines()
    assert "| fine | 5 | 4 | 3 | 75% |" in lines
    assert "| geeks + unions | 4 | fine | stalls high 0.1 | 0.05 | 0.2 (0.15 to 0.3) |" in lines
    nowhere = study.page({**made, "cells": []})
    assert "They disagree nowhere." in nowhere
    file = tmp_path / "agreement.json"
    file.write_text(json.dumps({**made, "game": "nefarious", "seed": 0, "stamp": {}}))
    assert str(measured_agreement(games.get("nefarious"), file)) == (
        "Verdicts drawn by chance were played again by search:30, 2,000 games each: it confirms 3 of the 4 "
        "that its games decide (3 of 4 fine)."
    )
