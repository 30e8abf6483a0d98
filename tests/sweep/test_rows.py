"""What the rows say: cells, orders, replicates, lineups, and that every game replays to its row."""

import random

import polars as pl
import pytest

import balance
from balance import games
from balance.dataset.schema import split_game_id
from balance.errors import DataError, UsageError
from balance.sweep import replaying


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return balance.simulate(
        tmp_path_factory.mktemp("rows") / "run",
        players="2,4",
        variants=["unions,parallel-universe", "geeks", "none"],
        games_per_cell=40,
        replicates=3,
        lineups="mirror:random",
        seed=5,
    )


def test_a_cell_has_its_games_and_the_words_of_the_game(run):
    cells = run.cells
    assert cells.columns == ["cell_id", "edition", "players", "pair_a", "pair_b", "twist_1", "twist_2",
                             "lineup", "first_index", "deals", "replicates"]  # fmt: skip
    assert cells["cell_id"].to_list() == list(range(6))
    assert cells.select("players", "pair_a", "pair_b").rows()[:3] == [
        (2, None, None),
        (2, "geeks", None),
        (2, "parallel-universe", "unions"),
    ]
    counts = run.games.group_by("cell_id").agg(pl.len()).sort("cell_id").collect()
    assert counts["len"].to_list() == [120] * 6
    one = run.games.filter(pl.col("cell_id") == 4).collect()
    assert one["game_id"].n_unique() == 120
    assert set(one["edition"]) == {"ascora-2011"}
    assert set(one["seed"]) == {5}
    assert set(one["lineup"]) == {"mirror:random"}


def test_ids_can_be_read(run):
    for row in run.games.collect().sample(20, seed=1).iter_rows(named=True):
        key = split_game_id(row["game_id"])
        assert (key.cell, key.index, key.replicate) == (row["cell_id"], row["game_index"], row["replicate"])


def test_rows_are_sorted_by_cell(run):
    files = [file for table in run.tables for file in run.files(table.name)]
    assert len(files) >= len(run.tables) > 0
    assert all(pl.read_parquet(file)["cell_id"].is_sorted() for file in files)


def test_the_order_of_two_twists_is_drawn_by_the_deal_and_stored(run):
    pair = run.games.filter(pl.col("pair_b") == "unions").collect()
    assert set(zip(pair["pair_a"], pair["pair_b"], strict=True)) == {("parallel-universe", "unions")}
    first = pair.group_by("players", "game_index").agg(pl.col("twist_1").n_unique()).get_column("twist_1")
    assert set(first) == {1}  # the same for all replicates of a deal
    share = (pair["twist_1"] == "parallel-universe").mean()
    assert 0.3 < share < 0.7
    assert (pair["twist_1"] != pair["twist_2"]).all()
    single = run.games.filter(pl.col("pair_a") == "geeks").collect()
    assert set(zip(single["twist_1"], single["twist_2"], strict=True)) == {("geeks", None)}


def test_every_table_points_to_games_of_the_same_cell(run):
    known = run.games.select("game_id", "cell_id")
    for table in run.tables:
        rows = run.scan(table.name)
        assert rows.join(known, on=["game_id", "cell_id"], how="anti").collect().is_empty(), table.name
    seats = run.seats.join(run.games, on="game_id").collect()
    assert (seats["won"] == (seats["seat"] == seats["winner_seat"]).fill_null(value=False)).all()
    assert seats.height == run.games.select(pl.col("players").cast(pl.Int64).sum()).collect().item()


def test_a_stalled_game_has_no_winner(tiny_run, tmp_path):
    far = tmp_path / "far.toml"
    far.write_text('[[edition]]\nid = "classic"\ngoal = 99\ncoins = 0\n')
    games_ = tiny_run(catalog=[far], variants="none", games_per_cell=40, lineups="mirror:random").games
    stalled = games_.filter(pl.col("stalled")).collect()
    assert stalled.height > 0
    assert stalled["winner_seat"].null_count() == stalled.height


def test_replicates_share_the_deal_and_nothing_else(run):
    seats = run.seats.join(run.games, on="game_id")
    seats = seats.filter(pl.col("players") == 4, pl.col("pair_a").is_null()).collect()
    deals = seats.group_by("game_index", "seat").agg(pl.col("opening_0").n_unique())
    assert set(deals["opening_0"]) == {1}
    rounds = seats.group_by("game_index").agg(pl.col("rounds").n_unique())["rounds"]
    assert (rounds > 1).mean() > 0.5


