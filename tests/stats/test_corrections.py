"""Corrections: against numbers worked out by hand, and against the promise that they make."""

import numpy as np
import pytest

from balance.stats.corrections import Look, benjamini_yekutieli, enough, harmonic, one_sided
from balance.stats.intervals import adjusted


def test_the_harmonic_number_is_the_sum_also_where_it_is_approximated():
    assert harmonic(1) == 1
    assert harmonic(2000) == pytest.approx(sum(1 / k for k in range(1, 2001)), rel=1e-14)


def test_by_hand():
    """Four tests: 1 + 1/2 + 1/3 + 1/4 = 25/12; p * 4 / rank * 25/12, the least from above."""
    found = benjamini_yekutieli([0.001, 0.02, 0.01, 0.9])
    assert found == pytest.approx([0.001 * 4 * 25 / 12, 0.02 * 4 / 3 * 25 / 12, 0.01 * 2 * 25 / 12, 1.0])
    assert benjamini_yekutieli([]) == []


def test_one_sided_tests_by_hand():
    """Of five tests three are kept, beside a settled one: p / 0.8 * 4 / rank, the least from above."""
    p_values = [0.9, 0.01, 0.02, 0.99, 0.5]
    found = one_sided(p_values, settled=1)
    assert found == pytest.approx([1.0, 0.01 / 0.8 * 4 / 1, 0.02 / 0.8 * 4 / 2, 1.0, 0.5 / 0.8 * 4 / 3])
    assert one_sided([]) == []
    for rate in (0.04, 0.05, 0.2):  # what is enough is exactly what is found
        level = enough(rate, p_values, settled=1)
        assert [p <= level for p in p_values] == [p <= rate for p in found]


def false_discoveries(correct, repeats=2000, size=3, seed=1):
    """Return how often anything is found at 5% among true hypotheses that depend on each other at worst.

    The joint law of Guo and Rao (2008), for which Benjamini and Yekutieli's rate is exactly reached: with
    chance q / (c * k) exactly k of the p-values lie in the k-th step, all others near 1.
    """
    rng = np.random.default_rng(seed)
    cost = sum(1 / k for k in range(1, size + 1))
    step = 0.05 / size  # steps of Benjamini and Hochberg, whom the law is built to defeat
    found = 0
    for _ in range(repeats):
        pick = rng.random()
        edge, p = 0.0, 0.06 + 0.9 * rng.random(size)
        for k in range(1, size + 1):
            edge += 0.05 / k
            if pick < edge:
                p[rng.permutation(size)[:k]] = step * (k - 1) + step * rng.random(k)
                break
        found += min(correct(p.tolist())) <= 0.05
    assert cost > 1.8
    return found / repeats


def test_the_rate_holds_where_that_of_benjamini_and_hochberg_does_not():
    assert false_discoveries(benjamini_yekutieli) <= 0.06
    assert false_discoveries(adjusted) > 0.08


def test_looks_spend_no_more_than_everything():
    for of in range(1, 12):
        parts = [Look(number, of).part for number in range(1, of + 1)]
        assert sum(parts) == 1
        assert parts == sorted(parts)


def test_a_budget_pays_for_its_looks_if_everything_stays_open():
    for at_hand, budget in ((100, 1), (100, 100), (100, 700), (100, 701)):
        looks = Look.first(at_hand, budget).of
        paid = at_hand * (2 ** (looks - 2) - 1)  # all but the last
        assert paid <= budget <= at_hand * (2 ** (looks - 1) - 1)
