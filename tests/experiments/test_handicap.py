"""The worth of a coin: slopes by hand, games on common deals, whatever the number of threads."""

import numpy as np
import pytest

from balance import games
from balance.experiments.handicap import COINS, _tasks, coin_of, slope_of
from balance.experiments.samples import thinned
from balance.games.contract import Handicap
from balance.games.lineup import parse_lineup
from tests.games.tiny import Tiny

TINY = Tiny()
CATALOG = TINY.load_catalog()


def tiny_coin(lineup="mirror:thrifty", players=2, **options):
    options = {"seed": 7, "deals": 120} | options
    return coin_of(TINY, CATALOG, "classic", parse_lineup(lineup, players, TINY), **options)


def test_a_slope_by_hand():
    """Over -1, 0, 3 coins: weights -5/26, -2/26, 7/26; the deals have slopes 28/26, 0 and 8/26."""
    score = np.array([[0, 0, 4], [2, 2, 2], [4, 0, 4]])
    found = slope_of(score, [-1, 0, 3])
    slopes = np.array([28 / 26, 0, 8 / 26])
    assert found == pytest.approx(slopes.mean())


def test_a_slope_is_that_of_least_squares():
    rng = np.random.default_rng(1)
    coins = [-4, -2, 0, 2, 4, 6, 8]
    score = 4 * rng.integers(0, 2, (200, 7))
    fitted = np.polyfit(np.tile(coins, 200), score.ravel(), 1)[0]
    assert slope_of(score, coins) == pytest.approx(fitted)
    assert slope_of(3 * score, coins, games=3) == pytest.approx(fitted)


def test_deals_are_shared_out_among_combinations_and_seats():
    tasks = _tasks(3, 2, 250)
    assert sorted(deal for _, _, own in tasks for deal in own) == list(range(250))
    assert {(combination, seat) for combination, seat, _ in tasks} == {
        (c, s) for c in range(3) for s in (0, 1)
    }
    sizes = [len(own) for _, _, own in tasks]
    assert max(sizes) - min(sizes) <= 1


def test_a_sample_of_combinations_depends_on_names_alone():
    names = [(f"a{k}", f"b{k}") for k in range(100)]
    chosen = thinned(names, 60)
    assert len(chosen) == 60
    assert thinned(names[::-1], 60) == chosen
    assert {pair[0][0] for pair in chosen} == {"a", "b"}  # both orders
    assert thinned([(), ()], 60) == [()]


def test_by_the_games_themselves():
    """Each level played again by hand, deal by deal."""
    found = tiny_coin(deals=20, first_index=3)
    lineup = parse_lineup("mirror:thrifty", 2, TINY)
    score = []
    for deal in range(20):
        seat = deal % 2
        row = []
        for coins in COINS:
            cell = TINY.compile(CATALOG, "classic", 2, (), {seat: Handicap(money=coins)})
            played = TINY.play(cell, 7, [3 + deal], lineup.seated(7, [3 + deal]))["games"]
            row.append(1 if played["stalled"][0] else 2 * int(played["winner_seat"][0] == seat))
        score.append(row)
    assert found == pytest.approx(np.mean([np.polyfit(COINS, row, 1)[0] for row in score]))


def test_threads_change_nothing():
    one = tiny_coin("random,thrifty,random", 3, deals=40)
    assert one == tiny_coin("random,thrifty,random", 3, deals=40, jobs=3)


def test_a_coin_in_real_games():
    """Ten coins to start with are few: two more help, and the more players, the more."""
    game = games.get("nefarious")
    lineup = parse_lineup("mirror:greedy", 4, game)
    catalog = game.load_catalog()
    found = coin_of(game, catalog, "ascora-2011", lineup, seed=3, deals=300, jobs=2)
    assert 0.05 < found < 0.3