def test_the_same_index_meets_the_same_deal_in_every_cell(run):
    seats = run.seats.join(run.games, on="game_id").filter(pl.col("players") == 4)
    seats = seats.filter(pl.col("pair_a").is_null() | pl.col("pair_b").is_not_null())  # geeks deal more cards
    deals = seats.group_by("game_index", "seat").agg(pl.col("opening_0").n_unique()).collect()
    assert set(deals["opening_0"]) == {1}


def test_a_list_of_policies_is_rotated_within_a_deal(tiny_run):
    run = tiny_run(players=2, lineups="random,thrifty", variants="none", games_per_cell=5, replicates=2)
    assert run.cells["replicates"].to_list() == [4]
    seats = run.seats.join(run.games, on="game_id").sort("game_index", "replicate", "seat").collect()
    assert seats["policy"].to_list()[:8] == ["random", "thrifty", "thrifty", "random"] * 2


def test_policies_of_field_are_drawn_for_every_seat(tiny_run):
    seats = tiny_run(lineups="field", variants="none", games_per_cell=100).seats.collect()
    assert 0.35 < (seats["policy"] == "thrifty").mean() < 0.65


# --- every row replays


def replays(run, count, seed):
    ids = run.games.select("game_id").collect()["game_id"].to_list()
    for number in random.Random(seed).sample(ids, count):
        found = replaying.find_game(run, number)
        events = found.events  # raises if a row says something else
        row = run.games.filter(pl.col("game_id") == number).collect().row(0, named=True)
        assert events[-1]["rounds"] == row["rounds"]
        assert events[-1]["winner"] == row["winner_seat"]
        words = [name for name in (row["twist_1"], row["twist_2"]) if name] if "twist_1" in row else None
        assert words is None or events[0]["twists"] == words


def test_random_rows_replay_to_what_they_say(run):
    replays(run, 40, seed=1)


@pytest.mark.parametrize(
    ("players", "lineup"), [("2,4", "mirror:adaptive"), ("2,4", "field"), ("2", "greedy,search:4")]
)
def test_random_rows_of_players_who_think_replay(tmp_path, players, lineup):
    pairs = ["unions,long-term-plans", "geeks,perpetual-motion", "none"]
    run = balance.simulate(
        tmp_path / "run", players=players, variants=pairs, games_per_cell=4, lineups=lineup, seed=6
    )
    replays(run, 12, seed=3)


@pytest.mark.parametrize("lineup", ["mirror:random", "mirror:thrifty", "field", "random,thrifty"])
def test_random_rows_of_every_lineup_replay(tiny_run, lineup):
    run = tiny_run(players=2, lineups=lineup, replicates=2, games_per_cell=30)
    replays(run, 25, seed=2)


def test_a_row_that_lies_is_found_out(run, tmp_path):
    import shutil

    lie = tmp_path / "lie"
    shutil.copytree(run.path, lie)
    file = sorted((lie / "seats").rglob("*.parquet"))[0]
    frame = pl.read_parquet(file)
    frame = frame.with_columns(
        money=pl.when(pl.col("seat") == 1).then(pl.col("money") + 1).otherwise("money")
    )
    file.write_bytes(b"")
    frame.write_parquet(file)
    liar = balance.Run(lie, run.plan, run.state)
    with pytest.raises(DataError, match="differently from its rows in seats"):
        _ = replaying.find_game(liar, frame["game_id"][0]).events


@pytest.mark.parametrize(
    ("number", "message"),
    [
        (-1, "-1 is not the id of a game"),
        (60000000000000, "it does not play cell 6, index 0, replicate 0"),
        (40000000040000, "it does not play cell 4, index 40, replicate 0"),
        (40000000039003, "it does not play cell 4, index 39, replicate 3"),
    ],
)
def test_a_game_that_is_not_there_is_refused(run, number, message):
    with pytest.raises(UsageError, match=message):
        replaying.find_game(run, number)


def test_a_run_of_another_engine_is_not_replayed(run, monkeypatch):
    monkeypatch.setattr(type(games.get("nefarious")), "engine_hash", lambda self: "0" * 64)
    with pytest.raises(DataError, match="cannot be played exactly as it was: engine: "):
        replaying.find_game(run, 0)
