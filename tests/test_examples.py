"""The example analyses of docs/examples run, and say what the rows say."""

import math
import os
import runpy
import subprocess
import sys
from collections import defaultdict

import pytest

import balance


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return balance.simulate(
        tmp_path_factory.mktemp("examples") / "run",
        players=3,
        variants=["none", "unions", "geeks", "geeks,unions"],
        lineups="mirror:random",
        games_per_cell=40,
    )


def printed(checkout, script, *args, cwd=None):
    done = subprocess.run(
        [sys.executable, checkout / "docs" / "examples" / script, *map(str, args)],
        env=os.environ | {"PYTHONPATH": str(checkout)},
        cwd=cwd,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_pairs_beyond_expectation(run, checkout):
    example = runpy.run_path(str(checkout / "docs" / "examples" / "broken_pairs_polars.py"))
    [row] = example["beyond_expectation"](run).to_dicts()
    logs = defaultdict(dict)
    for game in run.games.collect().iter_rows(named=True):
        logs[game["game_index"]][game["pair_a"], game["pair_b"]] = math.log(game["rounds"])
    beyond = [
        deal["geeks", "unions"] - deal["geeks", None] - deal["unions", None] + deal[None, None]
        for deal in logs.values()
    ]
    assert row["deals"] == len(beyond) == 40
    assert row["factor"] == pytest.approx(math.exp(sum(beyond) / 40))
    assert row["low"] < row["factor"] < row["high"]
    [line] = printed(checkout, "broken_pairs_polars.py", run.path)
    assert line.startswith("geeks + unions (3 players, mirror:random): ")
    assert f"{row['factor']:.2f} times as long" in line


def test_without_arguments_they_play_a_small_run_first(checkout, tmp_path):
    lines = printed(checkout, "broken_pairs_polars.py", cwd=tmp_path)
    assert len(lines) == 6
    assert all("(4 players, mirror:random)" in line and "200 deals" in line for line in lines)
    lines = printed(checkout, "card_value_duckdb.py", cwd=tmp_path)
    assert [line.split()[0] for line in lines] == ["(none)", "unions"]
    assert printed(checkout, "card_value_duckdb.py", cwd=tmp_path) == lines


@pytest.mark.parametrize("card", [1, 64])
def test_the_value_of_a_card(card, run, checkout):
    name = dict(run.small("inventions").select("id", "name").rows())[card]
    example = runpy.run_path(str(checkout / "docs" / "examples" / "card_value_duckdb.py"))
    games = {game["game_id"]: game for game in run.games.collect().iter_rows(named=True)}
    points = defaultdict(list)
    for seat in run.seats.collect().iter_rows(named=True):
        game = games[seat["game_id"]]
        if seat["opening_0"] >> (card - 1) & 1:
            for twist in {game["pair_a"], game["pair_b"]} - {None} or {"(none)"}:
                points[twist].append(1 if game["stalled"] else 3 * seat["won"])
    rows = example["values"](run.path, name)
    assert {row[0]: row[1:3] for row in rows} == {t: (len(p), sum(p)) for t, p in points.items()}
    assert all(row[3] == pytest.approx(row[2] / row[1] - 1) for row in rows)
    lines = printed(checkout, "card_value_duckdb.py", run.path, name)
    assert lines[0].startswith("(none)")
    assert len(lines) == len(rows)
