"""`deals`: beside the rows, made again where declarations differ, and the worked example of a metric."""

import re
from collections import defaultdict
from dataclasses import replace

import duckdb
import polars as pl
import pytest

import balance
from balance.dataset import deals, sql_quote
from balance.dataset.deals import DEALS, deals_files, deals_query
from balance.dataset.measures import DECLARED
from balance.dataset.views import create_views
from balance.games.measures import From, Measure
from balance.measure.cells import connect, connect_to


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return balance.simulate(
        tmp_path_factory.mktemp("deals") / "run",
        players="2,4",
        variants=["none", "unions"],
        lineups=["field", "mirror:random"],
        games_per_cell=40,
        replicates=2,
    )


def test_deals_are_beside_the_rows_and_under_the_checksums(run):
    files = deals_files([run])
    assert files == run.files(DEALS)
    assert files
    assert {file.relative_to(run.path).as_posix() for file in files} <= run.state.files().keys()


def test_an_older_run_gets_its_deals_in_the_cache(run, tmp_path, monkeypatch):
    monkeypatch.setenv("BALANCE_CACHE_DIR", str(tmp_path))
    versions = {name: value for name, value in run.plan.versions.items() if name != DECLARED}
    older = replace(run, plan=replace(run.plan, versions=versions))
    made = deals_files([older])
    assert all(file.is_relative_to(tmp_path) for file in made)
    assert pl.read_parquet(made).equals(pl.read_parquet(run.files(DEALS)))
    before = [file.stat().st_mtime_ns for file in made]
    assert [file.stat().st_mtime_ns for file in deals_files([older])] == before


def test_many_deals_are_counted_some_at_a_time(run, monkeypatch):
    files = {table.name: run.files(table.name) for table in run.tables}
    monkeypatch.setattr(deals, "_DEALS_AT_ONCE", 7)
    made = deals.DealMaker(run.game, run.plan.cells, run.path).make(files)
    assert made.equals(pl.read_parquet(run.files(DEALS)))


def test_two_measures_cannot_share_a_column_that_differs(run):
    measures = [
        Measure(name, name, "x", columns=(From("seats", "x", sql),))
        for name, sql in (("one", "sum(money)"), ("two", "sum(hand)"))
    ]
    with pytest.raises(ValueError, match="the column x"):
        deals_query(run.game.facts, measures, {})


def test_the_worked_example_counts_as_by_hand(run, checkout):
    page = (checkout / "CONTRIBUTING.md").read_text(encoding="utf-8")
    block = re.search(r"## Add a metric.*?```python\n(.*?)```", page, re.S)[1]
    measure = eval(block.strip(), {"Measure": Measure, "From": From})
    tables = {name: sql_quote.parquet(run.files(name)) for name in ("games", "builds")}
    query = deals_query(run.game.facts, [measure], tables)
    found = duckdb.sql(query).fetchall()

    built = defaultdict(list)
    for row in run.scan("builds").collect().iter_rows(named=True):
        built[row["game_id"]].append((row["round"], row["seat"]))
    wanted = defaultdict(lambda: [0, 0, 0])
    for game in run.games.collect().iter_rows(named=True):
        first = min((round_ for round_, _ in built[game["game_id"]]), default=None)
        seats = {seat for round_, seat in built[game["game_id"]] if round_ == first}
        counts = wanted[game["cell_id"], game["game_index"]]
        counts[0] += 1
        counts[1] += len(seats) == 1 and game["winner_seat"] in seats
        counts[2] += len(seats) == 1
    assert {row[:2]: list(row[2:]) for row in found} == wanted
    assert 0 < sum(won for _, won, _ in wanted.values()) < sum(alone for *_, alone in wanted.values())


def test_items_in_deals_add_up_to_what_the_rows_say(run):
    everything = {cell.id: (0, 2**31) for cell in run.plan.cells}
    names = "opening, opening_points, drawn, built, paid"
    asked = f"select lineup, players, deal, item, {names} from item_deals order by all"
    dealt = "select * from item_openings order by lineup, players, deal, item"
    kept = "select sql from duckdb_views() where view_name = 'item_openings'"
    with connect_to([run]) as beside, connect() as rows:
        create_views(rows, [run], within=everything)
        assert "deals/" in beside.sql(kept).fetchall()[0][0]
        assert beside.execute(dealt).fetchall() == rows.execute(dealt).fetchall()
        found = beside.execute(asked).fetchall()
        assert found == rows.execute(asked).fetchall()
    cards = run.sql(
        """select lineup, players, deal(game_id) as deal, invention,
          count(*) filter (how = 'opening') as opening,
          coalesce(sum(win_points) filter (how = 'opening'), 0)::bigint as points,
          count(*) filter (how = 'drawn' and first_time) as drawn
        from cards group by all"""
    ).rows()
    held = {row[:4]: row[4:] for row in cards}
    assert {row[:4]: (row[4], row[5], row[6]) for row in found if row[4] or row[6]} == held
    built = run.sql(
        """select lineup, players, deal(game_id), invention, count(*), sum(paid)::bigint
        from builds group by all"""
    )
    assert {row[:4]: (row[7], row[8]) for row in found if row[7]} == {
        row[:4]: row[4:] for row in built.rows()
    }
    assert len(held) > 1000
