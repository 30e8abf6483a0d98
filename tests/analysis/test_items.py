"""The value of items: every formula by hand, a real run counted in another way, planted cards found."""

import math
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import balance
from balance.analysis import items
from balance.analysis.blocks import BLOCKS, Figure
from balance.analysis.corrections import benjamini_yekutieli
from balance.analysis.handicap import Coin
from balance.analysis.intervals import wilson
from balance.analysis.itemcounts import (
    Item,
    ItemCounts,
    _sides,
    choose_cells,
    count_items,
    count_versus,
    items_of,
)
from balance.dataset.plan import PlannedCell
from balance.errors import UsageError

CHALK = Item(7, "Chalk", cost=5, score=3)


def column(*numbers):
    """Numbers of the first blocks, for one item."""
    full = np.zeros((BLOCKS, 1), np.int64)
    full[: len(numbers), 0] = numbers
    return full


def counts(players=4, opening=(2, 2, 4), score=(8, 0, 4), built_opening=(2, 1, 1), **changed):
    """Three deals: 12 win points for 8 seats that were dealt the item, 4 of them built it."""
    made = {
        "drawn": column(1, 0, 3),
        "drawn_score": column(4, 0, 4),
        "built": column(3, 1, 2),
        "built_score": column(8, 0, 4),
        "rounds": np.array([42]),
        "paid": np.array([24]),
    } | changed
    own = {
        "opening": column(*opening),
        "opening_score": column(*score),
        "built_opening": column(*built_opening),
    }
    return ItemCounts(players=players, games=12, deals=3, **own, **made)


def coin(slope=0.1, error=0.01, players=4, freedom=500):
    return {players: Coin(players, "mirror:x", Figure(slope, error**2, freedom), (), 500, 3500)}


def valued(*given, coins=None):
    return items.values_from_counts([CHALK], given or [counts()], coins)


def test_counts_and_means_by_hand():
    (found,) = valued()
    assert (found.id, found.name, found.players, found.seats, found.blocks) == (7, "Chalk", 4, 8, 3)
    assert found.value.value == pytest.approx(12 / 8 - 1)
    assert (found.drawn_seats, found.drawn.value) == (4, pytest.approx(8 / 4 - 1))
    assert (found.built_times, found.built.value) == (6, pytest.approx(12 / 6 - 1))
    assert found.share_built.value == pytest.approx(6 / 12)
    assert found.share_built_opening.value == pytest.approx(4 / 8)
    assert found.round_built == pytest.approx(42 / 6)
    assert found.score_per_money == pytest.approx(3 * 6 / 24)
    assert found.money == found.fair_cost == items.Ends()


def test_the_interval_is_that_of_as_many_trials_as_the_spread_between_deals_is_worth():
    """Win points 1.5; the deals add (8-3)/8, (0-3)/8, (4-6)/8: squares 38/64, times 3/2."""
    (found,) = valued()
    variance = 38 / 64 * 3 / 2
    share = 1.5 / 4
    low, high = wilson(share, share * (1 - share) / (variance / 16), 4.302652729911275)[1:]  # t of 2
    assert found.value[1:] == pytest.approx([4 * low - 1, 4 * high - 1], abs=1e-6)
    t = 0.5 / math.sqrt(variance)
    assert found.p == pytest.approx(1 - t / math.sqrt(2 + t * t))  # two-sided t of 2
    assert found.adjusted == found.p  # one look


def test_one_game_in_each_deal_is_the_plain_wilson_interval():
    own = counts(opening=[1] * 100, score=[4] * 30 + [0] * 70, built_opening=[0] * 100)
    (found,) = valued(own)
    expected = wilson(0.3, 99, 1.98422)  # 100 games; the variance has 99 in its denominator, like Student's t
    assert found.value == pytest.approx([4 * end - 1 for end in expected], abs=1e-4)


