"""docs/tables.md against the files: every column, every view, every query."""

import os
import re
import subprocess
import sys

import duckdb
import polars as pl
import pytest

import balance
from balance.dataset.connection import connect
from balance.dataset.meanings import meanings


@pytest.fixture(scope="module")
def page(request):
    return (request.config.rootpath / "docs" / "tables.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the run data/runs/x of the page: all single twists, a pair, the baseline."""
    top = tmp_path_factory.mktemp("docs")
    balance.simulate(
        top / "data" / "runs" / "x",
        players="2,4,6",
        variants=["singles", "none", "unions,parallel-universe"],
        lineups="mirror:random",
        games_per_cell=30,
        replicates=2,
    )
    return top


@pytest.fixture(scope="module")
def run(folder):
    return balance.open_run(folder / "data" / "runs" / "x")


def documented(page):
    """Return the columns of every table of the page: {table: [column]}."""
    found = {}
    for section in re.split(r"^## ", page, flags=re.M)[1:]:
        name = re.match(r"`(\w+)`", section)
        if name:
            rows = re.findall(r"^\| (`.+?) \|", section, re.M)
            found[name[1]] = [column for row in rows for column in re.findall(r"`(\w+)`", row)]
    return found


def frames(run):
    """Return the tables that the page documents column by column; `--describe` does for the others."""
    return {table.name: run.scan(table.name).collect() for table in run.tables} | {"cells": run.cells}


def test_every_column_of_the_tables_is_on_the_page(page, run):
    told = documented(page)
    first = {name: [] if name == "cells" else ["game_id", "cell_id"] for name in told}
    there = {name: sorted(frame.columns) for name, frame in frames(run).items()}
    assert {name: sorted(first[name] + columns) for name, columns in told.items()} == there


def test_views_are_on_the_page_with_what_the_registry_says(page, run):
    known = meanings([run])
    with connect([run]) as con:
        tables = con.tables()
    section = page.partition("## The views")[2]
    views = dict(re.findall(r"^\| `(\w+)` \| ([^|]+) \|$", section, re.M))
    assert views == {view: known[view].view for view in tables if view in views}
    assert {"cards", "metrics", "measures", "interactions"} <= set(views)
    assert {view for view in tables if "verdict" in view or "finding" in view} <= set(views)


RANGES = {"rounds": (1, 200), "round": (1, 200), "seat": (0, 5), "first_action": (1, 15), "nth": (1, 128)}


def test_every_value_lies_in_the_range_of_the_page(run):
    checked = 0
    for table, frame in frames(run).items():
        for name in RANGES.keys() & set(frame.columns):
            assert RANGES[name][0] <= frame[name].min() <= frame[name].max() <= RANGES[name][1], table
            checked += 1
    assert checked == 8


def queries(page):
    return re.findall(r"```sql\n(.*?)```", page, re.S)


def test_every_table_has_a_query_and_every_query_answers(page, folder, monkeypatch):
    monkeypatch.chdir(folder)
    sections = [s for s in re.split(r"^## ", page, flags=re.M)[1:] if s.startswith("`")]
    assert all("```sql" in section for section in sections)
    for query in queries(page):
        assert duckdb.execute(query).fetchall(), query


def test_the_query_for_cards_counts_what_the_masks_say(page, folder, run, monkeypatch):
    monkeypatch.chdir(folder)
    query = next(query for query in queries(page) if "opening_0" in query)
    counted = {name: seats for name, seats, _ in duckdb.execute(query).fetchall()}
    cards = run.small("inventions").sort("id")["name"].to_list()
    masks = run.seats.join(run.games.filter(pl.col("players") == 4), on="game_id").collect()["opening_0"]
    assert counted == {
        card: sum(mask >> bit & 1 for mask in masks.to_list()) for bit, card in enumerate(cards)
    }


def test_the_python_of_the_page_runs(page, folder, checkout):
    programs = re.findall(r"```python\n(.*?)```", page, re.S)
    assert len(programs) == 1
    done = subprocess.run(
        [sys.executable, "-c", "\n".join(programs)],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(checkout)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr


def test_the_files_of_the_folder_are_on_the_page(page, run):
    names = [f"`{path.name}{'/' if path.is_dir() else ''}`" for path in run.path.iterdir()]
    assert "`games/`" in names
    assert [name for name in names if name not in page] == []


# --- pruning


def row_groups(run, table, column):
    """Return least and greatest value of a column in every row group, as any reader of Parquet sees them."""
    files = [str(file) for file in run.files(table)]
    rows = duckdb.execute(
        "select stats_min_value, stats_max_value from parquet_metadata(?) where path_in_schema = ?",
        [files, column],
    ).fetchall()
    return [(low, high) for low, high in rows]


def test_a_query_for_one_player_count_or_pair_passes_over_most_row_groups(pairs):
    counts = row_groups(pairs, "games", "players")
    assert all(low == high for low, high in counts)
    wanted = "philanthropy"
    groups = row_groups(pairs, "games", "pair_a")
    assert len(groups) >= 8
    read = [low for low, high in groups if low <= wanted <= high]
    assert 0 < len(read) <= len(groups) / 2
    # the other tables are pruned by the cells of the query
    cell = pairs.cells.filter(pl.col("players") == 3, pl.col("pair_a") == wanted)["cell_id"]
    for table in ("seats", "builds"):
        groups = [(int(low), int(high)) for low, high in row_groups(pairs, table, "cell_id")]
        read = [low for low, high in groups if low <= cell.max() and high >= cell.min()]
        assert 0 < len(read) <= len(groups) / 3
