"""Same seed, same bytes: whatever the number of threads, the batches, the order, the folder, the history."""

import os
import subprocess
import sys
import threading

import pytest

import balance
from balance.dataset import manifest
from balance.sweep import playing
from tests.games.tiny import Tiny


@pytest.fixture
def run(tmp_path, small_shards, digests):
    """Simulate a small sweep and return the digests of its folder."""

    def of(out, **options):
        fixed = {"games_per_cell": 30, "seed": 11, "jobs": 2, "lineups": "mirror:random"}
        options = {"players": "2-3", "variants": ["unions,parallel-universe", "none", "geeks"]} | options
        balance.simulate(tmp_path / out, **fixed | options)
        return digests(tmp_path / out)

    return of


@pytest.fixture
def first(run):
    return run("first")


def test_the_folder_is_what_the_promise_speaks_of(first, tmp_path):
    names = {name.split("/")[0] for name in first}
    assert names == {"games", "seats", "builds", "rounds", "deals", "run.json", "catalog.toml",
                     "policies.toml", "learned.npz",
                     "run.parquet", "cells.parquet", "policies.parquet", "twists.parquet",
                     "inventions.parquet", "editions.parquet"}  # fmt: skip
    assert len(first) > 4 * 4  # several shards
    others = {path.name for path in (tmp_path / "first").iterdir()} - names
    assert others == {"run.log", "shards.jsonl"}


def test_one_thread_two_threads_many(run, first):
    assert run("one", jobs=1) == first
    assert run("many", jobs=5) == first


@pytest.mark.parametrize("size", [1, 7])
def test_other_batch_sizes(run, first, monkeypatch, size):
    monkeypatch.setattr(playing, "_AT_ONCE", size)
    assert run("batches") == first


def test_another_order_of_cells(run, first):
    assert run("order", players=[3, 2], variants=["geeks", "none", "parallel-universe,unions"]) == first


def test_shards_played_in_another_order(run, first, monkeypatch):
    from balance.sweep import folder

    work = folder.work
    monkeypatch.setattr(
        folder, "work", lambda game, catalog, plan, todo, *rest: work(game, catalog, plan, todo[::-1], *rest)
    )
    assert run("reversed", jobs=1) == first


def test_gone_on_with_after_half_of_it(run, first, tmp_path):
    run("half")
    lines = (tmp_path / "half" / manifest.STATE).read_bytes().splitlines(keepends=True)
    # as if killed: a shard unknown, one with a file missing, a line cut off
    (tmp_path / "half" / manifest.STATE).write_bytes(b"".join(lines[:-2]) + lines[-2][:30])
    next((tmp_path / "half" / "seats").rglob("*.parquet")).unlink()
    assert run("half") == first


@pytest.mark.parametrize("threads", ["1", "3"])
def test_another_process_with_other_hashes_and_threads(first, tmp_path, digests, checkout, threads):
    script = """
import sys, balance
from balance.dataset import shards
shards.FEWEST_SEATS, shards.WANTED = 60, 8
balance.simulate(sys.argv[1], players="2-3", variants=["geeks", "none", "unions,parallel-universe"],
                 lineups="mirror:random", games_per_cell=30, seed=11)
"""
    environment = os.environ | {"PYTHONHASHSEED": threads, "POLARS_MAX_THREADS": threads, "TZ": "Asia/Tokyo"}
    folder = tmp_path / "elsewhere" / "deep"
    subprocess.run([sys.executable, "-c", script, str(folder)], env=environment, cwd=checkout, check=True)
    assert digests(folder) == first


def test_another_seed_gives_other_games_of_the_same_cells(run, first):
    other = run("seed", seed=12)
    assert other.keys() == first.keys()
    same = {name for name in first if first[name] == other[name]}
    assert not [name for name in same if "/" in name]
    assert same >= {"cells.parquet", "catalog.toml", "policies.parquet"}


def test_the_tiny_game_keeps_the_promise_too(tiny_run, digests):
    folders = [digests(tiny_run(jobs=jobs, lineups=["field", "mirror:thrifty"]).path) for jobs in (1, 2)]
    assert folders[0] == folders[1]
    assert {name.split("/")[0] for name in folders[0]} >= {"games", "seats", "buys", "laps", "moods.parquet"}


def test_the_games_of_a_small_run_are_shared_among_threads(tiny_run, digests, monkeypatch):
    """One shard, perhaps of a player that takes its time: the cores left over play too, to the same bytes."""
    options = {"players": 2, "variants": "none", "games_per_cell": 2, "lineups": "mirror:thrifty"}
    alone = digests(tiny_run(**options, jobs=1).path)
    both = threading.Barrier(2, timeout=60)
    play = Tiny.play

    def together(self, *args, **given):
        both.wait()  # fails where one thread plays alone
        return play(self, *args, **given)

    monkeypatch.setattr(Tiny, "play", together)
    assert digests(tiny_run(**options, jobs=2).path) == alone