def test_over_all_numbers_of_players_each_counts_alike():
    two = counts(players=2, opening=(1, 1, 0, 2), score=(2, 0, 0, 1), built_opening=(0, 0, 0, 0))
    overall, at_two, at_four = valued(two, counts())
    assert (overall.players, at_two.players, at_four.players) == (None, 2, 4)
    assert overall.value.value == pytest.approx((3 / 4 + 12 / 8) / 2 - 1)
    assert overall.seats == 12
    # parts of the first: (2-.75)/4, (0-.75)/4, (1-1.5)/4, of three blocks that have any
    first = (1.25**2 + 0.75**2 + 0.5**2) / 16 * 3 / 2
    second = 38 / 64 * 3 / 2
    variance = (first + second) / 4
    freedom = variance**2 / ((first / 4) ** 2 / 2 + (second / 4) ** 2 / 2)
    from scipy.stats import t

    reach = t.ppf(0.975, freedom) * math.sqrt(variance)
    middle = overall.value.value
    assert overall.value[1:] == pytest.approx([middle - reach, middle + reach], abs=1e-6)
    family = [value.p for value in (overall, at_two, at_four)]
    assert [value.adjusted for value in (overall, at_two, at_four)] == benjamini_yekutieli(family)


def solved(above, below, v_above, v_below, covariance, z):
    """The ratios r at which above - r * below lies z standard errors from 0: roots of a parabola."""
    a = below**2 - z * z * v_below
    b = -2 * (above * below - z * z * covariance)
    c = above**2 - z * z * v_above
    return sorted(np.roots([a, b, c]).real)


def sure():
    """As above, but 150 deals: the value is known to about a fifth."""
    return counts(opening=(2, 2, 4) * 50, score=(8, 0, 4) * 50, built_opening=(2, 1, 1) * 50)


def test_value_in_coins_by_fieller():
    (found,) = valued(sure(), coins=coin(0.1, 0.01))
    assert found.money.value == pytest.approx(0.5 / 0.1)
    variance = 38 * 50 / 400**2 * 150 / 149
    from scipy.stats import t

    ends = solved(0.5, 0.1, variance, 0.0001, 0.0, t.ppf(0.975, 149))
    assert found.money[1:] == pytest.approx(ends, abs=1e-5)


def test_fair_cost_moves_by_the_value_over_the_slope_times_the_share_that_builds():
    (found,) = valued(sure(), coins=coin(0.1, 0.01))
    assert found.fair_cost.value == pytest.approx(5 + 0.5 / (0.1 * 0.5))
    scale = 50 / 400**2 * 150 / 149
    v_worth, v_share = 38 * scale, (1 + 0 + 1) * scale  # parts of the share: 2-1, 1-1, 1-2
    both = (5 * 1 + -3 * 0 + -2 * -1) * scale
    below = 0.25 * 0.0001 + 0.01 * v_share
    from scipy.stats import t

    ends = solved(0.5, 0.05, v_worth, below, 0.1 * both, t.ppf(0.975, 149))
    assert found.fair_cost[1:] == pytest.approx([5 + end for end in ends], abs=1e-5)


def test_a_cost_is_never_negative():
    bad = counts(opening=(2, 2, 4) * 50, score=(1, 0, 2) * 50, built_opening=(2, 1, 1) * 50)
    (found,) = valued(bad, coins=coin(0.1, 0.001))
    assert found.money.high < 0
    assert found.fair_cost == (0, 0, 0)


def test_open_ended_if_a_coin_may_be_worth_nothing():
    (found,) = valued(sure(), coins=coin(0.01, 0.01))
    assert found.money == (pytest.approx(50), None, None)
    assert found.fair_cost[1:] == (None, None)


def test_never_built_has_no_fair_cost():
    never = counts(opening=(2, 2, 4) * 50, score=(8, 0, 4) * 50, built_opening=(0,) * 150)
    (found,) = valued(never, coins=coin())
    assert found.money.value == pytest.approx(5)
    assert found.fair_cost == items.Ends()


def test_without_a_coin_at_every_number_of_players_nothing_is_said_in_money():
    overall, at_two, at_four = valued(counts(players=2, score=(2, 2, 1)), sure(), coins=coin(players=4))
    assert overall.money == at_two.money == items.Ends()
    assert at_four.money.value == pytest.approx(5)


def test_nobody_was_dealt_it():
    (found,) = valued(counts(opening=(), score=(), built_opening=()))
    assert (found.value, found.p, found.adjusted, found.seats) == (items.Ends(), None, None, 0)
    assert found.share_built.value == pytest.approx(6 / 4)  # more often than held: no share, no interval
    assert found.share_built[1:] == (None, None)


# --- sentences


