"""The worth of a coin: slopes by hand, games on common deals, whatever the number of threads."""

import numpy as np
import pytest

from balance import games
from balance.analysis.handicap import _sample, _tasks, coin_of, coins_of_runs, slope_of
from balance.analysis.itemcounts import choose_cells
from balance.errors import UsageError
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
    assert found.value == pytest.approx(slopes.mean())
    assert found.variance == pytest.approx(slopes.var(ddof=1) / 3)
    assert found.freedom == 2


def test_a_slope_is_that_of_least_squares():
    rng = np.random.default_rng(1)
    coins = [-4, -2, 0, 2, 4, 6, 8]
    score = 4 * rng.integers(0, 2, (200, 7))
    fitted = np.polyfit(np.tile(coins, 200), score.ravel(), 1)[0]
    assert slope_of(score, coins).value == pytest.approx(fitted)
    assert slope_of(3 * score, coins, games=3).value == pytest.approx(fitted)


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
    chosen = _sample(names)
    assert len(chosen) == 60
    assert _sample(names[::-1]) == chosen
    assert {pair[0][0] for pair in chosen} == {"a", "b"}  # both orders
    assert _sample([(), ()]) == [()]


def test_few_deals_leave_it_open_whether_a_coin_is_worth_anything():
    """Charms are dear and races short: in the tiny game a coin is worth little."""
    found = tiny_coin(combinations=[(), ("windy",)])
    assert found.games == 120 * 7
    assert not found.told
    assert found.slope.interval.low < 0 < found.slope.interval.high
    assert [coins for coins, _ in found.levels] == [-4, -2, 0, 2, 4, 6, 8]


def test_by_the_games_themselves():
    """Each level played again by hand, deal by deal."""
    found = tiny_coin(deals=20, coins=[0, 5], first_index=3)
    lineup = parse_lineup("mirror:thrifty", 2, TINY)
    score = []
    for deal in range(20):
        seat = deal % 2
        row = []
        for coins in (0, 5):
            cell = TINY.compile(CATALOG, "classic", 2, (), {seat: Handicap(money=coins)})
            played = TINY.play(cell, 7, [3 + deal], lineup.seated(7, [3 + deal]))["games"]
            row.append(1 if played["stalled"][0] else 2 * int(played["winner_seat"][0] == seat))
        score.append(row)
    mean = np.mean([(b - a) / 5 for a, b in score])
    assert found.slope.value == pytest.approx(mean)


def test_threads_change_nothing_and_every_game_is_told():
    told = []
    one = tiny_coin("random,thrifty,random", 3, deals=40, advance=told.append)
    assert one == tiny_coin("random,thrifty,random", 3, deals=40, jobs=3)
    assert sum(told) == one.games == 40 * 7 * 3


def test_coins_of_runs_are_measured_on_deals_behind_theirs(tiny_runs):
    cells = choose_cells(tiny_runs, "mirror:random")
    found = coins_of_runs(tiny_runs, cells, deals=12, coins=(0, 3))
    assert sorted(found) == [2, 3]
    run = tiny_runs[0]
    again = coin_of(
        run.game,
        run.catalog,
        run.plan.edition,
        parse_lineup("mirror:random", 3, run.game),
        [cell.variants for cell in cells if cell.players == 3],
        seed=run.plan.seed,
        first_index=50,  # 30 deals of the first run, 20 of the second
        deals=12,
        coins=(0, 3),
    )
    assert found[3] == again


def test_what_cannot_give_a_slope():
    with pytest.raises(UsageError, match="two different numbers of coins at least, not \\[2, 2\\]"):
        tiny_coin(coins=[2, 2])
    with pytest.raises(UsageError, match="at least 2 are needed"):
        tiny_coin(deals=1)


def test_a_coin_in_real_games():
    """Ten coins to start with are few: two more help, and the more players, the more."""
    game = games.get("nefarious")
    lineup = parse_lineup("mirror:greedy", 4, game)
    catalog = game.load_catalog()
    found = coin_of(game, catalog, "ascora-2011", lineup, seed=3, deals=300, jobs=2)
    assert found.told
    assert 0.05 < found.slope.value < 0.3
