"""The value of items: a real run counted in another way, planted cards found, games that deal nothing."""

import math

import numpy as np
import polars as pl
import pytest
from scipy.stats import t

import balance
from balance.dataset.saved_queries import bind, find_question
from balance.errors import UsageError
from balance.measure.cells import connect_to
from balance.measure.items import choose_cells, items_of
from balance.stats.corrections import benjamini_yekutieli


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


def item_sums(run, players, lineup, columns):
    """What the view sums up of every item at so many players, by item."""
    sums = ", ".join(f"sum({name})::bigint" for name in columns)
    with connect_to([run]) as con:
        rows = con.execute(
            f"select item, {sums} from item_deals where players = ? and lineup = ? group by item",
            [players, lineup],
        ).fetchall()
    return {item: dict(zip(columns, own, strict=True)) for item, *own in rows}


@pytest.mark.parametrize(("players", "lineup"), [(4, "mirror:greedy"), (2, "mirror:random")])
def test_the_same_counts_in_plain_python(planted, players, lineup):
    ids, _, score, held, builds, mine = by_hand(planted, players, lineup)
    columns = ("opening", "opening_points", "drawn", "drawn_points", "built", "built_points")
    found = item_sums(planted, players, lineup, (*columns, "built_opening", "rounds", "paid"))
    for k, card in enumerate(ids):
        one = found[card]
        for how in ("opening", "drawn", "built"):
            keys = held[card][how]
            assert one[how] == len(keys)
            assert one[f"{how}_points"] == sum(score[key] for key in keys)
        own = [b for b in builds if b["invention"] == card]
        assert one["built_opening"] == len([b for b in own if mine[b["game_id"], b["seat"]] >> k & 1])
        assert one["rounds"] == sum(b["round"] for b in own)
        assert one["paid"] == sum(b["paid"] for b in own)
    # everybody's hand has the same size: the average card is worth nothing
    assert sum(one["opening"] for one in found.values()) == sum(o["opening_points"] for o in found.values())


def test_a_card_that_was_dealt_thrown_away_and_drawn_again_counts_as_dealt(tmp_path):
    """Hands of ten for six players: the pile is shuffled again and again."""
    run = balance.simulate(
        tmp_path / "run", players=6, variants="geeks", lineups="mirror:random", games_per_cell=80, seed=5
    )
    again = run.seats.filter((pl.col("opening_0") & pl.col("drawn_0")) != 0)
    assert again.select(pl.len()).collect().item() > 10
    ids, _, _, held, _, _ = by_hand(run, 6, "mirror:random")
    found = item_sums(run, 6, "mirror:random", ("opening", "drawn"))
    for card in ids:
        assert [found[card][how] for how in ("opening", "drawn")] == [
            len(held[card][how]) for how in ("opening", "drawn")
        ]


def test_the_same_intervals_from_the_rows(planted):
    """Free Lunch at 4 players: the ratio, its spread over deals and Student, from polars and the formula."""
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
    reach = t.ppf(0.975, n - 1) * math.sqrt((parts**2).sum() * n / (n - 1))
    row = balance.values([planted], lineup="mirror:greedy", players=[4]).filter(item=1001).to_dicts()[0]
    assert [row["value"], row["low"], row["high"]] == pytest.approx(
        [ratio - 1, ratio - 1 - reach, ratio - 1 + reach], abs=1e-9
    )
    assert (row["deals"], row["item_name"], row["rank"], row["differs"]) == (n, "Free Lunch", 1, True)


def test_the_table_has_a_row_for_each_item_that_was_dealt(planted):
    table = balance.values([planted], lineup="mirror:greedy")
    assert table.height == 66
    assert table.equals(balance.values([planted], lineup="mirror:greedy"))  # to the last bit
    plain = balance.values([planted], lineup="mirror:greedy", variants="none")
    assert plain["seats"].sum() == (2 + 4) * 3 * 150  # three cards each