def test_sentences_name_what_can_be_told_and_quote_fresh_figures():
    base = valued(sure(), coins=coin())[0]
    good = replace(base, adjusted=0.001)
    bad = replace(
        base, id=8, name="Blot", value=items.Ends(-0.5, -0.6, -0.4), adjusted=0.001,
        money=items.Ends(-5.0, -7.0, -3.0), fair_cost=items.Ends(0.0, 0.0, 2.0),
    )  # fmt: skip
    fresh = [replace(good, value=items.Ends(0.4, 0.3, 0.5)), bad]
    found = items.item_sentences([good, bad, replace(base, id=9, adjusted=0.4)], "cards", fresh=fresh)
    assert found[0].startswith("2 of 3 cards can be told from the average one")
    assert found[1].startswith("Chalk: +0.40 (+0.30 to +0.50) win points for being dealt it, as much as +5.0")
    assert found[2].startswith("Blot: -0.50 (-0.60 to -0.40) win points")
    assert found[3].startswith("Chalk looks too cheap: it costs 5, and about 15.0 (")
    assert found[4] == (
        "Blot looks too expensive: it costs 5, and about 0.0 (0.0 to 2.0) would make it an average one "
        "(it cannot cost less); an estimate."
    )


def test_sentences_where_there_is_nothing_to_tell():
    (open_ended,) = valued(sure(), coins=coin(0.01, 0.01))
    told = items.item_sentences([replace(open_ended, adjusted=0.01)])
    assert told[1].endswith("what that is in coins cannot be said, as a coin is worth next to nothing.")
    assert items.item_sentences(valued()) == ["None of 1 items can be told from the average one."]
    (nothing,) = valued(counts(opening=(), score=(), built_opening=()))
    assert items.item_sentences([nothing])[0].startswith("Nothing can be said of items")
    assert items.interaction_sentences([]) == ["No interaction can be told from 0; 0 were looked at."]


# --- which cells are compared


def cell(number, *variants):
    return PlannedCell(number, 4, variants, "field", 0, 10, 1)


def test_each_combination_is_compared_with_itself_without_the_variant():
    cells = [cell(0), cell(1, "a"), cell(2, "b"), cell(3, "a", "b"), cell(4, "a", "c")]
    sides = _sides(cells)
    # c has no game of its own, so a,c counts for c (against a) and not for a
    assert sides.names == ("a", "b", "c")
    nothing, only_a, only_b = 3, 4, 5
    assert sides.groups == [
        (0, nothing), (1, 0), (1, only_a), (2, 1), (2, only_b), (3, 0), (3, 1), (4, 2)
    ]  # fmt: skip
    assert sides.counterparts == [[nothing, only_b], [only_a, nothing], [only_a]]
    counted = np.arange(6)[:, None] * np.ones((1, 1), np.int64)
    with_, without = sides.split(counted)
    assert with_[:, 0].tolist() == [0, 1, 2]
    assert without[:, 0].tolist() == [nothing + only_b, only_a + nothing, only_a]


# --- real games


@pytest.fixture(scope="module")
def planted(tmp_path_factory, request):
    """Two player counts, two twists, alone and together, and none; a card of the second word of the masks."""
    overlay = request.config.rootpath / "tests" / "data" / "planted_cards.toml"
    return balance.simulate(
        tmp_path_factory.mktemp("planted") / "run",
        players="2,4",
        variants=["none", "security-measures", "unions", "security-measures,unions"],
        lineups=["mirror:greedy", "mirror:random"],
        games_per_cell=150,
        seed=5,
        catalog=[overlay],
        jobs=2,
    )


def by_hand(run, players, lineup="mirror:greedy"):
    """Everything about every card at so many players, in plain Python over the rows."""
    ids = sorted(run.small("inventions")["id"].to_list())
    own = run.games.filter(players=players, lineup=lineup).collect()
    games = {game["game_id"]: game for game in own.to_dicts()}
    seats = {(s["game_id"], s["seat"]): s for s in run.seats.collect().to_dicts() if s["game_id"] in games}
    held = {card: {"opening": [], "drawn": [], "built": []} for card in ids}
    score, mine = {}, {}
    for key, seat in seats.items():
        game = games[key[0]]
        score[key] = 1 if game["stalled"] else players * seat["won"]
        opening = seat["opening_0"] | seat["opening_1"] << 64
        later = (seat["drawn_0"] | seat["drawn_1"] << 64) & ~opening
        mine[key] = opening
        for bit, card in enumerate(ids):
            for how, mask in (("opening", opening), ("drawn", later)):
                if mask >> bit & 1:
                    held[card][how].append(key)
    builds = [b for b in run.scan("builds").collect().to_dicts() if b["game_id"] in games]
    for build in builds:
        held[build["invention"]]["built"].append((build["game_id"], build["seat"]))
    return ids, games, score, held, builds, mine


