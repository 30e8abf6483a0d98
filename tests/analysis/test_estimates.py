"""Estimates: intervals and p-values, against exact counting and numbers worked out by hand."""

import math
from math import comb

import pytest

from balance.analysis.cells import Paired, Sums
from balance.analysis.estimates import Agreement, Bootstrapped, Mean, Quantile, Quotient, Share, fewest_units
from balance.analysis.intervals import fieller, quantile, wilson


def bernoulli(successes, n):
    return Sums.of([1] * successes + [0] * (n - successes), [1] * n)


def at_least(k, n, p):
    return sum(comb(n, i) * p**i * (1 - p) ** (n - i) for i in range(k, n + 1))


def test_a_share_of_games_has_wilsons_interval_and_the_binomial_test():
    share = Share(bernoulli(7, 50))
    assert share.interval == pytest.approx(wilson(0.14, 50))
    assert share.p_above(0.05) == pytest.approx(at_least(7, 50, 0.05))
    assert share.p_below(0.3) == pytest.approx(1 - at_least(8, 50, 0.3))
    assert share.p_at_least(0.05) == share.p_above(0.05)


def test_nothing_seen_is_not_proof_of_nothing():
    none = Share(bernoulli(0, 100))
    assert none.p_above(0.01) == 1
    assert none.p_below(0.01) == pytest.approx(0.99**100)
    assert none.interval.high == pytest.approx(wilson(0, 100).high)
    every = Share(bernoulli(100, 100))
    assert every.p_below(0.5) == 1
    assert every.p_above(0.99) == pytest.approx(0.99**100)


def test_games_of_one_deal_count_once_if_the_deal_decides_them():
    """20 deals of 5 equal games each tell as much as 20 games."""
    deals = Sums.of([5] * 8 + [0] * 12, [5] * 20)
    assert Share(deals).interval == pytest.approx(wilson(0.4, 20))
    assert Share(deals).n == 20


def test_deals_that_say_nothing_are_no_trials():
    """Won whenever it was dealt, but that was only in 5 of 100 games."""
    dealt = Share(Sums.of([4] * 5 + [0] * 95, [1] * 5 + [0] * 95), 4)
    assert dealt.interval == pytest.approx([4 * end for end in wilson(1.0, 5)])
    assert dealt.p_above(2.0) == pytest.approx(0.5**5)


def test_win_points_are_a_share_times_players():
    """4 players, 100 games, one seat each: 40 wins are 1.6 win points."""
    points = Share(Sums.of([4] * 40 + [0] * 60, [1] * 100), 4)
    assert points.interval == pytest.approx([4 * end for end in wilson(0.4, 100)])
    assert points.p_above(1.0) == pytest.approx(at_least(40, 100, 0.25))


def test_a_mean_by_hand():
    """Games of 1, 2, 3, 6: mean 3, variance 14/3, standard error sqrt(7/6); t(0.975, 3) = 3.182446."""
    mean = Mean(Sums.of([1, 2, 3, 6], [1] * 4))
    reach = 3.182446 * math.sqrt(7 / 6)
    assert mean.interval == pytest.approx((3, 3 - reach, 3 + reach), rel=1e-6)
    assert mean.z(2) == pytest.approx(1 / math.sqrt(7 / 6))
    assert mean.p_above(3) == pytest.approx(0.5)
    assert mean.p_above(1) == pytest.approx(1 - mean.p_below(1))


def test_a_quotient_on_common_seeds_is_surer_than_on_others():
    own, base = [4, 8, 12, 16], [2, 4, 6, 8.0]
    a, b = Sums.of(own, [1] * 4), Sums.of(base, [1] * 4)
    product = sum(x * y for x, y in zip(own, base, strict=True))
    same = Quotient(a, b, Paired(4, 40, 20, int(product)))
    assert same.interval == pytest.approx((2, 2, 2))
    # own - 1.99 base is a hundredth of base: mean 0.05, variance 20/3 / 4 / 10000; t(3) above 3.873
    assert same.z(1.99) == pytest.approx(0.05 / math.sqrt(20 / 3 / 4 / 10_000))
    assert same.p_above(1.99) == pytest.approx(0.015233, rel=1e-4)
    apart = Quotient(a, b, Paired())
    assert apart.interval.low < 1.2
    assert apart.p_above(1.5) > 0.1


