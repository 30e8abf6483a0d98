"""The registry of meanings: every view and column has one, in every place that shows it."""

import duckdb
import pytest

import balance
from balance.cli.app import run as command
from balance.dataset.connection import connect
from balance.dataset.database import write_database
from balance.dataset.meanings import meanings


def made(folder, game="nefarious", **options):
    return balance.simulate(
        folder / game, game=game, players=2, lineups="mirror:random", games_per_cell=4, **options
    )


@pytest.fixture(scope="module")
def schemes(tmp_path_factory):
    return made(tmp_path_factory.mktemp("meanings"), variants=["none", "unions"])


COMMENTS = (
    "select table_name, column_name, comment from duckdb_columns() "
    "where schema_name = 'main' and not internal order by table_name, column_index"
)


def expected(run):
    known = meanings([run])
    with connect([run]) as con:
        return sorted(
            (view, column, known[view].columns[column])
            for view, columns in con.tables().items()
            for column in columns
        )


@pytest.mark.parametrize("game", ["nefarious", "tiny"])
def test_every_view_and_column_has_a_meaning(game, tmp_path, schemes):
    run = schemes if game == "nefarious" else made(tmp_path, game)
    known = meanings([run])
    with connect([run]) as con:
        tables = con.tables()
    assert {view: set(columns) - set(known[view].columns) for view, columns in tables.items()} == {
        view: set() for view in tables
    }
    assert all(known[view].view and all(known[view].columns.values()) for view in tables)
    assert set(balance.DERIVED) | {"games", "deals", "metrics", "run"} <= set(tables)


def test_comments_of_a_connection_also_after_a_table_was_made(schemes):
    with connect([schemes]) as con:
        con.frame("select count(*) from verdicts")
        assert sorted(con.frame(COMMENTS).rows()) == expected(schemes)
        views = con.frame("select view_name, comment from duckdb_views() where not internal")
    known = meanings([schemes])
    assert dict(views.rows()) == {view: known[view].view for view in views["view_name"]}


def test_comments_of_a_database_file(schemes, tmp_path):
    write_database([schemes], tmp_path / "x.duckdb")
    with duckdb.connect(str(tmp_path / "x.duckdb"), read_only=True) as con:
        assert sorted(con.execute(COMMENTS).fetchall()) == expected(schemes)
        (comment,) = con.execute(
            "select comment from duckdb_tables() where table_name = 'findings'"
        ).fetchone()
    assert comment == meanings([schemes])["findings"].view


def test_describe_lists_views_and_columns(schemes, capsys):
    assert command(["sql", str(schemes.path), "--describe", "--format", "csv"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:3] == ["view,meaning", "games,one row per game", "seats,one row per seat of a game"]
    assert command(["sql", str(schemes.path), "--describe", "verdicts", "--format", "csv"]) == 0
    assert 'verdict,varchar,"`broken`, `bent`, `fine` or `undecided`"' in capsys.readouterr().out
    assert command(["sql", str(schemes.path), "--describe", "verdict"]) == 2
    assert "verdicts" in capsys.readouterr().err


def test_a_mask_of_actions_has_names(schemes):
    found = schemes.sql(
        "select distinct first_action, actions_of(first_action) as names, "
        "actions_of(5) as two, actions_of(0) as none from seats order by 1"
    )
    one = {1: "speculate", 2: "invent", 4: "research", 8: "work"}
    assert found["names"].to_list() == [[one[mask]] for mask in found["first_action"]]
    assert found["two"][0].to_list() == ["speculate", "research"]
    assert found["none"][0].to_list() == []
