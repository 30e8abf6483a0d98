"""The DuckDB file for other programs: views, macros, comments, and judgements as tables."""

import duckdb
import pytest

import balance
from balance.cli.app import run as command
from balance.dataset.connection import connect
from balance.dataset.database import write_database
from balance.dataset.saved_queries import questions
from balance.errors import UsageError
from tests.asking import ask


@pytest.fixture(scope="module")
def schemes(tmp_path_factory):
    return balance.simulate(
        tmp_path_factory.mktemp("it's") / "run",
        players="2,4",
        variants=["none", "geeks,unions"],
        lineups="mirror:random",
        games_per_cell=10,
    )


@pytest.fixture(scope="module")
def con(schemes, tmp_path_factory):
    file = tmp_path_factory.mktemp("database") / "run.duckdb"
    write_database([schemes], file)
    with duckdb.connect(str(file), read_only=True) as opened:
        yield opened


def test_views_and_comments(con):
    assert con.execute("select count(*) from games").fetchone() == (40,)
    comment = "select comment from duckdb_columns() where table_name = 'games' and column_name = 'game_id'"
    assert "ten digits of index" in con.execute(comment).fetchone()[0]
    (tags,) = con.execute("select tags from duckdb_databases() where database_name = 'run'").fetchone()
    assert tags["storage_version"].startswith("v1.0.0")


@pytest.mark.parametrize("name", sorted(questions(game="nefarious")))
def test_a_ready_query_is_a_macro(con, views, schemes, name):
    question = questions()[name]
    values = {"players": 2, "policy": "random", "lineup": "mirror:random", "twist": "unions"}
    values |= {"metric": "stalls", "measure": "mean_length"}
    given = {p.name: values[p.name] for p in question.parameters if p.name in values}
    passed = ", ".join(f"{key} := {value!r}" for key, value in given.items())
    found = con.execute(f"from {name.replace('-', '_')}({passed})").fetchall()
    assert found == ask(views(schemes), question, given).fetchall()


@pytest.fixture(scope="module")
def closed_in(schemes):
    with connect([schemes]) as opened:
        yield opened


@pytest.mark.parametrize("table", balance.DERIVED)
def test_what_other_programs_cannot_compute_is_a_table(con, closed_in, table):
    found = con.execute(f"select * from {table} order by all").fetchall()
    assert found == closed_in.frame(f"select * from {table} order by all").rows()
    assert con.execute(f"select count(*) > 0 from duckdb_tables() where table_name = '{table}'").fetchone()[0]


def test_values_are_quoted(con):
    assert con.execute("from length_by_pair(lineup := 'it''s; drop')").fetchall() == []


def test_it_is_never_inside_of_a_run_and_replaces_nothing(schemes, tmp_path, capsys):
    for target in (schemes.path / "x.duckdb", schemes.path / "games" / "x.duckdb"):
        assert command(["sql", str(schemes.path), "--database", str(target)]) == 2
        assert "is a run, which never changes" in capsys.readouterr().err
    (tmp_path / "x.duckdb").write_text("mine")
    with pytest.raises(UsageError, match="exists already"):
        write_database([schemes], tmp_path / "x.duckdb")
    assert (tmp_path / "x.duckdb").read_text() == "mine"
    write_database([schemes], tmp_path / "x.duckdb", force=True)
    assert (tmp_path / "x.duckdb").read_bytes() != b"mine"
    assert command(["sql", str(schemes.path), "--database", str(tmp_path / "no" / "x.duckdb")]) == 2
    assert "there is no folder" in capsys.readouterr().err
    assert command(["sql", str(schemes.path), "--database", str(tmp_path / "y.duckdb")]) == 0
    assert capsys.readouterr().out == f"{tmp_path / 'y.duckdb'}\n"
