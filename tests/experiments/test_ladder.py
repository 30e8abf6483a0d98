"""A ladder: what is played, and what the figures say."""

import pytest

from balance.errors import UsageError
from balance.experiments import ladder


def asked(policies, games, variants=()):
    return ladder.request(game="tiny", players=3, policies=policies, games_per_match=games, variants=variants)


def figures(found, measure):
    return {(f.policy, f.against): f for f in found if f.measure == measure}


def test_every_ordered_pair_and_mixed_tables():
    plan = asked(["thrifty", "random", "thrifty"], 10, ["sample"])
    assert plan.policies == ("thrifty", "random")
    assert [(match.measured, match.against) for match in plan.matches] == [
        (("thrifty",), "random"), (("random",), "thrifty"), (("thrifty", "random"), "all")
    ]  # fmt: skip
    assert [match.lineup.text for match in plan.matches] == [
        "thrifty,random,random",
        "random,thrifty,thrifty",
        "all",
    ]
    # 10 games over 3 cells and 3 rotations: 2 deals each; 20 mixed games: 7 in each cell
    assert len(plan.cells) == 3
    assert [match.deals for match in plan.matches] == [2, 2, 7]
    assert plan.games == 3 * (2 * 2 * 3 + 7)


def test_one_policy_is_no_ladder():
    with pytest.raises(UsageError, match="needs two policies at least, not 1"):
        asked(["random", "random"], 10)


def test_figures_of_a_real_match():
    plan = asked(["random", "thrifty"], 900)
    found = plan.play(jobs=2).rungs
    assert [f.measure for f in found] == ["mixed", "mixed", "one", "one"]
    assert found[0].policy == "thrifty"  # the best first
    one = figures(found, "one")["thrifty", "random"]
    assert (one.games, one.stalled) == (900, 0)
    assert 1.5 < one.low < one.value < one.high < 2.5
    weak = figures(found, "one")["random", "thrifty"]
    assert weak.high < 0.6
    mixed = figures(found, "mixed")["thrifty", "all"]
    assert 1 < mixed.low < mixed.value < one.value
    assert found == plan.play(jobs=1).rungs


def test_the_games_are_reported_as_they_are_played():
    heard = []
    plan = asked(["random", "thrifty"], 200, ["sample"])
    plan.play(jobs=2, advance=heard.append)
    assert len(heard) > 3
    assert sum(heard) == plan.games
