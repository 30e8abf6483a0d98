"""Win points and their intervals: by hand on small data, and by how often they cover on simulated deals."""

import numpy as np
import pytest

from balance.analysis.intervals import wilson
from balance.analysis.winpoints import Tally, p_above, p_below, scores, win_points


def tally(players, *deals):
    """A tally of deals written as (score, seats)."""
    score, seats = np.array(deals).T
    return Tally.of(players, score, seats)


def test_the_winner_takes_all_and_a_stalled_game_is_shared():
    assert scores(np.array([2, 0, -1]), 3).tolist() == [[0, 0, 3], [3, 0, 0], [1, 1, 1]]


def test_by_hand():
    """4 players, one seat in each of 4 rotations: wins in 3, 1, 0 and 2 of them, so 6 of 16 games."""
    found = tally(4, (12, 4), (4, 4), (0, 4), (8, 4))
    assert win_points(found).value == pytest.approx(6 / 16 * 4)
    # the shares of the deals are .75 .25 0 .5: variance .078125 over deals, .01953125 of their mean
    share, effective = 0.375, 0.375 * 0.625 / 0.01953125
    low, high = (4 * end for end in wilson(share, effective)[1:])
    assert win_points(found)[1:] == (pytest.approx(low), pytest.approx(high))
    z = (0.375 - 0.25) / (0.25 * 0.75 / effective) ** 0.5
    assert p_above(found) == pytest.approx(1 - p_below(found))
    assert p_above(found) < 0.5 < p_below(found)
    assert z == pytest.approx(1.0, abs=0.001)
    assert p_above(found) == pytest.approx(0.1587, abs=0.0005)


def test_one_game_per_deal_is_the_plain_wilson_interval():
    found = tally(4, *[(4, 1)] * 30, *[(0, 1)] * 70)
    assert win_points(found) == pytest.approx([4 * end for end in wilson(0.3, 100)])


def test_stalled_games_count_a_fair_share():
    found = tally(3, (1, 1), (1, 1), (3, 1), (0, 1))
    assert win_points(found).value == pytest.approx(3 * (1 / 3 + 1 / 3 + 1) / 4)


def test_everything_the_same_is_not_certain():
    """0 wins in 50 deals of 4 rotations: no spread to estimate, so each deal counts as one game."""
    found = win_points(tally(4, *[(0, 4)] * 50))
    assert (found.value, found.low) == (0, pytest.approx(0))
    assert found.high == pytest.approx(4 * wilson(0, 50).high)
    always = win_points(tally(4, *[(16, 4)] * 50))
    assert always.value == 4
    assert always.high == pytest.approx(4)
    assert always.low < 3.8


def test_nothing_played_says_nothing():
    assert win_points(Tally(4)) == (1, 0, 4)
    assert p_above(Tally(4)) == p_below(Tally(4)) == 0.5


def test_tallies_add_up_in_any_order():
    parts = [tally(4, (12, 4), (0, 4)), tally(4, (4, 4)), tally(4, (8, 4), (0, 0))]
    whole = tally(4, (12, 4), (0, 4), (4, 4), (8, 4), (0, 0))
    assert sum(parts, Tally(4)) == sum(parts[::-1], Tally(4)) == whole
    assert whole.deals == 4
    with pytest.raises(ValueError, match="of 4 players and one of 3"):
        _ = Tally(4) + Tally(3)


def rotated_deals(rng, deals, players, gain):
    """Winners of one player against the rest, all rotations of deals whose seats are of unequal worth.

    The chance of a seat is its worth in this deal, times `gain` for the player's own seat. Returns score and
    seats by deal. Over fair deals and gain 1 the expected win points are 1.
    """
    worth = rng.dirichlet(np.full(players, 0.7), deals)
    score = np.zeros(deals, np.int64)
    for own in range(players):
        chances = worth.copy()
        chances[:, own] *= gain
        won = rng.random(deals) * chances.sum(1) < chances[:, own]
        score += players * won
    return score, np.full(deals, players, np.int64)


def coverage(interval, draw, truth, times):
    covered = 0
    for _ in range(times):
        found = interval(Tally.of(4, *draw()))
        covered += found.low <= truth <= found.high
    return covered / times


@pytest.mark.parametrize(("gain", "deals"), [(1.0, 60), (1.0, 400), (3.0, 200), (40.0, 300), (0.02, 300)])
def test_the_interval_covers_the_truth_95_times_in_100(gain, deals):
    rng = np.random.default_rng(5)
    truth = win_points(Tally.of(4, *rotated_deals(rng, 2_000_000, 4, gain))).value
    found = coverage(win_points, lambda: rotated_deals(rng, deals, 4, gain), truth, 2000)
    assert 0.93 <= found <= 0.972  # three standard errors of 2000 coin tosses are 1.5 points


def test_taking_rotations_for_independent_games_would_not_pass():
    """Deals that decide everything: counting their games singly covers too little."""
    rng = np.random.default_rng(6)

    def alike():
        won = rng.random(200) < 0.25
        return 4 * 4 * won, np.full(200, 4)

    def naive(counted):
        share = counted.score / (4 * counted.seats)
        return type(win_points(counted))(*(4 * end for end in wilson(share, counted.seats)))

    assert coverage(naive, alike, 1.0, 1000) < 0.8
    assert 0.93 <= coverage(win_points, alike, 1.0, 1000) <= 0.972


def test_seats_that_vary_from_deal_to_deal():
    """Each of 4 seats is taken by the policy or not, by chance; it wins twice as often as the others."""
    rng = np.random.default_rng(7)

    def mixed(deals=300):
        seats = rng.binomial(4, 0.3, deals)
        won = rng.random(deals) * (seats + 4) < 2 * seats  # strength 2 against 1
        return 4 * won, seats

    truth = win_points(Tally.of(4, *mixed(2_000_000))).value
    assert truth > 1.3
    assert 0.93 <= coverage(win_points, mixed, truth, 2000) <= 0.972


def test_p_values_keep_their_level_and_find_what_is_there():
    rng = np.random.default_rng(9)
    fair = [p_below(Tally.of(4, *rotated_deals(rng, 200, 4, 1.0))) for _ in range(6000)]
    assert 0.04 <= np.mean(np.array(fair) < 0.05) <= 0.06
    weak = [p_below(Tally.of(4, *rotated_deals(rng, 200, 4, 0.5))) for _ in range(200)]
    assert np.mean(np.array(weak) < 0.05) > 0.9
