"""Intervals and corrections, against numbers from the literature and from exact counting."""

from math import comb

import pytest

from balance.stats.arithmetic import wilson
from balance.stats.intervals import adjusted
from tests.sums import quantiles_of


def test_wilson_against_published_values():
    """Newcombe (1998), Statistics in Medicine 17: 857-872, table I, method 3."""
    for successes, n, low, high in [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0, 0.1611),
                                    (1, 29, 0.0061, 0.1718)]:  # fmt: skip
        assert wilson(successes / n, n) == pytest.approx((low, high), abs=5e-5)


def test_wilson_knows_nothing_without_trials_and_never_leaves_0_to_1():
    assert wilson(0.3, 0) == (0, 1)
    assert wilson(0.0, 5)[0] == 0
    assert wilson(1.0, 5)[1] == 1


def test_benjamini_hochberg_against_a_table():
    """The 15 p-values of Benjamini and Hochberg (1995): four are found at 5%."""
    p = [.0001, .0004, .0019, .0095, .0201, .0278, .0298, .0344]  # fmt: skip
    p += [.0459, .3240, .4262, .5719, .6528, .7590, 1]  # fmt: skip
    found = adjusted(p)
    assert sum(q <= 0.05 for q in found) == 4
    assert found[0] == pytest.approx(0.0015)
    assert found[3] == pytest.approx(0.0095 * 15 / 4)
    assert found == sorted(found)
    assert adjusted(p[::-1]) == found[::-1]
    assert adjusted([]) == []


def test_adjusted_p_values_never_pass_a_larger_raw_one():
    assert adjusted([0.04, 0.041]) == [pytest.approx(0.041)] * 2


@pytest.mark.parametrize("n", [5, 20, 101, 400])
def test_the_interval_of_the_median_covers_by_exact_counting(n):
    """Of n distinct numbers the median is missed with the binomial chance of the ranks outside."""
    ranks = quantiles_of(dict.fromkeys(range(n), 1), 0.5)
    low, high = int(ranks.low) + 1, int(ranks.high) + 1
    missed = sum(comb(n, k) for k in range(n + 1) if k < low or k >= high) / 2**n
    assert missed <= 0.05 or (low, high) == (1, n)
    assert n < 100 or missed > 0.02
