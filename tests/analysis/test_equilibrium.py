"""Styles that survive: payoffs and equilibria of games whose answer is known."""

import math

import numpy as np
import pytest

from balance.analysis.equilibrium import companies, diversity, equilibria, payoffs, surviving
from balance.errors import UsageError


def duel(table, games=10_000):
    """Return the counts of two-player games in which x beats y with the chance table[x, y]."""
    names = sorted({name for pair in table for name in pair})
    counts = {}
    for k, x in enumerate(names):
        for y in names[k:]:
            if x == y:
                counts[(x, x), x] = games
            else:
                counts[(x, y), x] = round(games * table[x, y])
                counts[(x, y), y] = games - counts[(x, y), x]
    return counts


RING = {("p", "r"): 0.8, ("p", "s"): 0.2, ("r", "s"): 0.8}


def test_for_two_players_the_payoffs_are_the_table():
    found = payoffs(duel(RING), "prs")
    assert found == pytest.approx(np.array([[1, 1.6, 0.4], [0.4, 1, 1.6], [1.6, 0.4, 1]]), abs=1e-5)


def test_a_ring_keeps_three_styles_alive():
    found = diversity(duel(RING), resamples=50)
    assert found.mix == pytest.approx([1 / 3] * 3, abs=1e-4)
    assert found.styles.interval.value == pytest.approx(3, abs=1e-4)
    assert found.survives == (1, 1, 1)
    assert found.styles.interval.low > 2.9


def test_who_beats_everybody_is_alone_in_the_end():
    found = diversity(duel({("a", "b"): 0.7, ("a", "c"): 0.6, ("b", "c"): 0.5}), resamples=50)
    assert found.mix == pytest.approx([1, 0, 0])
    assert found.styles.interval == pytest.approx((1, 1, 1))
    assert found.survives == (1, 0, 0)


def test_few_games_are_told_from_many():
    few = diversity(duel(RING, games=20), resamples=100)
    assert few.styles.interval.high - few.styles.interval.low > 0.02
    assert few.styles.n == 120


def test_three_players_whose_payoffs_add_up_are_recovered():
    """Win points of i are the mean over both opponents of A[i, j]; those of a table sum to 3."""
    table = np.array([[1.0, 1.4], [0.6, 1.0]])
    counts = {}
    for company in [("x", "x", "x"), ("x", "x", "y"), ("x", "y", "y"), ("y", "y", "y")]:
        points = []
        for seat, name in enumerate(company):
            others = [other for k, other in enumerate(company) if k != seat]
            points.append(np.mean([table["xy".index(name), "xy".index(other)] for other in others]))
        assert sum(points) == pytest.approx(3)
        for name in "xy":
            own = sum(p for p, who in zip(points, company, strict=True) if who == name)
            counts[company, name] = round(1_000_000 * own / 3)
    assert payoffs(counts, "xy") == pytest.approx(table, abs=1e-5)


def test_both_pure_and_mixed_equilibria_are_found():
    """Two that do best among their own kind: both pure mixes and the one between."""
    found = equilibria(np.array([[2.0, 0.0], [0.0, 1.0]]))
    assert sorted(tuple(mix.round(6)) for mix in found) == [
        (0, 1),
        (pytest.approx(1 / 3), pytest.approx(2 / 3)),
        (1, 0),
    ]


def test_one_policy_alone_says_nothing():
    with pytest.raises(UsageError, match="different policies"):
        diversity({(("a", "a"), "a"): 5})


def test_companies_of_a_run(tiny_runs, tiny_statistics):
    cell = tiny_statistics.find(3, ("windy",), "field")
    counts = companies(tiny_runs, [cell.id])
    assert sum(counts.values()) == cell.games
    thrifty = sum(
        count * (company.count("thrifty") if winner is None else 3 * (winner == "thrifty"))
        for (company, winner), count in counts.items()
    )
    assert thrifty == cell.sums["policy:thrifty"].num
    assert math.isfinite(diversity(counts, resamples=20).styles.interval.value)


def test_a_pair_with_too_few_games_is_looked_at_twist_by_twist(tiny_runs, monkeypatch):
    cells = [c for run in tiny_runs for c in run.plan.cells if c.players == 3 and c.variants]
    pair = max((c.variants for c in cells), key=len)
    monkeypatch.setattr("balance.analysis.equilibrium.FEWEST_GAMES", 10**9)
    assert surviving(tiny_runs, pair, 3) == []
    monkeypatch.setattr("balance.analysis.equilibrium.FEWEST_GAMES", 1)
    assert [one.variants for one in surviving(tiny_runs, pair, 3)] == [tuple(sorted(pair))]
    assert [one.variants for one in surviving(tiny_runs, ("nothing", *pair), 3)] == [(name,) for name in pair]