@pytest.mark.parametrize(("players", "lineup"), [(4, "mirror:greedy"), (2, "mirror:random")])
def test_the_same_counts_in_plain_python(planted, players, lineup):
    ids, games, score, held, builds, mine = by_hand(planted, players, lineup)
    (found,) = count_items([planted], choose_cells([planted], lineup, players=[players]))
    assert (found.games, found.deals) == (600, 150)
    for k, card in enumerate(ids):
        for how in ("opening", "drawn", "built"):
            keys = held[card][how]
            assert getattr(found, how)[:, k].sum() == len(keys)
            assert getattr(found, f"{how}_score")[:, k].sum() == sum(score[key] for key in keys)
        own = [b for b in builds if b["invention"] == card]
        dealt = [b for b in own if mine[b["game_id"], b["seat"]] >> k & 1]
        assert found.built_opening[:, k].sum() == len(dealt)
        assert found.rounds[k] == sum(b["round"] for b in own)
        assert found.paid[k] == sum(b["paid"] for b in own)
        for block in (0, 17):  # 150 deals: each is a block
            here = [key for key in held[card]["opening"] if games[key[0]]["game_index"] == block]
            assert found.opening[block, k] == len(here)
            assert found.opening_score[block, k] == sum(score[key] for key in here)
    # everybody's hand has the same size: the average card is worth nothing
    assert found.opening.sum() == found.opening_score.sum()


def test_a_card_that_was_dealt_thrown_away_and_drawn_again_counts_as_dealt(tmp_path):
    """Hands of ten for six players: the pile is shuffled again and again."""
    run = balance.simulate(
        tmp_path / "run", players=6, variants="geeks", lineups="mirror:random", games_per_cell=80, seed=5
    )
    again = run.seats.filter((pl.col("opening_0") & pl.col("drawn_0")) != 0)
    assert again.select(pl.len()).collect().item() > 10
    ids, _, _, held, _, _ = by_hand(run, 6, "mirror:random")
    (found,) = count_items([run], choose_cells([run], "mirror:random", players=[6]))
    for k, card in enumerate(ids):
        assert found.opening[:, k].sum() == len(held[card]["opening"])
        assert found.drawn[:, k].sum() == len(held[card]["drawn"])


def test_the_same_intervals_from_the_rows(planted):
    """Free Lunch at 4 players: the ratio, its spread over deals and Wilson, from polars and the formula."""
    _, games, score, held, _, _ = by_hand(planted, 4)
    rows = pl.DataFrame(
        [(games[key[0]]["game_index"], score[key]) for key in held[1001]["opening"]],
        ["deal", "score"],
        orient="row",
    )
    deals = rows.group_by("deal").agg(pl.len().alias("seats"), pl.col("score").sum())
    ratio = rows["score"].mean()
    parts = (deals["score"] - ratio * deals["seats"]) / rows.height
    n = deals.height
    variance = (parts**2).sum() * n / (n - 1)
    from scipy.stats import t

    share = ratio / 4
    ends = wilson(share, share * (1 - share) / (variance / 16), t.ppf(0.975, n - 1))
    table = items.value_of_items([planted], players=[4])
    row = table.filter(id=1001).to_dicts()[0]
    assert [row[f"value{e}"] for e in ("", "_low", "_high")] == pytest.approx(
        [4 * e - 1 for e in ends], abs=1e-5
    )
    assert (row["players"], row["blocks"], row["name"]) == (4, n, "Free Lunch")


def test_the_table_has_a_row_for_each_item_over_all_and_at_each_number_of_players(planted):
    table = items.value_of_items([planted])
    assert table.height == 66 * 3
    assert table.filter(pl.col("players").is_null()).height == 66
    assert table.equals(items.value_of_items([planted]))  # to the last bit
    plain = items.value_of_items([planted], variants="none")
    assert plain["seats"].sum() == (2 + 4) * 3 * 150 * 2  # three cards each; each row also in that over all


