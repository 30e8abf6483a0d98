"""The studies in `scripts/`: what they draw, compare and print; nothing here plays a study."""

import importlib.util
from types import SimpleNamespace

import pytest

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


def test_the_table_says_how_many_are_fine_and_found(script):
    rows = [
        {"change": "a", "planted": False, "verdict": "fine", "check_games": 1200, "held_by": None,
         "metric": "stalls", "margins": 0.1, "harmless": True},
        {"change": "b", "planted": False, "verdict": "undecided", "check_games": 1200, "held_by": "length",
         "metric": "length", "margins": 0.4, "harmless": True},
        {"change": "c", "planted": True, "verdict": "broken", "check_games": 400, "held_by": None},
    ]  # fmt: skip
    first, *_, b, c = script("study_harmless").table(rows)
    assert first == "1 of 2 harmless changes are fine; 1 of 1 planted are broken.\n"
    assert b == "| b | undecided | 1,200 | length | length | 0.40 | yes |"
    assert c == "| c | broken | 400 |  |  |  | planted |"


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


def finding(interval, *, upper=True, outside=False, kind=Class.BREAKS, bound=0.1):
    measured = SimpleNamespace(name="stalls", interval=Interval(*interval))
    low, high = (None, bound) if upper else (bound, None)
    threshold = Threshold("stalls", low, high, "test", class_low=kind, class_high=kind)
    return Finding(None, measured, threshold, upper, outside=outside)


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


def test_the_page_lists_agreement_by_class_and_every_disagreement(script):
    study = script("study_search")
    row = study.held([finding((0.05, 0.01, 0.09))], [finding((0.2, 0.15, 0.3))])[0]
    cell = {
        "players": 4,
        "variants": ["geeks", "unions"],
        "verdict": "fine",
        "agrees": False,
        "metrics": [row],
    }
    classes = {"broken": {"cells": 0, "agree": 0}, "fine": {"cells": 4, "agree": 3}}
    made = {"search": "search:30", "games": 2000, "classes": classes, "cells": [cell]}
    lines = study.page(made).splitlines()
    assert "| fine | 4 | 3 | 75% |" in lines
    assert "| geeks + unions | 4 | fine | stalls high 0.1 | 0.05 | 0.2 (0.15 to 0.3) |" in lines
    nowhere = study.page({**made, "cells": []})
    assert "They disagree nowhere." in nowhere
