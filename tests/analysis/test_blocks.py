"""Ratios over blocks of deals: by hand on small data, and by how often their intervals cover."""

import numpy as np
import pytest

from balance.analysis.blocks import Figure, Moments, mean_of, p_not_zero


def moments(*rows):
    return Moments.of([np.array(column) for column in zip(*rows, strict=True)])


def test_a_ratio_by_hand():
    """6 of 8; what blocks add is (3-1.5)/8, (1-1.5)/8, (2-3)/8: squares 3.5/64, times 3/2."""
    found = moments((3, 2), (1, 2), (2, 4)).ratio(0, 1)
    assert found == Figure(0.75, pytest.approx(3.5 / 64 * 3 / 2), 2)


def test_the_covariance_of_two_ratios_by_hand():
    """The first as above; the second is 3/6 with parts (2-1)/6, (0-1)/6, (1-1)/6."""
    found = moments((3, 2, 2, 2), (1, 2, 0, 2), (2, 4, 1, 2))
    product = (1.5 * 1 + -0.5 * -1 + -1 * 0) / (8 * 6)
    assert found.covariance((0, 1), (2, 3)) == pytest.approx(product * 3 / 2)
    difference = found.difference((0, 1), (2, 3))
    second = (1 + 1) / 36 * 3 / 2
    assert difference.value == pytest.approx(0.25)
    assert difference.variance == pytest.approx(3.5 / 64 * 3 / 2 + second - 2 * product * 3 / 2)


def test_numbers_that_do_not_fit_into_64_bits_are_exact():
    big = 3_000_000
    found = moments(*[(big + k % 2, 2 * big) for k in range(200)])
    assert found.ratio(0, 1).variance == pytest.approx(0.25 / (2 * big) ** 2 / 199, rel=1e-12)


def test_nothing_held_says_nothing():
    assert moments((0, 0), (0, 0)).ratio(0, 1) is None
    assert moments((0, 0, 1, 1), (0, 0, 1, 2)).difference((0, 1), (2, 3)) is None


def test_without_a_spread_there_is_no_interval():
    alike = moments((1, 2), (1, 2), (1, 2)).ratio(0, 1)
    assert (alike.value, alike.interval, p_not_zero(alike)) == (0.5, None, 1.0)
    assert moments((1, 2)).ratio(0, 1).interval is None


def test_the_mean_counts_every_figure_alike():
    found = mean_of([Figure(1.0, 0.04, 10), Figure(2.0, 0.12, 20)])
    # parts .01 and .03: the square of their sum, by the sum of their squares over the freedoms
    assert found == Figure(1.5, pytest.approx(0.04), pytest.approx(0.0016 / (0.00001 + 0.000045)))


def test_a_figure_without_a_spread_does_not_make_the_mean_surer():
    assert mean_of([Figure(1.0, 0.04, 10), Figure(2.0, 0.0, 3)]).interval is None


# --- deals that are played in many cells


def dealt(rng, deals, cells, gain=0.0):
    """Scores and seats of an item in `deals` of which chance gave it to somebody in 1 of 5.

    The luck of the deal is the same in all cells: 4 players, win chance 1/4 on average.
    """
    seats = (rng.random(deals) < 0.2) * cells
    chance = np.clip(rng.beta(0.5, 1.5, deals) + gain / 4, 0, 1)
    return 4 * rng.binomial(seats, chance), seats


@pytest.mark.parametrize(("deals", "cells"), [(60, 50), (450, 600), (450, 1)])
def test_the_interval_covers_the_truth_95_times_in_100(deals, cells):
    rng = np.random.default_rng(3)
    covered = 0
    for _ in range(800):
        ends = Moments.of(dealt(rng, deals, cells)).ratio(0, 1).interval
        covered += ends.low <= 1 <= ends.high
    assert 0.92 <= covered / 800 <= 0.975


def test_counting_games_instead_of_deals_would_not_pass():
    rng = np.random.default_rng(4)
    covered = 0
    for _ in range(300):
        score, seats = dealt(rng, 450, 600)
        share, n = score.sum() / seats.sum() / 4, seats.sum()
        covered += abs(4 * share - 1) <= 1.96 * 4 * (share * (1 - share) / n) ** 0.5
    assert covered / 300 < 0.3


def test_p_values_keep_their_level_and_common_deals_make_a_difference_sharp():
    rng = np.random.default_rng(5)
    level, found, apart = [], [], []
    for _ in range(600):
        seats = (rng.random(300) < 0.2) * 36
        luck = rng.beta(0.5, 1.5, 300)
        plain, same = (4 * rng.binomial(seats, luck) for _ in range(2))
        better = 4 * rng.binomial(seats, np.clip(luck + 0.05, 0, 1))
        level.append(p_not_zero(Moments.of([same, seats, plain, seats]).difference((0, 1), (2, 3))))
        pair = Moments.of([better, seats, plain, seats])
        found.append(p_not_zero(pair.difference((0, 1), (2, 3))))
        alone = pair.ratio(0, 1).variance + pair.ratio(2, 3).variance
        apart.append(p_not_zero(Figure(pair.difference((0, 1), (2, 3)).value, alone, 50)))
    assert 0.035 <= np.mean(np.array(level) < 0.05) <= 0.075
    assert np.mean(np.array(found) < 0.05) > 0.97
    assert np.mean(np.array(apart) < 0.05) < 0.5
