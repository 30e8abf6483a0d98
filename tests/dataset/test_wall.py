"""The wall: DuckDB's threads cannot write, whatever the gate lets through."""

import threading

import duckdb
import pytest

import balance
from balance import games
from balance.dataset import wall
from balance.dataset.connection import connect
from tests.games.tiny import GAME

pytestmark = pytest.mark.skipif(wall.version() < 3, reason="this kernel has no Landlock")


@pytest.fixture
def run(tmp_path):
    with games.registered(GAME):
        yield balance.simulate(tmp_path / "run", game="tiny", games_per_cell=3)


def test_without_the_gate_nothing_can_be_written(run):
    file = run.files("games")[0]
    before = file.read_bytes()
    with connect([run]) as con:
        assert con.walled

        def write(options):
            return con._con.execute(f"copy (select range from range(3000000)) to '{file}' ({options})")

        for options in ("format csv, use_tmp_file false", "format parquet, use_tmp_file false"):
            with pytest.raises(duckdb.IOException, match="Permission denied"):
                con._worker.submit(lambda options=options: write(options)).result()
    assert file.read_bytes() == before


def test_the_threads_of_duckdb_are_behind_it(tmp_path):
    """Every writer of a parallel COPY is a thread of DuckDB's; in the open folder all may write."""
    (tmp_path / "open").mkdir()
    (tmp_path / "closed").mkdir()
    found = {}

    def work():
        found["wall"] = wall.raise_wall(tmp_path / "open")
        with duckdb.connect(config={"threads": 4}) as con:
            con.execute("create table t as select range from range(3000000)")
            for place in ("open", "closed"):
                try:
                    con.execute(
                        f"copy t to '{tmp_path / place}' "
                        "(format parquet, per_thread_output true, overwrite_or_ignore true)"
                    )
                    found[place] = "written"
                except duckdb.IOException as error:
                    found[place] = str(error)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert found["wall"]
    assert found["open"] == "written"
    assert len(list((tmp_path / "open").iterdir())) > 1
    assert "Permission denied" in found["closed"]
    assert list((tmp_path / "closed").iterdir()) == []
    (tmp_path / "closed" / "mine").write_text("the rest of the process may write")


def test_polars_may_write_after_a_query(run, tmp_path):
    frame = run.sql("select * from seats")
    frame.write_parquet(tmp_path / "x.parquet")
    frame.lazy().sink_parquet(tmp_path / "y.parquet")
    assert (tmp_path / "x.parquet").stat().st_size > 0
