"""Extensions: further games or cells of a finished run, in a new folder that names its parent."""

import polars as pl
import pytest

import balance
from balance.errors import DataError, UsageError
from balance.sweep import simulation


@pytest.fixture
def parent(tiny_run):
    return tiny_run(players=2, variants=["none", "windy"], lineups="field")


@pytest.fixture
def extend(tmp_path):
    made = 0

    def play(run, **options):
        nonlocal made
        made += 1
        prepared = simulation.prepare_extension(run.path, tmp_path / f"more-{made}", **options)
        return simulation.run_prepared(prepared).run

    return play


def ids(*runs):
    return [number for run in runs for number in run.games.collect()["game_id"]]


def test_further_games_of_the_same_cells(parent, extend):
    more = extend(parent, games_per_cell=5)
    assert more.plan.parent == parent.plan.id
    assert [cell.key for cell in more.plan.cells] == [cell.key for cell in parent.plan.cells]
    assert set(more.games.collect()["game_index"]) == set(range(8, 13))
    assert len(set(ids(parent, more))) == parent.plan.games + more.plan.games


def test_both_together_are_what_one_longer_run_would_be(parent, extend, tiny_run):
    more = extend(parent, games_per_cell=5)
    whole = tiny_run(players=2, variants=["none", "windy"], lineups="field", games_per_cell=13)
    both = pl.concat([run.seats.collect() for run in balance.open_runs([parent.path, more.path])])
    assert both.sort("game_id", "seat").equals(whole.seats.collect().sort("game_id", "seat"))


def test_new_cells_get_new_ids_and_begin_at_the_first_deal(parent, extend):
    more = extend(parent, variants=["windy", "festive"], players="2-3", games_per_cell=4)
    cells = {cell.key: cell for cell in more.plan.cells}
    known = cells[2, ("windy",), "field"]
    assert (known.id, known.first, known.deals) == (1, 8, 4)
    assert (cells[2, (), "field"].first, cells[2, (), "field"].deals) == (8, 0)
    new = [cell for cell in more.plan.cells if cell.id > 1]
    assert [(cell.id, cell.players, cell.variants, cell.first) for cell in new] == [
        (2, 2, ("festive",), 0),
        (3, 3, ("festive",), 0),
        (4, 3, ("windy",), 0),
    ]
    assert len(balance.open_runs([parent.path, more.path])) == 2


def test_an_extension_of_an_extension_remembers_all_cells(parent, extend):
    more = extend(parent, variants="windy", games_per_cell=4)
    last = extend(more, games_per_cell=2)
    assert {cell.variants: (cell.first, cell.deals) for cell in last.plan.cells} == {
        (): (8, 2),
        ("windy",): (12, 2),
    }
    assert len(set(ids(parent, more, last))) == 16 + 4 + 4
    assert last.plan.parent == more.plan.id


def test_replicates_are_those_of_the_parent(tiny_run, extend):
    run = tiny_run(players=2, variants="none", lineups="random,thrifty", replicates=3)
    assert {cell.replicates for cell in extend(run, games_per_cell=2, lineups="field").plan.cells} == {6, 3}


def test_overlapping_games_are_refused(parent, extend, tiny_run):
    one, two = extend(parent, games_per_cell=5), extend(parent, games_per_cell=3)
    with pytest.raises(UsageError, match="overlap: both hold games of the cell 2 players, plain, field"):
        balance.open_runs([parent.path, one.path, two.path])
    with pytest.raises(UsageError, match="overlap"):
        balance.open_runs([parent.path, parent.path])
    with pytest.raises(UsageError, match="no run is given"):
        balance.open_runs([])


def test_runs_that_have_nothing_to_do_with_each_other_are_refused(parent, tiny_run):
    with pytest.raises(UsageError, match="cannot be read together: their seed differs"):
        balance.open_runs([parent.path, tiny_run(seed=4).path])
    with pytest.raises(UsageError, match="cell 0 is 2 players, plain, field there, 3 players"):
        balance.open_runs([parent.path, tiny_run(players=3).path])


def test_an_unfinished_run_is_not_extended(parent, tmp_path):
    parent.files("games")[0].unlink()
    with pytest.raises(DataError, match="is damaged"):
        simulation.prepare_extension(parent.path, tmp_path / "more")


def test_the_parent_is_not_touched(parent, extend, digests):
    before = digests(parent.path)
    extend(parent, games_per_cell=5)
    assert digests(parent.path) == before
    with pytest.raises(UsageError, match="holds another run"):
        simulation.prepare_extension(parent.path, parent.path)
