"""A ladder: what is played, and what the figures say."""

import pytest

from balance.errors import UsageError
from balance.experiments import ladder
from tests.games.tiny import Tiny

TINY = Tiny()
CELLS = [TINY.compile(TINY.load_catalog(), "classic", 3)]


def figures(found, measure):
    return {(f.policy, f.against): f for f in found if f.measure == measure}


def test_every_ordered_pair_and_mixed_tables():
    plan = ladder.plan(TINY, ["thrifty", "random", "thrifty"], 3, CELLS * 2, 10)
    assert plan.policies == ("thrifty", "random")
    assert [(match.measured, match.against) for match in plan.matches] == [
        (("thrifty",), "random"), (("random",), "thrifty"), (("thrifty", "random"), "all")
    ]  # fmt: skip
    assert [match.lineup.text for match in plan.matches] == [
        "thrifty,random,random",
        "random,thrifty,thrifty",
        "all",
    ]
    # 10 games over 2 cells and 3 rotations: 2 deals each; 20 mixed games: 10 in each cell
    assert [match.deals for match in plan.matches] == [2, 2, 10]
    assert plan.games == 2 * 2 * 2 * 3 + 20


def test_one_policy_is_no_ladder():
    with pytest.raises(UsageError, match="needs two policies at least, not 1"):
        ladder.plan(TINY, ["random", "random"], 3, CELLS, 10)


def test_figures_of_a_real_match():
    plan = ladder.plan(TINY, ["random", "thrifty"], 3, CELLS, 900)
    found = plan.play(20261116, jobs=2)
    assert [f.measure for f in found] == ["mixed", "mixed", "one", "one"]
    assert found[0].policy == "thrifty"  # the best first
    one = figures(found, "one")["thrifty", "random"]
    assert (one.games, one.stalled) == (900, 0)
    assert 1.5 < one.low < one.value < one.high < 2.5
    weak = figures(found, "one")["random", "thrifty"]
    assert weak.high < 0.6
    mixed = figures(found, "mixed")["thrifty", "all"]
    assert 1 < mixed.low < mixed.value < one.value
    assert found == plan.play(20261116, jobs=1)


def test_the_games_are_reported_as_they_are_played():
    heard = []
    plan = ladder.plan(TINY, ["random", "thrifty"], 3, CELLS * 2, 200)
    plan.play(5, jobs=2, advance=heard.append)
    assert len(heard) > 3
    assert sum(heard) == plan.games
