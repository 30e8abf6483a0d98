"""A ladder: what is played, what the figures say, and figures that contradict a rating."""

from collections import Counter

import numpy as np
import pytest

from balance.analysis import ladder
from balance.analysis.arena import Outcome
from balance.analysis.winpoints import Tally, win_points
from balance.errors import UsageError
from tests.games.tiny import Tiny

TINY = Tiny()
CELLS = [TINY.compile(TINY.load_catalog(), "classic", 3)]


def figures(found, measure):
    return {(f.policy, f.against): f for f in found if f.measure == measure}


def test_every_ordered_pair_and_mixed_tables():
    plan = ladder.plan(TINY, ["thrifty", "random", "thrifty"], 3, CELLS * 2, 10)
    assert plan.policies == ("thrifty", "random")
    assert plan.pairs == (("thrifty", "random"), ("random", "thrifty"))
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
    found = plan.play(TINY, 20261116, jobs=2)
    assert [f.measure for f in found][:6] == ["rating", "rating", "mixed", "mixed", "one", "one"]
    assert found[0].policy == "thrifty"  # the best first
    one = figures(found, "one")["thrifty", "random"]
    assert (one.games, one.stalled) == (900, 0)
    assert 1.5 < one.low < one.value < one.high < 2.5
    assert one.fitted == pytest.approx(one.value, abs=0.2)
    weak = figures(found, "one")["random", "thrifty"]
    assert weak.high < 0.6
    mixed = figures(found, "mixed")["thrifty", "all"]
    assert 1 < mixed.low < mixed.value < one.value
    assert mixed.fitted == pytest.approx(mixed.value, abs=0.1)
    assert found == plan.play(TINY, 20261116, jobs=1)


def outcome(players, deals, won):
    """Deals of `players` rotations, in which each policy of `won` wins so many games in all."""
    company = tuple(sorted([*won][:1] + [*won][1:] * (players - 1)))
    wins = Counter({(deal % 20, company, name): n // 20 for name, n in won.items() for deal in range(20)})
    one, rest = won
    every_game = np.random.default_rng(1).permutation(np.arange(deals * players) < won[one])
    by_deal = every_game.reshape(deals, players).sum(1)
    tally = Tally.of(players, players * by_deal, np.full(deals, players))
    return Outcome(players, deals * players, 0, Counter(), {one: tally, rest: Tally(players)}, wins)


def ring(wins):
    """Three policies; each beats the next with `wins` of 2000 games of two."""
    names = ["paper", "rock", "scissors"]
    beats = [("paper", "rock"), ("rock", "scissors"), ("scissors", "paper")]
    ones = {pair: outcome(2, 1000, {pair[0]: wins, pair[1]: 2000 - wins}) for pair in beats}
    ones |= {(b, a): outcome(2, 1000, {b: 2000 - wins, a: wins}) for a, b in beats}
    return ladder.rate(names, 2, ones, Outcome(2))


def test_a_ring_is_told():
    found = ring(1400)
    assert [f.value for f in found if f.measure == "rating"] == pytest.approx([0, 0, 0], abs=0.01)
    (cycle,) = [f for f in found if f.measure == "cycle"]
    assert cycle.policy == "paper > rock > scissors > paper"
    assert cycle.value == pytest.approx(1.4)
    (misfit,) = [f for f in found if f.measure == "misfit"]
    assert misfit.fitted == 1
    assert misfit.value > 500
    worst = [f for f in found if f.measure == "worst fit"]
    assert len(worst) == 3
    assert [abs(f.value - f.fitted) for f in worst] == pytest.approx([0.4] * 3, abs=1e-3)


def test_no_ring_where_all_are_equal():
    found = ring(1000)
    assert not [f for f in found if f.measure in ("cycle", "worst fit")]
    assert [f.value for f in found if f.measure == "misfit"] == [pytest.approx(0, abs=1e-6)]


def test_a_ring_within_the_noise_is_none():
    """1020 of 2000: the interval reaches below 1.00."""
    assert win_points(outcome(2, 1000, {"paper": 1020, "rock": 980}).tally("paper")).low < 1
    assert not [f for f in ring(1020) if f.measure == "cycle"]