def test_fieller_by_hand():
    """(10 - 5t)^2 = 4 (0.25 + 0.04 t^2) has the roots (50 ± sqrt(50^2 - 24.84 * 99)) / 24.84."""
    found = fieller(10, 5, 0.25, 0.04, 0.0, 2)
    root = math.sqrt(50**2 - 24.84 * 99)
    assert found == pytest.approx((2, (50 - root) / 24.84, (50 + root) / 24.84))
    assert fieller(10, 0.3, 0.25, 0.04, 0.0)[1:] == (-math.inf, math.inf)


def test_quantiles_by_order_statistics():
    """Of 100 values the ranks 40 and 61 enclose the median with 95%: 50 ± 9.8, rounded outwards."""
    counts = dict.fromkeys(range(1, 101), 1)
    assert quantile(counts, 0.5) == (50.5, 40, 61)
    assert quantile(counts, 0.05) == (5, 1, 11)
    assert quantile(counts, 0.5, design=4.0) == (50.5, 30, 71)
    with pytest.raises(ValueError, match="nothing"):
        quantile({}, 0.5)


def test_a_median_is_held_against_whole_numbers():
    """60 games of 5 rounds, 40 of 6: the median is 5, surely at least 5, surely not above."""
    median = Quantile({5: 60, 6: 40})
    assert median.interval.value == 5
    assert median.p_above(5) == pytest.approx(at_least(40, 100, 0.5))
    assert median.p_at_least(5) == pytest.approx(0.5**100)
    assert median.p_below(5) == 1
    assert median.p_at_most(5) == pytest.approx(at_least(60, 100, 0.5))
    assert median.p_at_most(6) == pytest.approx(0.5**100)
    assert Quantile({5: 60, 6: 40}, 0.95).p_above(5) == pytest.approx(at_least(40, 100, 0.05))


def test_luck_by_hand():
    """Two replicates: 3 deals won twice by seat 0, 3 twice by seat 1, 4 once by each.

    Same winner in 6 of 10 deals, by seats alone in half: (0.6 - 0.5) / 0.5 = 0.2.
    """
    luck = Agreement({(2, 0): 3, (0, 2): 3, (1, 1): 4}, 2)
    assert luck.interval.value == pytest.approx(0.2)
    # the seats are even, so only the agreement varies: sqrt(0.6 * 0.4 / 9) / 0.5
    assert luck.interval.high - 0.2 == pytest.approx(1.959964 * math.sqrt(0.24 / 9) / 0.5, rel=1e-6)
    assert Agreement({(2, 0): 5, (0, 2): 5}, 2).interval.value == pytest.approx(1)


def test_a_bootstrap_has_no_p_value_below_its_resamples():
    found = Bootstrapped(2.0, [1.5, 2.0, 2.5, 3.0], 50)
    assert found.p_above(1) == pytest.approx(1 / 5)
    assert found.p_below(1) == 1
    assert found.n == 50
    assert found.interval.value == 2


def test_the_games_that_would_be_needed_would_do():
    """A share of 0.4 in 100 games against 0.3, at 5% with 80%: (1.645 + 0.842)^2 * 0.21 / 0.01 games."""
    share = Share(bernoulli(40, 100))
    assert fewest_units(share, 0.3, 0.05) == pytest.approx(2.486**2 * 21, rel=1e-3)
    assert fewest_units(Share(bernoulli(30, 100)), 0.3, 0.05) == math.inf