def test_the_same_interactions_in_plain_python(planted):
    """Free Lunch under Unions at 4 players: both combinations with it against both without it."""
    _, games, score, held, _, _ = by_hand(planted, 4)

    def versus(card, twist):
        """Difference and p-value."""
        sums = {side: np.zeros((150, 2)) for side in (True, False)}
        for key in held[card]["opening"]:
            game = games[key[0]]
            sums[twist in (game["twist_1"], game["twist_2"])][game["game_index"]] += (score[key], 1)
        ratios = {side: own[:, 0].sum() / own[:, 1].sum() for side, own in sums.items()}
        parts = {side: (own[:, 0] - ratios[side] * own[:, 1]) / own[:, 1].sum() for side, own in sums.items()}
        n = int((sums[True][:, 1] + sums[False][:, 1] > 0).sum())
        error = math.sqrt(((parts[True] - parts[False]) ** 2).sum() * n / (n - 1))
        middle = ratios[True] - ratios[False]
        return middle, t.ppf(0.975, n - 1) * error, 2 * t.sf(abs(middle) / error, n - 1), ratios

    question = find_question("report/item-variants")
    with connect_to([planted], [cell.id for cell in choose_cells([planted], "mirror:greedy", [4])]) as con:
        asked = bind(con, question, {"lineup": "mirror:greedy", "most": 1_000_000})
        table = pl.DataFrame(con.sql(question.sql, params=asked))
    found = {(row["item"], row["variant"]): row for row in table.to_dicts()}
    assert len(found) == 66 * 2
    one = found[1001, "unions"]
    middle, reach, _, ratios = versus(1001, "unions")
    ends = [one[end] for end in ("difference", "low", "high")]
    assert ends == pytest.approx([middle, middle - reach, middle + reach], abs=1e-9)
    assert (one["with_value"], one["without_value"]) == pytest.approx((ratios[True] - 1, ratios[False] - 1))
    adjusted = benjamini_yekutieli([versus(*key)[2] for key in found])
    assert [row["differs"] for row in found.values()] == [p <= 0.05 for p in adjusted]
    assert one["found"] == sum(p <= 0.05 for p in adjusted)


def test_only_what_was_played_can_be_asked_for(planted):
    with pytest.raises(UsageError, match="unknown lineup of these runs 'field'"):
        balance.values([planted], lineup="field")
    with pytest.raises(UsageError, match="no game of the cells asked for"):
        balance.values([planted], players=[3])
    with pytest.raises(UsageError, match="no run is given"):
        balance.values([])


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
    found = balance.values(run).to_dicts()
    best, worst = found[0], found[-1]
    assert (best["item_name"], worst["item_name"]) == ("Free Lunch", "Paperweight")
    assert best["low"] > 2
    assert worst["high"] < -0.2
    assert best["differs"]
    assert worst["differs"]


# --- a game that deals nothing


def test_charms_are_bought_so_nothing_causal_is_said_of_them(tiny_runs):
    bought = pl.concat(
        [
            run.scan("buys").collect().join(run.cells.select("cell_id", "lineup", "players"), on="cell_id")
            for run in tiny_runs
        ]
    ).filter(lineup="field")
    for players in bought["players"].unique().to_list():
        with connect_to(list(tiny_runs)) as con:
            rows = con.execute(
                "select item, sum(built), sum(paid), sum(opening) from item_deals "
                "where lineup = 'field' and players = ? group by item",
                [players],
            ).fetchall()
        for item, built, paid, opening in rows:
            own = bought.filter(charm=item, players=players)
            assert (built, paid, opening) == (own.height, own["paid"].sum(), 0)
    assert balance.values(tiny_runs, lineup="field").height == 0
    items = items_of(tiny_runs[0].game, tiny_runs[0].catalog)
    assert len(items) == len({item.id for item in items}) > 0
    assert {cell.lineup for cell in choose_cells(tiny_runs, "field")} == {"field"}
