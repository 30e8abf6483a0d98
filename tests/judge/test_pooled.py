"""What is judged over everything that was played: seats and opening cards, apart from single combinations."""

from collections import defaultdict
from dataclasses import replace

import pytest

import balance
from balance.judge.sentences import pool_sentence
from balance.judge.thresholds import load_thresholds
from balance.judge.verdict import Verdict, judge
from balance.measure.cells import statistics
from balance.stats.ratio import Ratio
from tests.judge.synthetic import FACTS, accept, bernoulli, book, cell

SEATS = accept(stalls=(None, 0.1), seat=(0.9, 1.1))


def points(score, n=1000):
    """Return the win points of a seat of four that wins `score` times its share of n games."""
    wins = round(score * n / 4)
    return Ratio(n, 4 * wins, n, 16 * wins, n, 4 * wins, 4.0)


def pooled(score, n, thresholds=SEATS, **more):
    pools = {(4, False): {"seat:0": points(score, n)}, **more.get("pools", {})}
    summed = book(cell(0, {"stalls": bernoulli(20, 1000), "seat:0": points(1.05)}), pools=pools)
    return judge(summed, thresholds)


@pytest.mark.parametrize(
    ("score", "n", "verdict"),
    [(1.0, 20_000, Verdict.FINE), (1.0, 200, Verdict.UNDECIDED), (1.1, 20_000, Verdict.UNDECIDED),
     (1.3, 20_000, Verdict.BROKEN), (0.7, 20_000, Verdict.BROKEN)],
)  # fmt: skip
def test_a_seat_is_judged_once_and_holds_up_no_combination(score, n, verdict):
    found = pooled(score, n)
    (pool,) = found.pools
    assert pool.verdict is verdict
    assert pool_sentence(pool).startswith(
        f"4 players, win points of a seat, everything that was played: {verdict}"
    )
    assert [judgement.verdict for judgement in found.judgements] == [Verdict.FINE]


def test_where_the_deck_runs_dry_is_a_pool_of_its_own():
    found = pooled(1.0, 20_000, pools={(4, True): {"seat:0": points(1.3, 20_000)}})
    assert [pool.verdict for pool in found.pools] == [Verdict.FINE, Verdict.BROKEN]
    assert "where the deck runs dry" in pool_sentence(found.pools[1])


def test_what_charges_does_not_swell_the_family_of_what_holds():
    items = {f"item:{k}": points(1.0) for k in range(1, 60)}
    thresholds = accept(stalls=(None, 0.1), item=(None, 1.9))
    near = cell(0, {"stalls": bernoulli(118, 1000), **items}, lineup="mirror:learned")
    found = judge(book(near), thresholds)
    assert (found.family.tests, found.family.breaking, found.family.pooled) == (60, 1, 59)
    assert found.judgements[0].verdict is Verdict.BROKEN
    charged = cell(
        0, {"stalls": bernoulli(20, 1000), **items, "item:9": points(2.6)}, lineup="mirror:learned"
    )
    assert [f.measured.name for f in judge(book(charged), thresholds).judgements[0].broken] == ["item:9"]


def test_a_game_with_a_first_player_judges_seats_in_each_cell():
    pools = {(4, False): {"seat:0": points(1.0)}}
    summed = book(cell(0, {"seat:0": points(1.5)}), facts=replace(FACTS, seats_alike=False), pools=pools)
    found = judge(summed, accept(seat=(0.9, 1.1)))
    assert (found.pools, found.judgements[0].verdict) == ((), Verdict.BROKEN)


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    return balance.simulate(
        tmp_path_factory.mktemp("pooled") / "run",
        players="2,6",
        variants=["none", "unions", "geeks"],
        games_per_cell=30,
        seed=4,
    )


def test_sums_are_by_deal_over_all_cells_of_the_default_player(played):
    """A second count, game by game."""
    counted = defaultdict(lambda: defaultdict(lambda: [0, 0]))
    rows = played.sql(
        """select s.players, deal(s.game_id) as deal, seat, win_points, avg(deck_exhausted::int) over
        (partition by s.cell_id) > 0.5 as dry from seats s join games g using (game_id)
        where s.lineup = 'mirror:learned'"""
    ).rows()
    for players, deal, seat, won, dry in rows:
        one = counted[players, dry, f"seat:{seat}"][deal]
        one[0], one[1] = one[0] + won, one[1] + 1
    rows = played.sql(
        """select players, deal(game_id) as deal, invention, win_points from cards
        where how = 'opening' and lineup = 'mirror:learned'"""
    ).rows()
    for players, deal, item, won in rows:
        one = counted[players, False, f"item:{item}"][deal]
        one[0], one[1] = one[0] + won, one[1] + 1
    pools = statistics([played]).pools
    figures = {(*divmod(number, 2), m.name): m for number in pools.cells for m in pools.figures.of(number)}
    assert set(figures) == set(counted)
    for key, deals in counted.items():
        expected = Ratio.of(*zip(*deals.values(), strict=True), key[0])
        found = figures[key].estimate
        for part in ("deals", "num", "den", "num2", "den2", "numden"):
            assert getattr(found, part) == getattr(expected, part)


def test_every_number_of_players_has_its_lines(played):
    found = judge(statistics([played]), load_thresholds(played.game))
    seen = {(pool.cell.players, pool.holding.measured.metric.name) for pool in found.pools}
    assert seen == {(players, metric) for players in (2, 6) for metric in ("seat", "item")}
