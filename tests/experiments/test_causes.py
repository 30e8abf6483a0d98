"""Why a combination is broken: stalled games are opened, and the rule that does it is named."""

import pytest

import balance
from balance.experiments.causes import causes, explain
from balance.experiments.check import check
from balance.experiments.side_by_side import judge_runs
from balance.judge.thresholds import load_thresholds
from balance.judge.verdict import Verdict
from balance.sweep.simulation import prepare_extension, run_prepared

MOOD = """
[[mood]]
id = "endless"
name = "Endless"
editions = ["classic"]
goal_change = {goal}
run_change = {run}
round_coins = 1
"""
ONLY_LENGTH = "".join(
    f'[[threshold]]\nid = "{name}"\nremove = true\n'
    for name in ("length_ratio", "seat", "action", "win_points")
)


@pytest.fixture
def checked(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def found(goal, high=12.5, run=0):
        (tmp_path / "mood.toml").write_text(MOOD.format(goal=goal, run=run))
        length = f'[[threshold]]\nid = "length"\nlow = 1\nhigh = {high}\nreason = "Short."\n'
        (tmp_path / "ranges.toml").write_text(length + ONLY_LENGTH)
        return check(["endless"], game="tiny", players=2, catalog=["mood.toml"], thresholds=["ranges.toml"])

    return found


def test_the_rule_that_breaks_it_is_named_and_the_harmless_one_is_not(checked):
    found = checked(10)
    assert found.verdict is Verdict.BROKEN
    told = []
    why = causes(found, advance=told.append)
    assert told == ["endless"] * 3
    assert [(one.variant, one.rule, one.gone) for one in why.attributions] == [
        ("endless", "goal_change: +10.", True)
    ]
    assert (why.rules, why.deals, why.games) == (3, 400, 2400)
    (said,) = why.sentences()
    assert said.startswith('Without "goal_change: +10" (Endless) games last ')
    assert " rounds (median) instead of " in said
    assert [said] == list(causes(found, jobs=1).sentences())


def test_stalled_games_are_opened_and_the_share_of_each_cause_is_given(checked):
    why = causes(checked(30, high=39, run=-3))
    assert dict(why.stalls).keys() <= {"nobody gets to the goal", "the leaders are level"}
    assert why.opened == 100  # of more
    assert (
        next(why.sentences()) == "100% of the games that nobody wins (100 of 100): nobody gets to the goal."
    )


def test_a_run_that_goes_on_from_another_is_compared_on_its_own_deals(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mood.toml").write_text(MOOD.format(goal=10, run=0))
    options = {"game": "tiny", "players": 2, "catalog": ["mood.toml"], "variants": ["none", "endless"]}
    balance.simulate("first", games_per_cell=100, **options)
    later = run_prepared(prepare_extension("first", "later", games_per_cell=100)).run
    length = '[[threshold]]\nid = "length"\nlow = 1\nhigh = 12.5\nreason = "Short."\n'
    (tmp_path / "ranges.toml").write_text(length + ONLY_LENGTH)
    found = judge_runs([later], load_thresholds(later.game, ["ranges.toml"]))[0].find(2, ("endless",))
    broken = found.broken[0]
    cell = next(one for one in found.cells if one.cell.id == broken.cell.id)
    assert cell.cell.first == 100
    why = explain([later], cell, [broken], deals=50)
    assert (why.deals, why.games) == (50, 300)
    assert why.mended().startswith('Without "goal_change: +10" (Endless) ')


def test_what_is_fine_has_no_causes(checked):
    found = checked(1, high=39)
    assert found.verdict is not Verdict.BROKEN
    assert causes(found) is None