def test_the_same_interactions_in_plain_python(planted):
    """Free Lunch under Unions at 4 players: both combinations with it against both without it."""
    _, games, score, held, _, _ = by_hand(planted, 4)
    sums = {side: np.zeros((150, 2)) for side in (True, False)}
    for key in held[1001]["opening"]:
        game = games[key[0]]
        under = "unions" in (game["twist_1"], game["twist_2"])
        sums[under][game["game_index"]] += (score[key], 1)
    ratios = {side: own[:, 0].sum() / own[:, 1].sum() for side, own in sums.items()}
    parts = {side: (own[:, 0] - ratios[side] * own[:, 1]) / own[:, 1].sum() for side, own in sums.items()}
    n = int((sums[True][:, 1] + sums[False][:, 1] > 0).sum())
    error = math.sqrt(((parts[True] - parts[False]) ** 2).sum() * n / (n - 1))
    from scipy.stats import t

    found = {(one.id, one.variant): one for one in items.interactions([planted], players=[4])}
    assert len(found) == 66 * 2
    one = found[1001, "unions"]
    middle, reach = ratios[True] - ratios[False], t.ppf(0.975, n - 1) * error
    assert one.difference == pytest.approx([middle, middle - reach, middle + reach], abs=1e-5)
    assert one.p == pytest.approx(2 * t.sf(abs(middle) / error, n - 1))
    assert (one.with_value, one.without_value) == pytest.approx(
        (ratios[True] - 1, ratios[False] - 1), abs=1e-5
    )
    tested = [one for one in found.values() if one.p is not None]
    assert [one.adjusted for one in tested] == benjamini_yekutieli([one.p for one in tested])


def test_interactions_over_all_numbers_of_players(planted):
    table = items.interactions_of_items([planted], by_players=True)
    assert table.height == 66 * 2 * 3
    rows = table.filter(id=1001, variant="unions").sort("players").to_dicts()
    assert [row["players"] for row in rows] == [None, 2, 4]
    assert rows[0]["difference"] == pytest.approx(
        (rows[1]["difference"] + rows[2]["difference"]) / 2, abs=1e-5
    )


def test_only_what_was_played_can_be_asked_for(planted):
    with pytest.raises(UsageError, match="unknown lineup of these runs 'field'"):
        items.value_of_items([planted], lineup="field")
    with pytest.raises(UsageError, match="no game of the cells asked for"):
        items.value_of_items([planted], players=[3])
    with pytest.raises(UsageError, match="no run is given"):
        items.interactions([])


def test_planted_cards_come_out_first_and_last(tmp_path, request):
    overlay = request.config.rootpath / "tests" / "data" / "planted_cards.toml"
    run = balance.simulate(
        tmp_path / "run",
        players=4,
        variants="none",
        lineups="mirror:greedy",
        games_per_cell=20_000,
        seed=5,
        catalog=[overlay],
        jobs=2,
    )
    found = sorted(items.item_values([run]), key=lambda one: one.value.value)
    best, worst = found[-1], found[0]
    assert (best.name, worst.name) == ("Free Lunch", "Paperweight")
    assert best.value.low > 2
    assert worst.value.high < -0.2
    assert best.adjusted < 1e-6 > worst.adjusted
    assert (best.score_per_money, worst.score_per_money) == (None, 0)
    told = items.item_sentences(found, "inventions")
    assert told[1].startswith("Free Lunch: +2.")
    assert any(sentence.startswith("Paperweight: -0.") for sentence in told)


# --- a game that deals nothing


def test_charms_are_bought_so_nothing_causal_is_said_of_them(tiny_runs):
    found = items.item_values(tiny_runs, lineup="field")
    bought = pl.concat(
        [
            run.scan("buys").collect().join(run.cells.select("cell_id", "lineup"), on="cell_id")
            for run in tiny_runs
        ]
    )
    bought = bought.filter(lineup="field")
    for one in (value for value in found if value.players is None):
        own = bought.filter(charm=one.id)
        assert one.built_times == own.height > 0
        assert one.round_built == pytest.approx(own["round"].mean(), abs=1e-5)
        assert one.value == one.money == one.share_built == items.Ends()
        printed = next(item for item in items_of(tiny_runs[0]) if item.id == one.id)
        assert (one.cost, one.score) == (printed.cost, printed.score)
        assert one.score_per_money == pytest.approx(printed.score * own.height / own["paid"].sum(), abs=1e-5)
    assert items.item_sentences(found)[0].startswith("Nothing can be said of items")
    with pytest.raises(UsageError, match="Tiny race deals no charms before the first decision"):
        count_versus(tiny_runs, choose_cells(tiny_runs, "field"))
