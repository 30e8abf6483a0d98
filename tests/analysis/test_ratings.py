"""The Plackett-Luce fit: known solutions, simulated tables, and data that no rating can explain."""

import numpy as np
import pytest

from balance.analysis.ratings import GROUPS, SCALE, Tables, cycles, fit


def one_group(compositions, wins):
    return Tables(np.array(compositions), np.array([wins]))


def drawn(rng, compositions, strengths, games):
    """Tables of players whose strengths are these, `games` at each table in each group of deals."""
    weights = np.array(compositions) * strengths
    chances = weights / weights.sum(1, keepdims=True)
    wins = np.array([[rng.multinomial(games, row) for row in chances] for _ in range(GROUPS)])
    return Tables(np.array(compositions), wins)


def test_two_players_have_the_ratio_of_their_wins():
    rating = fit(one_group([[1, 1]], [[9000, 1000]]))
    assert rating.ratings[0] - rating.ratings[1] == pytest.approx(SCALE * np.log10(9), rel=1e-3)
    assert sum(rating.ratings) == pytest.approx(0)
    assert rating.expected[0] == pytest.approx([0.9, 0.1], abs=1e-4)
    assert (rating.freedom, rating.deviance) == (0, pytest.approx(0, abs=1e-3))


def test_one_against_three_counts_seats():
    """A strength of 3 against three of 1 wins every other game."""
    rating = fit(one_group([[1, 3]], [[50_000, 50_000]]))
    assert rating.ratings[0] - rating.ratings[1] == pytest.approx(SCALE * np.log10(3), rel=1e-3)


def test_who_never_wins_is_rated_low_not_infinitely():
    rating = fit(one_group([[1, 1], [1, 3]], [[0, 500], [0, 500]]))
    assert np.isfinite(rating.ratings).all()
    assert rating.ratings[0] < rating.ratings[1] - 800


COMPOSITIONS = [[1, 3, 0], [3, 1, 0], [1, 0, 3], [3, 0, 1], [0, 1, 3], [0, 3, 1], [2, 1, 1], [1, 2, 1]]
STRENGTHS = np.array([1.0, 4.0, 10.0])
TRUE = SCALE * np.log10(STRENGTHS)
TRUE -= TRUE.mean()


def test_true_strengths_are_found_and_errors_cover_them():
    rng = np.random.default_rng(3)
    inside, deviances = 0, []
    for _ in range(150):
        rating = fit(drawn(rng, COMPOSITIONS, STRENGTHS, 20))
        z = (np.array(rating.ratings) - TRUE) / rating.errors
        inside += int((np.abs(z) < 2.09).sum())  # t of 19 degrees of freedom
        deviances.append(rating.deviance)
    assert 0.91 <= inside / 450 <= 0.985
    assert rating.freedom == 6 * 1 + 2 * 2 - 2
    assert np.mean(deviances) == pytest.approx(rating.freedom, rel=0.2)


def test_errors_grow_when_the_games_of_a_deal_are_alike():
    rng = np.random.default_rng(4)
    alone = drawn(rng, COMPOSITIONS, STRENGTHS, 20)
    alike = Tables(alone.compositions, 16 * drawn(rng, COMPOSITIONS, STRENGTHS, 20).wins)
    # sixteen times the games, but each of them played sixteen times: no better known
    assert np.mean(fit(alike).errors) == pytest.approx(np.mean(fit(alone).errors), rel=0.35)


def test_a_ring_of_three_does_not_fit():
    """Each beats the next as 3 to 1: all ratings are equal and wrong, and the deviance says so."""
    pairs = [[1, 1, 0], [0, 1, 1], [1, 0, 1]]
    rating = fit(one_group(pairs, [[750, 250, 0], [0, 750, 250], [250, 0, 750]]))
    assert rating.ratings == pytest.approx([0, 0, 0], abs=1e-6)
    assert rating.freedom == 1
    # 2 * 3 * (750 ln 1.5 + 250 ln 0.5)
    assert rating.deviance == pytest.approx(784.9, abs=0.1)


def test_rings():
    beats = {("a", "b"): True, ("b", "c"): True, ("c", "a"): True, ("a", "c"): False, ("d", "a"): True}
    assert cycles(["a", "b", "c", "d"], beats) == [("a", "b", "c")]
    assert cycles(["a", "b"], {("a", "b"): True, ("b", "a"): True}) == [("a", "b")]
    assert cycles(["a", "b"], {("a", "b"): True}) == []
